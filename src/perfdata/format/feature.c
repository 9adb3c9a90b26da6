/* SPDX-License-Identifier: MIT */
#include "perfdata/format/feature.h"

#include "perfdata/format/feature_binary.h"
#include "perfdata/format/feature_event.h"
#include "perfdata/format/feature_host.h"
#include "perfdata/format/feature_run.h"
#include "perfdata/format/feature_simpleperf.h"
#include "perfdata/format/feature_topology.h"

#define ROW_QUIET(id, codec) \
	{ SONDE_FEAT_##id, #id, .decode = codec##_decode, .encode = codec##_encode, .json = codec##_json }
#define ROW(id, codec, ...)                                                                                            \
	{ SONDE_FEAT_##id, #id, .decode = codec##_decode, .encode = codec##_encode, .json = codec##_json,             \
	  .print = codec##_print, __VA_ARGS__ }
#define ROW_EMPTY(id, ...) { SONDE_FEAT_##id, #id, __VA_ARGS__ }
#define SIMPLEPERF(id, ...) { SONDE_FEAT_##id, #id, __VA_ARGS__ }

static const struct feature features[] = {
	ROW_EMPTY(TRACING_DATA),
	ROW_QUIET(BUILD_ID, build_id),
	ROW(HOSTNAME, hostname, .pipe = true),
	ROW(OSRELEASE, osrelease, .pipe = true),
	ROW(VERSION, version, .pipe = true),
	ROW(ARCH, arch, .pipe = true),
	ROW(NRCPUS, nrcpus, .pipe = true),
	ROW(CPUDESC, cpudesc, .pipe = true),
	ROW(CPUID, cpuid, .pipe = true),
	ROW(TOTAL_MEM, total_mem, .pipe = true),
	ROW(CMDLINE, cmdline, .pipe = true),
	ROW(EVENT_DESC, event_desc, .pipe = true),
	ROW(CPU_TOPOLOGY, cpu_topology, .pipe = true, .full_only = true, .needs = SONDE_FEAT_NRCPUS),
	ROW(NUMA_TOPOLOGY, numa_topology, .pipe = true, .full_only = true),
	ROW_EMPTY(BRANCH_STACK, .print = branch_stack_print),
	ROW(PMU_MAPPINGS, pmu_mappings, .pipe = true),
	ROW(GROUP_DESC, group_desc, .pipe = true),
	ROW(AUXTRACE, auxtrace, .pipe = false),
	ROW_EMPTY(STAT, .print = stat_print),
	ROW(CACHE, cache, .full_only = true),
	ROW(SAMPLE_TIME, sample_time, .pipe = true),
	ROW(MEM_TOPOLOGY, mem_topology, .pipe = true, .full_only = true),
	ROW(CLOCKID, clockid, .pipe = true),
	ROW(DIR_FORMAT, dir_format, .pipe = false),
	ROW(BPF_PROG_INFO, bpf_prog_info, .pipe = true),
	ROW(BPF_BTF, bpf_btf, .pipe = true),
	ROW(COMPRESSED, compressed, .pipe = true),
	ROW(CPU_PMU_CAPS, cpu_pmu_caps, .pipe = true),
	ROW(CLOCK_DATA, clock_data, .pipe = true),
	ROW(HYBRID_TOPOLOGY, hybrid_topology, .full_only = true),
	ROW(PMU_CAPS, pmu_caps, .pipe = true),
	ROW(CPU_DOMAIN_INFO, cpu_domain_info, .pipe = true, .full_only = true, .needs = SONDE_FEAT_NRCPUS),
	ROW(E_MACHINE, e_machine, .pipe = true),
	ROW(CLN_SIZE, cln_size, .pipe = true),
	SIMPLEPERF(FILE, .decode = file_decode),
	ROW_EMPTY(META_INFO),
	ROW_EMPTY(DEBUG_UNWIND),
	ROW_EMPTY(DEBUG_UNWIND_FILE),
	SIMPLEPERF(FILE2, .decode = file2_decode),
	ROW_EMPTY(UNFINISHED),
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
	int r = f->decode ? f->decode(&c, meta, a) : 0;

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
	else if (raw)
		buf_put(out, raw->payload.p, raw->payload.len);
	else if (!feature_has(meta, id))
		return -SONDE_MISSING;
	return r < 0 ? r : out->failed;
}

void feature_print(struct buf *out, uint32_t id, bool full, const struct meta *meta)
{
	const struct feature *f = feature_find(id);

	if (!f || !f->print)
		return;
	if (f->full_only && !full)
		buf_printf(out, "# %s info available, use -I to display\n", f->name);
	else
		f->print(out, meta);
}

void feature_json(struct json *j, uint32_t id, const struct meta *meta)
{
	const struct feature *f = feature_find(id);
	const struct sonde_raw_feature *raw = feature_raw(meta, id);

	if (f && f->json) {
		f->json(j, meta);
		return;
	}
	json_object(j);
	json_member_u64(j, "bytes", raw ? raw->payload.len : 0);
	json_end(j);
}
