/* SPDX-License-Identifier: MIT */
/* stacks.h - the stacks of a row, heaviest first: -g flat and -g folded */
#ifndef EXPORT_REPORT_STACKS_H
#define EXPORT_REPORT_STACKS_H

#include "export/report/table.h"

/* 0 or -SONDE_NOMEM */
int report_put_stacks(struct buf *b, const struct report_table *t, const struct hist_entry *row);

#endif
