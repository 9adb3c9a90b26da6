/* SPDX-License-Identifier: MIT */
/* rows.h - the rows of the history: a switch, wakeup, migration or loss each */
#ifndef INSIGHT_TIMEHIST_ROWS_H
#define INSIGHT_TIMEHIST_ROWS_H

#include "insight/timehist/state.h"

enum timehist_column {
	ROW_EVENT, ROW_TIME, ROW_CPU, ROW_TASK, ROW_PRIO, ROW_PRIO_BEFORE, ROW_WAIT, ROW_DELAY, ROW_RUN, ROW_STATE,
	ROW_WAITED_AS, ROW_OTHER, ROW_FROM_CPU, ROW_TO_CPU, ROW_LOST, ROW_PRE_MIGRATION, ROW_STACK,
};

extern const struct sonde_table_column timehist_row_columns[];

/*
 * A task, by its number in the states, leaves its CPU; SCHED_NO_TASK: the idle task. @stack: in timehist.stacks; 0:
 * none. 0 or -SONDE_NOMEM.
 */
int rows_switch(struct timehist *h, const struct sched_event *e, const struct sched_step *step, const struct stay *stay,
		uint64_t time, uint32_t stack);

/* A wakeup or migration of a task that the current one has caused. 0 or -SONDE_NOMEM. */
int rows_other(struct timehist *h, const struct sched_event *e, uint32_t current, uint32_t task);

/* @lost: SONDE_NONE: nobody knows how many. 0 or -SONDE_NOMEM. */
int rows_loss(struct timehist *h, const struct sched_event *e, uint64_t lost);

#endif
