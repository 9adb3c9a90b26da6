/* SPDX-License-Identifier: MIT */
/* compact_table.h - the tables of a data set as compaction writes them: order of rows, rows that are one */
#ifndef FLEET_COMPACT_TABLE_H
#define FLEET_COMPACT_TABLE_H

#include "fleet/row_sorter.h"
#include "parquet/fleet_tables.h"

#define COMPACT_NONE SIZE_MAX

struct compact_table {
	enum fleet_table table;
	size_t host;                 /* the column of the host, behind those of a host's file, or COMPACT_NONE */
	size_t service;              /* the column that is a directory in the compacted table, or COMPACT_NONE */
	struct sort_order order;
};

/* In the order in which they are compacted: samples last, so that they never refer to rows that are not there. */
extern const struct compact_table compact_tables[FLEET_TABLES];

/* Columns with the host. */
static inline size_t compact_columns(const struct compact_table *t)
{
	return fleet_tables[t->table].nr_columns + (t->host != COMPACT_NONE);
}

/* The most columns that a table has. */
#define COMPACT_COLUMNS_MAX 16
_Static_assert(FLEET_RUNS_COMPACT_COLUMNS <= COMPACT_COLUMNS_MAX, "runs have the most columns");

/* The columns of a file, which are those of the table without one that is in the path. */
struct compact_file {
	struct parquet_column columns[COMPACT_COLUMNS_MAX];
	size_t numbers[COMPACT_COLUMNS_MAX];         /* in the table */
	size_t nr_columns;
};

/* @in_path: the column of the table that is in the path, or COMPACT_NONE */
struct compact_file compact_file_of(const struct compact_table *t, size_t in_path);

#endif
