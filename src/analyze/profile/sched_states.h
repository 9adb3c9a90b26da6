/* SPDX-License-Identifier: MIT */
/* sched_states.h - when threads run, wait for a CPU and sleep, out of context switches and wakeups */
#ifndef ANALYZE_PROFILE_SCHED_STATES_H
#define ANALYZE_PROFILE_SCHED_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strpool.h"
#include "base/u64map.h"
#include "base/vec.h"

/* Numbers as in web/sched.js. */
enum sched_state {
	SCHED_UNKNOWN,
	SCHED_RUNNING,
	SCHED_RUNNABLE,      /* woken or pre-empted: it waits for a CPU */
	SCHED_SLEEPING,
	SCHED_BLOCKED,       /* it cannot be interrupted: most often it waits for a disk */
	SCHED_HAD_RUN = 8,   /* added to the state of a thread that leaves a CPU and was not seen to come to it */
};

struct sched_thread {
	int32_t pid, tid;            /* pid -1: not known */
	uint32_t comm;               /* in `comms`: its last name; 0: none is known */
	uint8_t state;
	bool followed;               /* it was seen to leave a CPU, or to come by a record of its own */
	int32_t cpu;                 /* where it runs or ran last; -1: not known */
	uint64_t since;              /* the time of its last change */
	uint32_t last;               /* the number of that */
};

struct sched_change {
	uint64_t time;
	uint32_t thread;
	int32_t cpu;
	uint32_t order;              /* of changes at one time */
	uint8_t state;
};

struct sched_wakeup {
	uint64_t time;
	uint32_t waker, wakee;       /* threads; waker UINT32_MAX: an idle CPU */
};

/* Begins as {0}, with or without `most`. */
struct sched_states {
	size_t most;                 /* changes, wakeups; beyond these nothing is kept; 0: no limit */
	bool given_up;
	bool mixed;                  /* a change is older than the one before it */
	bool some;                   /* only of some threads the switches were recorded: others are not seen to leave */
	size_t ended;                /* changes of the traces before */
	VEC(struct sched_thread) threads;
	VEC(struct sched_change) changes;
	VEC(struct sched_wakeup) wakeups;
	VEC(uint32_t) on_cpu;        /* by CPU: one more than the number of the thread that runs; 0: none */
	struct u64map by_tid;
	struct strpool comms;
};

/* The number of a thread; UINT32_MAX when out of memory. @pid: -1 if not known; @comm: empty if not known. */
uint32_t sched_states_thread(struct sched_states *s, int32_t pid, int32_t tid, struct sonde_str comm);

/* A thread begins to run, or leaves its CPU in a state. @cpu: -1 if not known. 0 or -SONDE_NOMEM. */
int sched_states_run(struct sched_states *s, uint64_t time, int32_t cpu, uint32_t thread);
int sched_states_leave(struct sched_states *s, uint64_t time, int32_t cpu, uint32_t thread, enum sched_state state);

/* A thread runs that may have come to its CPU unseen. 0 or -SONDE_NOMEM. */
int sched_states_seen(struct sched_states *s, uint64_t time, int32_t cpu, int32_t tid);

/* A thread is woken: of several wakeups of one sleep, the first one counts. 0 or -SONDE_NOMEM. */
int sched_states_wake(struct sched_states *s, uint64_t time, uint32_t waker, uint32_t wakee);

/* A trace ends: the next one begins with states that are not known. Puts all in order of time. */
void sched_states_end_trace(struct sched_states *s);

void sched_states_free(struct sched_states *s);

#endif
