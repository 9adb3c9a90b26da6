/* SPDX-License-Identifier: MIT */
/* chains.h - the callchains below a row: as a tree, or one after the other */
#ifndef EXPORT_REPORT_CHAINS_H
#define EXPORT_REPORT_CHAINS_H

#include "export/report/table.h"

/* 0 or -SONDE_NOMEM */
int report_put_chains(struct buf *b, const struct report_table *t, const struct hist_entry *row);

#endif
