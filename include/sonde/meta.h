/* SPDX-License-Identifier: MIT */
/**
 * meta.h - the machine and the run that a trace comes from
 *
 * For a perf.data this is the content of the header features (tools/perf/util/header.c; their numbers are the
 * SONDE_FEAT_* below), wherever they came from: the feature table of a file or the HEADER_FEATURE records of a pipe.
 * Everything is a view that lives as long as the trace. Absent text is NULL, absent numbers and lengths are 0. The
 * elements of lists come one by one, from _at(i), so that a later version can add members to their structs.
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

/** struct sonde_raw_feature - a feature as it lies in the file */
struct sonde_raw_feature {
	uint32_t id;
	struct sonde_bytes payload;
	uint64_t file_offset;
};
/** struct sonde_build_id - BUILD_ID: the build id of a binary */
struct sonde_build_id {
	int32_t pid;               /* -1 host, else the guest machine */
	uint8_t cpumode;           /* 1 kernel, 2 user, 4 guest kernel, 5 guest user */
	bool sized;                /* the recorder noted the size of the id; otherwise it is taken for 20 */
	uint8_t size;
	uint8_t id[20];            /* zeros after `size` bytes */
	const char *filename;
};
/** struct sonde_event_desc - EVENT_DESC: an event, its name and its ids */
struct sonde_event_desc {
	const struct sonde_attr *attr;
	const char *name;
	const uint64_t *ids;
	size_t nr_ids;
};
/** struct sonde_numa_node - NUMA_TOPOLOGY: the memory and the CPUs of a node */
struct sonde_numa_node {
	uint32_t node;
	uint64_t total_kb, free_kb;
	const char *cpus;          /* "0-3,8" */
};
/** struct sonde_pmu_mapping - PMU_MAPPINGS: the name of a type of events, which sonde_attr.type has */
struct sonde_pmu_mapping {
	uint32_t type;
	const char *name;
};
/** struct sonde_group_desc - GROUP_DESC: a group of events */
struct sonde_group_desc {
	const char *name;
	uint32_t leader;           /* index in the evlist */
	uint32_t nr_members;       /* with the leader */
};
/** struct sonde_auxtrace_index - AUXTRACE: the place of a record with a hardware trace */
struct sonde_auxtrace_index {
	uint64_t file_offset;
	uint64_t size;
};
/** struct sonde_cache - CACHE: a cache of the CPUs */
struct sonde_cache {
	uint32_t level, line_size, sets, ways;
	const char *type, *size, *cpus;
};
/** struct sonde_mem_node - MEM_TOPOLOGY: bit i is set if memory block i is on this node */
struct sonde_mem_node {
	uint64_t node, size, nr_bits;  /* `size` repeats the number of bits */
	const uint64_t *words;
};
/**
 * struct sonde_bpf_prog - BPF_PROG_INFO: a BPF program
 * `info` is a struct bpf_prog_info in the recorder's byte order. A bit of `arrays` is set for each of its pointers that
 * is an offset into `data`.
 */
struct sonde_bpf_prog {
	uint32_t id;
	uint8_t tag[8];
	char name[16];
	uint64_t arrays;
	struct sonde_bytes info, data;
};
/** struct sonde_btf - BPF_BTF: types of BPF programs */
struct sonde_btf {
	uint32_t id;
	struct sonde_bytes data;
};
/** struct sonde_pmu_cap - CPU_PMU_CAPS, PMU_CAPS: a capability of a PMU, as "branches" and "32" */
struct sonde_pmu_cap {
	const char *name;
	const char *value;
};
/** struct sonde_pmu_caps - PMU_CAPS: a PMU; its capabilities: sonde_pmu_caps_at() */
struct sonde_pmu_caps {
	const char *pmu;
	size_t nr_caps;
};
/** struct sonde_hybrid_pmu - HYBRID_TOPOLOGY: a kind of cores */
struct sonde_hybrid_pmu {
	const char *pmu;
	const char *cpus;
};
/** struct sonde_sched_domain - CPU_DOMAIN_INFO: a scheduling domain of a CPU */
struct sonde_sched_domain {
	uint32_t domain;
	const char *name;          /* NULL if not recorded */
	const char *cpumask, *cpulist;
};
/** struct sonde_cpu_domains - CPU_DOMAIN_INFO: a CPU; its scheduling domains: sonde_cpu_domains_at() */
struct sonde_cpu_domains {
	uint32_t cpu;
	size_t nr_domains;
};
/** struct sonde_carried_symbol - a symbol that the recording itself has, as simpleperf records it */
struct sonde_carried_symbol {
	uint64_t start;            /* offset in the file, distance from the start of a module, address in the kernel */
	uint32_t size;
	const char *name;
};
/** struct sonde_carried_symbols - a binary; its symbols in the recording: sonde_carried_symbols_at() */
struct sonde_carried_symbols {
	const char *filename;      /* as mappings name it */
	size_t nr_symbols;
};
/** struct sonde_cpu_pages - the pages of one CPU in a buffer: whole ones, or a list of compressed chunks of them */
struct sonde_cpu_pages {
	uint32_t cpu;
	uint64_t file_offset, size;
};
/**
 * struct sonde_buffer - a ring buffer of a trace.dat: the top one, whose name is empty, or that of an instance
 * Its pages: sonde_buffer_cpu_at().
 */
struct sonde_buffer {
	const char *name;
	const char *clock;         /* "local"; NULL if the file does not say */
	uint32_t page_size;        /* of its sub-buffers */
	bool compressed;
	size_t nr_cpus;
};
/** struct sonde_option - an option of a trace.dat, known or not */
struct sonde_option {
	uint32_t id;
	uint64_t file_offset;      /* of its data; of the section, if that is compressed */
	struct sonde_bytes data;   /* as it lies in the file */
	const char *text;          /* its meaning; NULL for an option that is not known */
};
/** struct sonde_section - a section of a trace.dat of version 7 */
struct sonde_section {
	uint32_t id;
	const char *name;          /* as the recorder describes it; NULL if it does not */
	uint64_t file_offset, size;  /* of its header; without its header */
	bool compressed;
};

/**
 * struct sonde_meta - the metadata that are no lists
 * Those of a trace: sonde_trace_meta(). A program makes a struct of its own for sonde_perf_writer_set_meta().
 */
struct sonde_meta {
	size_t sz;
	uint64_t features[SONDE_FEAT_BITS / 64];  /* bit n: feature n was present, and readable if it is a known one */
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t nr_cpus_available, nr_cpus_online;
	uint64_t total_mem_kb;
	const char **cmdline;                     size_t nr_cmdline;
	struct {
		const char **cores, **threads, **dies;  /* sibling lists as "0-3,8" */
		size_t nr_cores, nr_threads, nr_dies;
		int32_t *core_ids, *socket_ids, *die_ids;  /* by CPU, -1: it was offline; NULL: not recorded */
		size_t nr_cpus;
	} topology;
	uint64_t sample_time_first, sample_time_last;
	uint64_t mem_block_size;
	uint64_t clockid_res_ns;
	uint64_t dir_version;
	struct { uint32_t version, type, level, ratio, mmap_len; } compressed;
	struct { uint32_t clockid; uint64_t tod_ns, clockid_ns; } clock_data;
	uint32_t schedstat_version, max_sched_domains;
	uint32_t e_machine, e_flags;
	uint32_t cache_line_size;

	/* trace.dat; hostname, osrelease, arch, version and nr_cpus_available are those of its options */
	const char *trace_clock;                  /* "local": of the top buffer */
	const char *compression, *compression_version;
	uint64_t trace_id;                        /* the same in all files of one session; 0 if not recorded */
};

struct sonde_trace;

/**
 * sonde_trace_meta - host, CPUs, command line: the metadata that are known so far; a view
 *
 *	const struct sonde_build_id *b;
 *
 *	for (size_t i = 0; (b = sonde_trace_build_id_at(t, i)); i++)
 *		printf("%s\n", b->filename);
 *
 * In pipe mode metadata can still arrive while the trace is read.
 */
SONDE_API const struct sonde_meta *sonde_trace_meta(const struct sonde_trace *t);

/** sonde_trace_raw_feature_count - how many features the file has */
SONDE_API size_t sonde_trace_raw_feature_count(const struct sonde_trace *t);

/** sonde_trace_raw_feature_at - the i-th feature as it lies in the file, known or not; NULL beyond the last */
SONDE_API const struct sonde_raw_feature *sonde_trace_raw_feature_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_build_id_count - how many build ids there are */
SONDE_API size_t sonde_trace_build_id_count(const struct sonde_trace *t);

/** sonde_trace_build_id_at - the i-th build id; NULL beyond the last */
SONDE_API const struct sonde_build_id *sonde_trace_build_id_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_event_desc_count - how many event descriptions there are */
SONDE_API size_t sonde_trace_event_desc_count(const struct sonde_trace *t);

/** sonde_trace_event_desc_at - the i-th event description; NULL beyond the last; a view until the next call */
SONDE_API const struct sonde_event_desc *sonde_trace_event_desc_at(struct sonde_trace *t, size_t i);

/** sonde_trace_numa_node_count - how many NUMA nodes there are */
SONDE_API size_t sonde_trace_numa_node_count(const struct sonde_trace *t);

/** sonde_trace_numa_node_at - the i-th NUMA node; NULL beyond the last */
SONDE_API const struct sonde_numa_node *sonde_trace_numa_node_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_pmu_mapping_count - how many PMUs there are */
SONDE_API size_t sonde_trace_pmu_mapping_count(const struct sonde_trace *t);

/** sonde_trace_pmu_mapping_at - the i-th PMU; NULL beyond the last */
SONDE_API const struct sonde_pmu_mapping *sonde_trace_pmu_mapping_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_group_desc_count - how many groups of events there are */
SONDE_API size_t sonde_trace_group_desc_count(const struct sonde_trace *t);

/** sonde_trace_group_desc_at - the i-th group of events; NULL beyond the last */
SONDE_API const struct sonde_group_desc *sonde_trace_group_desc_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_auxtrace_index_count - how many records with a hardware trace there are */
SONDE_API size_t sonde_trace_auxtrace_index_count(const struct sonde_trace *t);

/** sonde_trace_auxtrace_index_at - the i-th place of a record with a hardware trace; NULL beyond the last */
SONDE_API const struct sonde_auxtrace_index *sonde_trace_auxtrace_index_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_cache_count - how many caches there are */
SONDE_API size_t sonde_trace_cache_count(const struct sonde_trace *t);

/** sonde_trace_cache_at - the i-th cache; NULL beyond the last */
SONDE_API const struct sonde_cache *sonde_trace_cache_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_mem_node_count - how many nodes with memory blocks there are */
SONDE_API size_t sonde_trace_mem_node_count(const struct sonde_trace *t);

/** sonde_trace_mem_node_at - the i-th node with memory blocks; NULL beyond the last */
SONDE_API const struct sonde_mem_node *sonde_trace_mem_node_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_bpf_prog_count - how many BPF programs there are */
SONDE_API size_t sonde_trace_bpf_prog_count(const struct sonde_trace *t);

/** sonde_trace_bpf_prog_at - the i-th BPF program; NULL beyond the last */
SONDE_API const struct sonde_bpf_prog *sonde_trace_bpf_prog_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_btf_count - how many sets of BPF types there are */
SONDE_API size_t sonde_trace_btf_count(const struct sonde_trace *t);

/** sonde_trace_btf_at - the i-th set of BPF types; NULL beyond the last */
SONDE_API const struct sonde_btf *sonde_trace_btf_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_cpu_pmu_cap_count - how many capabilities of the PMU "cpu" there are */
SONDE_API size_t sonde_trace_cpu_pmu_cap_count(const struct sonde_trace *t);

/** sonde_trace_cpu_pmu_cap_at - the i-th capability of the PMU "cpu"; NULL beyond the last */
SONDE_API const struct sonde_pmu_cap *sonde_trace_cpu_pmu_cap_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_hybrid_pmu_count - how many kinds of cores there are */
SONDE_API size_t sonde_trace_hybrid_pmu_count(const struct sonde_trace *t);

/** sonde_trace_hybrid_pmu_at - the i-th kind of cores; NULL beyond the last */
SONDE_API const struct sonde_hybrid_pmu *sonde_trace_hybrid_pmu_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_pmu_caps_count - how many PMUs with capabilities there are */
SONDE_API size_t sonde_trace_pmu_caps_count(const struct sonde_trace *t);

/** sonde_trace_pmu_caps_at - the i-th PMU with capabilities; NULL beyond the last */
SONDE_API const struct sonde_pmu_caps *sonde_trace_pmu_caps_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_cpu_domains_count - how many CPUs with scheduling domains there are */
SONDE_API size_t sonde_trace_cpu_domains_count(const struct sonde_trace *t);

/** sonde_trace_cpu_domains_at - the i-th CPU with scheduling domains; NULL beyond the last */
SONDE_API const struct sonde_cpu_domains *sonde_trace_cpu_domains_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_carried_symbols_count - how many binaries whose symbols are in the recording there are */
SONDE_API size_t sonde_trace_carried_symbols_count(const struct sonde_trace *t);

/** sonde_trace_carried_symbols_at - the i-th binary whose symbols are in the recording; NULL beyond the last */
SONDE_API const struct sonde_carried_symbols *sonde_trace_carried_symbols_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_buffer_count - how many buffers of a trace.dat there are */
SONDE_API size_t sonde_trace_buffer_count(const struct sonde_trace *t);

/** sonde_trace_buffer_at - the i-th buffer of a trace.dat; NULL beyond the last */
SONDE_API const struct sonde_buffer *sonde_trace_buffer_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_option_count - how many options of a trace.dat there are */
SONDE_API size_t sonde_trace_option_count(const struct sonde_trace *t);

/** sonde_trace_option_at - the i-th option of a trace.dat; NULL beyond the last */
SONDE_API const struct sonde_option *sonde_trace_option_at(const struct sonde_trace *t, size_t i);

/** sonde_trace_section_count - how many sections of a trace.dat there are */
SONDE_API size_t sonde_trace_section_count(const struct sonde_trace *t);

/** sonde_trace_section_at - the i-th section of a trace.dat; NULL beyond the last */
SONDE_API const struct sonde_section *sonde_trace_section_at(const struct sonde_trace *t, size_t i);

/** sonde_pmu_caps_at - the i-th capability of a PMU; NULL beyond the last */
SONDE_API const struct sonde_pmu_cap *sonde_pmu_caps_at(const struct sonde_pmu_caps *of, size_t i);

/** sonde_cpu_domains_at - the i-th scheduling domain of a CPU; NULL beyond the last */
SONDE_API const struct sonde_sched_domain *sonde_cpu_domains_at(const struct sonde_cpu_domains *of, size_t i);

/** sonde_carried_symbols_at - the i-th symbol of a binary; NULL beyond the last */
SONDE_API const struct sonde_carried_symbol *sonde_carried_symbols_at(const struct sonde_carried_symbols *of, size_t i);

/** sonde_buffer_cpu_at - the pages of the i-th CPU of a buffer; NULL beyond the last */
SONDE_API const struct sonde_cpu_pages *sonde_buffer_cpu_at(const struct sonde_buffer *of, size_t i);

/** sonde_option_name - "TRACECLOCK"; NULL for an option of a trace.dat that is not known */
SONDE_API const char *sonde_option_name(uint32_t id);

/** sonde_feature_name - "HOSTNAME"; NULL for a feature that is not known */
SONDE_API const char *sonde_feature_name(uint32_t feature);

#ifdef __cplusplus
}
#endif
#endif
