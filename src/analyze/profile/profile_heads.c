/* SPDX-License-Identifier: MIT */
/*
 * profile_heads.c - samples are counted by their heads, some at once
 *
 *	heads ---> copied stacks? ---> sample_batch.c
 *	       ---> address alone? --> plain memo (map, address, event, task, CPU) ---> cell
 *	       ---> else ------------> memo of stacks (callchain, task, ...) --------> cell
 *
 * In: heads of samples in the order of their times: the few fields that decide where a sample is counted, and the bytes
 * of its callchain. Each step looks up AT_ONCE slots of a memo first and asks for their memory, then counts them: the
 * waits for memory overlap. Only a sample that the memo does not know goes the whole way, by maps, symbols and stacks.
 * Out: counts in the cells, and sums of the events.
 *
 * Never: a record is decoded here; heads are used where a sample needs more of its record (counting.h); a
 * task that a slot was looked up for is used later without a second look-up: its place may be another task's by then.
 */
#include "analyze/profile/profile_heads.h"

#include "analyze/profile/counting.h"
#include "analyze/profile/profile_events.h"
#include "analyze/profile/profile_tasks.h"
#include "analyze/profile/sample_count.h"
#include "tracefmt/tracefmt.h"

enum { AT_ONCE = 32 };

static bool need_batches(const struct gathering *p, const struct sample_head *heads, size_t n)
{
	bool copied = false;

	if (!p->kept.callchains)
		return false;
	for (size_t i = 0; i < n && !copied; i++)
		copied = (i == 0 || heads[i].evsel != heads[i - 1].evsel) && copied_stack_expected(heads[i].evsel);
	return counting_waits(p, copied);
}

static int batch(struct gathering *p, const struct reader *r, const struct sample_head *heads, size_t n)
{
	int e = 0;

	for (size_t i = 0; i < n && e == 0; i++) {
		uint32_t event = profile_evsel(p, heads[i].evsel);
		struct moment_task *task = profile_task_known(p, 0, heads[i].pid, heads[i].tid);

		if (event == UINT32_MAX || task->number == NO_TASK)
			return -SONDE_NOMEM;
		e = sample_batch_add_record(p, r, &heads[i], event, task);
	}
	return e;
}

/* Adds samples to their events, most of which are of one event. 0 or -SONDE_NOMEM. */
static int note(struct gathering *p, const struct sample_head *heads, size_t n)
{
	struct times times = p->times;
	size_t end;

	for (size_t i = 0; i < n; i = end) {
		uint32_t number = profile_evsel(p, heads[i].evsel);
		struct sonde_profile_event *event;
		uint64_t period = 0;

		if (number == UINT32_MAX)
			return -SONDE_NOMEM;
		for (end = i; end < n && heads[end].evsel == heads[i].evsel; end++) {
			period += heads[end].period;
			times_note(&times, heads[end].time);
		}
		event = &p->events.at[number];
		event->all_samples += end - i;
		event->all_period += period;
		event->samples += end - i;
		event->period += period;
	}
	p->times = times;
	return 0;
}

static struct profile_sample sample_of(const struct gathering *p, const struct sample_head *head, uint32_t event,
				       const struct moment_task *task)
{
	return (struct profile_sample){ .roots = task->roots,
					.ip = head->ip,
					.period = head->period,
					.event = event,
					.task = task->number,
					.cpu = p->kept.by & SONDE_BY_CPU ? head->cpu : -1,
					.ran_on = head->cpu,
					.time = head->time,
					.cpumode = head->cpumode };
}

/* A sample on the way to its cell: the memory that it needs there is asked for some samples before it is counted. */
struct coming {
	struct profile_sample s;
	struct u64s chain;
	struct cell_slot *slot;
};

static int expect(struct gathering *p, const struct sample_head *head, struct coming *c)
{
	const struct moment_task *task = profile_task_known(p, 0, head->pid, head->tid);
	uint32_t number = profile_evsel(p, head->evsel);

	if (task->number == NO_TASK)
		return -SONDE_NOMEM;
	c->s = sample_of(p, head, number, task);
	c->chain = p->kept.callchains ? head->callchain : (struct u64s){ 0 };
	if (long_stack_is_possible(&c->chain, head->evsel->attr, p->stacks.max_frames)) {
		struct long_stack is_long = long_stack_of(&c->chain, head->evsel->attr, p->stacks.max_frames);

		p->events.at[number].cut_stacks += is_long.cut;
		p->events.at[number].shortened_stacks += is_long.shortened;
	}
	c->slot = cell_memo_slot(&p->memo, &c->s, &c->chain);
	if (!c->slot)
		return -SONDE_NOMEM;
	__builtin_prefetch(c->slot);
	return 0;
}

static int count(struct gathering *p, const struct sample_head *heads, size_t n)
{
	struct coming coming[AT_ONCE];
	int r = note(p, heads, n);

	for (size_t i = 0; i < n && r == 0; i++)
		r = expect(p, &heads[i], &coming[i]);
	for (size_t i = 0; i < n && r == 0; i++)
		__builtin_prefetch(coming[i].slot->chain);
	for (size_t i = 0; i < n && r == 0; i++)
		r = sample_count_in(p, &coming[i].s, &coming[i].chain, coming[i].slot);
	return r;
}

/* The same of a sample that is counted by its address, and of which its period is all that a known cell needs. */
struct coming_plain {
	struct plain_slot *slot, key;
};

static inline maps_root root_of(const struct task_roots *roots, uint8_t cpumode, uint64_t ip)
{
	return cpumode == CPUMODE_USER	 ? roots->user :
	       cpumode == CPUMODE_KERNEL ? roots->kernel :
					   task_roots_get(roots, cpumode, ip);
}

/* Members are set one by one: the cell, and bytes between members, need no zeros. */
static inline int expect_plain(struct gathering *p, const struct sample_head *head, uint32_t event,
			       struct coming_plain *c)
{
	const struct moment_task *task = profile_task_known(p, 0, head->pid, head->tid);
	const struct plain_range *range;

	if (task->number == NO_TASK)
		return -SONDE_NOMEM;
	range = plain_memo_range(&p->memo.plain, root_of(&task->roots, head->cpumode, head->ip), head->ip);
	c->key.within = range->within;
	c->key.addr = head->ip + range->shift;
	c->key.event = event;
	c->key.task = task->number;
	c->key.cpu = p->kept.by & SONDE_BY_CPU ? head->cpu : -1;
	c->key.cpumode = head->cpumode;
	c->key.used = true;
	c->slot = plain_memo_slot(&p->memo.plain, &c->key);
	__builtin_prefetch(c->slot);
	return 0;
}

/* Finds the cell of a slot. The task is looked up again: another one may have its place in the list of known ones. */
static __attribute__((noinline)) int fill(struct gathering *p, const struct sample_head *head,
					  struct coming_plain *c)
{
	const struct moment_task *task = profile_task_known(p, 0, head->pid, head->tid);
	const struct profile_sample s = sample_of(p, head, c->key.event, task);

	if (sample_cell(p, &s, &c->key.cell) < 0)
		return -SONDE_NOMEM;
	*c->slot = c->key;
	return 0;
}

static inline int count_in_slot(struct gathering *p, const struct sample_head *head, struct coming_plain *c)
{
	struct sonde_profile_cell *cell;

	if (!plain_slot_is(c->slot, &c->key) && fill(p, head, c) < 0)
		return -SONDE_NOMEM;
	if (c->slot->cell == HASH_INDEX_NONE)
		return sample_leave_out(p, c->key.event, head->period, 0);
	cell = &p->cells.at[c->slot->cell];
	cell->samples++;
	cell->period += head->period;
	return 0;
}

static int count_plain(struct gathering *p, const struct sample_head *heads, size_t n)
{
	struct coming_plain coming[AT_ONCE];
	int r = plain_memo_begin(&p->memo.plain);
	uint32_t event = 0;

	if (r == 0)
		r = note(p, heads, n);
	for (size_t i = 0; i < n && r == 0; i++) {
		if (i == 0 || heads[i].evsel != heads[i - 1].evsel)
			event = profile_evsel(p, heads[i].evsel);
		r = expect_plain(p, &heads[i], event, &coming[i]);
	}
	for (size_t i = 0; i < n && r == 0; i++)
		r = count_in_slot(p, &heads[i], &coming[i]);
	return r;
}

int profile_heads(struct gathering *p, const struct reader *r, const struct sample_head *heads, size_t n)
{
	bool plain = !p->kept.callchains && !p->timed.on;
	size_t step;
	int e = 0;

	if (need_batches(p, heads, n))
		return batch(p, r, heads, n);
	for (; n && e == 0; heads += step, n -= step) {
		step = n < AT_ONCE ? n : AT_ONCE;
		e = plain ? count_plain(p, heads, step) : count(p, heads, step);
	}
	return e;
}
