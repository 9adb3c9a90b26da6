/* SPDX-License-Identifier: MIT */
/* clickhouse.h - the tables of a fleet in the format RowBinary, for INSERT INTO ... FORMAT RowBinary */
#ifndef EXPORT_FLEET_CLICKHOUSE_H
#define EXPORT_FLEET_CLICKHOUSE_H

#include "export/export.h"

/* The table opts.table to x->out; without one, all as files TABLE.rowbinary of a new directory. */
int export_clickhouse(struct export *x);

#endif
