/* SPDX-License-Identifier: MIT */
/* summary.h - sums over the stays of each task, the idle time of each CPU, totals */
#ifndef INSIGHT_TIMEHIST_SUMMARY_H
#define INSIGHT_TIMEHIST_SUMMARY_H

#include "insight/timehist/state.h"

enum { CPU_NUMBER, CPU_IDLE, CPU_SHARE };
enum { TOTAL_TASKS, TOTAL_SWITCHES, TOTAL_UNKNOWN, TOTAL_RUN, TOTAL_SPAN, TOTAL_CPUS };

enum { IDLE_CPU, IDLE_TIME, IDLE_COUNT, IDLE_STACK };

void run_sums_add(struct run_sums *s, uint64_t run);
void stay_sums_add(struct stay_sums *s, const struct stay *stay);

extern const struct sonde_table_column timehist_run_columns[], timehist_wait_columns[], timehist_cpu_columns[],
	timehist_idle_columns[], timehist_idle_stack_columns[], timehist_total_columns[];

/* Fills the tables. 0 or -SONDE_NOMEM. */
int summary_end(struct timehist *h);

#endif
