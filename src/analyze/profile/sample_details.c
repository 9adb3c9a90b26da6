/* SPDX-License-Identifier: MIT */
#include "analyze/profile/sample_details.h"

#include <linux/perf_event.h>

#include "analyze/profile/sample_count.h"
#include "base/bytes.h"

/* The values that are fields of the sample itself. */
#define OF_FIELDS (SONDE_BY_CGROUP | SONDE_BY_WEIGHT | SONDE_BY_DATA_ADDR | SONDE_BY_DATA_SRC | SONDE_BY_PHYS_ADDR | \
		   SONDE_BY_DATA_PAGE_SIZE | SONDE_BY_CODE_PAGE_SIZE | SONDE_BY_TRANSACTION | SONDE_BY_TRACE | \
		   SONDE_BY_TRACE_FIELDS)

#define SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)  /* newer than some <linux/perf_event.h> */


bool sample_details_decode(const struct gathering *p)
{
	return p->kept.branches || p->kept.weights || p->kept.by & OF_FIELDS;
}

/* Each has one weight, or three in the same 8 bytes. */
static uint64_t first_weight(const struct sample *fields)
{
	return fields->present & SAMPLE_WEIGHT_STRUCT ? fields->weight & UINT32_MAX : fields->weight;
}

uint64_t sample_details_period(const struct gathering *p, const struct sonde_event *ev,
			       const struct sample *fields)
{
	uint64_t weight;

	if (p->kept.branches)
		return fields->branches.nr;
	if (!p->kept.weights)
		return ev->period;
	weight = first_weight(fields);
	return weight ? weight : 1;
}

static void take_weights(struct sonde_profile_detail *d, const struct sample *fields)
{
	d->weight = first_weight(fields);
	if (!(fields->present & SAMPLE_WEIGHT_STRUCT))
		return;
	d->weight2 = fields->weight >> 32 & UINT16_MAX;
	d->weight3 = fields->weight >> 48;
}

uint64_t sample_details_socket(const struct meta *meta, int32_t cpu)
{
	bool known = cpu >= 0 && (size_t)cpu < meta->topology.nr_cpus && meta->topology.socket_ids;

	return known ? (uint64_t)(meta->topology.socket_ids[cpu] + 1) : 0;
}

/* Nanoseconds since 1970 at the time 0 of a recording, modulo 2^64; 0 if it does not say. */
static uint64_t epoch_of(const struct meta *meta)
{
	return meta->clock_data.tod_ns ? meta->clock_data.tod_ns - meta->clock_data.clockid_ns : 0;
}

/* The values that a sample and its branches have in common. */
static struct sonde_profile_detail common_values(const struct gathering *p, const struct sonde_event *ev,
						 const struct meta *meta, const struct profile_sample *s)
{
	struct sonde_profile_detail d = { .parallelism = p->kept.by & SONDE_BY_PARALLELISM ? s->parallelism : 0,
					  .socket = p->kept.by & SONDE_BY_SOCKET ?
						    sample_details_socket(meta, ev->cpu) : 0 };

	details_take_event(&d, p->kept.by, p->kept.time_step_ns, p->wants.dated_steps ? epoch_of(meta) : 0, ev);
	if (p->kept.by & SONDE_BY_NAMESPACE)
		details_take_namespace(&p->details, &d, ev);
	return d;
}

static void take_fields(struct sonde_profile_detail *d, uint32_t by, const struct sample *fields)
{
	if (by & SONDE_BY_WEIGHT)
		take_weights(d, fields);
	if (by & SONDE_BY_CGROUP)
		d->cgroup = fields->cgroup;
	if (by & SONDE_BY_DATA_ADDR)
		d->data_addr = fields->addr;
	if (by & SONDE_BY_DATA_SRC)
		d->data_src = fields->data_src;
	if (by & SONDE_BY_PHYS_ADDR)
		d->phys_addr = fields->phys_addr;
	if (by & SONDE_BY_DATA_PAGE_SIZE)
		d->data_page_size = fields->data_page_size;
	if (by & SONDE_BY_CODE_PAGE_SIZE)
		d->code_page_size = fields->code_page_size;
	if (by & SONDE_BY_TRANSACTION)
		d->transaction = fields->transaction;
}

/* The number of the function or variable at an address, and 1; 0 when out of memory. */
static uint32_t frame_at(struct gathering *p, const struct task_roots *roots, uint8_t cpumode, uint64_t addr)
{
	const struct frame_slot *slot = frames_get(&p->frames, task_roots_get(roots, cpumode, addr), cpumode, addr,
						   false);

	return slot ? slot->interrupted + 1 : 0;
}

static int find_data_type(struct gathering *p, const struct profile_sample *s, maps_root root,
			  const struct meta *meta, struct sonde_profile_detail *d)
{
	const struct mapping *m = maps_find(root, s->ip);

	if (!p->trace.fusing_known)
		p->trace.fusing = data_types_fusing(meta->cpuid);
	p->trace.fusing_known = true;
	if (m && m->binary->kind == BINARY_FILE)
		d->data_type = data_types_find(p->data_types, m->binary, mapping_to_binary(m, s->ip), p->trace.fusing);
	return d->data_type == UINT32_MAX ? -SONDE_NOMEM : 0;
}

static int take_trace(struct gathering *p, const struct sonde_event *ev, const struct sample *fields,
		      uint32_t event, struct sonde_profile_detail *d)
{
	const struct sonde_attr *attr = ev->evsel->attr;
	const struct tracefmt_event *format = attr && attr->type == PERF_TYPE_TRACEPOINT && p->trace.formats ?
					      tracefmt_event(p->trace.formats, attr->config) : NULL;

	if (!format || !fields->raw.len)
		return 0;
	if (p->kept.by & SONDE_BY_TRACE_FIELDS) {
		d->trace_fields = trace_fields_number(&p->trace_fields, event, format, fields->raw);
		if (!d->trace_fields)
			return -SONDE_NOMEM;
	}
	return p->kept.by & SONDE_BY_TRACE ?
		       details_take_trace(&p->details, d, format, fields->raw, p->kept.raw_trace) : 0;
}

int sample_details_find(struct gathering *p, const struct sonde_event *ev, const struct sample *fields,
			const struct meta *meta, struct profile_sample *s)
{
	maps_root root = task_roots_get(&s->roots, s->cpumode, s->ip);
	struct sonde_profile_detail d = common_values(p, ev, meta, s);

	if (p->kept.by & OF_FIELDS)
		take_fields(&d, p->kept.by, fields);
	if (p->kept.by & (SONDE_BY_TRACE | SONDE_BY_TRACE_FIELDS) && take_trace(p, ev, fields, s->event, &d) < 0)
		return -SONDE_NOMEM;
	if (p->kept.by & SONDE_BY_SYMBOL_OFFSET) {
		d.symbol_offset = addr_location_offset(p->symbols, root, s->ip);
		d.code_moment = profile_code_moment(p, s->cpumode);
	}
	if (p->data_types && find_data_type(p, s, root, meta, &d) < 0)
		return -SONDE_NOMEM;
	if (p->kept.by & SONDE_BY_DATA_ADDR) {
		d.data = frame_at(p, &s->roots, s->cpumode, d.data_addr);
		if (!d.data)
			return -SONDE_NOMEM;
		d.data_offset = addr_location_offset(p->symbols, task_roots_get(&s->roots, s->cpumode, d.data_addr),
						   d.data_addr);
	}
	s->detail = details_number(&p->details, &d);
	return s->detail == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
}

static bool is_named(const struct gathering *p, uint64_t frame)
{
	return frame_symbol(&p->frames.list.at[frame - 1]);
}

/* The mode of the CPU at the ends of a branch is not recorded: the mappings tell. */
static uint8_t mode_of_address(const struct task_roots *roots, uint64_t addr)
{
	if (maps_find(roots->user, addr))
		return CPUMODE_USER;
	return maps_find(roots->kernel, addr) ? CPUMODE_KERNEL : CPUMODE_UNKNOWN;
}

static int count_branch(struct gathering *p, struct sonde_profile_detail *d, const struct sonde_branch *b,
			struct profile_sample *s)
{
	uint8_t from_mode = mode_of_address(&s->roots, b->from);
	uint32_t target;

	s->cpumode = mode_of_address(&s->roots, b->to);
	target = frame_at(p, &s->roots, s->cpumode, b->to);
	d->source = frame_at(p, &s->roots, from_mode, b->from);
	d->branch_flags = b->flags;
	if (p->kept.by & SONDE_BY_WEIGHT) {
		d->weight = branch_cycles(b->flags);
		d->weight += !d->weight;
	}
	if (p->kept.by & SONDE_BY_ADDR)
		d->addr = b->to;
	if (p->kept.by & SONDE_BY_SYMBOL_OFFSET) {
		d->symbol_offset = addr_location_offset(p->symbols, task_roots_get(&s->roots, s->cpumode, b->to),
							b->to);
		d->source_offset = addr_location_offset(p->symbols, task_roots_get(&s->roots, from_mode, b->from),
							b->from);
	}
	if (!target || !d->source)
		return -SONDE_NOMEM;
	if (p->wants.named_only && !(is_named(p, target) && is_named(p, d->source))) {
		p->events.at[s->event].period--;
		p->events.at[s->event].all_period--;
		p->events.at[s->event].all_latency -= s->latency;
		return 0;
	}
	s->detail = details_number(&p->details, d);
	s->ip = b->to;
	return s->detail == HASH_INDEX_NONE ? -SONDE_NOMEM : sample_count(p, s, &(struct u64s){ 0 });
}

int sample_details_count_branches(struct gathering *p, const struct sonde_event *ev, const struct sample *fields,
				  const struct meta *meta, const struct profile_sample *s)
{
	struct profile_sample own = *s;
	struct sonde_profile_detail d = common_values(p, ev, meta, s);
	int r = 0;

	own.period = 1;
	own.latency = s->parallelism ? LATENCY_UNITS / s->parallelism : 0;
	take_fields(&d, p->kept.by & (uint32_t)OF_FIELDS, fields);
	for (uint64_t i = 0; i < fields->branches.nr && r == 0; i++) {
		const struct sonde_branch b = sample_branch_at(fields, i);

		branch_kinds_add(&p->branch_kinds, &b);
		r = count_branch(p, &d, &b, &own);
	}
	return r;
}
