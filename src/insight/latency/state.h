/* SPDX-License-Identifier: MIT */
/*
 * state.h - the delays of tasks while they are gathered
 *
 *	struct sched_step  --->  struct delays of a task  --->  tables (tables.h): of tasks, or of those of one name
 *
 * A delay is the time from a wakeup, or from a preemption, until the task runs. Only whole ones count: those whose
 * begin was recorded and that span no loss. The others are counted by what they lack.
 */
#ifndef INSIGHT_LATENCY_STATE_H
#define INSIGHT_LATENCY_STATE_H

#include "insight/base/some_tasks.h"
#include "insight/base/spread.h"
#include "sched/states.h"
#include "table/table.h"

struct delays {
	struct spread woken, preempted;
	uint64_t longest_begin, longest_end;     /* of the longest of both, the first of equal ones */
	uint64_t longest;
	uint64_t switches;           /* it left a CPU */
	uint64_t runs, run;          /* of which begin and end are known, and their sum */
	uint64_t accounted;          /* run time by sched_stat_runtime */
};

/* How delays ended. */
struct endings {
	uint64_t whole, begun_before, cut, unfinished;
	uint64_t not_woken;          /* a sleep ended without a wakeup: the delay in it is not known */
};

enum { LATENCY_SORT_MOST = 16 };

struct latency {
	struct {
		bool by_task, by_comm;
		size_t sort[LATENCY_SORT_MOST];  /* columns of the tables */
		size_t nr_sort;
	} opts;
	const struct sonde_query *shown;
	struct sched_decoder decoder;
	struct sched_states states;
	VEC(struct delays) tasks;    /* beside those of the states */
	struct some_tasks some;
	struct endings endings;
	bool has_wakeups, has_accounts;
	struct sonde_table *by_task, *by_comm, *totals;
};

#endif
