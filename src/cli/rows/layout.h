/* SPDX-License-Identifier: MIT */
/* layout.h - columns of rows on a screen: as wide as their texts, narrower where the screen has no room */
#ifndef CLI_ROWS_LAYOUT_H
#define CLI_ROWS_LAYOUT_H

#include "cli/rows/rows.h"

enum { LAYOUT_COLUMNS = 32 };

struct row_layout {
	size_t n, figures;           /* columns; the first ones with numbers only */
	struct {
		size_t widest, width;
		bool right, hidden;
		bool kept;           /* is never hidden */
	} at[LAYOUT_COLUMNS];
};

/* Measures the titles and rows, whatever the screen. */
void layout_measure(struct row_layout *l, const struct rows *r);

/* Gives each column its place on a screen of so many columns. */
void layout_fit(struct row_layout *l, size_t columns);

enum { LAYOUT_STEP = 2 };            /* columns by which a level is indented */

/*
 * Writes the line of a row of this level, or the titles, cut at the right. @sign: the first character. Returns how many
 * bytes at the start are figures.
 */
size_t layout_put(const struct row_layout *l, size_t level, char sign, const char *cells, size_t columns, char *out,
		  size_t size);

#endif
