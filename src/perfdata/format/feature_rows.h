/* SPDX-License-Identifier: MIT */
/* feature_rows.h - the codecs that the rows of feature.c name */
#ifndef PERFDATA_FORMAT_FEATURE_ROWS_H
#define PERFDATA_FORMAT_FEATURE_ROWS_H

#include "perfdata/format/feature_payload.h"

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
/* feature_simpleperf.c */
int file_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a);
int file2_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a);

#endif
