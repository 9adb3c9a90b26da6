/* SPDX-License-Identifier: MIT */
/* hierarchy.h - --hierarchy: one line for each value of the first key, below it those of the second */
#ifndef EXPORT_REPORT_HIERARCHY_H
#define EXPORT_REPORT_HIERARCHY_H

#include "export/report/table.h"

/* Titles and rows. 0 or -SONDE_NOMEM */
int report_put_hierarchy(struct buf *b, struct table *t);

#endif
