/* SPDX-License-Identifier: MIT */
/*
 * stat_table.h - the table of `sonde stat`: a row for each event, a column of cells for each CPU, core or thread
 */
#ifndef CLI_STAT_TABLE_H
#define CLI_STAT_TABLE_H

#include <sonde/counter.h>
#include <sonde/trace.h>

#include "cli/base/lists.h"

enum stat_aggregation {
	STAT_GLOBAL,
	STAT_CPU,
	STAT_THREAD,
	/* of which a cell also tells the number of its counters */
	STAT_CORE,
	STAT_CLUSTER,
	STAT_CACHE,
	STAT_DIE,
	STAT_SOCKET,
	STAT_NODE,
};

/* The mean of some measurements, and how far they are from it. */
struct stat_mean {
	uint32_t n;
	double mean, squares;        /* Welford's sum of the squares of the distances */
	double last;
};

struct stat_cell {
	struct stat_mean value, enabled, running;
	uint32_t nr;                 /* counters behind it */
	struct sonde_counter_value before;  /* as read last, for intervals */
};

/* Numbers of the tool events that a counter tells. */
enum stat_tool { STAT_NO_TOOL, STAT_DURATION_TIME, STAT_USER_TIME, STAT_SYSTEM_TIME, STAT_MACHINE };

/* Is a metric beyond the limit that its file tells? */
enum stat_threshold { STAT_NO_THRESHOLD, STAT_GOOD, STAT_BAD };

struct stat_row {
	char *name, *unit;           /* owned */
	char *asked;                 /* owned: as an expression names it; NULL: it does not, or by its name */
	const char *cgroup;
	double scale;
	size_t event;                /* index in the counter */
	struct strings metrics;      /* of files, told beside this row; the names are the catalog's */
	enum stat_tool tool;         /* counted without the kernel */
	bool refused, hidden;
	bool is_clock;               /* cpu-clock or task-clock, in ns */
	bool percore;                /* with STAT_CPU: a cell for each core, or each CPU has the sum of its core */
	struct stat_cell *cells;     /* one for each key */
	size_t *key_of;              /* of each cell of the counter */
	size_t *first_of_core;       /* the same: the first cell of its core; NULL: cells are not summed so */
};

struct stat_table {
	enum stat_aggregation by;
	const struct sonde_trace *recorded;  /* the counts are those of its machine; NULL: of this one */
	struct stat_row *rows;
	size_t nr_rows;
	char (*keys)[48];            /* "CPU0", "S0-D0-C1", "comm-123"; one, "", for STAT_GLOBAL */
	size_t nr_keys;
	bool derived;                /* rates and ratios after the counts */
	bool percore_cpus;           /* a row of the term percore has a line for each CPU */
	bool only_known;             /* none where the other event of a rate was not counted */
	const char *const *metrics;  /* the only ones to derive, if there are any */
	size_t nr_metrics;
	uint32_t runs;               /* how often the command ran; the cells have deviations if more than once */
	double seconds;              /* that the counts are of, mean */
};

void mean_add(struct stat_mean *m, double value);
/* Standard deviation of the mean, as a share of the mean: 0.05 is 5 %. */
double mean_deviation(const struct stat_mean *m);
double mean_error(const struct stat_mean *m);

/* The cell of the row with that name and cgroup as @like has; NULL: there is none, or it was not counted. */
const struct stat_cell *table_find(const struct stat_table *t, const struct stat_row *like, size_t key,
				   const char *name);

/* How the cells of a row are told apart: cores, if it has the term percore. */
enum stat_aggregation table_row_by(const struct stat_table *t, const struct stat_row *row);
/* Is this a key of the row, and not one of other rows only? */
bool table_row_has_key(const struct stat_table *t, const struct stat_row *row, size_t key);

void table_free(struct stat_table *t);

#endif
