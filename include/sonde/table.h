/* SPDX-License-Identifier: MIT */
/**
 * table.h - typed tables: what analyses and counts give
 *
 * A table belongs to whoever gives it, and lives as long. A value that cannot be told from what was recorded is not
 * there: it is never 0.
 */
#ifndef SONDE_TABLE_H
#define SONDE_TABLE_H

#include <sonde/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_table;

enum sonde_table_kind {
	SONDE_TABLE_COUNT,                  /* never negative */
	SONDE_TABLE_NUMBER,
	SONDE_TABLE_TIME,                   /* ns on the clock of the trace */
	SONDE_TABLE_DURATION,               /* ns */
	SONDE_TABLE_SHARE,                  /* in percent */
	SONDE_TABLE_TASK,
	SONDE_TABLE_TEXT,
	SONDE_TABLE_REAL,                   /* a number with a fraction */
};

/**
 * sonde_table_kind_name - "count", "number", "time_ns", "duration_ns", "percent", "task", "text", "real"
 * NULL for others.
 */
SONDE_API const char *sonde_table_kind_name(enum sonde_table_kind kind);

struct sonde_table_column {
	const char *name;                   /* for programs: "run_time" */
	const char *title, *unit;           /* in texts: "run time", "(msec)"; an empty title: not in texts */
	enum sonde_table_kind kind;
	int width;                          /* in texts */
	const char *help;
};

/** A table before there are rows. */
struct sonde_table_schema {
	const char *name;                   /* "run_times" */
	const char *title;                  /* "Runtime summary" */
	const char *help;                   /* what a row is */
};

/** sonde_table_schema_column_at - the i-th column, NULL beyond the last; lives for ever */
SONDE_API const struct sonde_table_column *sonde_table_schema_column_at(const struct sonde_table_schema *schema,
									size_t i);

struct sonde_table_info {
	const char *name;                   /* "switches" */
	const char *title;                  /* "Runtime summary" */
	size_t rows, columns;
	uint64_t events;                    /* that the rows are made of */
	uint64_t events_left_out;           /* of the same kind: they were not asked for, or cannot be told */
};

struct sonde_table_value {
	bool known;                         /* false: none of the rest is set */
	enum sonde_table_kind kind;
	int64_t number;                     /* COUNT, NUMBER, TIME, DURATION */
	double share;
	const char *text;                   /* TEXT; the name of a TASK, "" if it has none */
	int32_t tid, pid;                   /* of a TASK; pid -1: not known; tid 0: an idle CPU */
	double real;                        /* REAL */
};

/** sonde_table_info - a view that lives as long as the table */
SONDE_API const struct sonde_table_info *sonde_table_info(const struct sonde_table *t);

/** sonde_table_column_at - the i-th column, NULL beyond the last */
SONDE_API const struct sonde_table_column *sonde_table_column_at(const struct sonde_table *t, size_t i);

/**
 * sonde_table_value_at - a value, NULL beyond the last row or column
 * It is valid until the next call on @t; its text lives as long as the table.
 */
SONDE_API const struct sonde_table_value *sonde_table_value_at(struct sonde_table *t, size_t row, size_t column);

#ifdef __cplusplus
}
#endif
#endif
