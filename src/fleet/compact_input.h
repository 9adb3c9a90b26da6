/* SPDX-License-Identifier: MIT */
/* compact_input.h - the rows of a Parquet file of a data set, added to a sorter: all of them, or none */
#ifndef FLEET_COMPACT_INPUT_H
#define FLEET_COMPACT_INPUT_H

#include "fleet/compact_table.h"

/* A file, and the column of its table whose value is in its path. */
struct compact_input {
	int v1;                      /* the directory of the data set */
	const char *path;            /* below it */
	size_t column;               /* COMPACT_NONE: all columns are in the file */
	struct sonde_str value;
};

/**
 * compact_input_add - add the rows of a file
 * @spoiled: set if rows of a file that then turned out to be damaged may be in the sorter: its result is of no use
 * Returns 0, or the failure, which tells of the file, or, with a failure of the sorter, of its temporary files.
 */
int compact_input_add(struct row_sorter *s, const struct compact_table *t, const struct compact_input *in,
		      bool *spoiled, struct sonde_error *err);

#endif
