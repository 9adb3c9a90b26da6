/* SPDX-License-Identifier: MIT */
/**
 * analysis.h - analyses over the events of a trace: each gives tables
 *
 *	const char *options[] = { "wakeups", NULL };
 *	struct sonde_analysis *a = sonde_analysis_new("timehist", options);
 *
 *	if (sonde_analysis_run(a, t, NULL) == 0)
 *		sonde_analysis_print(a, "json", NULL, NULL);
 *	sonde_analysis_free(a);
 *
 * Tables are complete when the trace has been run over, and live as long as the analysis. A value that cannot be told
 * from what was recorded is not there: it is never 0.
 */
#ifndef SONDE_ANALYSIS_H
#define SONDE_ANALYSIS_H

#include <sonde/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_analysis;
struct sonde_table;

struct sonde_analysis_option {
	const char *name;
	const char *arg;                    /* of its value: "LIST"; NULL: it has none */
	const char *help;
};

struct sonde_analysis_kind {
	const char *name;
	const char *help;                   /* one line */
	const char *const *needs;           /* events, one of which a trace must have; ends with NULL */
	const struct sonde_analysis_option *options;  /* ends with a row of zeros */
};

/** sonde_analysis_kind_at - the i-th analysis, NULL beyond the last; lives for ever */
SONDE_API const struct sonde_analysis_kind *sonde_analysis_kind_at(size_t i);

/**
 * sonde_analysis_new - an analysis that has seen no event; NULL only when out of memory
 * @options: "name" or "name=value" each, ends with NULL; NULL: none
 * sonde_analysis_error() has SONDE_USAGE, and each call fails with it, for an unknown name or option.
 */
SONDE_API struct sonde_analysis *sonde_analysis_new(const char *name, const char *const *options);
SONDE_API void sonde_analysis_free(struct sonde_analysis *a);

/** sonde_analysis_error - why the last call failed, sonde_analysis_new() included; never NULL, lives as long as @a */
SONDE_API const struct sonde_error *sonde_analysis_error(const struct sonde_analysis *a);

/**
 * sonde_analysis_run - take in the events of a trace
 * @query: what the tables show: CPUs, processes, threads, one range of times; NULL: all. States of tasks are told by
 * all events, so that the choice does not change a value.
 * Returns 0; -SONDE_MISSING if the trace has no event that the analysis needs; the failure to read on, and the tables
 * have what came before; -SONDE_USAGE for a second run, or a query for events or several ranges of times.
 */
SONDE_API int sonde_analysis_run(struct sonde_analysis *a, struct sonde_trace *t, const struct sonde_query *query);

/** sonde_analysis_note - what the reader of the tables must know of this trace, a sentence; NULL: nothing */
SONDE_API const char *sonde_analysis_note(const struct sonde_analysis *a);

/** sonde_analysis_table_at - the i-th table, NULL beyond the last */
SONDE_API struct sonde_table *sonde_analysis_table_at(struct sonde_analysis *a, size_t i);

/**
 * sonde_analysis_print - write all tables
 * @format: "text", as perf has it where perf has the analysis; "json", one object (docs/analysis-json.md); "csv", each
 * table with a row of names, and an empty line between tables
 * @to: NULL: the standard output
 * Returns 0, -SONDE_USAGE for an unknown format, the failure to write.
 */
SONDE_API int sonde_analysis_print(struct sonde_analysis *a, const char *format, const struct sonde_output *to,
				   struct sonde_error *err);

enum sonde_table_kind {
	SONDE_TABLE_COUNT,                  /* never negative */
	SONDE_TABLE_NUMBER,
	SONDE_TABLE_TIME,                   /* ns on the clock of the trace */
	SONDE_TABLE_DURATION,               /* ns */
	SONDE_TABLE_SHARE,                  /* in percent */
	SONDE_TABLE_TASK,
	SONDE_TABLE_TEXT,
};

struct sonde_table_column {
	const char *name;                   /* for programs: "run_time" */
	const char *title, *unit;           /* in texts: "run time", "(msec)" */
	enum sonde_table_kind kind;
	int width;                          /* in texts */
	const char *help;
};

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
};

/** sonde_table_info - a view that lives as long as the analysis */
SONDE_API const struct sonde_table_info *sonde_table_info(const struct sonde_table *t);

/** sonde_table_column_at - the i-th column, NULL beyond the last */
SONDE_API const struct sonde_table_column *sonde_table_column_at(const struct sonde_table *t, size_t i);

/** sonde_table_value_at - a value, NULL beyond the last row or column; valid until the next call on @t */
SONDE_API const struct sonde_table_value *sonde_table_value_at(struct sonde_table *t, size_t row, size_t column);

#ifdef __cplusplus
}
#endif
#endif
