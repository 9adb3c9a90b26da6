/* SPDX-License-Identifier: MIT */
/*
 * scope.h - the tasks whose switches a trace has
 *
 * Nothing in a trace.dat says that it is of one command only. The kernel records a switch if either task of it was
 * chosen, so tasks that were not chosen appear as neighbours of those that were: they come to a CPU, and how long they
 * stay is not recorded. What tells: in a recording of all tasks, each switch on a CPU takes off the task that the one
 * before it brought. Where that does not hold for one of fifty though nothing was lost, only some tasks were recorded
 * (a few switches are missing in recordings of all tasks, too). Of these are
 *
 *   - each that left a CPU to the idle task, or came after it: the idle task cannot be chosen, so the other one was;
 *   - each that switched with a task of which a switch is missing, and so was not chosen, if none of its own is.
 *
 * The last switch of a task that exits is missing though it was chosen: the kernel takes it off the choice before. So
 * that a task left its CPU unseen counts only if it comes back.
 *
 * Others may have been chosen or not; they are not among them, so that nobody gets a time that was not recorded.
 *
 * A perf.data tells by its attrs; there, a switch is an event of the task that leaves, so that the time of each task
 * that is seen to leave can be told without this.
 */
#ifndef SCHED_SCOPE_H
#define SCHED_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/u64map.h"
#include "model/reader.h"
#include "tracefmt/tracefmt.h"

/* Where only some tasks were recorded, at least one of so many switches does not fit the one before it. */
enum { SCHED_SOME_SHARE = 50 };

/* {0}: all tasks. */
struct sched_scope {
	bool some;
	struct u64map tasks;         /* by thread: SCOPE_* */
};

enum {
	SCOPE_BESIDE_IDLE = 1,       /* it switched with the idle task */
	SCOPE_MISSED = 2,            /* a switch of it is not there */
	SCOPE_BESIDE_MISSED = 4,     /* it switched with a task that was not chosen */
	SCOPE_LEFT_UNSEEN = 8,       /* the last that was seen of it is that it came to a CPU; or it came back */
};

/* @scope: NULL is all tasks */
static inline bool sched_scope_has(const struct sched_scope *scope, int32_t tid)
{
	uint32_t seen;

	if (!scope || !scope->some)
		return true;
	seen = u64map_get(&scope->tasks, (uint32_t)tid);
	if (seen == U64MAP_NONE)
		return false;
	return seen & SCOPE_BESIDE_IDLE || (seen & (SCOPE_BESIDE_MISSED | SCOPE_MISSED)) == SCOPE_BESIDE_MISSED;
}

/* A switch, for tests and for whoever has them at hand. Those of one CPU come in order. */
struct scope_switch {
	int32_t cpu, prev, next;     /* prev -1: events of the CPU were lost */
};

/* 0 or -SONDE_NOMEM. */
int sched_scope_find(const struct scope_switch *switches, size_t n, struct sched_scope *out);

/* The scope of a trace. Reads it once, up to a million switches; all tasks of a trace that cannot be read
 * twice. 0 or negative. */
int sched_scope_of(struct reader *r, const struct tracefmt *formats, struct sched_scope *out, struct sonde_error *err);

void sched_scope_free(struct sched_scope *scope);

#endif
