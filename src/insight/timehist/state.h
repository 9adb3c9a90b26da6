/* SPDX-License-Identifier: MIT */
/*
 * state.h - the history of switches while it is made
 *
 *	struct sched_step  --->  a stay on a CPU: waited, was late, ran  --->  rows (rows.h), sums (summary.h)
 *
 * The states are those of sched/states.h. Here is what a line about the end of a stay needs to know of its begin.
 */
#ifndef INSIGHT_TIMEHIST_STATE_H
#define INSIGHT_TIMEHIST_STATE_H

#include "insight/base/analysis.h"
#include "insight/base/some_tasks.h"
#include "sched/sched_event.h"
#include "sched/states.h"

enum { PRIO_LOWEST = -1, PRIO_HIGHEST = 139 };
enum { MAX_STACK_USUAL = 5, MAX_STACK_MOST = 1024 };

/* Times that are not known are SONDE_NONE. */
struct stay {
	uint64_t wait;               /* off the CPU before it */
	uint64_t delay;              /* the part of it in which the task could have run */
	uint64_t run;
	const char *waited_as;       /* the state in which the task left before; NULL: not known */
	uint64_t pre_migration;      /* the part of delay until it came to another CPU */
	int32_t prio_before;         /* when it came to the CPU; INT32_MIN: not known */
};

struct run_sums {
	uint64_t runs, run, shortest, longest;
	double mean, squares;        /* sum of the squared distances to the mean */
};

struct stay_sums {
	uint64_t stays;              /* lines */
	struct run_sums;             /* of the runs that are known */
	uint64_t sleep, blocked, preempted, delay;
	uint64_t migrations;
};

/* Beside a task of sched_states, by the same number. */
struct timehist_task {
	struct stay stay;            /* the one that it is in */
	uint64_t out;                /* when it left a CPU last */
	uint64_t migrated;           /* since then, when it went to another CPU last; SONDE_NONE: it did not */
	bool cut;                    /* events were lost since then */
	int32_t parent;              /* process; -1: not known */
	uint32_t label;              /* in the table of rows; UINT32_MAX: none */
	uint32_t label_comm;         /* of sched_states.comms, for which label was made */
	int32_t label_pid;
	struct stay_sums sums;
	struct run_sums idle;        /* how long a CPU was idle after it */
};

struct timehist_cpu {
	bool seen;
	uint64_t idle_out;           /* when the idle task left last */
	uint64_t idle_wait;          /* how long it was away before */
	uint64_t idle;               /* sum */
	uint32_t idle_after;         /* the task that left it idle; SCHED_NO_TASK: not known */
	uint32_t idle_stack;         /* of that, in stacks; 0: none */
};

/* The idle times of a CPU after one stack. */
struct idle_stack {
	int32_t cpu;
	uint32_t stack;              /* in timehist.stacks; 0: not known */
	uint64_t idle, count;
};

struct timehist {
	struct {
		bool wakeups, migrations, next, cpu_visual, state, show_prio, summary, with_summary, some_prios;
		bool stacks, idle, pre_migrations;
		uint32_t max_stack;
		bool prios[PRIO_HIGHEST - PRIO_LOWEST + 1];
	} opts;
	const struct sonde_query *shown;
	struct sched_decoder decoder;
	struct sched_states states;
	VEC(struct timehist_task) tasks;
	VEC(struct timehist_cpu) cpus;
	struct u64map parents;       /* of threads, as FORK records tell */
	uint32_t idle_label;         /* in the table of rows; UINT32_MAX: none */
	bool has_waking;
	struct some_tasks some;      /* of all switches, also those that are not shown */
	uint64_t first, last;        /* switches that are shown */
	uint64_t switches, unknown_runs, left_out;
	struct strpool stacks;       /* texts: "futex_wait <- do_futex" */
	struct u64map idle_index;    /* of idle_stacks, by CPU and stack */
	VEC(struct idle_stack) idle_stacks;
	struct sonde_table *rows, *run_times, *wait_times, *idle_times, *idle_by_stack, *cpu_times, *totals;
};

static inline bool timehist_has_rows(const struct timehist *h)
{
	return !h->opts.summary;
}

static inline bool timehist_has_sums(const struct timehist *h)
{
	return h->opts.summary || h->opts.with_summary;
}

#endif
