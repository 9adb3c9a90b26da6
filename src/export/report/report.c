/* SPDX-License-Identifier: MIT */
#include "export/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "export/report/branch_lines.h"
#include "export/report/chains.h"
#include "export/report/group.h"
#include "export/report/hierarchy.h"
#include "export/report/lines.h"
#include "export/report/memory_shares.h"
#include "export/report/text.h"
#include "export/stack_ends.h"
#include "export/weights.h"

/* "--- D-TLB ----", in the middle where there is room. */
static void put_heading(struct buf *b, const char *heading, uint32_t width)
{
	uint32_t n = (uint32_t)strlen(heading);

	if (width < n + 4) {
		buf_pad(b, ' ', width > n ? width - n : 0);
		buf_str(b, heading);
		return;
	}
	buf_pad(b, '-', (width - n - 2) / 2);
	buf_char(b, ' ');
	buf_str(b, heading);
	buf_char(b, ' ');
	buf_pad(b, '-', width - n - 2 - (width - n - 2) / 2);
}

/* A line of the head: something as wide as its column for each column that is shown. */
static void put_line(struct buf *b, const struct report_table *t,
		     void (*put)(struct buf *, const struct report_table *, size_t i))
{
	buf_str(b, "# ");
	for (size_t i = 0, shown = 0; i < t->nr_columns; i++) {
		if (t->columns[i].hidden)
			continue;
		if (shown++)
			buf_str(b, "  ");
		put(b, t, i);
	}
	buf_char(b, '\n');
}

static void put_heading_of(struct buf *b, const struct report_table *t, size_t i)
{
	if (memory_share_title(t, t->columns[i].type))
		put_heading(b, t->columns[i].type->title, report_width(t, i));
	else
		buf_pad(b, ' ', report_width(t, i));
}

static void put_dots(struct buf *b, const struct report_table *t, size_t i)
{
	buf_pad(b, '.', report_width(t, i));
}

/* Shares of memory have a title of their own above those of their parts. */
static bool has_headings(const struct report_table *t)
{
	for (size_t i = 0; i < t->nr_columns; i++)
		if (memory_share_title(t, t->columns[i].type))
			return !t->x->report.separator;
	return false;
}

static void put_head(struct buf *b, const struct report_table *t)
{
	if (has_headings(t))
		put_line(b, t, put_heading_of);
	buf_str(b, "# ");
	report_put_row(b, t, NULL);
	if (t->x->report.separator)
		return;
	put_line(b, t, put_dots);
	buf_str(b, "#\n");
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
static void put_hidden(struct buf *b, const struct report_table *t)
{
	const struct export *x = t->x;
	bool any = false;

	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct column *c = &t->columns[i];
		const char *value;

		if (!c->hidden)
			continue;
		value = c->type->filter == COLUMN_FILTER_COMM ? x->profile->kept.comms.at[0] :
			c->type->filter == COLUMN_FILTER_DSO  ? x->opts.dsos[0] : x->report.symbols[0];
		any = true;
		buf_printf(b, "# %s: ", c->type->what.name);
		buf_text(b, value, strlen(value));
		buf_char(b, '\n');
	}
	if (any)
		buf_str(b, "#\n");
}

static void put_event_name(struct buf *b, const struct report_table *t)
{
	const char *name = t->x->profile->events.at[t->event].name;

	buf_text(b, name, strlen(name));
}

/* "anon group { cycles, instructions }"; "cycles, instructions" where an option makes all events a group */
static void put_events(struct buf *b, const struct report_table *t)
{
	const struct sonde_profile_event *e = t->x->profile->events.at;
	const char *group = e[e[t->event].leader].group;

	buf_str(b, " of events '");
	if (!t->x->report.group_all) {
		group = group ? group : "anon group";
		buf_text(b, group, strlen(group));
		buf_str(b, " { ");
	}
	put_event_name(b, t);
	for (size_t i = 0; i < t->nr_members; i++) {
		buf_str(b, ", ");
		put_event_name(b, &t->members[i]);
	}
	buf_str(b, t->x->report.group_all ? "'" : " }'");
}

static struct weight shown_weight(const struct report_table *t)
{
	const struct sonde_profile_event *e = &t->x->profile->events.at[t->event];

	if (t->x->report.of_shown)     /* rows of branches do not tell how many samples these are of */
		return (struct weight){ t->hists.total,
					t->x->profile->kept.branches ? e->samples : t->hists.samples };
	return (struct weight){ e->all_period, e->all_samples };
}

static void put_event(struct buf *b, const struct report_table *t)
{
	const struct sonde_profile_event *e = &t->x->profile->events.at[t->event];
	struct weight sum = shown_weight(t);

	for (size_t i = 0; i < t->nr_members; i++)
		weight_add(&sum, shown_weight(&t->members[i]));
	put_hidden(b, t);
	buf_str(b, "# Samples: ");
	put_rounded(b, sum.samples);
	if (t->nr_members) {
		put_events(b, t);
	} else {
		buf_str(b, " of event '");
		put_event_name(b, t);
		buf_char(b, '\'');
	}
	buf_str(b, t->x->profile->kept.weights ? "\n# Total weight : " : "\n# Event count (approx.): ");
	buf_u64(b, sum.period);
	if (!t->x->profile->kept.weights && weight_is_off_cpu(e))
		buf_printf(b, " ns = %.3f ms off the CPU", (double)sum.period / 1e6);
	if (t->x->profile->kept.weights) {
		const char *sort = t->x->report.sort ? t->x->report.sort : report_table_usual_keys(t);

		buf_str(b, "\n# Sort order   : ");
		buf_text(b, sort, strlen(sort));
	}
	if (e->unwound_complete + e->unwound_cut + e->unwound_no_table + e->unwound_error + e->unwound_uretprobe) {
		buf_str(b, "\n# Stacks: ");
		stack_ends_put(b, e);
	}
	buf_str(b, "\n#\n");
}

static int put_rows(struct buf *b, const struct report_table *t)
{
	int r = 0;

	if (!t->x->report.no_header)
		put_head(b, t);
	for (size_t i = 0; i < t->hists.list.n && r == 0; i++) {
		const struct hist_entry *row = &t->hists.list.at[i];

		if (!t->x->report.separator)
			buf_str(b, "  ");
		report_put_row(b, t, row);
		r = report_put_chains(b, t, row);
	}
	return r;
}

/* 1, 0 if no row was shown, or negative. */
static int put_table(struct buf *b, struct report_table *t)
{
	int r;

	if (!t->x->report.no_header)
		put_event(b, t);
	if (t->x->report.hierarchy)
		return report_put_hierarchy(b, t);
	r = put_rows(b, t);
	return r < 0 ? r : t->hists.list.n > 0;
}

static int put_tables(struct export *x, uint32_t chosen, uint32_t *events)
{
	struct report_table t;
	bool another = false, any = false;
	int r;

	for (uint32_t i = 0, end; i < x->profile->events.n; i = end) {
		size_t n = group_events(x, i, chosen, events);

		end = i + group_size(x, i);
		if (!n)
			continue;
		if (another)
			buf_str(x->out, "\n\n");
		another = true;
		r = group_make(&t, x, events, n);
		if (r == 0)
			r = put_table(x->out, &t);
		any = any || r > 0;
		report_table_free(&t);
		if (r < 0)
			return r;
	}
	return any;
}

int export_report(struct export *x)
{
	uint32_t *events;
	int r = export_event(x);

	if (r < 0)
		return r;
	events = calloc(x->profile->events.n + 1, sizeof(*events));
	if (!events)
		return -SONDE_NOMEM;
	r = put_tables(x, (uint32_t)r, events);
	if (r >= 0 && !x->report.no_header && !x->report.separator)
		report_put_branch_kinds(x->out, &x->profile->branch_kinds);
	free(events);
	return r;
}
