/* SPDX-License-Identifier: MIT */
/* table.h - the rows and columns of a report, as text and as JSON */
#ifndef EXPORT_REPORT_TABLE_H
#define EXPORT_REPORT_TABLE_H

#include "analyze/rows/hists.h"
#include "analyze/stacks/key_set.h"
#include "export/export.h"
#include "export/report/columns.h"

struct column {
	const struct column_type *type;
	uint32_t width;              /* of the longest text in it */
	bool hidden;                 /* a filter leaves one value, which is shown above the table */
};

enum { COLUMNS_MAX = KEY_SET_WIDTH };

struct report_table {
	const struct export *x;
	uint32_t event;
	struct column columns[COLUMNS_MAX];
	size_t nr_columns;
	const struct hist_key *keys[COLUMNS_MAX];
	hist_order orders[COLUMNS_MAX];
	uint32_t *parents;           /* by stack; NULL: not requested */
	struct hists_opts opts;
	struct hists hists;
	struct buf *cell;            /* text of the current cell before padding; empty between cells */
	/* The further events of a group: their figures stand beside those of this one. */
	struct report_table *members;       size_t nr_members;
	uint32_t *member_rows;       /* by joined number of a row, and member: its row there, NO_ROW: it has none */
	/* Of the columns of memory_shares.h: bits of the classes that rows have, and the titles of these. */
	uint32_t memory_classes[NR_MEMORY_PARTS];
	char memory_titles[NR_MEMORY_PARTS][MEMORY_CLASSES * 8];
	bool all_named;              /* -F names all columns */
	bool symbol_first;           /* --sort begins with the symbol, so trees need not begin with it */
};

#define NO_ROW UINT32_MAX

/* Makes the rows of an event. 0, -SONDE_USAGE for an unknown column, -SONDE_NOMEM, -SONDE_STOPPED */
int report_table_make(struct report_table *t, struct export *x, uint32_t event);

/* The same in two steps: all rows; which ones are shown, and how wide. */
int report_table_begin(struct report_table *t, struct export *x, uint32_t event);
int report_table_finish(struct report_table *t);

/* The row of a member with the same keys; NULL if it has none. */
static inline const struct hist_entry *report_table_member_row(const struct report_table *t,
							       const struct hist_entry *row, size_t member)
{
	uint32_t i = t->member_rows[row->joined * t->nr_members + member];

	return i == NO_ROW ? NULL : &t->members[member].hists.list.at[i];
}
void report_table_free(struct report_table *t);

/* The rows of the table's event with other options. 0, -SONDE_NOMEM or -SONDE_STOPPED, which has a message then */
int report_table_make_hists(const struct report_table *t, struct hists *hists, const struct hists_opts *opts);

/* The keys of a report without --sort. */
const char *report_table_usual_keys(const struct report_table *t);

const char *report_table_title(const struct report_table *t, const struct column *c);

#endif
