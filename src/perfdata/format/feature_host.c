/* SPDX-License-Identifier: MIT */
/* feature_host.c - features that say which machine and tool recorded: names, versions, sizes, the command line. */
#include "perfdata/format/feature_host.h"

#define TEXT_FEATURE(name, label)                                                                         \
	int name##_decode(struct cursor *c, struct meta *meta, struct arena *a)                \
	{                                                                                            \
		const char *s = feat_str(c, a);                                                      \
                                                                                                     \
		if (s)                                                                               \
			meta->name = s;                                                              \
		return feat_status(c);                                                               \
	}                                                                                            \
	int name##_encode(struct encoder *e, const struct meta *meta)                          \
	{                                                                                            \
		if (!meta->name)                                                                     \
			return -SONDE_MISSING;                                                       \
		enc_str(e, meta->name);                                                              \
		return 0;                                                                            \
	}                                                                                            \
	void name##_print(struct buf *out, const struct meta *meta)                            \
	{                                                                                            \
		print_text(out, label, meta->name);                                                  \
	}                                                                                            \
	void name##_json(struct json *j, const struct meta *meta)                              \
	{                                                                                            \
		json_text(j, meta->name);                                                            \
	}

TEXT_FEATURE(hostname, "hostname")
TEXT_FEATURE(osrelease, "os release")
TEXT_FEATURE(version, "perf version")
TEXT_FEATURE(arch, "arch")
TEXT_FEATURE(cpudesc, "cpudesc")
TEXT_FEATURE(cpuid, "cpuid")

/* available, then online */
int nrcpus_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint32_t available = cur_u32(c), online = cur_u32(c);

	(void)a;
	if (!cur_ok(c))
		return feat_status(c);
	if (online > available)
		return err_set(c->err, SONDE_CORRUPT, c->at - 8, "%" PRIu32 " CPUs online of %" PRIu32, online,
			       available);
	meta->nr_cpus_available = available;
	meta->nr_cpus_online = online;
	return 0;
}

int nrcpus_encode(struct encoder *e, const struct meta *meta)
{
	enc_u32(e, meta->nr_cpus_available);
	enc_u32(e, meta->nr_cpus_online);
	return 0;
}

void nrcpus_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# nrcpus online : %" PRIu32 "\n# nrcpus avail : %" PRIu32 "\n", meta->nr_cpus_online,
		   meta->nr_cpus_available);
}

void nrcpus_json(struct json *j, const struct meta *meta)
{
	json_object(j);
	json_member_u64(j, "available", meta->nr_cpus_available);
	json_member_u64(j, "online", meta->nr_cpus_online);
	json_end(j);
}

int total_mem_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint64_t kb = cur_u64(c);

	(void)a;
	if (cur_ok(c))
		meta->total_mem_kb = kb;
	return feat_status(c);
}

int total_mem_encode(struct encoder *e, const struct meta *meta)
{
	enc_u64(e, meta->total_mem_kb);
	return 0;
}

void total_mem_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# total memory : %" PRIu64 " kB\n", meta->total_mem_kb);
}

void total_mem_json(struct json *j, const struct meta *meta)
{
	json_u64(j, meta->total_mem_kb);
}

int cmdline_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	return feat_str_list(c, a, &meta->cmdline, &meta->nr_cmdline);
}

int cmdline_encode(struct encoder *e, const struct meta *meta)
{
	enc_str_list(e, meta->cmdline, meta->nr_cmdline);
	return 0;
}

void cmdline_print(struct buf *out, const struct meta *meta)
{
	buf_str(out, "# cmdline : ");
	for (size_t i = 0; i < meta->nr_cmdline; i++) {
		print_str(out, meta->cmdline[i]);
		buf_char(out, ' ');
	}
	buf_char(out, '\n');
}

void cmdline_json(struct json *j, const struct meta *meta)
{
	json_array(j);
	for (size_t i = 0; i < meta->nr_cmdline; i++)
		json_text(j, meta->cmdline[i]);
	json_end(j);
}

int e_machine_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint32_t machine = cur_u32(c), flags = cur_u32(c);

	(void)a;
	if (!cur_ok(c))
		return feat_status(c);
	meta->e_machine = machine;
	meta->e_flags = flags;
	return 0;
}

int e_machine_encode(struct encoder *e, const struct meta *meta)
{
	enc_u32(e, meta->e_machine);
	enc_u32(e, meta->e_flags);
	return 0;
}

void e_machine_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# e_machine : %" PRIu32 "\n#   e_flags : %" PRIu32 "\n", meta->e_machine, meta->e_flags);
}

void e_machine_json(struct json *j, const struct meta *meta)
{
	json_object(j);
	json_member_u64(j, "machine", meta->e_machine);
	json_member_u64(j, "flags", meta->e_flags);
	json_end(j);
}

int cln_size_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint32_t bytes = cur_u32(c);

	(void)a;
	if (cur_ok(c))
		meta->cache_line_size = bytes;
	return feat_status(c);
}

int cln_size_encode(struct encoder *e, const struct meta *meta)
{
	enc_u32(e, meta->cache_line_size);
	return 0;
}

void cln_size_print(struct buf *out, const struct meta *meta)
{
	buf_printf(out, "# cacheline size: %" PRIu32 "\n", meta->cache_line_size);
}

void cln_size_json(struct json *j, const struct meta *meta)
{
	json_u64(j, meta->cache_line_size);
}
