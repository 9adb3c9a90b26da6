/* SPDX-License-Identifier: MIT */
/* trace_columns.h - columns for fields of tracepoints, without fixed titles: see analyze/tables/trace_fields.h */
#ifndef EXPORT_REPORT_TRACE_COLUMNS_H
#define EXPORT_REPORT_TRACE_COLUMNS_H

#include "export/report/columns.h"

/* The i-th field that the profile keeps of the table's event; NULL beyond the last. */
const struct column_type *trace_column_at(const struct report_table *t, size_t i);

/* Whether it is one of the fields that a word names. */
bool trace_column_is_named(const struct report_table *t, size_t i, const char *word, size_t len);

const char *trace_column_title(const struct report_table *t, const struct column_type *type);
uint32_t trace_column_width(const struct report_table *t, const struct column_type *type);

#endif
