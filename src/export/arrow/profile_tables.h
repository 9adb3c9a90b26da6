/* SPDX-License-Identifier: MIT */
/* profile_tables.h - the tables of a profile as batches of columns: docs/arrow.md */
#ifndef EXPORT_ARROW_PROFILE_TABLES_H
#define EXPORT_ARROW_PROFILE_TABLES_H

#include "analyze/tables/profile.h"
#include "export/arrow/column.h"

enum { PROFILE_COLUMNS_MOST = 10 };

struct profile_table {
	const struct sonde_profile *profile;    /* borrowed */
	struct sonde_arrow_opts opts;           /* complete */
	const struct profile_table_type *type;
	struct arrow_column root, columns[PROFILE_COLUMNS_MOST];
	size_t next;                 /* row */
};

/* 0 or -SONDE_USAGE if there is no such table. */
int profile_table_init(struct profile_table *t, const struct sonde_profile *p, enum sonde_arrow_table table,
		       const struct sonde_arrow_opts *opts);
void profile_table_free(struct profile_table *t);

/* The next batch: 1, 0 at the end, or a failure. */
int profile_table_next(struct profile_table *t, struct ArrowArray *out);

#endif
