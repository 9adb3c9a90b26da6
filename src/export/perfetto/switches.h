/* SPDX-License-Identifier: MIT */
/*
 * switches.h - the runs of tasks (export/events/runs.h) as sched_switch of ftrace, out of which readers make them again
 *
 * A reader takes the task that comes to a CPU to run until the next switch of that CPU. Where switches were not
 * recorded, that is wrong: in a recording of one command the neighbours of its tasks would run on and on. So a switch
 * is held back until it is known how long the task ran that it brings:
 *
 *	its run was told	it is written as it was recorded
 *	another came instead	it is written with the idle task as the one that comes: the format has no unknown task
 *
 * A run that no sched_switch begins or ends (of SWITCH records; of a task that was first seen to run) gets one from
 * the idle task, or to it.
 */
#ifndef EXPORT_PERFETTO_SWITCHES_H
#define EXPORT_PERFETTO_SWITCHES_H

#include "export/events/runs.h"

/* The last switch of a CPU; begins as {0}. */
struct cpu_switch {
	bool held;
	struct event_row row;        /* what the event is made of: its event and its raw bytes are those here */
	struct sonde_event ev;
	VEC(unsigned char) raw;
	int32_t next;                /* the task that it brings */
};

/* Holds back a sched_switch; the one before it is written if it was not. 0 or -SONDE_NOMEM. */
int cpu_switch_take(struct cpu_switch *s, const struct event_row *row, int32_t next, uint32_t field, struct buf *out);

/* Writes the begin of a run. */
void cpu_switch_begin_run(struct cpu_switch *s, const struct thread_run *run, uint32_t field, struct buf *out);

/* Writes the end of a run that no sched_switch tells. */
void cpu_switch_end_run(const struct thread_run *run, uint32_t field, struct buf *out);

/* Writes a switch that is still held back: the run that it begins has no end. */
void cpu_switch_finish(struct cpu_switch *s, uint32_t field, struct buf *out);

void cpu_switch_free(struct cpu_switch *s);

#endif
