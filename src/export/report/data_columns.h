/* SPDX-License-Identifier: MIT */
/* data_columns.h - the keys of data-type profiling: type, typeoff, typecln. */
#ifndef EXPORT_REPORT_DATA_COLUMNS_H
#define EXPORT_REPORT_DATA_COLUMNS_H

#include "export/report/columns.h"

/* The i-th of them, NULL after the last. */
const struct column_type *data_column_at(size_t i);

#endif
