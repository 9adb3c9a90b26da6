/* SPDX-License-Identifier: MIT */
/* parquet_rows.h - rows in Parquet files; the columns of partitions are in their paths */
#ifndef EXPORT_FLEET_PARQUET_ROWS_H
#define EXPORT_FLEET_PARQUET_ROWS_H

#include "export/fleet/tables.h"

/* Its `to` is a struct parquet_writer. */
extern const struct fleet_format parquet_rows_format;

#endif
