/* SPDX-License-Identifier: MIT */
/**
 * sql.h - ask a trace in SQL
 *
 *	struct sonde_sql *q = sonde_sql_new();
 *	const struct sonde_sql_value *v;
 *
 *	if (sonde_sql_open(q, t, NULL) == 0 && sonde_sql_prepare(q, "select count(*) from sample", NULL) > 0)
 *		while (sonde_sql_step(q) > 0 && (v = sonde_sql_value_at(q, 0)))
 *			printf("%" PRId64 "\n", v->integer);
 *	if (sonde_sql_error(q)->code)
 *		puts(sonde_sql_error(q)->text);
 *	sonde_sql_free(q);
 *
 * The tables and views are those of `sonde export --to sqlite` (docs/events-sql.md). They are in memory, and in a
 * temporary file without a name if they are large.
 */
#ifndef SONDE_SQL_H
#define SONDE_SQL_H

#include <sonde/export.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sonde_sql;

/** sonde_sql_new - NULL only when out of memory */
SONDE_API struct sonde_sql *sonde_sql_new(void);
SONDE_API void sonde_sql_free(struct sonde_sql *q);

/**
 * sonde_sql_open - read @t into tables
 * @t: opened, and not yet iterated if it is a stream; it is not needed any more when this returns
 * @opts: as for sonde_export_events(); may be NULL
 * Returns 0; the failure of reading; -SONDE_UNSUPPORTED without libsqlite3; -SONDE_USAGE if @q is open already;
 * -SONDE_SYSTEM; -SONDE_NOMEM.
 */
SONDE_API int sonde_sql_open(struct sonde_sql *q, struct sonde_trace *t, const struct sonde_events_opts *opts);

/**
 * sonde_sql_add_analyses - have the tables of all analyses, too (sonde/analysis.h): sched_latency, ...
 * @t: that of sonde_sql_open(), which now outlives @q: an analysis runs when a statement reads one of its tables first
 * @query: what the tables show, as for sonde_analysis_run(); its lists outlive @q; may be NULL
 * A stream cannot be read a second time, so that statements over these tables fail. Returns 0; -SONDE_USAGE if @q is
 * not open, or has them already; -SONDE_SYSTEM; -SONDE_UNSUPPORTED without libsqlite3.
 */
SONDE_API int sonde_sql_add_analyses(struct sonde_sql *q, struct sonde_trace *t, const struct sonde_query *query);

/** sonde_sql_error - why the last call failed; never NULL, lives as long as @q */
SONDE_API const struct sonde_error *sonde_sql_error(const struct sonde_sql *q);

/**
 * sonde_sql_prepare - take the next statement of @text
 * @rest: set to what follows the statement; may be NULL
 * Only statements that read are taken: no change, no other file, no extension.
 * Returns 1; 0 if @text has no statement any more; -SONDE_USAGE if it is no SQL or may not be run.
 */
SONDE_API int sonde_sql_prepare(struct sonde_sql *q, const char *text, const char **rest);

/** sonde_sql_column_count - columns of the statement */
SONDE_API size_t sonde_sql_column_count(const struct sonde_sql *q);

/** sonde_sql_column_name - the name of the i-th column, NULL beyond the last; a view until the next statement */
SONDE_API const char *sonde_sql_column_name(const struct sonde_sql *q, size_t i);

/** sonde_sql_step - go to the next row: 1, 0 at the end, negative if the statement fails */
SONDE_API int sonde_sql_step(struct sonde_sql *q);

enum sonde_sql_kind {
	SONDE_SQL_NULL,
	SONDE_SQL_INTEGER,
	SONDE_SQL_REAL,
	SONDE_SQL_TEXT,
	SONDE_SQL_BLOB,
};
struct sonde_sql_value {
	enum sonde_sql_kind kind;
	int64_t integer;               /* kernel addresses are negative: printf('%x', ip) shows them */
	double real;
	struct sonde_bytes bytes;      /* of a text in UTF-8, or a blob */
};

/** sonde_sql_value_at - the i-th value of the row, NULL beyond the last; a view until the next call on @q */
SONDE_API const struct sonde_sql_value *sonde_sql_value_at(struct sonde_sql *q, size_t i);

#ifdef __cplusplus
}
#endif
#endif
