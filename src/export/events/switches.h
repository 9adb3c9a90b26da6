/* SPDX-License-Identifier: MIT */
/* switches.h - the times of threads on CPUs, out of sched:sched_switch */
#ifndef EXPORT_EVENTS_SWITCHES_H
#define EXPORT_EVENTS_SWITCHES_H

#include "export/events/event_rows.h"

/* A sched_switch. Names are views into the row. */
struct thread_switch {
	int32_t cpu;
	uint64_t time;
	int32_t prev_pid, next_pid;  /* of threads, as the tracepoint names them */
	struct sonde_str prev_comm, next_comm;
	int64_t prev_state;
	int32_t prev_prio, next_prio;
	uint64_t begun;              /* since when the previous thread ran; SONDE_NONE: not known */
};

/* {0} has seen no switch. */
struct switches {
	const struct tracefmt_event *format;   /* whose fields are these */
	const struct sonde_tracepoint_field *prev_pid, *next_pid, *prev_comm, *next_comm, *prev_state, *prev_prio,
		*next_prio;
	/* by space: of a machine, whose switches one input tells, even if several have them */
	VEC(struct switched_machine { bool known; uint32_t input; }) machines;
	struct u64map cpus;          /* space << 32 | CPU: its place in `begun` */
	VEC(uint64_t) begun;         /* the last switch; 0: none */
};

/* 1 if the row is a sched_switch with a time and a CPU that is the first to tell it, 0 if not, or -SONDE_NOMEM. */
int switches_take(struct switches *s, const struct event_row *row, struct thread_switch *out);

/* The state of a thread that left its CPU as one letter: "R" ready, "S" asleep, "D" waiting, "X", "Z", ... */
const char *switch_state(int64_t state);

void switches_free(struct switches *s);

#endif
