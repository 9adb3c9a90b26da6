/* SPDX-License-Identifier: MIT */
/* tables.h - the five tables of a fleet: their rows go to a writer of whatever format, value by value */
#ifndef EXPORT_FLEET_TABLES_H
#define EXPORT_FLEET_TABLES_H

#include "export/fleet/known.h"
#include "export/fleet/rows.h"
#include "parquet/fleet_tables.h"

/* Values come in the order of the table's columns. @to: the file being written. */
struct fleet_format {
	void (*begin_row)(void *to, int64_t date, const char *host);    /* the columns of partitions */
	void (*put_int)(void *to, size_t column, int64_t value);
	void (*put_text)(void *to, size_t column, const char *text, size_t len);
	void (*put_list)(void *to, size_t column, const int64_t *values, size_t n);
	int (*end_row)(void *to);    /* 0 or the failure */
};

struct fleet_writer {
	const struct fleet_format *format;
	void *to;
};

/* Where the rows of a table come from. */
struct fleet_source {
	enum fleet_table table;
	size_t (*count)(const struct fleet_rows *f);
	int64_t (*id)(const struct fleet_rows *f, size_t i);    /* of what need not be written twice; or NULL */
	void (*put)(const struct fleet_rows *f, size_t i, struct fleet_writer *w);
	bool of_windows;             /* its rows have dates of their own */
};

/* Rows that samples refer to come before them. */
extern const struct fleet_source fleet_sources[FLEET_TABLES];

static inline const struct fleet_table_row *fleet_source_table(const struct fleet_source *s)
{
	return &fleet_tables[s->table];
}

/* The source of the table of that name; NULL if there is none. */
const struct fleet_source *fleet_source_find(const char *name);

/* Writes n rows from the row `first` on, without those that @known has; NULL: all. 0 or the failure. */
int fleet_source_put(const struct fleet_source *s, const struct fleet_rows *f, size_t first, size_t n,
		     const struct sonde_export_known *known, struct fleet_writer *w);

/* Whether there are rows that @known has not. */
bool fleet_source_has_news(const struct fleet_source *s, const struct fleet_rows *f,
			   const struct sonde_export_known *known);

/* All rows have been written: adds them to @known. 0 or -SONDE_NOMEM */
int fleet_sources_note(const struct fleet_rows *f, struct sonde_export_known *known);

#endif
