/* SPDX-License-Identifier: MIT */
/*
 * columns.h - the columns and keys of a report; a new one is a row in the table of columns.c
 *
 * A figure is a sum of the row's samples; a key is what they have in common.
 */
#ifndef EXPORT_REPORT_COLUMNS_H
#define EXPORT_REPORT_COLUMNS_H

#include <sonde/export.h>

#include "analyze/hists.h"
#include "base/json.h"

struct table;

enum column_filter { COLUMN_NO_FILTER, COLUMN_FILTER_COMM, COLUMN_FILTER_DSO, COLUMN_FILTER_SYMBOL };

struct column_type {
	struct sonde_report_column what;     /* its words, and what the profile has to keep for it */
	const char *title;
	uint32_t width;                      /* at least; of a figure exactly */
	bool figure;
	bool right;                          /* the text stands at the right of the column */
	bool ragged;                         /* the last column of a line is not padded */
	enum column_filter filter;           /* which one may leave one value only: it stands above the table then */
	struct hist_key key;                  /* of a key */
	hist_order order;
	/* the text, without padding */
	void (*put)(struct buf *b, const struct table *t, const struct hist_entry *row);
	/* members; NULL: a row has them anyway */
	void (*put_json)(struct json *j, const struct table *t, const struct hist_entry *row);
};

/* The type of a word in --sort or -F, NULL if there is none. */
const struct column_type *column_find(const char *word, size_t len);

/* A type that another option asks for. */
#define COLUMN(word) column_find(word, sizeof(word) - 1)

#endif
