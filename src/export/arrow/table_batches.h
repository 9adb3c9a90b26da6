/* SPDX-License-Identifier: MIT */
/* table_batches.h - the rows of a typed table as batches of columns: docs/arrow.md */
#ifndef EXPORT_ARROW_TABLE_BATCHES_H
#define EXPORT_ARROW_TABLE_BATCHES_H

#include "export/arrow/column.h"
#include "table/table.h"

enum { TASK_PARTS = 3 };             /* comm, tid, pid */

struct table_batches {
	struct sonde_table *table;       /* borrowed */
	struct sonde_arrow_opts opts;    /* complete */
	struct arrow_column root;
	struct arrow_column *columns;    /* those of the table, then the parts of each task */
	size_t next;                     /* row */
};

/* 0 or -SONDE_NOMEM; table_batches_free() in any case. */
int table_batches_init(struct table_batches *t, struct sonde_table *table, const struct sonde_arrow_opts *opts);
void table_batches_free(struct table_batches *t);

/* The next batch: 1, 0 at the end, or a failure. */
int table_batches_next(struct table_batches *t, struct ArrowArray *out);

#endif
