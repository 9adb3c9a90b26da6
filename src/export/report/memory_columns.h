/* SPDX-License-Identifier: MIT */
/* memory_columns.h - the columns and keys of accesses to memory: data, cache, latency, page sizes */
#ifndef EXPORT_REPORT_MEMORY_COLUMNS_H
#define EXPORT_REPORT_MEMORY_COLUMNS_H

#include "export/report/columns.h"

/* The i-th of them; NULL beyond the last. */
const struct column_type *memory_column_at(size_t i);

#endif
