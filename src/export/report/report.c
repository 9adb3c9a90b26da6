/* SPDX-License-Identifier: MIT */
#include "export/report/report.h"

#include <string.h>

#include "export/report/chains.h"
#include "export/report/hierarchy.h"
#include "export/report/lines.h"
#include "export/report/text.h"
#include "export/stack_ends.h"

static void put_head(struct buf *b, const struct table *t)
{
	buf_str(b, "# ");
	report_put_row(b, t, NULL);
	if (t->x->opts.separator)
		return;
	buf_str(b, "# ");
	for (size_t i = 0, shown = 0; i < t->nr_columns; i++) {
		if (t->columns[i].hidden)
			continue;
		if (shown++)
			buf_str(b, "  ");
		buf_pad(b, '.', report_width(t, i));
	}
	buf_str(b, "\n#\n");
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

/* Names the values that filters make the same in all rows. */
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
	put_rounded(b, t->x->opts.of_shown ? t->hists.samples : e->samples);
	buf_str(b, " of event '");
	buf_text(b, e->name, strlen(e->name));
	buf_str(b, t->x->profile->weights ? "'\n# Total weight : " : "'\n# Event count (approx.): ");
	buf_u64(b, t->x->opts.of_shown ? t->hists.total : e->period);
	if (t->x->profile->weights) {
		const char *sort = t->x->opts.sort ? t->x->opts.sort : table_usual_keys(t);

		buf_str(b, "\n# Sort order   : ");
		buf_text(b, sort, strlen(sort));
	}
	if (e->unwound_complete + e->unwound_cut + e->unwound_no_table + e->unwound_error + e->unwound_uretprobe) {
		buf_str(b, "\n# Stacks: ");
		stack_ends_put(b, e);
	}
	buf_str(b, "\n#\n");
}

static int put_rows(struct buf *b, const struct table *t)
{
	int r = 0;

	if (!t->x->opts.no_header)
		put_head(b, t);
	for (size_t i = 0; i < t->hists.list.n && r == 0; i++) {
		const struct hist_entry *row = &t->hists.list.at[i];

		if (!t->x->opts.separator)
			buf_str(b, "  ");
		report_put_row(b, t, row);
		r = report_put_chains(b, t, row);
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
		any = any || t.hists.list.n;
		table_free(&t);
		if (failed < 0)
			return failed;
	}
	return any;
}
