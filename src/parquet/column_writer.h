/* SPDX-License-Identifier: MIT */
/*
 * column_writer.h - one column of a row group: values, gathered to pages, which are packed when they are full
 *
 * A text is looked up in the dictionary as it comes, a number when its page is full. Once the dictionary does not help
 * (too many values differ), the rest of the row group is written as PLAIN values.
 */
#ifndef PARQUET_COLUMN_WRITER_H
#define PARQUET_COLUMN_WRITER_H

#include "base/vec.h"
#include "codec/codec.h"
#include "parquet/dictionary.h"
#include "parquet/parquet_writer.h"
#include "parquet/statistics.h"

/* A page is full with this many values or bytes. */
#define PAGE_VALUES_MAX (128 * 1024)
#define PAGE_BYTES_MAX (1024 * 1024)

/* Where the pages of a row group have been written. */
struct column_place {
	uint64_t begin;              /* file offset of the first page */
	uint64_t data_page;          /* of the first data page */
};

/* The state that the writers of all columns of a file share. */
struct column_tools {
	struct packer packer;
	size_t page_values;          /* a page is full with so many */
	struct buf body;             /* of the page that is being made */
	struct buf text;             /* one that was made UTF-8 */
	VEC(uint32_t) codes;         /* numbers of entries, or levels */
	struct sonde_error *err;     /* may be NULL */
};

struct column_writer {
	const struct parquet_column *column;
	struct column_tools *tools;
	struct dictionary dictionary;
	bool is_plain;               /* the dictionary has been given up for this row group */
	VEC(int64_t) numbers;        /* of this page: INT32, INT64, elements of lists */
	VEC(uint32_t) entries;       /* of this page: texts */
	VEC(uint32_t) lengths;       /* of this page: lists */
	struct buf texts;            /* of this page, when is_plain */
	size_t nr_texts;             /* of them */
	struct buf pages;            /* data pages of this row group, packed */
	uint64_t raw_bytes;          /* of the pages, with their heads, before they were packed */
	uint64_t nr_values;          /* in the pages of this row group; an empty list is one */
	uint64_t nr_rows;            /* put in this row group */
	bool has_dictionary_pages;
	bool has_plain_pages;        /* of PLAIN or DELTA_BINARY_PACKED values */
	struct statistics statistics;
	int failed;                  /* 0 or the first failure */
};

void column_writer_init(struct column_writer *c, const struct parquet_column *column, struct column_tools *tools);

void column_put_int(struct column_writer *c, int64_t value);
void column_put_text(struct column_writer *c, const char *text, size_t len);
void column_put_list(struct column_writer *c, const int64_t *values, size_t n);

/* Bytes that the column holds for its row group. */
static inline size_t column_bytes(const struct column_writer *c)
{
	return c->pages.n;
}

/* Writes the dictionary and the pages of the row group to @out. 0 or the first failure. */
int column_write(struct column_writer *c, struct buf *out, struct column_place *place);

/* Begins the next row group. */
void column_clear(struct column_writer *c);

void column_writer_free(struct column_writer *c);

#endif
