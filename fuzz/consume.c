/* SPDX-License-Identifier: MIT */
#include "consume.h"

#include <string.h>

/* Where every byte goes, so that no read is optimised away. */
static volatile uint64_t sink;

static void touch(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += b[i];
	sink += sum;
}

static void touch_text(const char *s)
{
	if (s)
		touch(s, strlen(s));
}

static void touch_u64s(const uint64_t *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sink += a[i];
}

static void touch_sample(const struct sonde_event *ev)
{
	const struct sonde_sample *s;
	int r = sonde_event_sample(ev, &s);

	if (r != 0 && r != -SONDE_CORRUPT)
		return;
	for (size_t i = 0; i < s->nr_values; i++)
		sink += sonde_sample_value_at(s, i)->value;
	touch_u64s(s->callchain, s->nr_callchain);
	touch(s->raw.p, s->raw.len);
	for (size_t i = 0; i < s->nr_branches; i++)
		sink += sonde_sample_branch_at(s, i)->from;
	touch_u64s(s->user_regs->values, s->user_regs->nr_values);
	touch_u64s(s->intr_regs->values, s->intr_regs->nr_values);
	touch(s->user_stack.p, s->user_stack.len);
	touch(s->aux.p, s->aux.len);
}

static void touch_body(const struct sonde_event *ev)
{
	const struct sonde_mmap *mmap;
	const struct sonde_comm *comm;
	const struct sonde_task *task;
	const struct sonde_lost *lost;
	const struct sonde_ksymbol *ksymbol;
	const struct sonde_text_poke *poke;
	const struct sonde_callchain_deferred *chain;
	const struct sonde_auxtrace *aux;

	if (sonde_event_mmap(ev, &mmap) == 0)
		touch(mmap->filename.p, mmap->filename.len);
	if (sonde_event_comm(ev, &comm) == 0)
		touch(comm->comm.p, comm->comm.len);
	if (sonde_event_task(ev, &task) == 0)
		sink += task->time;
	if (sonde_event_lost(ev, &lost) == 0)
		sink += lost->lost;
	if (sonde_event_ksymbol(ev, &ksymbol) == 0)
		touch(ksymbol->name.p, ksymbol->name.len);
	if (sonde_event_auxtrace(ev, &aux) == 0)
		touch(aux->payload.p, aux->payload.len);
	if (sonde_event_text_poke(ev, &poke) == 0) {
		touch(poke->old_bytes.p, poke->old_bytes.len);
		touch(poke->new_bytes.p, poke->new_bytes.len);
	}
	if (sonde_event_callchain_deferred(ev, &chain) == 0)
		touch_u64s(chain->ips, chain->nr_ips);
}

static void touch_names(const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		touch_text(names[i]);
}

static void touch_machine(const struct sonde_meta *m)
{
	touch_names((const char *const[]){ m->hostname, m->osrelease, m->version, m->arch, m->cpudesc, m->cpuid }, 6);
	touch_names(m->cmdline, m->nr_cmdline);
	touch_names(m->topology.cores, m->topology.nr_cores);
	touch_names(m->topology.threads, m->topology.nr_threads);
	touch_names(m->topology.dies, m->topology.nr_dies);
	if (m->topology.core_ids)
		touch(m->topology.core_ids, m->topology.nr_cpus * sizeof(*m->topology.core_ids));
	if (m->topology.socket_ids)
		touch(m->topology.socket_ids, m->topology.nr_cpus * sizeof(*m->topology.socket_ids));
	if (m->topology.die_ids)
		touch(m->topology.die_ids, m->topology.nr_cpus * sizeof(*m->topology.die_ids));
}

/* Every element of a list of the metadata, in @e. */
#define EACH(noun, e) (size_t i = 0; ((e) = sonde_trace_##noun##_at(t, i)); i++)

static void touch_topology(const struct sonde_trace *t)
{
	const struct sonde_numa_node *numa;
	const struct sonde_pmu_mapping *pmu;
	const struct sonde_cache *cache;
	const struct sonde_mem_node *mem;
	const struct sonde_hybrid_pmu *hybrid;
	const struct sonde_cpu_domains *cpu;
	const struct sonde_sched_domain *d;

	for EACH(numa_node, numa)
		touch_text(numa->cpus);
	for EACH(pmu_mapping, pmu)
		touch_text(pmu->name);
	for EACH(cache, cache)
		touch_names((const char *const[]){ cache->type, cache->size, cache->cpus }, 3);
	for EACH(mem_node, mem)
		touch(mem->words, (mem->nr_bits + 63) / 64 * sizeof(uint64_t));
	for EACH(hybrid_pmu, hybrid)
		touch_names((const char *const[]){ hybrid->pmu, hybrid->cpus }, 2);
	for EACH(cpu_domains, cpu)
		for (size_t k = 0; (d = sonde_cpu_domains_at(cpu, k)); k++)
			touch_names((const char *const[]){ d->name, d->cpumask, d->cpulist }, 3);
}

static void touch_caps(const struct sonde_trace *t)
{
	const struct sonde_pmu_caps *pmu;
	const struct sonde_pmu_cap *cap;

	for EACH(cpu_pmu_cap, cap)
		touch_names((const char *const[]){ cap->name, cap->value }, 2);
	for EACH(pmu_caps, pmu) {
		touch_text(pmu->pmu);
		for (size_t k = 0; (cap = sonde_pmu_caps_at(pmu, k)); k++)
			touch_names((const char *const[]){ cap->name, cap->value }, 2);
	}
}

static void touch_tracedat(const struct sonde_trace *t)
{
	const struct sonde_meta *m = sonde_trace_meta(t);
	const struct sonde_buffer *b;
	const struct sonde_option *o;
	const struct sonde_section *s;
	const struct sonde_cpu_pages *cpu;

	touch_names((const char *const[]){ m->trace_clock, m->compression, m->compression_version }, 3);
	for EACH(buffer, b) {
		touch_names((const char *const[]){ b->name, b->clock }, 2);
		for (size_t k = 0; (cpu = sonde_buffer_cpu_at(b, k)); k++)
			sink += cpu->size;
	}
	for EACH(option, o) {
		touch(o->data.p, o->data.len);
		touch_text(o->text);
	}
	for EACH(section, s)
		touch_text(s->name);
}

static void touch_binaries(const struct sonde_trace *t)
{
	const struct sonde_build_id *id;
	const struct sonde_carried_symbols *binary;
	const struct sonde_carried_symbol *symbol;
	const struct sonde_bpf_prog *bpf;
	const struct sonde_btf *btf;

	for EACH(build_id, id) {
		touch(id->id, id->size);
		touch_text(id->filename);
	}
	for EACH(carried_symbols, binary) {
		touch_text(binary->filename);
		for (size_t k = 0; (symbol = sonde_carried_symbols_at(binary, k)); k++)
			touch_text(symbol->name);
	}
	for EACH(bpf_prog, bpf) {
		touch(bpf->info.p, bpf->info.len);
		touch(bpf->data.p, bpf->data.len);
	}
	for EACH(btf, btf)
		touch(btf->data.p, btf->data.len);
}

static void touch_meta(struct sonde_trace *t)
{
	const struct sonde_raw_feature *raw;
	const struct sonde_event_desc *desc;
	const struct sonde_group_desc *group;
	const struct sonde_auxtrace_index *aux;

	touch_machine(sonde_trace_meta(t));
	touch_topology(t);
	touch_caps(t);
	touch_tracedat(t);
	touch_binaries(t);
	for EACH(raw_feature, raw)
		touch(raw->payload.p, raw->payload.len);
	for EACH(event_desc, desc) {
		touch_text(desc->name);
		touch(desc->ids, desc->nr_ids * sizeof(uint64_t));
		touch(desc->attr, sizeof(*desc->attr));
	}
	for EACH(group_desc, group)
		touch_text(group->name);
	for EACH(auxtrace_index, aux)
		sink += aux->size;
}

static void touch_evsels(const struct sonde_trace *t)
{
	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++) {
		const struct sonde_evsel *s = sonde_trace_evsel_at(t, i);

		touch_text(s->name);
		touch_text(s->unit);
		touch_text(s->buffer);
		touch(s->ids, s->nr_ids * sizeof(*s->ids));
		if (s->attr)
			touch(s->attr, sizeof(*s->attr));
	}
}

static void touch_events(struct sonde_trace *t, enum sonde_order order, struct consumed *c)
{
	struct sonde_query query = { .sz = sizeof(query), .order = order };
	struct sonde_iter *it = sonde_iter_new(t, &query);
	const struct sonde_event *ev;

	while (it && (c->ended = sonde_iter_next(it, &ev)) > 0) {
		touch(ev->raw, ev->raw_size);
		c->events++;
		c->raw_bytes += ev->raw_size;
		if (!ev->unpacked && ev->file_offset + ev->raw_size > c->end)
			c->end = ev->file_offset + ev->raw_size;
		c->samples += ev->kind == SONDE_KIND_SAMPLE;
		touch_text(ev->evsel ? ev->evsel->name : NULL);
		touch_sample(ev);
		touch_body(ev);
	}
	sonde_iter_free(it);
}

static struct consumed consume(struct sonde_trace *t, int opened, enum sonde_order order)
{
	struct consumed c = { .opened = opened };
	const struct sonde_loss *loss;

	if (opened == 0) {
		c.stream = sonde_trace_info(t)->mode == SONDE_MODE_PIPE;
		touch_events(t, order, &c);
		touch_evsels(t);
		touch_meta(t);
		for (c.losses = 0; (loss = sonde_trace_loss_at(t, c.losses)); c.losses++)
			touch_text(loss->text);
	}
	touch_text(sonde_trace_error(t)->text);
	sonde_trace_free(t);
	return c;
}

struct consumed consume_trace(const void *data, size_t size, enum sonde_order order)
{
	struct sonde_trace *t = sonde_trace_new();

	return t ? consume(t, sonde_trace_open_memory(t, data, size, "memory", NULL), order) : (struct consumed){ 0 };
}

struct consumed consume_fd(int fd, enum sonde_order order)
{
	struct sonde_trace *t = sonde_trace_new();

	return t ? consume(t, sonde_trace_open_fd(t, fd, "fd", NULL), order) : (struct consumed){ 0 };
}

struct consumed consume_path(const char *path, enum sonde_order order)
{
	struct sonde_trace *t = sonde_trace_new();

	return t ? consume(t, sonde_trace_open(t, path, NULL), order) : (struct consumed){ 0 };
}
