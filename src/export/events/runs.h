/* SPDX-License-Identifier: MIT */
/*
 * runs.h - the times of threads on CPUs, as sched/states.h tells them
 *
 * A run is told when the thread leaves its CPU. One whose end was not recorded is not told, and neither is one of a
 * thread whose switches were not recorded. Of several traces of one machine the first one that has switches tells them.
 */
#ifndef EXPORT_EVENTS_RUNS_H
#define EXPORT_EVENTS_RUNS_H

#include "export/events/event_rows.h"
#include "sched/states.h"

/* Text is a view until the next row. */
struct thread_run {
	int32_t tid, cpu;            /* cpu -1: not known */
	const char *comm;            /* "" if it is not known */
	uint64_t begin, end;
	bool exact;                  /* else it began before `begin`, where the thread was first seen */
	const char *end_state;       /* "R+" preempted, "S" asleep, ...: see prev_state_text() */
	int32_t prio;
};

/* {0} has seen no event. */
struct runs {
	/* by space: of a machine, whose switches one input tells */
	VEC(struct run_machine { bool told; uint32_t input; struct sched_states states; }) machines;
	VEC(struct sched_decoder) decoders;  /* by input */
	struct sched_event told;     /* by the last row; its kind is SCHED_NOTHING if that tells nothing of runs */
};

/* To be given every row: 1 if a run has ended, 0 if not, or -SONDE_NOMEM. */
int runs_take(struct runs *r, const struct event_rows *e, const struct event_row *row, struct thread_run *out);

void runs_free(struct runs *r);

#endif
