/* SPDX-License-Identifier: MIT */
#include "cli/rows/layout.h"

#include <stdio.h>
#include <string.h>

#include "cli/screen/width.h"

enum { SIGN_COLUMNS = 2, GAP = 2, LEAST_NAME = 8, LEAST_LAST = 24 };

/* The length of the cell that a text begins with. */
static size_t cell_bytes(const char *cells)
{
	return strcspn(cells, "\t");
}

static const char *next_cell(const char *cells)
{
	cells += cell_bytes(cells);
	return *cells ? cells + 1 : cells;
}

/* "[k] vfs_read", as reports have it. */
static bool is_function(const char *cell, size_t n)
{
	return n >= 4 && cell[0] == '[' && cell[2] == ']' && cell[3] == ' ';
}

static void measure_cells(struct row_layout *l, const char *cells, bool title)
{
	for (size_t i = 0; i < l->n; i++, cells = next_cell(cells)) {
		size_t n = cell_bytes(cells), width = width_of(cells, n);

		if (width > l->at[i].widest)
			l->at[i].widest = width;
		if (!title && strspn(cells, "0123456789.%+-") < n)
			l->at[i].right = false;
		if (!title && n && !is_function(cells, n))
			l->at[i].kept = false;
	}
}

void layout_measure(struct row_layout *l, const struct rows *r)
{
	const char *titles = r->titles ? r->titles : "";
	bool any = false;

	*l = (struct row_layout){ .n = 1 };
	for (const char *p = titles; (p = strchr(p, '\t')) && l->n < LAYOUT_COLUMNS; p++)
		l->n++;
	for (size_t i = 0; i < l->n; i++)
		l->at[i].right = l->at[i].kept = true;
	measure_cells(l, titles, true);
	for (size_t i = 0; i < r->nr_rows; i++)
		measure_cells(l, r->rows[i].text, false);
	if (r->levels)
		l->at[l->n - 1].right = false;
	for (size_t i = 0; i < l->n; i++) {
		l->at[i].kept &= r->nr_rows && !r->levels;
		any |= l->at[i].kept;
	}
	if (!any)
		l->at[l->n - 1].kept = true;
	while (l->figures < l->n && l->at[l->figures].right)
		l->figures++;
}

/* The columns of a line. */
static size_t sum_of(const struct row_layout *l)
{
	size_t sum = SIGN_COLUMNS, gap = 0;

	for (size_t i = 0; i < l->n; i++) {
		sum += l->at[i].hidden ? 0 : l->at[i].width + gap;
		gap = l->at[i].hidden ? gap : GAP;
	}
	return sum;
}

/* The widest name, kept or not, that is wider than @least; l->n if there is none. */
static size_t widest_name(const struct row_layout *l, size_t least, bool kept)
{
	size_t found = l->n;

	for (size_t i = 0; i < l->n; i++)
		if ((!l->at[i].right || kept) && l->at[i].kept == kept && !l->at[i].hidden &&
		    l->at[i].width > least && (found == l->n || l->at[i].width > l->at[found].width))
			found = i;
	return found;
}

/* The last column of numbers behind a name; l->n if there is none. */
static size_t last_number(const struct row_layout *l)
{
	for (size_t i = l->n; i-- > l->figures;)
		if (l->at[i].right && !l->at[i].kept && !l->at[i].hidden)
			return i;
	return l->n;
}

static void narrow(struct row_layout *l, size_t columns, size_t least, bool kept)
{
	for (size_t i; sum_of(l) > columns && (i = widest_name(l, least, kept)) < l->n;)
		l->at[i].width--;
}

/* Kept columns may have so much; they are cut to that. */
static void limit_kept(struct row_layout *l, size_t room)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].kept && l->at[i].width > room)
			l->at[i].width = room;
}

/* Kept columns take what is left. */
static void widen_kept(struct row_layout *l, size_t columns)
{
	for (size_t i = 0; i < l->n; i++)
		while (l->at[i].kept && l->at[i].width < l->at[i].widest && sum_of(l) < columns)
			l->at[i].width++;
}

/*
 * Columns of functions are kept, or else the last column is. They get two fifths of the screen if they need that:
 * other names are narrower, then hidden, and numbers behind names too.
 */
void layout_fit(struct row_layout *l, size_t columns)
{
	size_t nr_kept = 0, room, i;  /* one column is kept at least */

	if (!l->n)
		return;              /* nothing has been measured yet */
	for (i = 0; i < l->n; i++) {
		l->at[i].width = l->at[i].widest;
		l->at[i].hidden = false;
		nr_kept += l->at[i].kept;
	}
	room = columns * 2 / 5 / nr_kept;
	limit_kept(l, room < LEAST_LAST ? LEAST_LAST : room);
	narrow(l, columns, LEAST_NAME, false);
	if (sum_of(l) > columns)
		limit_kept(l, LEAST_LAST);
	while (sum_of(l) > columns && (i = widest_name(l, 0, false)) < l->n)
		l->at[i].hidden = true;
	while (sum_of(l) > columns && (i = last_number(l)) < l->n)
		l->at[i].hidden = true;
	narrow(l, columns, LEAST_NAME, true);
	widen_kept(l, columns);
}

struct row_line {
	char *out;
	size_t n, size, column, columns;
};

static void put(struct row_line *l, const char *text, size_t bytes, size_t columns)
{
	size_t room = l->columns - l->column, used;

	bytes = width_cut(text, bytes, columns < room ? columns : room, &used);
	if (bytes >= l->size - l->n)
		return;
	memcpy(l->out + l->n, text, bytes);
	l->n += bytes;
	l->column += used;
}

static void pad(struct row_line *l, size_t columns)
{
	for (; columns && l->column < l->columns && l->n + 1 < l->size; columns--, l->column++)
		l->out[l->n++] = ' ';
}

size_t layout_put(const struct row_layout *l, size_t level, char sign, const char *cells, size_t columns, char *out,
		  size_t size)
{
	struct row_line line = { .out = out, .size = size, .columns = columns };
	size_t figures = 0;

	pad(&line, LAYOUT_STEP * level);
	put(&line, &sign, 1, 1);
	pad(&line, 1);
	for (size_t i = 0, shown = 0; i < l->n; i++, cells = next_cell(cells)) {
		size_t n = cell_bytes(cells), width = width_of(cells, n);
		bool last = i + 1 == l->n;

		if (l->at[i].hidden)
			continue;
		if (shown++)
			pad(&line, GAP);
		if (width > l->at[i].width)
			width = l->at[i].width;
		if (l->at[i].right)
			pad(&line, l->at[i].width - width);
		put(&line, cells, n, last ? SIZE_MAX : width);
		if (!l->at[i].right && !last)
			pad(&line, l->at[i].width - width);
		if (i + 1 == l->figures)
			figures = line.n;
	}
	line.out[line.n] = '\0';
	return figures;
}
