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

static void measure_cells(struct layout *l, const char *cells, bool title)
{
	for (size_t i = 0; i < l->n; i++, cells = next_cell(cells)) {
		size_t n = cell_bytes(cells), width = width_of(cells, n);

		if (width > l->at[i].widest)
			l->at[i].widest = width;
		if (!title && strspn(cells, "0123456789.%+-") < n)
			l->at[i].right = false;
	}
}

void layout_measure(struct layout *l, const struct rows *r)
{
	const char *titles = r->titles ? r->titles : "";

	*l = (struct layout){ .n = 1 };
	for (const char *p = titles; (p = strchr(p, '\t')) && l->n < LAYOUT_COLUMNS; p++)
		l->n++;
	for (size_t i = 0; i < l->n; i++)
		l->at[i].right = true;
	measure_cells(l, titles, true);
	for (size_t i = 0; i < r->nr_rows; i++)
		measure_cells(l, r->rows[i].text, false);
	if (r->levels)
		l->at[l->n - 1].right = false;
	while (l->figures < l->n && l->at[l->figures].right)
		l->figures++;
}

/* The columns of all cells but the last one. */
static size_t before_last(const struct layout *l)
{
	size_t sum = SIGN_COLUMNS;

	for (size_t i = 0; i + 1 < l->n; i++)
		sum += l->at[i].hidden ? 0 : l->at[i].width + GAP;
	return sum;
}

/* The widest name that may be cut, but for the last one; l->n if there is none. */
static size_t widest_name(const struct layout *l, size_t least)
{
	size_t found = l->n;

	for (size_t i = 0; i + 1 < l->n; i++)
		if (!l->at[i].right && !l->at[i].hidden && l->at[i].width > least &&
		    (found == l->n || l->at[i].width > l->at[found].width))
			found = i;
	return found;
}

/* The last name, mostly the function, gets two fifths of the screen if it needs that. */
void layout_fit(struct layout *l, size_t columns)
{
	size_t last = l->at[l->n - 1].widest, room = columns * 2 / 5, i;

	for (i = 0; i < l->n; i++) {
		l->at[i].width = l->at[i].widest;
		l->at[i].hidden = false;
	}
	if (room < LEAST_LAST)
		room = LEAST_LAST;
	if (last < room)
		room = last;
	while (before_last(l) + room > columns && (i = widest_name(l, LEAST_NAME)) < l->n)
		l->at[i].width--;
	if (room > LEAST_LAST)
		room = LEAST_LAST;
	while (before_last(l) + room > columns && (i = widest_name(l, 0)) < l->n)
		l->at[i].hidden = true;
}

struct line {
	char *out;
	size_t n, size, column, columns;
};

static void put(struct line *l, const char *text, size_t bytes, size_t columns)
{
	size_t room = l->columns - l->column, used;

	bytes = width_cut(text, bytes, columns < room ? columns : room, &used);
	if (bytes >= l->size - l->n)
		return;
	memcpy(l->out + l->n, text, bytes);
	l->n += bytes;
	l->column += used;
}

static void pad(struct line *l, size_t columns)
{
	for (; columns && l->column < l->columns && l->n + 1 < l->size; columns--, l->column++)
		l->out[l->n++] = ' ';
}

size_t layout_put(const struct layout *l, size_t level, char sign, const char *cells, size_t columns, char *out,
		  size_t size)
{
	struct line line = { .out = out, .size = size, .columns = columns };
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
