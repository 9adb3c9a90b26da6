/* SPDX-License-Identifier: MIT */
/*
 * table_csv.h - a table as comma-separated values, RFC 4180
 *
 * The first row has the names of the columns. A task is three columns: NAME, NAME_tid and NAME_pid. Times and durations
 * are nanoseconds. A value that is not there is empty.
 */
#ifndef TABLE_TABLE_CSV_H
#define TABLE_TABLE_CSV_H

#include "base/buf.h"
#include "table/table.h"

void table_csv(struct sonde_table *t, struct buf *out);

#endif
