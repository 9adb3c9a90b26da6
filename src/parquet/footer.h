/* SPDX-License-Identifier: MIT */
/* footer.h - the end of a Parquet file: its columns, and the place of each row group */
#ifndef PARQUET_FOOTER_H
#define PARQUET_FOOTER_H

#include "parquet/column_writer.h"

/* The columns by which rows are sorted. */
struct footer_order {
	const size_t *columns;
	size_t n;
};

/* Appends the RowGroup of columns that have just been written, at their places, as an element of a list. */
void footer_add_group(struct buf *groups, const struct column_writer *columns, const struct column_place *places,
		      size_t nr_columns, uint64_t nr_rows, const struct footer_order *order);

struct footer {
	const struct parquet_column *columns;
	size_t nr_columns;
	uint64_t nr_rows;
	const struct buf *groups;    /* what footer_add_group() has appended */
	size_t nr_groups;
};

/* FileMetaData, its length and the magic. */
void footer_put(struct buf *out, const struct footer *f);

#endif
