/* SPDX-License-Identifier: MIT */
#include "analyze/profile_heads.h"

#include "analyze/profile_tasks.h"
#include "analyze/sample_count.h"
#include "tracefmt/tracefmt.h"

enum { AT_ONCE = 32 };

bool profile_takes_heads(const struct sonde_profile *p)
{
	return !p->comms.n && !p->sockets.n && !profile_has_details(p) && !p->has_blocks && !p->parallelism.known &&
	       !p->parallelism.filtered && !p->stitch_lbr &&
	       !(p->frames.kernel && tracefmt_has_boots(p->frames.kernel));
}

static bool need_batches(const struct sonde_profile *p, const struct sample_head *heads, size_t n)
{
	if (!p->callchains)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((i == 0 || heads[i].evsel != heads[i - 1].evsel) && copied_stack_expected(heads[i].evsel))
			return true;
	return sample_batches_wait(&p->batches);
}

static int batch(struct sonde_profile *p, const struct reader *r, const struct sample_head *heads, size_t n)
{
	int e = 0;

	for (size_t i = 0; i < n && e == 0; i++) {
		uint32_t event = profile_evsel(p, heads[i].evsel);
		struct known_task *task = profile_task_known(p, 0, heads[i].pid, heads[i].tid);

		if (event == UINT32_MAX || task->number == NO_TASK)
			return -SONDE_NOMEM;
		e = sample_batch_add_record(p, r, &heads[i], event, task);
	}
	return e;
}

/* A sample on the way to its cell: the memory that it needs there is asked for some samples before it is counted. */
struct coming {
	struct profile_sample s;
	struct u64s chain;
	struct cell_slot *slot;
};

/* Adds a sample to its event. */
static int note(struct sonde_profile *p, const struct sample_head *head, struct coming *c)
{
	uint32_t number = profile_evsel(p, head->evsel);
	const struct known_task *task = profile_task_known(p, 0, head->pid, head->tid);
	struct sonde_profile_event *event;

	if (number == UINT32_MAX || task->number == NO_TASK)
		return -SONDE_NOMEM;
	event = &p->events.at[number];
	event->all_samples++;
	event->all_period += head->period;
	event->samples++;
	event->period += head->period;
	times_note(&p->times, head->time);
	c->s = (struct profile_sample){ .roots = task->roots,
					.ip = head->ip,
					.period = head->period,
					.event = number,
					.task = task->number,
					.cpu = p->by & SONDE_BY_CPU ? head->cpu : -1,
					.ran_on = head->cpu,
					.time = head->time,
					.cpumode = head->cpumode };
	c->chain = p->callchains ? head->callchain : (struct u64s){ 0 };
	if (long_stack_is_possible(&c->chain, head->evsel->attr, p->stacks.max_frames)) {
		struct long_stack is_long = long_stack_of(&c->chain, head->evsel->attr, p->stacks.max_frames);

		event->cut_stacks += is_long.cut;
		event->shortened_stacks += is_long.shortened;
	}
	c->slot = cell_memo_slot(&p->memo, &c->s, &c->chain);
	if (!c->slot)
		return -SONDE_NOMEM;
	__builtin_prefetch(c->slot);
	return 0;
}

static int count(struct sonde_profile *p, const struct sample_head *heads, size_t n)
{
	struct coming coming[AT_ONCE];
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = note(p, &heads[i], &coming[i]);
	for (size_t i = 0; i < n && r == 0; i++)
		__builtin_prefetch(coming[i].slot->chain);
	for (size_t i = 0; i < n && r == 0; i++)
		r = sample_count_in(p, &coming[i].s, &coming[i].chain, coming[i].slot);
	return r;
}

int profile_heads(struct sonde_profile *p, const struct reader *r, const struct sample_head *heads, size_t n)
{
	size_t step;
	int e = 0;

	if (need_batches(p, heads, n))
		return batch(p, r, heads, n);
	for (; n && e == 0; heads += step, n -= step) {
		step = n < AT_ONCE ? n : AT_ONCE;
		e = count(p, heads, step);
	}
	return e;
}
