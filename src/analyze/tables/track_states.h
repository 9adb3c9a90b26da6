/* SPDX-License-Identifier: MIT */
/*
 * track_states.h - the states of tasks as the page draws them: every change, and every wakeup
 *
 * sched/states.h decides what a state is; this keeps the changes, up to `most`, in the numbers of web/sched.js. Of a
 * recording of single tasks, those that came to a CPU and were never seen to leave it have no states.
 */
#ifndef ANALYZE_TABLES_TRACK_STATES_H
#define ANALYZE_TABLES_TRACK_STATES_H

#include "sched/states.h"

/* Numbers as in web/sched.js. */
enum track_state {
	TRACK_UNKNOWN,
	TRACK_RUNNING,
	TRACK_RUNNABLE,
	TRACK_SLEEPING,
	TRACK_BLOCKED,
	TRACK_HAD_RUN = 8,           /* added to the state of a thread that leaves a CPU to which it came unseen */
};

struct track_change {
	uint64_t time;
	uint32_t thread;             /* in states.tasks */
	int32_t cpu;
	uint32_t order;              /* of changes at one time */
	uint8_t state;
};

struct track_wakeup {
	uint64_t time;
	uint32_t waker, wakee;       /* in states.tasks; waker SCHED_NO_TASK: an idle CPU */
};

/* Begins as {0}, with or without `most`. */
struct track_states {
	size_t most;                 /* changes, wakeups; beyond these nothing is kept; 0: no limit */
	bool given_up;
	bool some;                   /* of a trace that ended only some tasks were recorded */
	bool mixed;                  /* a change is older than the one before it */
	size_t ended;                /* changes of the traces before */
	struct sched_states states;
	struct sched_scope scope;
	VEC(struct track_change) changes;
	VEC(struct track_wakeup) wakeups;
	VEC(uint32_t) last;          /* by task: the number of its last change, UINT32_MAX if it had none */
};

/* Takes in an event. 0 or -SONDE_NOMEM. */
int track_states_take(struct track_states *t, const struct sched_event *e);

/* A trace ends: the next one begins with states that are not known. Puts all in order of time. */
void track_states_end_trace(struct track_states *t);

void track_states_free(struct track_states *t);

#endif
