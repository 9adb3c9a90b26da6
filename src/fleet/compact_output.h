/* SPDX-License-Identifier: MIT */
/* compact_output.h - sorted rows of a table as large Parquet files in a new directory; one in it for each service */
#ifndef FLEET_COMPACT_OUTPUT_H
#define FLEET_COMPACT_OUTPUT_H

#include "fleet/compact_table.h"

/* Numbers of what was written. */
struct compact_written {
	uint64_t files, rows;
};

/* Writes the rows of a sorter that has begun. Adds to @written. 0 or the failure. */
int compact_output_write(const char *dir, const struct compact_table *t, struct row_sorter *rows,
			 struct compact_written *written, struct sonde_error *err);

#endif
