/* SPDX-License-Identifier: MIT */
/*
 * parquet_reader.h - the rows of a Parquet file, one after the other
 *
 *	struct parquet_reader *r = parquet_reader_new(columns, nr_columns);
 *
 *	if (parquet_reader_open(r, &file, err) < 0) ...
 *	while ((n = parquet_reader_next(r)) > 0)
 *		add(parquet_int(r, 0), parquet_text(r, 1));
 *	parquet_reader_free(r);
 *
 * The columns are found by their names; others are not read. Column_reader.h says which files can be read. Memory is
 * that of a page and a dictionary for each column.
 */
#ifndef PARQUET_PARQUET_READER_H
#define PARQUET_PARQUET_READER_H

#include "parquet/column_reader.h"

struct parquet_reader {
	const struct parquet_column *wanted;
	struct column_reader *columns;
	size_t nr_columns;
	struct metadata metadata;
	struct arena arena;          /* of the metadata */
	struct decoder unpack;
	size_t group;                /* the next row group */
	uint64_t group_left;         /* rows of the current one that are not in a batch yet */
	size_t row, batch;           /* of the rows that are in the pages of all columns: the next one, how many */
};

/* @columns outlive the reader. NULL: out of memory. */
struct parquet_reader *parquet_reader_new(const struct parquet_column *columns, size_t nr_columns);

/* @file and @err outlive the reader, or the next file. 0 or negative, see metadata_read(). */
int parquet_reader_open(struct parquet_reader *r, struct image *file, struct sonde_error *err);

static inline uint64_t parquet_reader_rows(const struct parquet_reader *r)
{
	return r->metadata.nr_rows;
}

/* For parquet_reader_next(): goes to the next row of which no page has been read. */
int parquet_reader_batch(struct parquet_reader *r);

/* 1: the next row, 0: the end; -SONDE_CORRUPT, -SONDE_TRUNCATED, -SONDE_UNSUPPORTED, -SONDE_SYSTEM, -SONDE_NOMEM */
static inline int parquet_reader_next(struct parquet_reader *r)
{
	return ++r->row < r->batch ? 1 : parquet_reader_batch(r);
}

/* Values of the row; views until the next one. */
static inline int64_t parquet_int(const struct parquet_reader *r, size_t column)
{
	const struct column_reader *c = &r->columns[column];

	return c->page.numbers.at[c->row + r->row];
}

static inline struct sonde_str parquet_text(const struct parquet_reader *r, size_t column)
{
	const struct column_reader *c = &r->columns[column];

	return c->page.texts.at[c->row + r->row];
}

static inline const int64_t *parquet_list(const struct parquet_reader *r, size_t column, size_t *n)
{
	const struct column_reader *c = &r->columns[column];
	size_t row = c->row + r->row, begin = row ? c->page.ends.at[row - 1] : 0;

	*n = c->page.ends.at[row] - begin;
	return *n ? c->page.numbers.at + begin : NULL;
}

/* NULL is accepted. */
void parquet_reader_free(struct parquet_reader *r);

#endif
