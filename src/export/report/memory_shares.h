/* SPDX-License-Identifier: MIT */
/*
 * memory_shares.h - columns with the shares of a row by class of access to memory: operation, cache, kind, TLB
 *
 * A column has a part of each class that any row has. Its title stands in a line of its own above theirs.
 */
#ifndef EXPORT_REPORT_MEMORY_SHARES_H
#define EXPORT_REPORT_MEMORY_SHARES_H

#include "export/report/columns.h"
#include "export/report/table.h"

/* The i-th of them; NULL beyond the last. */
const struct column_type *memory_share_at(size_t i);

/* Finds the classes of the rows; @t and its members get the same. */
void memory_shares_prepare(struct report_table *t);

/* NULL if the column type is another one. */
const char *memory_share_title(const struct report_table *t, const struct column_type *type);
uint32_t memory_share_width(const struct report_table *t, const struct column_type *type);

#endif
