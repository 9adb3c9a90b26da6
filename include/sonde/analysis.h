/* SPDX-License-Identifier: MIT */
/**
 * analysis.h - analyses over the events of a trace: each gives tables
 *
 *	const char *options[] = { "wakeups", NULL };
 *	struct sonde_analysis *a = sonde_analysis_new("sched timehist", options);
 *
 *	if (sonde_analysis_run(a, t, NULL) == 0)
 *		sonde_analysis_print(a, "json", NULL, NULL);
 *	sonde_analysis_free(a);
 *
 * Tables are complete when the trace has been run over, and live as long as the analysis.
 */
#ifndef SONDE_ANALYSIS_H
#define SONDE_ANALYSIS_H

#include <sonde/symbol.h>
#include <sonde/table.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_analysis;

struct sonde_analysis_option {
	const char *name;
	char letter;                        /* of the command's option; 0: it has none */
	const char *arg;                    /* of its value: "LIST"; NULL: it has none */
	const char *help;
	const char *const *words;           /* that its value is made of, separated by commas; NULL: any */
	const char *const *excludes;        /* options that it cannot be with, ends with NULL; NULL: none */
};

struct sonde_analysis_example {
	const char *options;                /* of the command line: "-S" */
	const char *what;
};

/** An analysis before it runs: the command, its help, SQL tables and documentation are made of this. */
struct sonde_analysis_kind {
	const char *name;                   /* "sched timehist": that of the command, too */
	const char *help;                   /* one line */
	const char *details;                /* paragraphs, split by '\n' */
	const char *const *needs;           /* events, one of which a trace must have; ends with NULL */
	const char *const *uses;            /* all events that it makes use of; ends with NULL */
	const char *const *all;             /* options by which it gives all tables, with all rows; ends with NULL */
};

/** sonde_analysis_kind_at - the i-th analysis, NULL beyond the last; lives for ever */
SONDE_API const struct sonde_analysis_kind *sonde_analysis_kind_at(size_t i);

/** sonde_analysis_option_at - the i-th option of an analysis, NULL beyond the last; lives for ever */
SONDE_API const struct sonde_analysis_option *sonde_analysis_option_at(const struct sonde_analysis_kind *kind,
								       size_t i);

/** sonde_analysis_schema_at - the i-th table that it can give, NULL beyond the last; lives for ever */
SONDE_API const struct sonde_table_schema *sonde_analysis_schema_at(const struct sonde_analysis_kind *kind, size_t i);

/** sonde_analysis_example_at - the i-th command line with what it does, NULL beyond the last; lives for ever */
SONDE_API const struct sonde_analysis_example *sonde_analysis_example_at(const struct sonde_analysis_kind *kind,
									 size_t i);

/**
 * sonde_analysis_new - an analysis that has seen no event; NULL only when out of memory
 * @options: "name" or "name=value" each, ends with NULL; NULL: none
 * sonde_analysis_error() has SONDE_USAGE, and each call fails with it, for an unknown name or option.
 */
SONDE_API struct sonde_analysis *sonde_analysis_new(const char *name, const char *const *options);
SONDE_API void sonde_analysis_free(struct sonde_analysis *a);

/** sonde_analysis_error - why the last call failed, sonde_analysis_new() included; never NULL, lives as long as @a */
SONDE_API const struct sonde_error *sonde_analysis_error(const struct sonde_analysis *a);

/** sonde_analysis_use_symbols - where names in stacks come from; @opts outlives sonde_analysis_run() */
SONDE_API void sonde_analysis_use_symbols(struct sonde_analysis *a, const struct sonde_symbols_opts *opts);

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

/** sonde_analysis_table_at - the i-th table of those that its options ask for, NULL beyond the last */
SONDE_API struct sonde_table *sonde_analysis_table_at(struct sonde_analysis *a, size_t i);

/**
 * sonde_analysis_print - write all tables
 * @format: "text", as perf has it where perf has the analysis; "json", one object (docs/analysis-json.md); "csv", each
 * table with a row of names, and an empty line between tables; "html", a page with tables that can be ordered and
 * searched, of 50,000 rows each at most
 * @to: NULL: the standard output
 * Returns 0, -SONDE_USAGE for an unknown format, the failure to write.
 */
SONDE_API int sonde_analysis_print(struct sonde_analysis *a, const char *format, const struct sonde_output *to,
				   struct sonde_error *err);

/**
 * sonde_analysis_write - sonde_analysis_print() into a new file, which gets its name when it is whole
 * @path: never a file of the trace; "-": the standard output
 */
SONDE_API int sonde_analysis_write(struct sonde_analysis *a, const char *format, const char *path,
				   struct sonde_error *err);


#ifdef __cplusplus
}
#endif
#endif
