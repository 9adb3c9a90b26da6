/* SPDX-License-Identifier: MIT */
/* report.c - a table of rows and the call trees below them, as `perf report --stdio` shows them. */
#include <stdlib.h>
#include <string.h>

#include "export/frame_name.h"
#include "export/report_text.h"

/* How wide a column is: what --column-widths says, else what its texts need. */
static uint32_t width_of(const struct table *t, size_t column)
{
	const char *list = t->x->opts.widths ? t->x->opts.widths : "";
	size_t shown = 0;
	unsigned long width;

	for (size_t i = 0; i < column; i++)
		shown += !t->columns[i].hidden;
	for (; shown && (list = strchr(list, ',')); shown--)
		list++;
	width = list ? strtoul(list, NULL, 10) : 0;
	return width && width < UINT16_MAX && !t->columns[column].type->figure ? (uint32_t)width : t->columns[column].width;
}

/* A text in its column. Text that is too long for a given width is cut. */
static void put_padded(struct buf *b, const struct table *t, size_t column, const struct buf *text)
{
	const struct column_type *type = t->columns[column].type;
	uint32_t width = width_of(t, column);
	size_t n = text->n < width || !t->x->opts.widths || type->figure ? text->n : width;

	if (type->right && n < width)
		buf_pad(b, ' ', width - n);
	buf_put(b, text->p, n);
	if (!type->right && n < width && !(type->ragged && column + 1 == t->nr_columns))
		buf_pad(b, ' ', width - n);
}

/* Without padding; a separator inside would begin another column. */
static void put_separated(struct buf *b, const struct table *t, const struct buf *text)
{
	size_t from = 0;

	while (from < text->n && text->p[from] == ' ')
		from++;
	for (size_t i = from; i < text->n; i++)
		buf_char(b, text->p[i] == t->x->opts.separator ? '.' : text->p[i]);
}

/* As perf does; NULL for what is not worth one, and between separators. */
static const char *colour_of(const struct table *t, double percent)
{
	if (!t->x->opts.colour || t->x->opts.separator || percent < 0.5)
		return NULL;
	return percent < 5 ? "\033[32m" : "\033[31m";
}

/* Of the text of a cell, "12.34%"; other figures have no sign. */
static const char *colour_of_text(const struct table *t, const struct buf *text)
{
	unsigned hundredths = 0;

	if (text->n == 0 || text->p[text->n - 1] != '%')
		return NULL;
	for (size_t i = 0; i + 1 < text->n; i++)
		if (text->p[i] >= '0' && text->p[i] <= '9')
			hundredths = 10 * hundredths + (unsigned)(text->p[i] - '0');
	return colour_of(t, hundredths / 100.0);
}

void report_put_cell(struct buf *b, const struct table *t, size_t column, const struct row *row)
{
	const struct column_type *type = t->columns[column].type;
	struct buf text = BUF_MEMORY;
	const char *colour = NULL;

	if (row)
		type->put(&text, t, row);
	else
		buf_str(&text, table_title(t, &t->columns[column]));
	if (row && type->figure)
		colour = colour_of_text(t, &text);
	if (colour)
		buf_str(b, colour);
	if (text.failed)
		buf_take_failure(b, &text);
	else if (t->x->opts.separator)
		put_separated(b, t, &text);
	else if (!row && type->ragged)
		buf_str_left(b, text.p, text.n, (int)width_of(t, column));
	else
		put_padded(b, t, column, &text);
	if (colour)
		buf_str(b, "\033[m");
	buf_free(&text);
}

/* A line of cells: of titles where row is NULL. */
static void put_line(struct buf *b, const struct table *t, const struct row *row)
{
	const char separator[2] = { t->x->opts.separator, 0 };

	for (size_t i = 0, shown = 0; i < t->nr_columns; i++) {
		if (t->columns[i].hidden)
			continue;
		if (shown++)
			buf_str(b, *separator ? separator : "  ");
		report_put_cell(b, t, i, row);
	}
	buf_char(b, '\n');
}

static void put_head(struct buf *b, const struct table *t)
{
	buf_str(b, "# ");
	put_line(b, t, NULL);
	if (t->x->opts.separator)
		return;
	buf_str(b, "# ");
	for (size_t i = 0, shown = 0; i < t->nr_columns; i++) {
		if (t->columns[i].hidden)
			continue;
		if (shown++)
			buf_str(b, "  ");
		buf_pad(b, '.', width_of(t, i));
	}
	buf_str(b, "\n#\n");
}

void report_put_function(struct buf *b, const struct table *t, uint32_t frame)
{
	struct sonde_profile_frame f;

	sonde_profile_frame(t->x->profile, frame, &f);
	if (f.symbol)
		buf_text(b, f.symbol, strlen(f.symbol));
	else if (f.size)
		frame_put_nameless(b, &f);
	else
		buf_printf(b, f.addr ? "0x%llx" : "%llx", (unsigned long long)f.addr);
}

void report_put_value(struct buf *b, const struct table *t, struct weight w, uint64_t whole)
{
	const char *colour;
	double percent;

	switch (t->x->opts.graph_value) {
	case SONDE_GRAPH_PERIOD:
		buf_u64(b, w.period);
		return;
	case SONDE_GRAPH_COUNT:
		buf_u64(b, w.samples);
		return;
	case SONDE_GRAPH_PERCENT:
		break;
	}
	percent = whole ? 100.0 * (double)w.period / (double)whole : 0;
	colour = t->x->opts.graph_style == SONDE_GRAPH_FOLDED ? NULL : colour_of(t, percent);
	buf_printf(b, "%s%.2f%%%s", colour ? colour : "", percent, colour ? "\033[m" : "");
}

int report_put_graph(struct buf *b, const struct table *t, const struct row *row)
{
	switch (t->x->opts.graph_style) {
	case SONDE_GRAPH_FLAT:
	case SONDE_GRAPH_FOLDED:
		return report_put_stacks(b, t, row);
	case SONDE_GRAPH_TREE:
	case SONDE_GRAPH_FRACTAL:
		break;
	}
	return report_put_tree(b, t, row);
}

static const struct { uint64_t least, unit; char letter; } units[] = {
	{ 1000000001, 1000000000, 'G' }, { 1000001, 1000000, 'M' }, { 1001, 1000, 'K' },
};

/* "10K" */
static void put_rounded(struct buf *b, uint64_t n)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (n >= units[i].least) {
			buf_u64(b, n / units[i].unit);
			buf_char(b, units[i].letter);
			return;
		}
	buf_u64(b, n);
	buf_char(b, ' ');
}

/* What all rows have in common, because a filter says so. */
static void put_hidden(struct buf *b, const struct table *t)
{
	const struct sonde_export_opts *o = &t->x->opts;
	bool any = false;

	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct column *c = &t->columns[i];
		const char *value;

		if (!c->hidden)
			continue;
		value = c->type->filter == COLUMN_FILTER_COMM ? t->x->profile->comms.at[0] :
			c->type->filter == COLUMN_FILTER_DSO  ? o->dsos[0] : o->symbols[0];
		any = true;
		buf_printf(b, "# %s: ", c->type->what.name);
		buf_text(b, value, strlen(value));
		buf_char(b, '\n');
	}
	if (any)
		buf_str(b, "#\n");
}

static void put_event(struct buf *b, const struct table *t)
{
	const struct sonde_profile_event *e = &t->x->profile->events.at[t->event];

	put_hidden(b, t);
	buf_str(b, "# Samples: ");
	put_rounded(b, t->x->opts.of_shown ? t->rows.samples : e->samples);
	buf_str(b, " of event '");
	buf_text(b, e->name, strlen(e->name));
	buf_str(b, "'\n# Event count (approx.): ");
	buf_u64(b, t->x->opts.of_shown ? t->rows.total : e->period);
	buf_str(b, "\n#\n");
}

static int put_rows(struct buf *b, const struct table *t)
{
	int r = 0;

	if (!t->x->opts.no_header)
		put_head(b, t);
	for (size_t i = 0; i < t->rows.list.n && r == 0; i++) {
		const struct row *row = &t->rows.list.at[i];

		if (!t->x->opts.separator)
			buf_str(b, "  ");
		put_line(b, t, row);
		r = report_put_graph(b, t, row);
	}
	return r;
}

static int put_table(struct buf *b, struct table *t)
{
	if (!t->x->opts.no_header)
		put_event(b, t);
	return t->x->opts.hierarchy ? report_put_hierarchy(b, t) : put_rows(b, t);
}

int export_report(struct export *x)
{
	struct table t;
	bool another = false, any = false;
	int r = export_event(x), failed;

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < x->profile->events.n; i++) {
		if (!x->profile->events.at[i].samples || (x->opts.event && (uint32_t)r != i))
			continue;
		if (another)
			buf_str(x->out, "\n\n");
		another = true;
		failed = table_make(&t, x, i);
		if (failed == 0)
			failed = put_table(x->out, &t);
		any = any || t.rows.list.n;
		table_free(&t);
		if (failed < 0)
			return failed;
	}
	return any;
}
