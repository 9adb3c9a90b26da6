/* SPDX-License-Identifier: MIT */
/* tables.h - the tables of delays: a row for each task or name, and the totals */
#ifndef INSIGHT_LATENCY_TABLES_H
#define INSIGHT_LATENCY_TABLES_H

#include "insight/latency/state.h"

/* The first two columns differ: the task, or the name and how many tasks have it. */
enum {
	DELAY_TASK, DELAY_COMM = 0, DELAY_TASKS, DELAY_RUN, DELAY_ACCOUNTED, DELAY_SWITCHES, DELAY_COUNT, DELAY_AVG,
	DELAY_P50, DELAY_P95, DELAY_P99, DELAY_MAX, DELAY_MAX_BEGIN, DELAY_MAX_END, DELAY_SUM,
	DELAY_WOKEN, DELAY_PREEMPTED = DELAY_WOKEN + 7,
};
enum {
	ALL_TASKS, ALL_SWITCHES, ALL_RUN, ALL_WHOLE, ALL_BEGUN_BEFORE, ALL_CUT, ALL_UNFINISHED, ALL_NOT_WOKEN,
	ALL_BACKWARDS,
};

extern const struct sonde_table_column latency_task_columns[], latency_comm_columns[], latency_total_columns[];

void delays_free(struct delays *d);

/* Fills the tables that the options ask for. 0 or -SONDE_NOMEM. */
int latency_tables_end(struct latency *l);

#endif
