/* SPDX-License-Identifier: MIT */
/* feature_host.c - features that say which machine and tool recorded: names, versions, sizes, the command line. */
#include "perfdata/feature_rows.h"

#define TEXT_FEATURE(name)                                                                           \
	int name##_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)                \
	{                                                                                            \
		const char *s = feat_str(c, a);                                                      \
                                                                                                     \
		if (s)                                                                               \
			meta->name = s;                                                              \
		return feat_status(c);                                                               \
	}                                                                                            \
	int name##_encode(struct encoder *e, const struct sonde_meta *meta)                          \
	{                                                                                            \
		if (!meta->name)                                                                     \
			return -SONDE_MISSING;                                                       \
		enc_str(e, meta->name);                                                              \
		return 0;                                                                            \
	}

TEXT_FEATURE(hostname)
TEXT_FEATURE(osrelease)
TEXT_FEATURE(version)
TEXT_FEATURE(arch)
TEXT_FEATURE(cpudesc)
TEXT_FEATURE(cpuid)

/* available, then online */
int nrcpus_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint32_t available = cur_u32(c), online = cur_u32(c);

	(void)a;
	if (!cur_ok(c))
		return feat_status(c);
	if (online > available)
		return err_set(c->err, SONDE_CORRUPT, c->at - 8, "%" PRIu32 " CPUs online of %" PRIu32, online, available);
	meta->nr_cpus_available = available;
	meta->nr_cpus_online = online;
	return 0;
}

int nrcpus_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, meta->nr_cpus_available);
	enc_u32(e, meta->nr_cpus_online);
	return 0;
}

int total_mem_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t kb = cur_u64(c);

	(void)a;
	if (cur_ok(c))
		meta->total_mem_kb = kb;
	return feat_status(c);
}

int total_mem_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u64(e, meta->total_mem_kb);
	return 0;
}

int cmdline_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	return feat_str_list(c, a, &meta->cmdline, &meta->nr_cmdline);
}

int cmdline_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_str_list(e, meta->cmdline, meta->nr_cmdline);
	return 0;
}

int e_machine_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint32_t machine = cur_u32(c), flags = cur_u32(c);

	(void)a;
	if (!cur_ok(c))
		return feat_status(c);
	meta->e_machine = machine;
	meta->e_flags = flags;
	return 0;
}

int e_machine_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, meta->e_machine);
	enc_u32(e, meta->e_flags);
	return 0;
}

int cln_size_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint32_t bytes = cur_u32(c);

	(void)a;
	if (cur_ok(c))
		meta->cache_line_size = bytes;
	return feat_status(c);
}

int cln_size_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, meta->cache_line_size);
	return 0;
}
