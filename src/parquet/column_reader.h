/* SPDX-License-Identifier: MIT */
/*
 * column_reader.h - one column of a Parquet file: its pages, one at a time, as values
 *
 * Pages of version 1 with values as PLAIN, by a dictionary, or DELTA_BINARY_PACKED; not packed, or by zstd. An absent
 * value is 0, "" or an empty list.
 */
#ifndef PARQUET_COLUMN_READER_H
#define PARQUET_COLUMN_READER_H

#include "base/vec.h"
#include "codec/codec.h"
#include "parquet/metadata.h"

/* Bytes of a page or of its dictionary, and their values. */
struct column_values {
	uint8_t *raw;
	size_t raw_cap;
	VEC(int64_t) numbers;        /* of a list: the elements of all lists */
	VEC(struct sonde_str) texts; /* views of raw, or of the dictionary's */
	VEC(uint32_t) ends;          /* of lists: where in `numbers` each ends */
};

struct column_reader {
	const struct parquet_column *column;
	struct metadata_column place;
	struct image *file;
	struct decoder *unpack;      /* shared by the columns of a file */
	struct sonde_error *err;     /* may be NULL */
	struct metadata_chunk chunk; /* begin: of the page that comes next; nr_values: that are left */
	struct column_values page, dictionary;
	VEC(uint32_t) levels, codes;
	size_t nr_rows;              /* of the page */
	size_t row;                  /* of it: the first one of the rows that are being read */
};

/* Begins a row group; the column has been set up before. */
void column_reader_begin(struct column_reader *c, const struct metadata_chunk *chunk);

/* Reads the next page with rows. 0; -SONDE_CORRUPT at the end of the chunk too, since rows are expected. */
int column_reader_page(struct column_reader *c);

void column_reader_free(struct column_reader *c);

#endif
