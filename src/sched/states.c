/* SPDX-License-Identifier: MIT */
#include "sched/states.h"

#include <string.h>

#include "base/str.h"

enum {
	CPUS_MOST = 1 << 16,
	/* So long an interrupt can still sample a task that leaves its CPU, and a waker on another CPU can reach a task
	 * that has begun to go to sleep. */
	LEAVING_NS = 20000,
};

static struct sched_task *task_at(struct sched_states *s, uint32_t task)
{
	return &s->tasks.at[task];
}

static uint32_t make_task(struct sched_states *s, int32_t pid, int32_t tid)
{
	const struct sched_task made = { .pid = pid, .tid = tid, .prio = -1, .cpu = -1, .out = SONDE_NONE,
					 .ready = SONDE_NONE, .waker = SCHED_NO_TASK, .losses = s->losses,
					 .early_wakeup = SONDE_NONE };
	const uint32_t number = (uint32_t)s->tasks.n;

	if (vec_push(&s->tasks, made) < 0 || u64map_set(&s->by_tid, (uint32_t)tid, number) < 0)
		return SCHED_NO_TASK;
	return number;
}

int sched_states_name(struct sched_states *s, uint32_t task, struct sonde_str comm)
{
	struct sched_task *t = task_at(s, task);
	const char *known = t->comm ? strpool_get(&s->comms, t->comm) : "";
	uint32_t name;

	if (strnlen(known, comm.len + 1) == comm.len && memcmp(known, comm.p, comm.len) == 0)
		return 0;
	name = strpool_add(&s->comms, comm.p, comm.len);
	if (name == UINT32_MAX)
		return -SONDE_NOMEM;
	t->comm = name;
	return 0;
}

uint32_t sched_states_task(struct sched_states *s, int32_t pid, int32_t tid, struct sonde_str comm)
{
	uint32_t number = u64map_get(&s->by_tid, (uint32_t)tid);

	if (number == U64MAP_NONE || s->tasks.at[number].state == SCHED_DEAD)
		number = make_task(s, pid, tid);
	if (number == SCHED_NO_TASK)
		return SCHED_NO_TASK;
	if (pid >= 0)
		task_at(s, number)->pid = pid;
	return comm.len && sched_states_name(s, number, comm) < 0 ? SCHED_NO_TASK : number;
}

static struct sched_cpu *cpu_at(struct sched_states *s, int32_t cpu)
{
	while (s->cpus.n <= (size_t)cpu)
		if (vec_push(&s->cpus, ((struct sched_cpu){ .running = SCHED_NO_TASK, .since = SONDE_NONE })) < 0)
			return NULL;
	return &s->cpus.at[cpu];
}

/* Losses that concern the state of a task: those of its CPU while it runs, else all. */
static uint32_t losses_of(const struct sched_states *s, const struct sched_task *t, uint8_t state)
{
	if (state == SCHED_RUNNING && t->cpu >= 0 && (size_t)t->cpu < s->cpus.n)
		return s->cpus.at[t->cpu].losses;
	return s->losses;
}

/* Ends the state of a task, and begins another. @exact: it begins now, and did not before. */
static void change(struct sched_states *s, struct sched_step *step, uint32_t task, uint64_t time, int32_t cpu,
		   uint8_t to, bool exact)
{
	struct sched_task *t = task_at(s, task);
	struct sched_change *c = &step->changes[step->nr];

	if (t->state != SCHED_UNKNOWN && time < t->since) {
		s->backwards++;
		time = t->since;
	}
	*c = (struct sched_change){ .task = task, .cpu = cpu, .since = t->since, .time = time, .from = t->state,
				    .to = to };
	if (t->state == SCHED_UNKNOWN)
		c->since = time;
	c->end = t->losses != losses_of(s, t, t->state) || to == SCHED_UNKNOWN ? SCHED_CUT :
		 t->exact ? SCHED_WHOLE : SCHED_BEGUN_BEFORE;
	step->nr++;
	t->state = to;
	t->exact = exact;
	t->since = time;
	t->cpu = cpu >= 0 ? cpu : t->cpu;
	t->losses = losses_of(s, t, to);
}

/* Another task than the one that was known to run is on a CPU: the switch that took that one off was not recorded. */
static void displace(struct sched_states *s, struct sched_step *step, uint64_t time, int32_t cpu, uint32_t by)
{
	const struct sched_cpu *c = &s->cpus.at[cpu];

	if (c->known && c->running != SCHED_NO_TASK && c->running != by &&
	    task_at(s, c->running)->state == SCHED_RUNNING && task_at(s, c->running)->cpu == cpu)
		change(s, step, c->running, time, cpu, SCHED_UNKNOWN, false);
}

/* A task begins to run. @exact: it does so now; else it was seen to run. */
static int run(struct sched_states *s, struct sched_step *step, uint64_t time, int32_t cpu, uint32_t task, bool exact)
{
	struct sched_task *t = task_at(s, task);
	struct sched_cpu *c = cpu >= 0 ? cpu_at(s, cpu) : NULL;

	if (cpu >= 0 && !c)
		return -SONDE_NOMEM;
	if (c) {
		displace(s, step, time, cpu, task);
		c->known = true;
		c->running = task;
	}
	t->early_wakeup = SONDE_NONE;
	if (t->state == SCHED_RUNNING && (cpu < 0 || t->cpu == cpu || t->cpu < 0)) {
		t->cpu = cpu >= 0 ? cpu : t->cpu;
		return 0;
	}
	if (t->state == SCHED_RUNNING)       /* it left another CPU, which was not recorded */
		change(s, step, task, time, t->cpu, SCHED_UNKNOWN, false);
	if (cpu < 0)
		t->cpu = -1;
	change(s, step, task, time, cpu, SCHED_RUNNING, exact);
	return 0;
}

static void wake(struct sched_states *s, struct sched_step *step, uint64_t time, uint32_t waker, uint32_t task)
{
	struct sched_task *t = task_at(s, task);

	change(s, step, task, time, -1, SCHED_RUNNABLE, true);
	t->ready = t->since;
	t->waker = waker;
	step->waker = waker;
	step->woken = task;
}

static uint8_t state_of(const char *letter)
{
	switch (*letter) {
	case 'R': return SCHED_PREEMPTED;
	case 'D':
	case 'K': return SCHED_BLOCKED;
	case 'X':
	case 'Z': return SCHED_DEAD;
	default: return SCHED_SLEEPING;
	}
}

/* A task leaves its CPU. @letter: its state as prev_state_text() gives it. */
static int leave(struct sched_states *s, struct sched_step *step, uint64_t time, int32_t cpu, uint32_t task,
		 const char *letter)
{
	struct sched_task *t = task_at(s, task);
	struct sched_cpu *c = cpu >= 0 ? cpu_at(s, cpu) : NULL;
	const uint8_t state = state_of(letter);
	const bool unseen = t->state != SCHED_RUNNING || (cpu >= 0 && t->cpu >= 0 && t->cpu != cpu);

	if (cpu >= 0 && !c)
		return -SONDE_NOMEM;
	if (c)
		displace(s, step, time, cpu, task);
	/* It came to the CPU unseen: its last state ended at a time that nobody knows. */
	if (unseen && t->state != SCHED_UNKNOWN)
		change(s, step, task, time, t->cpu, SCHED_UNKNOWN, false);
	change(s, step, task, time, cpu, state, true);
	t->followed = true;
	t->letter = letter;
	t->out = time;
	t->ready = state == SCHED_PREEMPTED ? time : SONDE_NONE;
	if (c)
		c->running = SCHED_NO_TASK;
	if ((state == SCHED_SLEEPING || state == SCHED_BLOCKED) && t->early_wakeup != SONDE_NONE &&
	    t->early_wakeup + LEAVING_NS >= time)
		wake(s, step, time, t->early_waker, task);
	t->early_wakeup = SONDE_NONE;
	return 0;
}

/* The current task of an event, if it has states; SCHED_NO_TASK: none. 0 or -SONDE_NOMEM. */
static int current_of(struct sched_states *s, const struct sched_event *e, uint32_t *task)
{
	*task = SCHED_NO_TASK;
	if (s->other_numbers) {
		if (e->cpu >= 0 && (size_t)e->cpu < s->cpus.n && s->cpus.at[e->cpu].known)
			*task = s->cpus.at[e->cpu].running;
		return 0;
	}
	if (e->tid <= 0 || !sched_scope_has(s->scope, e->tid))
		return 0;
	*task = sched_states_task(s, e->pid, e->tid, (struct sonde_str){ "", 0 });
	return *task == SCHED_NO_TASK ? -SONDE_NOMEM : 0;
}

/* A task by the number that a tracepoint tells; SCHED_NO_TASK: it has no states. 0 or -SONDE_NOMEM. */
static int task_of(struct sched_states *s, int32_t tid, struct sonde_str comm, uint32_t *task)
{
	*task = SCHED_NO_TASK;
	if (tid <= 0 || !sched_scope_has(s->scope, tid))
		return 0;
	*task = sched_states_task(s, -1, tid, comm);
	return *task == SCHED_NO_TASK ? -SONDE_NOMEM : 0;
}

/* Nobody with states runs on a CPU from now on. @known: it is the idle task */
static int turn_to_nobody(struct sched_states *s, struct sched_step *step, uint64_t time, int32_t cpu, bool known)
{
	struct sched_cpu *c = cpu_at(s, cpu);

	if (!c)
		return -SONDE_NOMEM;
	displace(s, step, time, cpu, SCHED_NO_TASK);
	c->known = known;
	c->running = SCHED_NO_TASK;
	return 0;
}

static int take_switch(struct sched_states *s, const struct sched_event *e, struct sched_step *step)
{
	int r;

	s->some |= e->some;
	s->has_switches = true;
	s->switches++;
	s->idle_left |= e->prev == 0;
	s->other_numbers |= e->tid > 0 && e->prev > 0 && e->tid != e->prev;
	r = task_of(s, e->prev, e->prev_comm, &step->prev);
	if (r == 0 && step->prev != SCHED_NO_TASK) {
		if (e->tid == e->prev && e->pid > 0)
			task_at(s, step->prev)->pid = e->pid;
		s->unseen += task_at(s, step->prev)->state != SCHED_RUNNING || task_at(s, step->prev)->cpu != e->cpu;
		task_at(s, step->prev)->prio = e->prev_prio;
		r = leave(s, step, e->time, e->cpu, step->prev, prev_state_text(e->letters, e->prev_state));
	}
	if (r == 0 && step->prev == SCHED_NO_TASK && e->cpu >= 0)    /* whoever was seen to run had left before */
		r = turn_to_nobody(s, step, e->time, e->cpu, false);
	if (r == 0)
		r = task_of(s, e->next, e->next_comm, &step->next);
	if (r < 0)
		return r;
	if (step->next != SCHED_NO_TASK) {
		task_at(s, step->next)->prio = e->next_prio;
		r = run(s, step, e->time, e->cpu, step->next, true);
	} else if (e->cpu >= 0) {
		r = turn_to_nobody(s, step, e->time, e->cpu, e->next == 0);
	}
	if (r == 0 && e->cpu >= 0)
		s->cpus.at[e->cpu].since = e->time;
	return r;
}

/* A record of the side band. A tracepoint may have told already that the task leaves, and why. */
static int take_switch_record(struct sched_states *s, const struct sched_event *e, struct sched_step *step)
{
	uint32_t task;
	int r = current_of(s, e, &task);

	s->some |= e->some;
	s->has_records |= e->some;
	s->has_switches = true;
	if (r < 0)
		return r;
	if (task == SCHED_NO_TASK)           /* the idle task comes or goes: it has no states */
		return 0;
	task_at(s, task)->followed = true;
	if (e->kind == SCHED_SWITCH_IN) {
		step->next = task;
		return run(s, step, e->time, e->cpu, task, true);
	}
	step->prev = task;
	if (task_at(s, task)->state != SCHED_RUNNING && task_at(s, task)->state != SCHED_UNKNOWN)
		return 0;
	return leave(s, step, e->time, e->cpu, task, e->preempted ? "R+" : "S");
}

static int take_wakeup(struct sched_states *s, const struct sched_event *e, struct sched_step *step)
{
	uint32_t waker, task, comm;
	struct sched_task *t;
	int r = current_of(s, e, &waker);

	if (r == 0)
		r = task_of(s, e->task, e->comm, &task);
	if (r < 0 || task == SCHED_NO_TASK)
		return r;
	t = task_at(s, task);
	if (e->kind == SCHED_NEW && t->followed && t->state != SCHED_RUNNABLE) {
		/* its end was not recorded, and the number has come back */
		comm = t->comm;
		task = make_task(s, -1, e->task);
		if (task == SCHED_NO_TASK)
			return -SONDE_NOMEM;
		t = task_at(s, task);
		t->comm = comm;
	}
	t->prio = e->prio;
	if (t->state == SCHED_RUNNING) {
		t->early_wakeup = e->time;
		t->early_waker = waker;
	} else if (t->state != SCHED_RUNNABLE && t->state != SCHED_PREEMPTED) {
		wake(s, step, e->time, waker, task);
	}
	return 0;
}

/* A task runs that may have come to its CPU unseen. */
static int take_runs(struct sched_states *s, const struct sched_event *e, struct sched_step *step)
{
	const struct sched_cpu *c = e->cpu >= 0 && (size_t)e->cpu < s->cpus.n ? &s->cpus.at[e->cpu] : NULL;
	const struct sched_task *t;
	uint32_t task;
	int r;

	if (!s->has_switches || s->has_records || s->other_numbers || e->tid <= 0)
		return 0;
	if (c && c->since != SONDE_NONE && e->time < c->since + LEAVING_NS)
		return 0;
	r = current_of(s, e, &task);
	if (r < 0 || task == SCHED_NO_TASK)
		return r;
	t = task_at(s, task);
	if (t->state == SCHED_RUNNING || (t->state != SCHED_UNKNOWN && e->time < t->since + LEAVING_NS))
		return 0;
	return run(s, step, e->time, e->cpu, task, false);
}

static int take_priority(struct sched_states *s, const struct sched_event *e)
{
	uint32_t task;
	int r = task_of(s, e->task, e->comm, &task);

	if (r == 0 && task != SCHED_NO_TASK)
		task_at(s, task)->prio = e->prio;
	return r;
}

static int lose(struct sched_states *s, struct sched_step *step, uint64_t time, int32_t cpu)
{
	struct sched_cpu *c = cpu_at(s, cpu);

	if (!c)
		return -SONDE_NOMEM;
	c->losses++;
	c->since = SONDE_NONE;
	return turn_to_nobody(s, step, time, cpu, false);
}

static int take_loss(struct sched_states *s, const struct sched_event *e, struct sched_step *step)
{
	s->losses++;
	if (e->cpu >= 0)
		return lose(s, step, e->time, e->cpu);
	for (size_t i = 0; i < s->cpus.n; i++)       /* the states at hand will be cut */
		s->cpus.at[i].losses++;
	return 0;
}

int sched_states_take(struct sched_states *s, const struct sched_event *e, struct sched_step *step)
{
	step->nr = 0;
	step->prev = step->next = step->waker = step->woken = SCHED_NO_TASK;
	if (e->cpu >= CPUS_MOST)
		return 0;
	switch (e->kind) {
	case SCHED_SWITCH:
		return take_switch(s, e, step);
	case SCHED_SWITCH_IN:
	case SCHED_SWITCH_OUT:
		return take_switch_record(s, e, step);
	case SCHED_WAKING:
	case SCHED_WAKEUP:
	case SCHED_NEW:
		return take_wakeup(s, e, step);
	case SCHED_MIGRATE:
	case SCHED_PRIORITY:
		return take_priority(s, e);
	case SCHED_LOSS:
		return take_loss(s, e, step);
	case SCHED_RUNS:
		return take_runs(s, e, step);
	case SCHED_DYING:            /* it ends when it leaves its CPU for the last time */
	case SCHED_NOTHING:
		break;
	}
	return 0;
}

bool sched_states_of_some(const struct sched_states *s)
{
	return s->has_records || (s->some && !s->idle_left && s->unseen > s->switches / SCHED_SOME_SHARE);
}

void sched_states_end_trace(struct sched_states *s)
{
	for (size_t i = 0; i < s->tasks.n; i++) {
		struct sched_task *t = &s->tasks.at[i];

		t->state = SCHED_UNKNOWN;
		t->followed = t->exact = false;
		t->out = t->ready = t->early_wakeup = SONDE_NONE;
	}
	s->cpus.n = 0;
	s->scope = NULL;
	s->some = s->has_switches = s->has_records = s->other_numbers = false;
	s->idle_left = false;
	s->switches = s->unseen = 0;
}

void sched_states_free(struct sched_states *s)
{
	vec_free(&s->tasks);
	vec_free(&s->cpus);
	u64map_free(&s->by_tid);
	strpool_free(&s->comms);
}
