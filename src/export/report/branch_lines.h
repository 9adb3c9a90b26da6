/* SPDX-License-Identifier: MIT */
/* branch_lines.h - lines below a report of branches: the share of each kind */
#ifndef EXPORT_REPORT_BRANCH_LINES_H
#define EXPORT_REPORT_BRANCH_LINES_H

#include "analyze/branches/branch_kinds.h"
#include "base/buf.h"

/* Nothing where no kind was recorded. */
void report_put_branch_kinds(struct buf *b, const struct branch_kinds *k);

#endif
