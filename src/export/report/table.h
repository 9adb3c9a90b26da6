/* SPDX-License-Identifier: MIT */
/* table.h - the rows of a report with its columns: what the text and the JSON report have in common. */
#ifndef EXPORT_REPORT_TABLE_H
#define EXPORT_REPORT_TABLE_H

#include "analyze/hists.h"
#include "analyze/key_set.h"
#include "export/report/columns.h"
#include "export/export.h"

struct column {
	const struct column_type *type;
	uint32_t width;              /* of the longest text in it */
	bool hidden;                 /* a filter leaves one value: it stands above the table */
};

enum { COLUMNS_MAX = KEY_SET_WIDTH };

struct table {
	const struct export *x;
	uint32_t event;
	struct column columns[COLUMNS_MAX];
	size_t nr_columns;
	const struct hist_key *keys[COLUMNS_MAX];
	hist_order orders[COLUMNS_MAX];
	uint32_t *parents;           /* by stack; NULL: nobody asks for them */
	struct hists_opts opts;
	struct hists hists;
	struct buf *cell;            /* the text at hand, before it is padded; empty between two */
	bool all_named;              /* -F names all columns */
	bool symbol_first;           /* --sort begins with the symbol: a tree need not begin with it again */
};

/* The rows of an event. 0, -SONDE_USAGE for a column that there is not, -SONDE_NOMEM. */
int table_make(struct table *t, struct export *x, uint32_t event);
void table_free(struct table *t);

const char *table_title(const struct table *t, const struct column *c);

#endif
