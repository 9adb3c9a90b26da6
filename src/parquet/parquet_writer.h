/* SPDX-License-Identifier: MIT */
/*
 * parquet_writer.h - one Parquet file, streamed; its pages are packed by zstd, level 1
 *
 *	static const struct parquet_column columns[] = { { "time", PARQUET_INT64, .delta = true },
 *							  { "function", PARQUET_STRING } };
 *	struct parquet_writer *w = parquet_writer_new(out, columns, ARRAY_SIZE(columns));
 *
 *	parquet_put_int(w, 0, time);
 *	parquet_put_text(w, 1, name, len);
 *	if (parquet_end_row(w) < 0) ...
 *	r = parquet_writer_end(w);
 *	parquet_writer_free(w);
 *
 * Every column is REQUIRED: a value that is unknown is 0, "" or an empty list. Numbers and texts become numbers of
 * entries of a dictionary, unless too many of them differ. Memory is that of the packed pages of one row group. The
 * first failure (of the output, of memory, of a row) stays: puts after it are dropped.
 */
#ifndef PARQUET_PARQUET_WRITER_H
#define PARQUET_PARQUET_WRITER_H

#include "base/buf.h"

enum parquet_type { PARQUET_INT32, PARQUET_INT64, PARQUET_STRING, PARQUET_INT64_LIST };

struct parquet_column {
	const char *name;            /* of letters, digits and underscores */
	enum parquet_type type;
	bool delta;                  /* PARQUET_INT64 that grows from row to row: DELTA_BINARY_PACKED */
};

struct parquet_writer;

/* @out takes the file from its next byte on; @columns outlive the writer. NULL: out of memory. */
struct parquet_writer *parquet_writer_new(struct buf *out, const struct parquet_column *columns, size_t nr_columns);

/* Says in the footer that rows come in the order of these columns, which outlive the writer: the first one first. */
void parquet_sorted_by(struct parquet_writer *w, const size_t *columns, size_t n);

/* Before the first row: pages of at most n values, where a program reads many files at once. */
void parquet_page_values(struct parquet_writer *w, size_t n);

/* A value of the row. PARQUET_INT32 keeps its low 32 bits. */
void parquet_put_int(struct parquet_writer *w, size_t column, int64_t value);

/* Any bytes: those that are not UTF-8 become U+FFFD, because readers refuse a whole file for one of them. */
void parquet_put_text(struct parquet_writer *w, size_t column, const char *text, size_t len);

void parquet_put_list(struct parquet_writer *w, size_t column, const int64_t *values, size_t n);

/* Every column has been put once. Writes a row group when one is full. 0 or the first failure. */
int parquet_end_row(struct parquet_writer *w);

/* Writes the rest and the footer; parquet_writer_free() in any case. 0 or the first failure. */
int parquet_writer_end(struct parquet_writer *w);

/* NULL is accepted. */
void parquet_writer_free(struct parquet_writer *w);

#endif
