/* SPDX-License-Identifier: MIT */
/*
 * sched_event.h - what an event tells of the states of tasks
 *
 *	events of a trace, either format  --->  sched_decode()  --->  struct sched_event  --->  states.h
 *
 * Tracepoints of the scheduler, records of context switches (PERF_RECORD_SWITCH, SWITCH_CPU_WIDE), EXIT and losses
 * become one struct; any other event tells at least who runs on its CPU. Fields are found once (tracefmt/handler.h). A
 * tracepoint that was sampled tells nothing: with a part of the switches states would be wrong. Of several sched_switch
 * of one trace (of the buffers of a trace.dat) the first counts: they tell the same. Events of guests tell nothing of
 * the host.
 */
#ifndef SCHED_SCHED_EVENT_H
#define SCHED_SCHED_EVENT_H

#include "model/event.h"
#include "sched/prev_state.h"
#include "tracefmt/handler.h"

enum sched_event_kind {
	SCHED_NOTHING,
	SCHED_SWITCH,                /* prev leaves the CPU, next comes to it */
	SCHED_SWITCH_IN,             /* a record of the side band: the current task comes to its CPU */
	SCHED_SWITCH_OUT,            /* it leaves it */
	SCHED_WAKING,                /* sched_waking: the current task wakes `task` */
	SCHED_WAKEUP,                /* sched_wakeup: `task` is on a run queue; its waker may be another task */
	SCHED_NEW,                   /* sched_wakeup_new: `task` is made */
	SCHED_MIGRATE,               /* `task` goes from orig_cpu to dest_cpu */
	SCHED_PRIORITY,              /* sched_pi_setprio: `task` has the priority prio */
	SCHED_DYING,                 /* sched_process_exit, EXIT: it still has to leave its CPU for the last time */
	SCHED_LOSS,                  /* events before it were lost, of its CPU or, where that is -1, of all */
	SCHED_RUNS,                  /* any other event of the current task */
};

/* Names are views into the event. */
struct sched_event {
	enum sched_event_kind kind;
	uint64_t time;
	int32_t cpu;                 /* -1: not known */
	int32_t pid, tid;            /* the current task; tid 0 or below: an idle CPU, or not known */
	int32_t task;                /* the thread that the event is about */
	struct sonde_str comm;       /* its name; empty: not told */
	int32_t prio;                /* its priority */
	int32_t prev, next;          /* of a switch: threads; 0 is the idle task */
	struct sonde_str prev_comm, next_comm;
	int32_t prev_prio, next_prio;
	uint64_t prev_state;
	const struct prev_state_letters *letters;    /* that prev_state is told in */
	bool preempted;              /* SCHED_SWITCH_OUT: it would have gone on */
	int32_t orig_cpu, dest_cpu;
	bool some;                   /* only of some tasks the switches were recorded */
};

/* Of one trace; begins as {0}. */
struct sched_decoder {
	struct handlers handlers;
	struct prev_state_letters letters;
	uint32_t switches;           /* one more than the index of the evsel whose sched_switch counts; 0: none yet */
};

/*
 * Whether an event of the evlist may tell more than who runs: that takes the raw bytes of its samples. @format: of the
 * tracepoint; NULL: it is none, or not described.
 */
bool sched_expects(const struct sonde_evsel *evsel, const struct tracefmt_event *format);

/*
 * Decodes an event. @format: of its tracepoint; NULL: it is none, or not described. @raw: the raw bytes of its sample.
 * out->kind is SCHED_NOTHING if it has no time or tells nothing. 0 or -SONDE_NOMEM.
 */
int sched_decode(struct sched_decoder *d, const struct sonde_event *ev, const struct tracefmt_event *format,
		 struct sonde_bytes raw, struct sched_event *out);

void sched_decoder_free(struct sched_decoder *d);

#endif
