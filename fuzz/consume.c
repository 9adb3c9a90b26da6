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
	for (size_t i = 0; i < m->nr_numa; i++)
		touch_text(m->numa[i].cpus);
	for (size_t i = 0; i < m->nr_pmus; i++)
		touch_text(m->pmus[i].name);
	for (size_t i = 0; i < m->nr_caches; i++)
		touch_names((const char *const[]){ m->caches[i].type, m->caches[i].size, m->caches[i].cpus }, 3);
	for (size_t i = 0; i < m->nr_mem_nodes; i++)
		touch(m->mem_nodes[i].words, (m->mem_nodes[i].nr_bits + 63) / 64 * sizeof(uint64_t));
	for (size_t i = 0; i < m->nr_hybrid; i++)
		touch_names((const char *const[]){ m->hybrid[i].pmu, m->hybrid[i].cpus }, 2);
	for (size_t i = 0; i < m->nr_cpu_pmu_caps; i++)
		touch_names((const char *const[]){ m->cpu_pmu_caps[i].name, m->cpu_pmu_caps[i].value }, 2);
	for (size_t i = 0; i < m->nr_pmu_caps; i++) {
		touch_text(m->pmu_caps[i].pmu);
		for (size_t k = 0; k < m->pmu_caps[i].nr_caps; k++)
			touch_names((const char *const[]){ m->pmu_caps[i].caps[k].name, m->pmu_caps[i].caps[k].value },
				    2);
	}
	for (size_t i = 0; i < m->nr_cpu_domains; i++) {
		for (size_t k = 0; k < m->cpu_domains[i].nr_domains; k++) {
			const struct sonde_sched_domain *d = &m->cpu_domains[i].domains[k];

			touch_names((const char *const[]){ d->name, d->cpumask, d->cpulist }, 3);
		}
	}
}

static void touch_tracedat(const struct sonde_meta *m)
{
	touch_names((const char *const[]){ m->trace_clock, m->compression, m->compression_version }, 3);
	for (size_t i = 0; i < m->nr_buffers; i++) {
		touch_names((const char *const[]){ m->buffers[i].name, m->buffers[i].clock }, 2);
		touch(m->buffers[i].cpus, m->buffers[i].nr_cpus * sizeof(*m->buffers[i].cpus));
	}
	for (size_t i = 0; i < m->nr_options; i++) {
		touch(m->options[i].data.p, m->options[i].data.len);
		touch_text(m->options[i].text);
	}
	for (size_t i = 0; i < m->nr_sections; i++)
		touch_text(m->sections[i].name);
}

static void touch_meta(const struct sonde_meta *m)
{
	touch_machine(m);
	touch_tracedat(m);
	for (size_t i = 0; i < m->nr_raw; i++)
		touch(m->raw[i].payload.p, m->raw[i].payload.len);
	for (size_t i = 0; i < m->nr_build_ids; i++) {
		touch(m->build_ids[i].id, m->build_ids[i].size);
		touch_text(m->build_ids[i].filename);
	}
	for (size_t i = 0; i < m->nr_event_descs; i++) {
		touch_text(m->event_descs[i].name);
		touch(m->event_descs[i].ids, m->event_descs[i].nr_ids * sizeof(uint64_t));
	}
	for (size_t i = 0; i < m->nr_groups; i++)
		touch_text(m->groups[i].name);
	if (m->nr_auxtrace)
		touch(m->auxtrace, m->nr_auxtrace * sizeof(*m->auxtrace));
	for (size_t i = 0; i < m->nr_bpf_progs; i++) {
		touch(m->bpf_progs[i].info.p, m->bpf_progs[i].info.len);
		touch(m->bpf_progs[i].data.p, m->bpf_progs[i].data.len);
	}
	for (size_t i = 0; i < m->nr_btfs; i++)
		touch(m->btfs[i].data.p, m->btfs[i].data.len);
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
		touch_meta(sonde_trace_meta(t));
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
