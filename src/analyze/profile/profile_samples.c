/* SPDX-License-Identifier: MIT */
#include "analyze/profile/profile_samples.h"

#include "analyze/profile/counting.h"
#include "analyze/profile/profile_events.h"
#include "analyze/profile/profile_tasks.h"
#include "analyze/profile/sample_count.h"
#include "analyze/profile/sample_details.h"
#include "model/reader.h"

/* Takes the latency of a sample into account; false: the filter leaves it out. */
static bool take_latency(struct gathering *p, const struct sonde_event *ev, const struct meta *meta,
			 struct profile_sample *s)
{
	if (!p->parallelism.known)
		return !p->parallelism.filtered;
	s->parallelism = parallelism_at(&p->parallelism, ev, meta->nr_cpus_available);
	s->latency = s->period * LATENCY_UNITS / s->parallelism;
	p->events.at[s->event].all_latency += s->latency;
	return parallelism_is_wanted(&p->parallelism, s->parallelism);
}

static bool is_wanted_socket(const struct gathering *p, const struct meta *meta, int32_t cpu)
{
	uint64_t socket = p->wants.sockets.n ? sample_details_socket(meta, cpu) : 0;

	for (size_t i = 0; i < p->wants.sockets.n; i++)
		if (socket && (int64_t)socket - 1 == p->wants.sockets.at[i])
			return true;
	return p->wants.sockets.n == 0;
}

/* Counts the sample among those of its event, and takes over what it weighs. False: a filter leaves it out. */
static bool count_in_event(struct gathering *p, const struct sonde_event *ev, const struct meta *meta,
			   const struct sample *fields, struct profile_sample *s)
{
	struct sonde_profile_event *event = &p->events.at[s->event];
	bool wanted;

	s->period = sample_details_period(p, ev, fields);
	event->all_samples++;
	event->all_period += s->period;
	times_note(&p->times, ev->time);
	wanted = take_latency(p, ev, meta, s);
	if (s->task == TASK_LEFT_OUT || !is_wanted_socket(p, meta, ev->cpu))
		return false;
	event->samples++;
	event->period += s->period;
	return wanted;
}

/* The call stack of a sample: addresses, or the registers and bytes that they are unwound from. */
struct found_stack {
	struct u64s chain;
	struct copied_stack copied;
	bool has_copied;
};

static int find_stack(struct gathering *p, const struct sonde_event *ev,
		      struct sonde_profile_event *event, struct found_stack *out)
{
	struct long_stack is_long;

	*out = (struct found_stack){ 0 };
	if (!p->kept.callchains)
		return 0;
	if (copied_stack_expected(event_layout(ev)))
		return chain_copied(&p->chains, ev, &out->chain, &out->copied, &out->has_copied);
	if (chain_recorded(&p->chains, ev, &out->chain) < 0)
		return -SONDE_NOMEM;
	if (out->chain.nr) {
		is_long = long_stack_of(&out->chain, event_layout(ev)->attr, p->stacks.max_frames);
		event->cut_stacks += is_long.cut;
		event->shortened_stacks += is_long.shortened;
	}
	return 0;
}

/* Counts the sample now, or when the batch is counted that it goes to. */
static int count_or_wait(struct gathering *p, const struct sonde_event *ev, const struct sample *fields,
			 struct profile_sample *s, const struct found_stack *stack)
{
	if (p->wants.stack_branches && fields->branches.nr && basic_blocks_expected(event_layout(ev)->attr)) {
		if (sample_batches_wait(&p->batches) && sample_batches_end(p) < 0)
			return -SONDE_NOMEM;
		return sample_count_history(p, s, &stack->chain, &fields->branches);
	}
	if (counting_waits(p, stack->has_copied))
		return sample_batch_add(p, s, &stack->chain, stack->has_copied ? &stack->copied : NULL);
	return sample_count(p, s, &stack->chain);
}

int profile_sample_take(struct gathering *p, const struct sonde_event *ev, const struct meta *meta)
{
	struct profile_sample s = { .cpu = p->kept.by & SONDE_BY_CPU ? ev->cpu : -1,
				    .ran_on = ev->cpu,
				    .time = ev->time,
				    .cpumode = ev->cpumode };
	const struct moment_task *known;
	struct found_stack stack;
	struct sample fields;

	if (!ev->evsel)
		return 0;
	s.event = profile_evsel(p, ev->evsel);
	if (moment_advance(&p->moment, ev) < 0)
		return -SONDE_NOMEM;
	known = profile_task_known(p, ev->machine_pid, ev->pid, ev->tid);
	s.task = known->number;
	if (s.event == UINT32_MAX || s.task == NO_TASK)
		return -SONDE_NOMEM;
	if ((sample_details_decode(p) || p->trace.has_blocks || p->wants.stack_branches) &&
	    event_sample(ev, &fields) == -SONDE_USAGE)
		fields = (struct sample){ 0 };
	if (p->kept.branches && !fields.branches.nr)
		return 0;
	if (!count_in_event(p, ev, meta, &fields, &s))
		return 0;
	if (field_counts_take(&p->field_counts, ev, s.event, p->trace.formats) < 0)
		return -SONDE_NOMEM;
	if (p->trace.has_blocks && basic_blocks_expected(event_layout(ev)->attr) &&
	    basic_blocks_take(&p->blocks, p->symbols, &known->roots, &fields.branches, event_layout(ev)->attr) < 0)
		return -SONDE_NOMEM;
	if (find_stack(p, ev, &p->events.at[s.event], &stack) < 0)
		return -SONDE_NOMEM;
	s.ip = ev->ip;
	if (!ev->ip && stack.chain.nr)  /* a trace.dat has stacks, and no address besides */
		chain_first(&stack.chain, &s.cpumode, &s.ip);
	s.roots = known->roots;
	if (p->kept.branches)
		return sample_details_count_branches(p, ev, &fields, meta, &s);
	if (profile_has_details(p) && sample_details_find(p, ev, &fields, meta, &s) < 0)
		return -SONDE_NOMEM;
	return count_or_wait(p, ev, &fields, &s, &stack);
}
