/* SPDX-License-Identifier: MIT */
/*
 * table.h - counts as rows of events and columns of keys: CPUs, cores or threads
 *
 *	a counter (record/count)      --->  counts.h    --->+
 *	a recording of counts (STAT)  --->  recorded.h  --->+--->  struct stat_table  --->  result.h: a typed table
 *	                                                                 |
 *	            keys.h names the columns,              derived.h, metrics.h: rates and metrics beside a count
 *	            by the topology of the machine         comparison.h: two of them, by significance.h
 *
 * A cell is the mean of what was counted for a key, over the runs of a command, or of one interval. A row that the
 * machine refuses has cells that nobody fills; an event that had no turn on the hardware has cells whose time of
 * running is 0: neither is ever a count of 0. Counts are what the kernel counted; the scale of a row makes milliseconds
 * or mebibytes of them, where they are shown. This room opens no event, prints nothing, and knows the public interface
 * by its types only: api/stat chooses events, opens counters and reads files.
 */
#ifndef STAT_TABLE_H
#define STAT_TABLE_H

#include <sonde/stat.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "model/meta.h"

#define STAT_KEY_BYTES 48

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

struct stat_row {
	char *name, *unit;           /* owned */
	char *asked;                 /* owned: as an expression names it; NULL: it does not, or by its name */
	const char *cgroup;
	double scale;
	size_t event;                /* index in the counter */
	VEC(const char *) metrics;   /* of files, told beside this row; the names are those of the files */
	enum stat_tool tool;         /* counted without the kernel */
	bool refused, hidden;
	bool is_clock;               /* cpu-clock or task-clock, in ns */
	bool percore;                /* by CPU: a cell for each core, or each CPU has the sum of its core */
	struct stat_cell *cells;     /* one for each key */
	size_t *key_of;              /* of each cell of the counter, nr_counted */
	size_t nr_counted;
	size_t *first_of_core;       /* the same: the first cell of its core; NULL: cells are not summed so */
};

struct stat_metrics;
struct stat_table {
	enum sonde_stat_by by;
	uint64_t cache_level;        /* 0: the last */
	const char *sysfs;
	const struct meta *recorded; /* the counts are those of its machine; NULL: of this one */
	VEC(struct stat_row) rows;
	char (*keys)[STAT_KEY_BYTES];  /* "CPU0", "S0-D0-C1", "comm-123"; one, "", by event */
	size_t nr_keys, keys_cap;
	struct hash_index key_index; /* of the keys, for keys.h */
	bool derived;                /* rates and ratios after the counts */
	bool percore_cpus;           /* a row of the term percore has a line for each CPU */
	bool only_known;             /* none where the other event of a rate was not counted */
	VEC(const char *) chosen;    /* metrics of the library: the only ones to derive, if there are any */
	const struct stat_metrics *metrics;  /* of files */
	uint32_t runs;               /* how often the command ran; the cells have deviations if more than once */
	double seconds;              /* that the counts are of, mean */
};

void stat_mean_add(struct stat_mean *m, double value);
/* Standard deviation of the mean, and the same as a share of the mean: 0.05 is 5 %. */
double stat_mean_error(const struct stat_mean *m);
double stat_mean_deviation(const struct stat_mean *m);

/* The cell of the row with that name and cgroup as @like has; NULL: there is none, or it was not counted. */
const struct stat_cell *stat_table_find(const struct stat_table *t, const struct stat_row *like, size_t key,
					const char *name);

/* How the cells of a row are told apart: by core, if it has the term percore. */
enum sonde_stat_by stat_row_by(const struct stat_table *t, const struct stat_row *row);
/* Is this a key of the row, and not one of other rows only? */
bool stat_row_has_key(const struct stat_table *t, const struct stat_row *row, size_t key);

void stat_table_free(struct stat_table *t);

#endif
