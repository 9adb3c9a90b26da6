/* SPDX-License-Identifier: MIT */
#include "analyze/profile/sched_states.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum {
	CPUS_MOST = 1 << 16,
	LEAVING_NS = 20000,  /* so long an interrupt can still sample a thread that leaves its CPU */
};

uint32_t sched_states_thread(struct sched_states *s, int32_t pid, int32_t tid, struct sonde_str comm)
{
	uint32_t number = u64map_get(&s->by_tid, (uint32_t)tid), name = 0;
	struct sched_thread *t = number == U64MAP_NONE ? NULL : &s->threads.at[number];
	const char *known = t && t->comm ? strpool_get(&s->comms, t->comm) : "";

	if (comm.len && (strlen(known) != comm.len || memcmp(known, comm.p, comm.len) != 0))
		name = strpool_add(&s->comms, comm.p, comm.len);
	if (name == UINT32_MAX)
		return UINT32_MAX;
	if (!t) {
		const struct sched_thread made = { .pid = pid, .tid = tid, .state = SCHED_UNKNOWN, .cpu = -1 };

		number = (uint32_t)s->threads.n;
		if (vec_push(&s->threads, made) < 0 || u64map_set(&s->by_tid, (uint32_t)tid, number) < 0)
			return UINT32_MAX;
		t = &s->threads.at[number];
	}
	t->comm = name ? name : t->comm;
	t->pid = pid >= 0 ? pid : t->pid;
	return number;
}

/* Drops all changes: with a part of them, states would be wrong. */
static int give_up(struct sched_states *s)
{
	s->given_up = true;
	vec_free(&s->changes);
	vec_free(&s->wakeups);
	return 0;
}

static int change(struct sched_states *s, uint64_t time, int32_t cpu, uint32_t thread, uint8_t state)
{
	struct sched_thread *t = &s->threads.at[thread];
	const uint8_t before = t->state;

	t->state = state;
	if (before == state || s->given_up)
		return 0;
	if (s->most && s->changes.n >= s->most)
		return give_up(s);
	if (before == SCHED_UNKNOWN && state != SCHED_RUNNING && cpu >= 0)
		state |= SCHED_HAD_RUN;
	s->mixed |= s->changes.n && s->changes.at[s->changes.n - 1].time > time;
	t->since = time;
	t->last = (uint32_t)s->changes.n;
	return vec_push(&s->changes, ((struct sched_change){ time, thread, cpu, (uint32_t)s->changes.n, state }));
}

int sched_states_run(struct sched_states *s, uint64_t time, int32_t cpu, uint32_t thread)
{
	uint32_t before = 0;
	int r = 0;

	if (cpu >= CPUS_MOST)
		return 0;
	if (cpu < 0) {
		if (s->threads.at[thread].state != SCHED_RUNNING)
			s->threads.at[thread].cpu = -1;
		return change(s, time, -1, thread, SCHED_RUNNING);
	}
	while (s->on_cpu.n <= (size_t)cpu)
		if (vec_push(&s->on_cpu, 0) < 0)
			return -SONDE_NOMEM;
	before = s->on_cpu.at[cpu];
	s->on_cpu.at[cpu] = thread + 1;
	/* the switch that took it off the CPU is lost */
	if (before && before != thread + 1 && s->threads.at[before - 1].state == SCHED_RUNNING &&
	    s->threads.at[before - 1].cpu == cpu)
		r = change(s, time, cpu, before - 1, SCHED_UNKNOWN);
	if (s->threads.at[thread].cpu != cpu)  /* it runs elsewhere now, whether it was seen to leave or not */
		s->threads.at[thread].state = SCHED_UNKNOWN;
	s->threads.at[thread].cpu = cpu;
	return r == 0 ? change(s, time, cpu, thread, SCHED_RUNNING) : r;
}

int sched_states_leave(struct sched_states *s, uint64_t time, int32_t cpu, uint32_t thread, enum sched_state state)
{
	struct sched_thread *t = &s->threads.at[thread];

	if (cpu >= CPUS_MOST)
		return 0;
	t->followed = true;
	if (cpu >= 0 && (size_t)cpu < s->on_cpu.n && s->on_cpu.at[cpu] == thread + 1)
		s->on_cpu.at[cpu] = 0;
	if (cpu >= 0 && t->state == SCHED_RUNNING && t->cpu < 0 && !s->given_up)
		s->changes.at[t->last].cpu = cpu;  /* that it ran on all the time */
	t->cpu = cpu >= 0 ? cpu : t->cpu;
	return change(s, time, cpu, thread, (uint8_t)state);
}

int sched_states_seen(struct sched_states *s, uint64_t time, int32_t cpu, int32_t tid)
{
	const uint32_t number = u64map_get(&s->by_tid, (uint32_t)tid);
	const struct sched_thread *t = number == U64MAP_NONE ? NULL : &s->threads.at[number];

	if (!t || t->state == SCHED_RUNNING || time < t->since + LEAVING_NS)
		return 0;
	return sched_states_run(s, time, cpu, number);
}

int sched_states_wake(struct sched_states *s, uint64_t time, uint32_t waker, uint32_t wakee)
{
	const uint8_t state = s->threads.at[wakee].state;
	int r;

	if (state == SCHED_RUNNING || state == SCHED_RUNNABLE || s->given_up)
		return 0;
	r = change(s, time, -1, wakee, SCHED_RUNNABLE);
	if (r == 0 && !s->given_up)
		r = vec_push(&s->wakeups, ((struct sched_wakeup){ time, waker, wakee }));
	return r;
}

static int compare_changes(const void *va, const void *vb)
{
	const struct sched_change *a = va, *b = vb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int compare_wakeups(const void *va, const void *vb)
{
	const struct sched_wakeup *a = va, *b = vb;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* Of threads that came to a CPU and were never seen to leave it, nobody knows how long they ran. */
static void drop_others(struct sched_states *s)
{
	size_t n = s->ended;

	for (size_t i = s->ended; i < s->changes.n; i++)
		if (s->threads.at[s->changes.at[i].thread].followed)
			s->changes.at[n++] = s->changes.at[i];
	s->changes.n = n;
}

void sched_states_end_trace(struct sched_states *s)
{
	if (s->some && !s->given_up)
		drop_others(s);
	if (s->mixed && s->changes.n)
		qsort(s->changes.at, s->changes.n, sizeof(*s->changes.at), compare_changes);
	if (s->mixed && s->wakeups.n)
		qsort(s->wakeups.at, s->wakeups.n, sizeof(*s->wakeups.at), compare_wakeups);
	s->mixed = false;
	for (size_t i = 0; i < s->threads.n; i++) {
		s->threads.at[i].state = SCHED_UNKNOWN;
		s->threads.at[i].followed = false;
	}
	s->on_cpu.n = 0;
	s->ended = s->changes.n;
}

void sched_states_free(struct sched_states *s)
{
	vec_free(&s->threads);
	vec_free(&s->changes);
	vec_free(&s->wakeups);
	vec_free(&s->on_cpu);
	u64map_free(&s->by_tid);
	strpool_free(&s->comms);
}
