/* SPDX-License-Identifier: MIT */
#include "cli/rows/grid_draw.h"

#include <stdio.h>
#include <string.h>

#include "cli/screen/screen.h"
#include "cli/screen/theme.h"
#include "cli/screen/width.h"

enum { LINE_BYTES = 8192, NODE_MARGIN = 4 };

/* Returns how many bytes at the start have the colour of the share. */
static size_t put_node(const struct grid *t, const struct rows_line *line, char *out)
{
	const struct row *row = &t->rows.rows[line->row];
	const struct rows_node *n = &row->nodes[line->node];
	size_t columns = (size_t)screen_columns(), used, bytes;
	size_t margin = NODE_MARGIN + LAYOUT_STEP * ((size_t)row->level + n->level);
	char sign = rows_sign(&t->rows, line);
	int at;

	if (margin > columns / 2)
		margin = columns / 2;
	if (n->chained)
		at = snprintf(out, LINE_BYTES, "%*s", (int)margin + 10, "");
	else
		at = snprintf(out, LINE_BYTES, "%*s%c %6.2f%% ", (int)margin, "", sign, n->percent);
	bytes = width_cut(n->text, strlen(n->text), columns, &used);
	snprintf(out + at, LINE_BYTES - (size_t)at, "%.*s%s%s", (int)bytes, n->text, t->binaries ? "  " : "",
		 t->binaries ? n->dso : "");
	return n->chained ? 0 : (size_t)at;
}

static void draw_line(const struct grid *t, int screen_row, size_t i)
{
	const struct rows_line *line = &t->rows.lines[i];
	const struct row *row = &t->rows.rows[line->row];
	char text[LINE_BYTES];
	double percent = row->percent;
	size_t head;

	if (line->node == ROWS_NO_NODE) {
		head = layout_put(&t->layout, row->level, rows_sign(&t->rows, line), row->text,
				  (size_t)screen_columns(), text, sizeof(text));
	} else {
		head = put_node(t, line, text);
		percent = row->nodes[line->node].percent;
	}
	if (i == t->list.selected)
		screen_line(screen_row, SCREEN_SELECTED, text);
	else
		screen_line_with_head(screen_row, theme_style_of(percent), head, SCREEN_PLAIN, text);
}

static void draw_bottom(struct grid *t)
{
	char text[1024], zoom[512], limit[64] = "";

	if (*t->notice) {
		screen_line(screen_rows() - 1, SCREEN_WARNING, t->notice);
		return;
	}
	zoom_describe(&t->zoom, zoom, sizeof(zoom));
	if (t->report.percent_limit > 0)
		snprintf(limit, sizeof(limit), "  from %g%%", t->report.percent_limit);
	snprintf(text, sizeof(text), "%sh help  q quit%s%s%s%s", t->state, zoom, *t->sort ? "  by " : "", t->sort,
		 limit);
	screen_line(screen_rows() - 1, SCREEN_TITLE, text);
}

static void draw_titles(const struct grid *t)
{
	char text[LINE_BYTES] = "";

	if (t->rows.titles)
		layout_put(&t->layout, 0, ' ', t->rows.titles, (size_t)screen_columns(), text, sizeof(text));
	screen_line(1, SCREEN_TITLE, text);
}

static const char *why_empty(const struct grid *t)
{
	if (t->zoom.n || t->report.percent_limit > 0)
		return "  no row passes the filters (Esc: back)";
	return t->empty;
}

void grid_draw(struct grid *t)
{
	int first = t->no_titles ? 1 : 2, rows = screen_rows() - first - 1;

	t->list.height = rows > 0 ? (size_t)rows : 1;
	list_settle(&t->list);
	layout_fit(&t->layout, (size_t)screen_columns());
	screen_line(0, SCREEN_PLAIN, t->heading);
	if (!t->no_titles)
		draw_titles(t);
	for (int i = 0; i < rows; i++) {
		size_t line = t->list.top + (size_t)i;

		if (line < t->rows.nr_lines)
			draw_line(t, first + i, line);
		else
			screen_line(first + i, SCREEN_PLAIN, "");
	}
	if (!t->rows.nr_lines)
		screen_line(first, SCREEN_FAINT, why_empty(t));
	draw_bottom(t);
	screen_show();
}
