/* SPDX-License-Identifier: MIT */
/* branch_columns.h - the columns and keys of branches: source, target, prediction, cycles */
#ifndef EXPORT_REPORT_BRANCH_COLUMNS_H
#define EXPORT_REPORT_BRANCH_COLUMNS_H

#include "export/report/columns.h"

/* The i-th of them; NULL beyond the last. */
const struct column_type *branch_column_at(size_t i);

#endif
