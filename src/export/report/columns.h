/* SPDX-License-Identifier: MIT */
/*
 * columns.h - the columns and keys of a report; a new one is a row in the table of columns.c
 *
 * A figure is a sum over the samples of a row. A key is a value that these samples share.
 */
#ifndef EXPORT_REPORT_COLUMNS_H
#define EXPORT_REPORT_COLUMNS_H

#include <sonde/export.h>

#include "analyze/rows/hists.h"
#include "base/json.h"

struct report_table;

enum column_filter { COLUMN_NO_FILTER, COLUMN_FILTER_COMM, COLUMN_FILTER_DSO, COLUMN_FILTER_SYMBOL };

struct column_type {
	struct sonde_report_column what;     /* its names, and the values that the profile keeps for it */
	const char *title;
	uint32_t width;                      /* the least width; of a figure the exact one */
	bool figure;
	bool right;                          /* the text is right-aligned */
	bool ragged;                         /* the last column of a line is not padded */
	enum column_filter filter;           /* if it leaves one value, that is shown above the table */
	struct hist_key key;                  /* of a key */
	hist_order order;
	/* writes the text, without padding */
	void (*put)(struct buf *b, const struct report_table *t, const struct hist_entry *row);
	/* writes the members; NULL: rows have them without the column */
	void (*put_json)(struct json *j, const struct report_table *t, const struct hist_entry *row);
};

/* The type with this name in --sort or -F; NULL if there is none. */
const struct column_type *column_find(const char *word, size_t len);

/* A type that another option requests. */
#define COLUMN(word) column_find(word, sizeof(word) - 1)

#endif
