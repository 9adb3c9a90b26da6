/* SPDX-License-Identifier: MIT */
/* meta.c - the metadata of a trace, and their lists */
#include "api/trace/meta.h"

static const struct meta no_meta = { .sz = sizeof(struct sonde_meta) };

const struct meta *trace_meta(const struct sonde_trace *t)
{
	return t->reader ? &t->reader->meta : &no_meta;
}

const struct sonde_meta *sonde_trace_meta(const struct sonde_trace *t)
{
	return (const struct sonde_meta *)trace_meta(t);
}

/* A list of the metadata: how many elements, and the i-th. */
#define LIST_COUNT(noun, list) \
	size_t sonde_trace_##noun##_count(const struct sonde_trace *t) \
	{ \
		return trace_meta(t)->nr_##list; \
	}

#define LIST(type, noun, list) \
	LIST_COUNT(noun, list) \
	\
	const struct type *sonde_trace_##noun##_at(const struct sonde_trace *t, size_t i) \
	{ \
		const struct meta *m = trace_meta(t); \
	\
		return i < m->nr_##list ? (const struct type *)&m->list[i] : NULL; \
	}

LIST(sonde_raw_feature, raw_feature, raw)
LIST(sonde_build_id, build_id, build_ids)
LIST(sonde_numa_node, numa_node, numa)
LIST(sonde_pmu_mapping, pmu_mapping, pmus)
LIST(sonde_group_desc, group_desc, groups)
LIST(sonde_auxtrace_index, auxtrace_index, auxtrace)
LIST(sonde_cache, cache, caches)
LIST(sonde_mem_node, mem_node, mem_nodes)
LIST(sonde_bpf_prog, bpf_prog, bpf_progs)
LIST(sonde_btf, btf, btfs)
LIST(sonde_pmu_cap, cpu_pmu_cap, cpu_pmu_caps)
LIST(sonde_hybrid_pmu, hybrid_pmu, hybrid)
LIST(sonde_pmu_caps, pmu_caps, pmu_caps)
LIST(sonde_cpu_domains, cpu_domains, cpu_domains)
LIST(sonde_carried_symbols, carried_symbols, carried)
LIST(sonde_buffer, buffer, buffers)
LIST(sonde_option, option, options)
LIST(sonde_section, section, sections)
LIST_COUNT(event_desc, event_descs)

const struct sonde_event_desc *sonde_trace_event_desc_at(struct sonde_trace *t, size_t i)
{
	const struct meta *m = trace_meta(t);
	const struct event_desc *d;

	if (i >= m->nr_event_descs)
		return NULL;
	d = &m->event_descs[i];
	t->event_desc = (struct sonde_event_desc){ .attr = &d->attr, .name = d->name, .ids = d->ids,
						   .nr_ids = d->nr_ids };
	return &t->event_desc;
}

const struct sonde_pmu_cap *sonde_pmu_caps_at(const struct sonde_pmu_caps *of, size_t i)
{
	return i < of->nr_caps ? &((const struct meta_pmu_caps *)of)->caps[i] : NULL;
}

const struct sonde_sched_domain *sonde_cpu_domains_at(const struct sonde_cpu_domains *of, size_t i)
{
	return i < of->nr_domains ? &((const struct meta_cpu_domains *)of)->domains[i] : NULL;
}

const struct sonde_carried_symbol *sonde_carried_symbols_at(const struct sonde_carried_symbols *of, size_t i)
{
	return i < of->nr_symbols ? &((const struct meta_carried_symbols *)of)->symbols[i] : NULL;
}

const struct sonde_cpu_pages *sonde_buffer_cpu_at(const struct sonde_buffer *of, size_t i)
{
	return i < of->nr_cpus ? &((const struct meta_buffer *)of)->cpus[i] : NULL;
}
