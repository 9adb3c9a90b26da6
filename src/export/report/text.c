/* SPDX-License-Identifier: MIT */
/* text.c - cells, functions and shares of a report's tables and trees */
#include "export/report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/frame_name.h"

/* The width of a column: that of --column-widths, else that of its longest text. */
uint32_t report_width(const struct report_table *t, size_t column)
{
	const char *list = t->x->report.widths ? t->x->report.widths : "";
	size_t shown = 0;
	unsigned long width;

	for (size_t i = 0; i < column; i++)
		shown += !t->columns[i].hidden;
	for (; shown && (list = strchr(list, ',')); shown--)
		list++;
	width = list ? strtoul(list, NULL, 10) : 0;
	return width && width < UINT16_MAX && !t->columns[column].type->figure ? (uint32_t)width :
										 t->columns[column].width;
}

/* Puts a text into its column. A text that is too long for a given width is cut. */
static void put_padded(struct buf *b, const struct report_table *t, size_t column, const struct buf *text)
{
	const struct column_type *type = t->columns[column].type;
	uint32_t width = report_width(t, column);
	size_t n = text->n < width || !t->x->report.widths || type->figure ? text->n : width;

	if (type->right && n < width)
		buf_pad(b, ' ', width - n);
	buf_put(b, text->p, n);
	if (!type->right && n < width && !(type->ragged && column + 1 == t->nr_columns))
		buf_pad(b, ' ', width - n);
}

/* Replaces separators in a text, which would begin another column; there is no padding. */
static void put_separated(struct buf *b, const struct report_table *t, const struct buf *text)
{
	size_t from = 0;

	while (from < text->n && text->p[from] == ' ')
		from++;
	for (size_t i = from; i < text->n; i++)
		buf_char(b, text->p[i] == t->x->report.separator ? '.' : text->p[i]);
}

/* Colours as perf; NULL for small shares, and between separators. */
static const char *colour_of(const struct report_table *t, double percent)
{
	if (!t->x->report.colour || t->x->report.separator || percent < 0.5)
		return NULL;
	return percent < 5 ? "\033[32m" : "\033[31m";
}

/* Colours "12.34%"; other figures have no percent sign. */
static const char *colour_of_text(const struct report_table *t, const struct buf *text)
{
	unsigned hundredths = 0;

	if (text->n == 0 || text->p[text->n - 1] != '%' || memchr(text->p, '%', text->n - 1))
		return NULL;
	for (size_t i = 0; i + 1 < text->n; i++)
		if (text->p[i] >= '0' && text->p[i] <= '9')
			hundredths = 10 * hundredths + (unsigned)(text->p[i] - '0');
	return colour_of(t, hundredths / 100.0);
}

/* A figure of each event of a group; row NULL: the title, which each has between separators. */
static void put_figures(struct buf *b, const struct report_table *t, size_t column, const struct hist_entry *row)
{
	static const struct hist_entry none;
	const struct column_type *type = t->columns[column].type;
	size_t width = t->columns[column].width / (t->nr_members + 1);
	struct buf *text = t->cell;

	for (size_t i = 0; i <= t->nr_members; i++) {
		const struct hist_entry *own = i && row ? report_table_member_row(t, row, i - 1) : row;
		const char *colour;

		text->n = 0;
		if (row)
			type->put(text, i ? &t->members[i - 1] : t, own ? own : &none);
		else
			buf_str(text, report_table_title(t, &t->columns[column]));
		colour = colour_of_text(t, text);
		if (colour)
			buf_str(b, colour);
		if (i && t->x->report.separator)
			buf_char(b, t->x->report.separator);
		else if (!t->x->report.separator && text->n < width)
			buf_pad(b, ' ', (uint32_t)(width - text->n));
		buf_put(b, text->p, text->n);
		if (colour)
			buf_str(b, "\033[m");
		if (text->failed)
			buf_take_failure(b, text);
	}
	text->n = 0;
}

void report_put_cell(struct buf *b, const struct report_table *t, size_t column, const struct hist_entry *row)
{
	const struct column_type *type = t->columns[column].type;
	struct buf *text = t->cell;
	const char *colour = NULL;

	if (type->figure && t->nr_members && (row || t->x->report.separator)) {
		put_figures(b, t, column, row);
		return;
	}
	if (row)
		type->put(text, t, row);
	else
		buf_str(text, report_table_title(t, &t->columns[column]));
	if (row && type->figure)
		colour = colour_of_text(t, text);
	if (colour)
		buf_str(b, colour);
	if (text->failed)
		buf_take_failure(b, text);
	else if (t->x->report.separator)
		put_separated(b, t, text);
	else if (!row && type->ragged)
		buf_str_left(b, text->p, text->n, (int)report_width(t, column));
	else
		put_padded(b, t, column, text);
	if (colour)
		buf_str(b, "\033[m");
	text->n = 0;
}

/* The line of an address in a function with a name; without one its offset: "div.c:42", "+34". */
static void put_place(struct buf *b, const struct frame *f)
{
	const char *place = f->file ? f->srcline : f->srcline ? strrchr(f->srcline, '+') : NULL;

	if (place) {
		buf_char(b, ' ');
		buf_text(b, place, strlen(place));
	}
}

void report_put_function(struct buf *b, const struct report_table *t, uint32_t frame)
{
	struct sonde_profile_frame f;

	profile_frame(t->x->profile, frame, &f);
	if (f.symbol)
		buf_text(b, f.symbol, strlen(f.symbol));
	else if (f.size)
		frame_put_nameless(b, &f);
	else
		buf_printf(b, f.addr ? "0x%llx" : "%llx", (unsigned long long)f.addr);
	if (t->opts.graph_lines) {
		const char *file = f.file ? f.file : "??";

		buf_char(b, ' ');
		buf_text(b, file, strlen(file));
		buf_printf(b, ":%u", f.line);
	}
	if (t->x->profile->frames.by_place && f.symbol)
		put_place(b, &t->x->profile->frames.list.at[frame]);
	frame_put_inlined(b, &f);
}

static void put_target(struct buf *b, const struct branch_sums *s)
{
	double ends = (double)s->ends;

	if (s->predicted < s->ends && s->aborted)
		buf_printf(b, " (predicted:%.1f%% abort:%.1f%%)", 100.0 * (double)s->predicted / ends,
			   100.0 * (double)s->aborted / ends);
	else if (s->predicted < s->ends)
		buf_printf(b, " (predicted:%.1f%%)", 100.0 * (double)s->predicted / ends);
	else if (s->aborted)
		buf_printf(b, " (abort:%.1f%%)", 100.0 * (double)s->aborted / ends);
}

/* As perf, which does not count the first sample of a node: turns of a loop are for each of the others. */
static void put_source(struct buf *b, const struct branch_sums *s)
{
	uint64_t cycles = s->cycles / s->ends, turns = s->ends > 1 ? s->iterations / (s->ends - 1) : 0;

	if (cycles)
		buf_printf(b, " (cycles:%" PRIu64, cycles);
	if (turns)
		buf_printf(b, "%siter:%" PRIu64 " avg_cycles:%" PRIu64, cycles ? " " : " (", turns,
			   s->iteration_cycles / s->iterations);
	if (cycles || turns)
		buf_char(b, ')');
}

const struct branch_sums *report_branches(const struct report_table *t, uint32_t node)
{
	const struct hists *h = &t->hists;

	return node < h->branches.n && h->branches.at[node].ends ? &h->branches.at[node] : NULL;
}

void report_put_node(struct buf *b, const struct report_table *t, uint32_t node)
{
	const struct branch_sums *branches = report_branches(t, node);

	report_put_function(b, t, t->hists.tree.at[node].frame);
	if (branches && branches->is_target)
		put_target(b, branches);
	else if (branches)
		put_source(b, branches);
	else if (t->x->profile->frames.branch_ends.n)
		buf_str(b, " (calltrace)");
}

void report_put_value(struct buf *b, const struct report_table *t, struct weight w, uint64_t whole)
{
	const char *colour;
	double percent;

	switch (t->x->report.graph_value) {
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
	colour = t->x->report.graph_style == SONDE_GRAPH_FOLDED ? NULL : colour_of(t, percent);
	buf_printf(b, "%s%.2f%%%s", colour ? colour : "", percent, colour ? "\033[m" : "");
}
