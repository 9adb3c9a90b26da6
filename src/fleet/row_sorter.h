/* SPDX-License-Identifier: MIT */
/*
 * row_sorter.h - rows of a table in the order of some columns, however many there are
 *
 *	struct row_sorter *s = row_sorter_new(columns, nr_columns, &order, memory, err);
 *
 *	row_sorter_put_int(s, 0, time);
 *	row_sorter_put_text(s, 1, name);
 *	r = row_sorter_end_row(s);
 *	...
 *	r = row_sorter_begin(s);
 *	while ((r = row_sorter_next(s)) > 0)
 *		use(row_sorter_int(s, 0), row_sorter_text(s, 1));
 *
 * Rows are kept in memory up to a limit. Beyond it, sorted runs of them go to Parquet files without a name in $TMPDIR,
 * or /tmp, which are merged in the end. Rows that are equal in the order come in the order in which they were put.
 */
#ifndef FLEET_ROW_SORTER_H
#define FLEET_ROW_SORTER_H

#include "parquet/parquet_writer.h"

struct sort_column {
	size_t column;               /* not a list */
	bool descending;
};

struct sort_order {
	const struct sort_column *columns;
	size_t n;
	size_t nr_unique;            /* of rows that are equal in so many of them, the first is kept; 0: all rows are */
};

struct row_sorter;

/* @columns and @order outlive the sorter, and @err, which may be NULL. NULL: out of memory. */
struct row_sorter *row_sorter_new(const struct parquet_column *columns, size_t nr_columns,
				  const struct sort_order *order, uint64_t memory, struct sonde_error *err);

/* Values of a row: every column once. */
void row_sorter_put_int(struct row_sorter *s, size_t column, int64_t value);
void row_sorter_put_text(struct row_sorter *s, size_t column, struct sonde_str text);  /* up to a NUL */
void row_sorter_put_list(struct row_sorter *s, size_t column, const int64_t *values, size_t n);

/* 0 or the first failure. */
int row_sorter_end_row(struct row_sorter *s);

/* Rows that are in memory, and the bytes that they take. */
size_t row_sorter_rows(const struct row_sorter *s);
uint64_t row_sorter_bytes(const struct row_sorter *s);

/* Whether so many more rows stay below the limit, if their texts are known ones. */
bool row_sorter_has_room(const struct row_sorter *s, uint64_t nr_rows);

/* Forgets the rows in memory behind the first n. */
void row_sorter_truncate(struct row_sorter *s, size_t n);

/* Writes a run of the rows in memory, if there are any. 0 or the first failure. */
int row_sorter_spill(struct row_sorter *s);

/* All rows have been put. 0 or the first failure. */
int row_sorter_begin(struct row_sorter *s);

/* 1: the next row, 0: the end; negative: the failure */
int row_sorter_next(struct row_sorter *s);

/* Values of the row; views until the next one. */
int64_t row_sorter_int(const struct row_sorter *s, size_t column);
struct sonde_str row_sorter_text(const struct row_sorter *s, size_t column);
const int64_t *row_sorter_list(const struct row_sorter *s, size_t column, size_t *n);

/* Puts a value of the row to a column of a file. */
void row_sorter_write(const struct row_sorter *s, size_t column, struct parquet_writer *w, size_t to);

/* NULL is accepted. */
void row_sorter_free(struct row_sorter *s);

#endif
