/* SPDX-License-Identifier: MIT */
/*
 * meta.h - the metadata of a trace, with their lists
 *
 * A program sees the lists through functions, element by element. A struct that begins with a struct of the interface,
 * without a name, has the members of both, and a pointer to the one is a pointer to the other (-fms-extensions).
 */
#ifndef MODEL_META_H
#define MODEL_META_H

#include <sonde/meta.h>

struct event_desc {
	struct sonde_attr attr;
	const char *name;
	const uint64_t *ids;
	size_t nr_ids;
};

/* The name of all events of a type and config, as simpleperf records it. */
struct event_type {
	const char *name;
	uint32_t type;
	uint64_t config;
};

struct meta_pmu_caps {
	struct sonde_pmu_caps;
	struct sonde_pmu_cap *caps;
};

struct meta_cpu_domains {
	struct sonde_cpu_domains;
	struct sonde_sched_domain *domains;
};

struct meta_carried_symbols {
	struct sonde_carried_symbols;
	const struct sonde_carried_symbol *symbols;
};

struct meta_buffer {
	struct sonde_buffer;
	struct sonde_cpu_pages *cpus;
};

struct meta {
	struct sonde_meta;

	struct sonde_raw_feature *raw;            size_t nr_raw;
	struct sonde_build_id *build_ids;         size_t nr_build_ids;
	struct event_desc *event_descs;           size_t nr_event_descs;
	struct event_type *event_types;           size_t nr_event_types;
	struct sonde_numa_node *numa;             size_t nr_numa;
	struct sonde_pmu_mapping *pmus;           size_t nr_pmus;
	struct sonde_group_desc *groups;          size_t nr_groups;
	struct sonde_auxtrace_index *auxtrace;    size_t nr_auxtrace;
	struct sonde_cache *caches;               size_t nr_caches;
	struct sonde_mem_node *mem_nodes;         size_t nr_mem_nodes;
	struct sonde_bpf_prog *bpf_progs;         size_t nr_bpf_progs;
	struct sonde_btf *btfs;                   size_t nr_btfs;
	struct sonde_pmu_cap *cpu_pmu_caps;       size_t nr_cpu_pmu_caps;
	struct sonde_hybrid_pmu *hybrid;          size_t nr_hybrid;
	struct meta_pmu_caps *pmu_caps;           size_t nr_pmu_caps;
	struct meta_cpu_domains *cpu_domains;     size_t nr_cpu_domains;
	struct meta_carried_symbols *carried;     size_t nr_carried;
	struct meta_buffer *buffers;              size_t nr_buffers;
	struct sonde_option *options;             size_t nr_options;
	struct sonde_section *sections;           size_t nr_sections;
};

#endif
