/* SPDX-License-Identifier: MIT */
/* metadata.h - where the columns that a reader wants lie in a Parquet file: its footer, read and checked */
#ifndef PARQUET_METADATA_H
#define PARQUET_METADATA_H

#include "base/arena.h"
#include "io/image.h"
#include "parquet/format.h"
#include "parquet/parquet_writer.h"

/* How a file holds a wanted column. */
struct metadata_column {
	size_t leaf;                 /* its number in each row group */
	enum physical_type physical;
	unsigned most_defined;       /* definition level of a value; below it there is none */
	unsigned element_defined;    /* of lists: definition level of an element, whether or not it has a value */
};

/* The pages of a column in a row group. */
struct metadata_chunk {
	uint64_t begin, end;         /* file offsets */
	uint64_t nr_values;
	enum page_codec codec;
};

struct metadata {
	uint64_t nr_rows;
	size_t nr_groups, nr_columns;
	uint64_t *group_rows;
	struct metadata_chunk *chunks;     /* nr_columns for each row group */
	struct metadata_column *columns;
};

/**
 * metadata_read - read the footer; everything lies in @arena
 * @columns: the columns that must be there, found by their names
 * Returns 0; -SONDE_FORMAT: no Parquet file; -SONDE_UNSUPPORTED: a column is missing or of another type, or packed by
 * something other than zstd; -SONDE_CORRUPT, -SONDE_TRUNCATED, -SONDE_SYSTEM, -SONDE_NOMEM.
 */
int metadata_read(struct metadata *m, struct image *file, const struct parquet_column *columns, size_t nr_columns,
		  struct arena *arena, struct sonde_error *err);

#endif
