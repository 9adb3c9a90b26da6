/* SPDX-License-Identifier: MIT */
/* feature_rows.h - what the files with the features' codecs share: the primitives of section payloads, and their rows. */
#ifndef PERFDATA_FEATURE_ROWS_H
#define PERFDATA_FEATURE_ROWS_H

#include "perfdata/feature.h"

/*
 * A number of things, each at least min_bytes long in the file; fails the cursor and gives 0 if they cannot be there. What
 * it returns may size an allocation.
 */
static inline uint64_t feat_count(struct cursor *c, uint64_t n, uint64_t min_bytes)
{
	if (n > cur_left(c) / min_bytes) {
		uint64_t need;

		cur_short(c, __builtin_mul_overflow(n, min_bytes, &need) ? UINT64_MAX : need);
		return 0;
	}
	return n;
}

#define FEAT_STR_MIN 4               /* bytes of an empty string: its length */
#define FEAT_STR_ALIGN 64

/* A string, copied; NULL after failing the cursor, also when out of memory. */
const char *feat_str(struct cursor *c, struct arena *a);

/* u32 count and that many strings. 0 or negative. */
int feat_str_list(struct cursor *c, struct arena *a, const char ***out, size_t *nr);

/* What a decoder returns at its end: 0, or why the cursor failed. */
int feat_status(struct cursor *c);

/* A zeroed array; NULL fails the cursor with -SONDE_NOMEM. For 0 elements it is not NULL either. */
void *feat_array(struct cursor *c, struct arena *a, uint64_t n, size_t size);

void enc_u16(struct encoder *e, uint16_t v);
void enc_u32(struct encoder *e, uint32_t v);
void enc_u64(struct encoder *e, uint64_t v);
void enc_str(struct encoder *e, const char *s);
void enc_str_list(struct encoder *e, const char *const *s, size_t nr);

/* "# label : text" */
void print_text(struct buf *out, const char *label, const char *text);

/* Text of the trace inside a line. */
void print_str(struct buf *out, const char *s);

#define FEATURE_CODEC(name)                                                                  \
	int name##_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a);       \
	int name##_encode(struct encoder *e, const struct sonde_meta *meta);                 \
	void name##_json(struct json *j, const struct sonde_meta *meta)
#define FEATURE_PRINT(name) void name##_print(struct buf *out, const struct sonde_meta *meta)

/* feature_host.c */
FEATURE_CODEC(hostname);
FEATURE_PRINT(hostname);
FEATURE_CODEC(osrelease);
FEATURE_PRINT(osrelease);
FEATURE_CODEC(version);
FEATURE_PRINT(version);
FEATURE_CODEC(arch);
FEATURE_PRINT(arch);
FEATURE_CODEC(cpudesc);
FEATURE_PRINT(cpudesc);
FEATURE_CODEC(cpuid);
FEATURE_PRINT(cpuid);
FEATURE_CODEC(nrcpus);
FEATURE_PRINT(nrcpus);
FEATURE_CODEC(total_mem);
FEATURE_PRINT(total_mem);
FEATURE_CODEC(cmdline);
FEATURE_PRINT(cmdline);
FEATURE_CODEC(e_machine);
FEATURE_PRINT(e_machine);
FEATURE_CODEC(cln_size);
FEATURE_PRINT(cln_size);
/* feature_topology.c */
FEATURE_CODEC(cpu_topology);
FEATURE_PRINT(cpu_topology);
FEATURE_CODEC(numa_topology);
FEATURE_PRINT(numa_topology);
FEATURE_CODEC(cache);
FEATURE_PRINT(cache);
FEATURE_CODEC(mem_topology);
FEATURE_PRINT(mem_topology);
FEATURE_CODEC(hybrid_topology);
FEATURE_PRINT(hybrid_topology);
FEATURE_CODEC(cpu_domain_info);
FEATURE_PRINT(cpu_domain_info);
/* feature_event.c */
FEATURE_CODEC(event_desc);
FEATURE_PRINT(event_desc);
FEATURE_CODEC(group_desc);
FEATURE_PRINT(group_desc);
FEATURE_CODEC(pmu_mappings);
FEATURE_PRINT(pmu_mappings);
FEATURE_CODEC(cpu_pmu_caps);
FEATURE_PRINT(cpu_pmu_caps);
FEATURE_CODEC(pmu_caps);
FEATURE_PRINT(pmu_caps);
/* feature_run.c */
FEATURE_PRINT(branch_stack);
FEATURE_PRINT(stat);
FEATURE_CODEC(auxtrace);
FEATURE_PRINT(auxtrace);
FEATURE_CODEC(sample_time);
FEATURE_PRINT(sample_time);
FEATURE_CODEC(clockid);
FEATURE_PRINT(clockid);
FEATURE_CODEC(dir_format);
FEATURE_PRINT(dir_format);
FEATURE_CODEC(compressed);
FEATURE_PRINT(compressed);
FEATURE_CODEC(clock_data);
FEATURE_PRINT(clock_data);
/* feature_binary.c */
FEATURE_CODEC(build_id);
FEATURE_CODEC(bpf_prog_info);
FEATURE_PRINT(bpf_prog_info);
FEATURE_CODEC(bpf_btf);
FEATURE_PRINT(bpf_btf);

#endif
