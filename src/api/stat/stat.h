/* SPDX-License-Identifier: MIT */
/* stat.h - the public handle of counts */
#ifndef API_STAT_STAT_H
#define API_STAT_STAT_H

#include <sonde/stat.h>

#include "base/arena.h"
#include "stat/comparison.h"
#include "stat/metrics.h"
#include "stat/recorded.h"
#include "table/table.h"

/* Asked of the counter before it was opened: each run has a counter of its own, of the same events. */
struct counter_request {
	enum counter_request_kind {
		REQUEST_EVENT, REQUEST_PFM_EVENT, REQUEST_FILTER, REQUEST_FILE, REQUEST_CGROUP
	} kind;
	const char *text;
	size_t event;                /* of REQUEST_CGROUP */
};

enum { TABLE_COUNTS, TABLE_METRICS, TABLE_COMPARISON, NR_TABLES };

struct sonde_stat {
	struct sonde_error err;
	struct sonde_stat_opts opts;
	bool refused;                /* the options make no sense: each call fails */
	bool failed;                 /* the last sonde_stat_open() */
	struct arena arena;
	struct sonde_counter *counter;
	VEC(struct counter_request) requests;
	struct stat_metrics metrics;
	bool has_events, has_metrics, has_groups;
	struct sonde_stat_metric metric;  /* that was handed out last */

	struct stat_table table;
	struct stat_runs runs;
	uint64_t last_ns;            /* since the start, when counts were taken last */
	uint32_t opened;             /* how often */
	struct stat_writer *writer;

	struct sonde_trace *trace;   /* of the recording; NULL: none */
	struct sonde_iter *iter;
	struct stat_recorded recorded;

	struct sonde_stat_info info;
	struct sonde_table tables[NR_TABLES];
	bool made[NR_TABLES];
};

#endif
