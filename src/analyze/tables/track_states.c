/* SPDX-License-Identifier: MIT */
#include "analyze/tables/track_states.h"

#include <stdlib.h>

static uint8_t state_of(const struct sched_change *c)
{
	switch (c->to) {
	case SCHED_RUNNING: return TRACK_RUNNING;
	case SCHED_RUNNABLE:
	case SCHED_PREEMPTED: return TRACK_RUNNABLE;
	case SCHED_SLEEPING: return TRACK_SLEEPING;
	case SCHED_BLOCKED: return TRACK_BLOCKED;
	default: return TRACK_UNKNOWN;
	}
}

/* Drops all changes: with a part of them, states would be wrong. */
static int give_up(struct track_states *t)
{
	t->given_up = true;
	vec_free(&t->changes);
	vec_free(&t->wakeups);
	return 0;
}

/* Facts of the begin of a run that its end tells. */
static void mend_run(struct track_change *run, const struct sched_change *end)
{
	if (end->to == SCHED_UNKNOWN)        /* nobody knows when it left its CPU: how long it ran is not drawn */
		run->state = TRACK_UNKNOWN;
	else if (run->cpu < 0)
		run->cpu = end->cpu;
}

static int note(struct track_states *t, const struct sched_change *c)
{
	uint8_t state = state_of(c);

	if (t->most && t->changes.n >= t->most)
		return give_up(t);
	while (t->last.n <= c->task)
		if (vec_push(&t->last, UINT32_MAX) < 0)
			return -SONDE_NOMEM;
	if (c->from == SCHED_RUNNING && t->last.at[c->task] != UINT32_MAX)
		mend_run(&t->changes.at[t->last.at[c->task]], c);
	if (c->from == SCHED_UNKNOWN && c->to != SCHED_RUNNING && c->cpu >= 0)
		state |= TRACK_HAD_RUN;
	t->mixed |= t->changes.n && t->changes.at[t->changes.n - 1].time > c->time;
	t->last.at[c->task] = (uint32_t)t->changes.n;
	return vec_push(&t->changes, ((struct track_change){ c->time, c->task, c->cpu, (uint32_t)t->changes.n,
							     state }));
}

/* Whether the state that a change begins ends at once, by the next change of the same event. */
static bool is_passed_over(const struct sched_step *step, uint32_t i)
{
	const struct sched_change *c = &step->changes[i], *next = c + 1;

	return i + 1 < step->nr && c->to == SCHED_UNKNOWN && c->from != SCHED_RUNNING && next->task == c->task &&
	       next->time == c->time;
}

int track_states_take(struct track_states *t, const struct sched_event *e)
{
	struct sched_step step;
	int r = sched_states_take(&t->states, e, &step);

	for (uint32_t i = 0; r == 0 && i < step.nr && !t->given_up; i++)
		r = is_passed_over(&step, i) ? 0 : note(t, &step.changes[i]);
	if (r == 0 && step.woken != SCHED_NO_TASK && !t->given_up)
		r = vec_push(&t->wakeups, ((struct track_wakeup){ e->time, step.waker, step.woken }));
	return r;
}

static int compare_changes(const void *va, const void *vb)
{
	const struct track_change *a = va, *b = vb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int compare_wakeups(const void *va, const void *vb)
{
	const struct track_wakeup *a = va, *b = vb;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* Of threads that came to a CPU and were never seen to leave it, nobody knows how long they ran. */
static void drop_unfollowed(struct track_states *t)
{
	size_t n = t->ended;

	for (size_t i = t->ended; i < t->changes.n; i++)
		if (t->states.tasks.at[t->changes.at[i].thread].followed)
			t->changes.at[n++] = t->changes.at[i];
	t->changes.n = n;
}

void track_states_end_trace(struct track_states *t)
{
	const bool some = sched_states_of_some(&t->states);

	t->some |= some || t->scope.some;
	if (some && !t->given_up)
		drop_unfollowed(t);
	if (t->mixed && t->changes.n)
		qsort(t->changes.at, t->changes.n, sizeof(*t->changes.at), compare_changes);
	if (t->mixed && t->wakeups.n)
		qsort(t->wakeups.at, t->wakeups.n, sizeof(*t->wakeups.at), compare_wakeups);
	t->mixed = false;
	sched_states_end_trace(&t->states);
	sched_scope_free(&t->scope);
	t->scope = (struct sched_scope){ 0 };
	t->ended = t->changes.n;
	t->last.n = 0;
}

void track_states_free(struct track_states *t)
{
	sched_states_free(&t->states);
	sched_scope_free(&t->scope);
	vec_free(&t->changes);
	vec_free(&t->wakeups);
	vec_free(&t->last);
}
