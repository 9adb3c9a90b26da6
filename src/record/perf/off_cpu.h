/* SPDX-License-Identifier: MIT */
/*
 * off_cpu.h - how long tasks slept, and where: samples of an event `offcpu-time`, as perf record --off-cpu makes them
 *
 * The kernel's event is the tracepoint sched:sched_switch with a call chain, for tasks that begin to sleep. It also has
 * SWITCH records, which tell when a task runs again. The file has neither, but a sample whose period is the time
 * between them, in ns. A sample of a long sleep comes when the task runs again; short ones are summed up by thread and
 * call chain, and their sums come at the end of the file.
 * With --call-graph dwarf, samples have registers and a copy of the stack in place of the chain.
 */
#ifndef RECORD_PERF_OFF_CPU_H
#define RECORD_PERF_OFF_CPU_H

#include "base/buf.h"
#include "base/u64map.h"
#include "record/event/event.h"

#define OFF_CPU_TRACEPOINT "sched:sched_switch"
#define OFF_CPU_THRESHOLD_NS UINT64_C(500000000)
#define OFF_CPU_FILTER     "prev_state == 1 || prev_state == 2"  /* asleep, interruptible or not */

/* A task goes to sleep or runs again. */
struct off_cpu_turn {
	uint64_t time;
	uint32_t tid;
	uint8_t *sample;             /* of a task that goes to sleep, to be freed; NULL: it runs again */
};

struct off_cpu_sum {
	uint8_t *sample;             /* of the first sleep */
	uint64_t ns;
};

/* {0} is the start. */
struct off_cpu {
	/* Set before the first record. */
	uint64_t threshold_ns;       /* a sleep this long has a sample of its own */
	bool copies_stacks;          /* so has every sleep: no two copies of a stack are the same */
	bool drops_chains;           /* call chains are not stored */
	struct u64map ids;           /* of the event */
	size_t sample_time_at;       /* offset of the time in samples of every event; 0: not the same for all */
	size_t trailer_bytes;        /* sample_id of every event; it begins with TID and TIME */

	uint64_t newest, newest_before_mark;  /* times */
	VEC(struct off_cpu_turn) turns;       /* not yet in order */
	struct u64map sleeper_of_tid;         /* index in sleepers */
	VEC(struct off_cpu_turn) sleepers;    /* sample NULL: awake */
	VEC(struct off_cpu_sum) sums;
	struct hash_index by_stack;           /* of sums */
};

/*
 * Makes @e, which was parsed from OFF_CPU_TRACEPOINT, the event for this: its name, filter and call chain, or copies of
 * stacks
 */
int off_cpu_event(struct events *list, struct event *e, bool copies_stacks);

/* Narrows the completed attr for the kernel to the fields that are needed. */
void off_cpu_narrow(struct sonde_attr *a);

/* The attr of the samples in the file, as perf writes it. */
struct sonde_attr off_cpu_stored_attr(const struct sonde_attr *kernel);

/* Sets what depends on the attr for the kernel, before the first record. */
void off_cpu_set_attr(struct off_cpu *o, const struct sonde_attr *kernel);

/* Appends to @out n bytes of whole records in host order, without those of the event, and the samples that are due. */
int off_cpu_take(struct off_cpu *o, const uint8_t *p, size_t n, struct buf *out);

/* The file ends: appends all that is known of the sleeps that have ended. */
int off_cpu_end(struct off_cpu *o, struct buf *out);

void off_cpu_free(struct off_cpu *o);

#endif
