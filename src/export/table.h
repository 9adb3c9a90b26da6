/* SPDX-License-Identifier: MIT */
/* table.h - the rows of a report with its columns: what the text and the JSON report have in common. */
#ifndef EXPORT_TABLE_H
#define EXPORT_TABLE_H

#include "analyze/rows.h"
#include "export/export.h"

enum column_kind { COLUMN_CHILDREN, COLUMN_SELF, COLUMN_SAMPLES, COLUMN_PERIOD, COLUMN_KEY };

struct column {
	enum column_kind kind;
	enum row_key key;            /* of COLUMN_KEY */
	uint32_t width;              /* of the longest text in it */
	bool hidden;                 /* a filter leaves one value: it stands above the table */
};

enum { COLUMNS_MAX = 16 };

struct table {
	const struct export *x;
	uint32_t event;
	struct column columns[COLUMNS_MAX];
	size_t nr_columns;
	struct rows rows;
	enum row_key first_key;      /* of --sort */
};

/* The rows of an event. 0, -SONDE_USAGE for a column that there is not, -SONDE_NOMEM. */
int table_make(struct table *t, struct export *x, uint32_t event);
void table_free(struct table *t);

/* The text of a column that is a key, without padding. */
void table_put_key(struct buf *b, const struct table *t, enum row_key key, const struct row *row);

/* The word of a column in --sort and -F. */
const char *column_word(const struct table *t, const struct column *c);

#endif
