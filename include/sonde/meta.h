/* SPDX-License-Identifier: MIT */
/**
 * meta.h - the machine and the run that a trace comes from
 *
 * For a perf.data this is the content of the header features (tools/perf/util/header.c; their numbers are the
 * SONDE_FEAT_* below), wherever they came from: the feature table of a file or the HEADER_FEATURE records of a pipe.
 * Everything is a view that lives as long as the trace. Absent text is NULL, absent numbers and arrays are 0.
 */
#ifndef SONDE_META_H
#define SONDE_META_H

#include <sonde/event.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sonde_feature {
	SONDE_FEAT_TRACING_DATA = 1, SONDE_FEAT_BUILD_ID, SONDE_FEAT_HOSTNAME, SONDE_FEAT_OSRELEASE, SONDE_FEAT_VERSION,
	SONDE_FEAT_ARCH, SONDE_FEAT_NRCPUS, SONDE_FEAT_CPUDESC, SONDE_FEAT_CPUID, SONDE_FEAT_TOTAL_MEM,
	SONDE_FEAT_CMDLINE,
	SONDE_FEAT_EVENT_DESC, SONDE_FEAT_CPU_TOPOLOGY, SONDE_FEAT_NUMA_TOPOLOGY, SONDE_FEAT_BRANCH_STACK,
	SONDE_FEAT_PMU_MAPPINGS, SONDE_FEAT_GROUP_DESC, SONDE_FEAT_AUXTRACE, SONDE_FEAT_STAT, SONDE_FEAT_CACHE,
	SONDE_FEAT_SAMPLE_TIME, SONDE_FEAT_MEM_TOPOLOGY, SONDE_FEAT_CLOCKID, SONDE_FEAT_DIR_FORMAT,
	SONDE_FEAT_BPF_PROG_INFO, SONDE_FEAT_BPF_BTF, SONDE_FEAT_COMPRESSED, SONDE_FEAT_CPU_PMU_CAPS,
	SONDE_FEAT_CLOCK_DATA, SONDE_FEAT_HYBRID_TOPOLOGY, SONDE_FEAT_PMU_CAPS, SONDE_FEAT_CPU_DOMAIN_INFO,
	SONDE_FEAT_E_MACHINE, SONDE_FEAT_CLN_SIZE,
	/* simpleperf's */
	SONDE_FEAT_FILE = 128, SONDE_FEAT_META_INFO, SONDE_FEAT_DEBUG_UNWIND, SONDE_FEAT_DEBUG_UNWIND_FILE,
	SONDE_FEAT_FILE2,
	/* sonde's own: its recorder still runs, or was killed before it finished the file */
	SONDE_FEAT_UNFINISHED = 255,
	SONDE_FEAT_BITS = 256,     /* bits of the bitmap in the file header */
};

struct sonde_build_id {
	int32_t pid;               /* -1 host, else the guest machine */
	uint8_t cpumode;           /* 1 kernel, 2 user, 4 guest kernel, 5 guest user */
	bool sized;                /* the recorder noted the size of the id; otherwise it is taken for 20 */
	uint8_t size;
	uint8_t id[20];            /* zeros after `size` bytes */
	const char *filename;
};
struct sonde_carried_symbol {
	uint64_t start;            /* offset in the file, distance from the start of a module, address in the kernel */
	uint32_t size;
	const char *name;
};
struct sonde_carried_symbols {
	const char *filename;      /* of the binary, as mappings name it */
	const struct sonde_carried_symbol *symbols; size_t nr_symbols;
};
struct sonde_event_desc { struct sonde_attr attr; const char *name; const uint64_t *ids; size_t nr_ids; };
struct sonde_numa_node { uint32_t node; uint64_t total_kb, free_kb; const char *cpus; };
struct sonde_pmu_mapping { uint32_t type; const char *name; };
struct sonde_group_desc { const char *name; uint32_t leader, nr_members; };
struct sonde_auxtrace_index { uint64_t file_offset, size; };
struct sonde_cache { uint32_t level, line_size, sets, ways; const char *type, *size, *cpus; };
/* Bit i set: memory block i is on this node. `size` repeats the number of bits. */
struct sonde_mem_node { uint64_t node, size, nr_bits; const uint64_t *words; };
/* `info` is a struct bpf_prog_info in the recorder's byte order. A bit of `arrays` is set for each of its pointers that
 * is an offset into `data`. */
struct sonde_bpf_prog { uint32_t id; uint8_t tag[8]; char name[16]; uint64_t arrays; struct sonde_bytes info, data; };
struct sonde_btf { uint32_t id; struct sonde_bytes data; };
struct sonde_pmu_cap { const char *name, *value; };
struct sonde_pmu_caps { const char *pmu; struct sonde_pmu_cap *caps; size_t nr_caps; };
struct sonde_hybrid_pmu { const char *pmu, *cpus; };
struct sonde_sched_domain { uint32_t domain; const char *name, *cpumask, *cpulist; };
struct sonde_cpu_domains { uint32_t cpu; struct sonde_sched_domain *domains; size_t nr_domains; };
struct sonde_raw_feature { uint32_t id; struct sonde_bytes payload; uint64_t file_offset; };

/** What one CPU wrote into a ring buffer: whole pages, or a list of compressed pieces of them. */
struct sonde_cpu_pages { uint32_t cpu; uint64_t file_offset, size; };
/** A ring buffer of a trace.dat: the top one, whose name is empty, or that of an instance. */
struct sonde_buffer {
	const char *name;
	const char *clock;         /* "local"; NULL if the file does not say */
	uint32_t page_size;        /* of its sub-buffers */
	bool compressed;
	struct sonde_cpu_pages *cpus;             size_t nr_cpus;
};
/** An option of a trace.dat (shared by known and unknown ones). */
struct sonde_option {
	uint32_t id;
	uint64_t file_offset;      /* of its data; of the section, if that is compressed */
	struct sonde_bytes data;   /* as it lies in the file */
	const char *text;          /* what it says; NULL for an unknown one */
};
/** A section of a trace.dat of version 7. */
struct sonde_section {
	uint32_t id;
	const char *name;          /* as the recorder describes it; NULL if it does not */
	uint64_t file_offset, size;  /* of its header, and without it */
	bool compressed;
};

/** All that is known; members are added at the end, never to the structs above. */
struct sonde_meta {
	size_t sz;                                /* of the struct; set it in one for sonde_perf_writer_set_meta() */
	uint64_t features[SONDE_FEAT_BITS / 64];  /* bit n: feature n was present, and readable if it is a known one */
	struct sonde_raw_feature *raw;            /* every feature as it lies in the file, also unknown ones */
	size_t nr_raw;

	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t nr_cpus_available, nr_cpus_online;
	uint64_t total_mem_kb;
	const char **cmdline;                     size_t nr_cmdline;
	struct sonde_build_id *build_ids;         size_t nr_build_ids;
	struct sonde_event_desc *event_descs;     size_t nr_event_descs;
	struct {
		const char **cores, **threads, **dies;  /* sibling lists as "0-3,8" */
		size_t nr_cores, nr_threads, nr_dies;
		int32_t *core_ids, *socket_ids, *die_ids;  /* by CPU, -1: it was offline; NULL: not recorded */
		size_t nr_cpus;
	} topology;
	struct sonde_numa_node *numa;             size_t nr_numa;
	struct sonde_pmu_mapping *pmus;           size_t nr_pmus;
	struct sonde_group_desc *groups;          size_t nr_groups;
	struct sonde_auxtrace_index *auxtrace;    size_t nr_auxtrace;
	struct sonde_cache *caches;               size_t nr_caches;
	uint64_t sample_time_first, sample_time_last;
	uint64_t mem_block_size;
	struct sonde_mem_node *mem_nodes;         size_t nr_mem_nodes;
	uint64_t clockid_res_ns;
	uint64_t dir_version;
	struct sonde_bpf_prog *bpf_progs;         size_t nr_bpf_progs;
	struct sonde_btf *btfs;                   size_t nr_btfs;
	struct { uint32_t version, type, level, ratio, mmap_len; } compressed;
	struct sonde_pmu_cap *cpu_pmu_caps;       size_t nr_cpu_pmu_caps;
	struct { uint32_t clockid; uint64_t tod_ns, clockid_ns; } clock_data;
	struct sonde_hybrid_pmu *hybrid;          size_t nr_hybrid;
	struct sonde_pmu_caps *pmu_caps;          size_t nr_pmu_caps;
	uint32_t schedstat_version, max_sched_domains;
	struct sonde_cpu_domains *cpu_domains;    size_t nr_cpu_domains;
	uint32_t e_machine, e_flags;
	uint32_t cache_line_size;
	struct sonde_carried_symbols *carried;    size_t nr_carried;  /* symbols in the recording: simpleperf's */

	/* trace.dat; hostname, osrelease, arch, version and nr_cpus_available are those of its options */
	struct sonde_buffer *buffers;             size_t nr_buffers;
	struct sonde_option *options;             size_t nr_options;
	struct sonde_section *sections;           size_t nr_sections;
	const char *trace_clock;                  /* "local": of the top buffer */
	const char *compression, *compression_version;
	uint64_t trace_id;                        /* the same in all files of one session; 0 if not recorded */
};

/** sonde_option_name - "TRACECLOCK"; NULL for an option of a trace.dat that is not known */
SONDE_API const char *sonde_option_name(uint32_t id);

/** sonde_feature_name - "HOSTNAME"; NULL for a feature that is not known */
SONDE_API const char *sonde_feature_name(uint32_t feature);

#ifdef __cplusplus
}
#endif
#endif
