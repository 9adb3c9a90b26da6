/* SPDX-License-Identifier: MIT */
#include "perfdata/format/feature.h"

#include "perfdata/format/feature_binary.h"
#include "perfdata/format/feature_event.h"
#include "perfdata/format/feature_host.h"
#include "perfdata/format/feature_layout.h"
#include "perfdata/format/feature_run.h"
#include "perfdata/format/feature_simpleperf.h"
#include "perfdata/format/feature_topology.h"

/* A row whose functions name themselves after the feature; they come before the layout, which does the rest. */
#define ROW(id, ...) { SONDE_FEAT_##id, #id, __VA_ARGS__ }
#define CODED(codec) .decode = codec##_decode, .encode = codec##_encode, .json = codec##_json
#define FIELDS(...) .layout = LAYOUT(__VA_ARGS__)
#define TEXT_ROW(id, member, label_) \
	ROW(id, .pipe = true, .label = label_, FIELDS(TEXT(struct meta, member, NULL)))
#define META(member, name) NUMBER(struct meta, member, name)
#define META_LIST(width, member, name, ...) LIST(width, struct meta, member, name, LAYOUT(__VA_ARGS__))
#define ORDER(...) .shown = (const uint8_t[]){ __VA_ARGS__ }

static const struct layout_field caps[] = {
	TEXT(struct sonde_pmu_cap, name, "name"), TEXT(struct sonde_pmu_cap, value, "value"), { .kind = LAYOUT_END },
};

static const struct feature features[] = {
	ROW(TRACING_DATA, .any_order = true),
	ROW(BUILD_ID, CODED(build_id)),
	TEXT_ROW(HOSTNAME, hostname, "hostname"),
	TEXT_ROW(OSRELEASE, osrelease, "os release"),
	TEXT_ROW(VERSION, version, "perf version"),
	TEXT_ROW(ARCH, arch, "arch"),
	ROW(NRCPUS, .pipe = true, .decode = nrcpus_decode, .print = nrcpus_print,
	    FIELDS(META(nr_cpus_available, "available"), META(nr_cpus_online, "online"))),
	TEXT_ROW(CPUDESC, cpudesc, "cpudesc"),
	TEXT_ROW(CPUID, cpuid, "cpuid"),
	ROW(TOTAL_MEM, .pipe = true, .print = total_mem_print, FIELDS(META(total_mem_kb, NULL))),
	ROW(CMDLINE, .pipe = true, .print = cmdline_print,
	    FIELDS(META_LIST(4, cmdline, NULL, { .kind = LAYOUT_TEXT, .width = 4 }))),
	ROW(EVENT_DESC, .pipe = true, CODED(event_desc), .print = event_desc_print),
	ROW(CPU_TOPOLOGY, .pipe = true, .full_only = true, .needs = SONDE_FEAT_NRCPUS, CODED(cpu_topology),
	    .print = cpu_topology_print),
	ROW(NUMA_TOPOLOGY, .pipe = true, .full_only = true, .print = numa_topology_print,
	    FIELDS(META_LIST(4, numa, NULL, NUMBER(struct sonde_numa_node, node, "node"),
			     NUMBER(struct sonde_numa_node, total_kb, "total_kb"),
			     NUMBER(struct sonde_numa_node, free_kb, "free_kb"),
			     TEXT(struct sonde_numa_node, cpus, "cpus")))),
	ROW(BRANCH_STACK, .any_order = true, .label = "contains samples with branch stack"),
	ROW(PMU_MAPPINGS, .pipe = true, .print = pmu_mappings_print,
	    FIELDS(LIST(4, struct meta, pmus, NULL,
			LAYOUT(NUMBER(struct sonde_pmu_mapping, type, "type"),
			       TEXT(struct sonde_pmu_mapping, name, "name")), ORDER(1, 0)))),
	ROW(GROUP_DESC, .pipe = true, .print = group_desc_print,
	    FIELDS(META_LIST(4, groups, NULL, TEXT(struct sonde_group_desc, name, "name"),
			     NUMBER(struct sonde_group_desc, leader, "leader"),
			     NUMBER(struct sonde_group_desc, nr_members, "members")))),
	ROW(AUXTRACE, .label = "contains AUX area data (e.g. instruction trace)", .decode = auxtrace_decode,
	    FIELDS(META_LIST(8, auxtrace, NULL, NUMBER(struct sonde_auxtrace_index, file_offset, "file_offset"),
			     NUMBER(struct sonde_auxtrace_index, size, "size")))),
	ROW(STAT, .any_order = true, .label = "contains stat data"),
	ROW(CACHE, .full_only = true, .print = cache_print,
	    FIELDS({ .kind = LAYOUT_VERSION, .width = 4 },
		   LIST(4, struct meta, caches, NULL,
			LAYOUT(NUMBER(struct sonde_cache, level, "level"),
			       NUMBER(struct sonde_cache, line_size, "line_size"),
			       NUMBER(struct sonde_cache, sets, "sets"), NUMBER(struct sonde_cache, ways, "ways"),
			       TEXT(struct sonde_cache, type, "type"), TEXT(struct sonde_cache, size, "size"),
			       TEXT(struct sonde_cache, cpus, "cpus")), ORDER(0, 4, 5, 1, 2, 3, 6)))),
	ROW(SAMPLE_TIME, .pipe = true, .print = sample_time_print,
	    FIELDS(META(sample_time_first, "first_ns"), META(sample_time_last, "last_ns"))),
	ROW(MEM_TOPOLOGY, .pipe = true, .full_only = true, .json = mem_topology_json, .print = mem_topology_print,
	    FIELDS({ .kind = LAYOUT_VERSION, .width = 8 }, META(mem_block_size, "block_size"),
		   META_LIST(8, mem_nodes, "nodes", NUMBER(struct sonde_mem_node, node, "node"),
			     NUMBER(struct sonde_mem_node, size, "size"),
			     { .kind = LAYOUT_BITS, .width = 8, .at = offsetof(struct sonde_mem_node, words),
			       .nr_at = offsetof(struct sonde_mem_node, nr_bits) }))),
	ROW(CLOCKID, .pipe = true, .print = clockid_print, FIELDS(META(clockid_res_ns, NULL))),
	ROW(DIR_FORMAT, .print = dir_format_print, FIELDS(META(dir_version, NULL))),
	ROW(BPF_PROG_INFO, .pipe = true, CODED(bpf_prog_info), .print = bpf_prog_info_print),
	ROW(BPF_BTF, .pipe = true, .print = bpf_btf_print,
	    FIELDS(META_LIST(4, btfs, NULL, NUMBER(struct sonde_btf, id, "id"),
			     BYTES(struct sonde_btf, data, "bytes")))),
	ROW(COMPRESSED, .pipe = true, .print = compressed_print,
	    FIELDS(META(compressed.version, "version"), META(compressed.type, "type"), META(compressed.level, "level"),
		   META(compressed.ratio, "ratio"), META(compressed.mmap_len, "mmap_len"))),
	ROW(CPU_PMU_CAPS, .pipe = true, .print = cpu_pmu_caps_print,
	    FIELDS(LIST(4, struct meta, cpu_pmu_caps, NULL, caps))),
	ROW(CLOCK_DATA, .pipe = true, .json = clock_data_json, .print = clock_data_print,
	    FIELDS({ .kind = LAYOUT_VERSION, .width = 4 }, META(clock_data.clockid, "clockid"),
		   META(clock_data.tod_ns, "tod_ns"), META(clock_data.clockid_ns, "clockid_ns"))),
	ROW(HYBRID_TOPOLOGY, .full_only = true, .print = hybrid_topology_print,
	    FIELDS(META_LIST(4, hybrid, NULL, TEXT(struct sonde_hybrid_pmu, pmu, "pmu"),
			     TEXT(struct sonde_hybrid_pmu, cpus, "cpus")))),
	ROW(PMU_CAPS, .pipe = true, .print = pmu_caps_print,
	    FIELDS(LIST(4, struct meta, pmu_caps, NULL,
			LAYOUT(LIST(4, struct meta_pmu_caps, caps, "caps", caps),
			       TEXT(struct meta_pmu_caps, pmu, "pmu")), ORDER(1, 0)))),
	ROW(CPU_DOMAIN_INFO, .pipe = true, .full_only = true, .needs = SONDE_FEAT_NRCPUS, CODED(cpu_domain_info),
	    .print = cpu_domain_info_print),
	ROW(E_MACHINE, .pipe = true, .print = e_machine_print,
	    FIELDS(META(e_machine, "machine"), META(e_flags, "flags"))),
	ROW(CLN_SIZE, .pipe = true, .print = cln_size_print, FIELDS(META(cache_line_size, NULL))),
	ROW(FILE, .decode = file_decode),
	ROW(META_INFO, .any_order = true, .decode = meta_info_decode),  /* texts that end with a NUL */
	ROW(DEBUG_UNWIND),
	ROW(DEBUG_UNWIND_FILE),
	ROW(FILE2, .decode = file2_decode),
	ROW(UNFINISHED),
};

const struct feature *feature_table(size_t *nr)
{
	*nr = ARRAY_SIZE(features);
	return features;
}

const struct feature *feature_find(uint32_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if (features[i].id == id)
			return &features[i];
	return NULL;
}

const char *sonde_feature_name(uint32_t feature)
{
	const struct feature *f = feature_find(feature);

	return f ? f->name : NULL;
}

const struct sonde_raw_feature *feature_raw(const struct meta *meta, uint32_t id)
{
	for (size_t i = meta->nr_raw; i > 0; i--)
		if (meta->raw[i - 1].id == id)
			return &meta->raw[i - 1];
	return NULL;
}

/* The array is grown when its length is a power of two, so meta needs no field for its capacity. */
static int raw_add(struct meta *meta, struct arena *a, const struct sonde_raw_feature *raw,
		   struct sonde_error *err)
{
	if ((meta->nr_raw & (meta->nr_raw - 1)) == 0) {
		struct sonde_raw_feature *more = arena_calloc(a, meta->nr_raw ? meta->nr_raw * 2 : 1, sizeof(*more));

		if (!more)
			return err_nomem(err);
		if (meta->nr_raw)
			memcpy(more, meta->raw, meta->nr_raw * sizeof(*more));
		meta->raw = more;
	}
	meta->raw[meta->nr_raw++] = *raw;
	return 0;
}

static int decode_row(const struct feature *f, const struct sonde_raw_feature *raw, bool swap, struct meta *meta,
		      struct arena *a, struct sonde_error *err)
{
	struct sonde_error why = { 0 };
	struct cursor c = cur_new(raw->payload.p, raw->payload.len, raw->file_offset, swap, &why);
	int r = f->decode ? f->decode(&c, meta, a) : f->layout ? layout_decode(f->layout, &c, meta, a) : 0;

	if (r < 0)
		return err_set(err, (enum sonde_code)-r, why.file_offset, "%s: %s", f->name, why.text);
	feature_set(meta, f->id);
	return 0;
}

/* Decodes what was waiting for the feature that has just come; their failures are this call's. */
static int decode_waiting(uint32_t came, bool swap, struct meta *meta, struct arena *a, struct sonde_error *err)
{
	int first = 0;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const struct feature *f = &features[i];
		const struct sonde_raw_feature *raw = f->needs == came ? feature_raw(meta, f->id) : NULL;
		int r = raw ? decode_row(f, raw, swap, meta, a, err) : 0;

		if (first == 0)
			first = r;
	}
	return first;
}

int feature_decode(uint32_t id, const uint8_t *p, size_t n, uint64_t file_offset, bool swap, struct meta *meta,
		   struct arena *a, struct sonde_error *err)
{
	const struct sonde_raw_feature raw = { .id = id, .payload = { p, n }, .file_offset = file_offset };
	const struct feature *f = feature_find(id);
	bool again = feature_has(meta, id);
	int r = raw_add(meta, a, &raw, err);

	if (r < 0)
		return r;
	if (!f) {
		if (id < SONDE_FEAT_BITS)
			feature_set(meta, id);
		return 0;
	}
	if (f->needs && !feature_has(meta, f->needs))
		return 0;
	r = decode_row(f, &raw, swap, meta, a, err);
	/* Only the first one can release others: a stream of thousands must not decode them thousands of times. */
	if (r == 0 && !again)
		r = decode_waiting(id, swap, meta, a, err);
	return r;
}

int feature_finish(bool swap, struct meta *meta, struct arena *a, struct sonde_error *err)
{
	int first = 0;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const struct feature *f = &features[i];
		const struct sonde_raw_feature *raw = f->needs && !feature_has(meta, f->needs) ?
			feature_raw(meta, f->id) :
			NULL;

		if (!raw || feature_has(meta, f->id))
			continue;
		if (decode_row(f, raw, swap, meta, a, NULL) == 0 && first == 0)
			first = err_set(err, SONDE_MISSING, raw->file_offset,
					"%s: without %s only a part of it can be read", f->name,
					sonde_feature_name(f->needs));
		else if (first == 0)
			first = err_set(err, SONDE_MISSING, raw->file_offset, "%s: cannot be read without %s", f->name,
					sonde_feature_name(f->needs));
	}
	return first;
}

int feature_encode(struct buf *out, uint32_t id, bool swap, const struct meta *meta)
{
	const struct feature *f = feature_find(id);
	const struct sonde_raw_feature *raw = feature_raw(meta, id);
	struct encoder e = { out, swap };
	int r = 0;

	if (f && f->encode)
		r = f->encode(&e, meta);
	else if (f && f->layout)
		r = layout_encode(f->layout, &e, meta);
	else if (raw)
		buf_put(out, raw->payload.p, raw->payload.len);
	else if (!feature_has(meta, id))
		return -SONDE_MISSING;
	return r < 0 ? r : out->failed;
}

void feature_print(struct buf *out, uint32_t id, bool full, const struct meta *meta)
{
	const struct feature *f = feature_find(id);

	if (!f || (!f->print && !f->label))
		return;
	if (f->full_only && !full)
		buf_printf(out, "# %s info available, use -I to display\n", f->name);
	else if (f->print)
		f->print(out, meta);
	else if (f->layout && f->layout->kind == LAYOUT_TEXT)
		print_text(out, f->label, layout_text(f->layout, meta));
	else
		buf_printf(out, "# %s\n", f->label);
}

void feature_json(struct json *j, uint32_t id, const struct meta *meta)
{
	const struct feature *f = feature_find(id);
	const struct sonde_raw_feature *raw = feature_raw(meta, id);

	if (f && f->json)
		return f->json(j, meta);
	if (f && f->layout)
		return layout_json(f->layout, j, meta);
	json_object(j);
	json_member_u64(j, "bytes", raw ? raw->payload.len : 0);
	json_end(j);
}
