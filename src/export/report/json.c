/* SPDX-License-Identifier: MIT */
#include "export/report/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "export/frame_name.h"
#include "export/report/group.h"
#include "export/report/table.h"
#include "export/report/text.h"

enum { SCHEMA = 1 };

static void put_frame(struct json *j, const struct report_table *t, uint32_t number)
{
	struct sonde_profile_frame f;

	profile_frame(t->x->profile, number, &f);
	json_member_text(j, "symbol", f.symbol);
	if (!f.symbol)
		frame_put_address(j, &f);
	json_member_text(j, "dso", f.dso);
	frame_put_source(j, &f);
}

/* The place of a node that is an address, and its branches. */
static void put_place(struct json *j, const struct report_table *t, uint32_t node)
{
	const struct frame *f = &t->x->profile->frames.list.at[t->hists.tree.at[node].frame];
	const struct branch_sums *s = report_branches(t, node);

	json_member_text(j, "place", f->srcline);
	if (!s)
		return;
	json_key(j, s->is_target ? "targets" : "sources");
	json_object(j);
	json_member_u64(j, "branches", s->ends);
	if (s->is_target) {
		json_member_u64(j, "predicted", s->predicted);
		json_member_u64(j, "aborted", s->aborted);
	} else {
		json_member_u64(j, "cycles", s->cycles);
		json_member_u64(j, "iterations", s->iterations);
		json_member_u64(j, "iteration_cycles", s->iteration_cycles);
	}
	json_end(j);
}

/* Children come after their parent. "up" is the distance back to the parent; 0: the row. */
static void put_tree(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_key(j, "tree");
	json_array(j);
	for (uint32_t i = row->tree; i < row->tree + row->nr_tree; i++) {
		const struct call_node *b = &t->hists.tree.at[i];

		json_object(j);
		json_member_u64(j, "up", b->parent == UINT32_MAX ? 0 : i - b->parent);
		put_frame(j, t, b->frame);
		if (t->x->profile->frames.by_place)
			put_place(j, t, i);
		json_member_u64(j, "period", b->value);
		json_member_u64(j, "samples", b->samples);
		json_end(j);
	}
	json_end(j);
}

static void put_row(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_object(j);
	for (size_t i = 0; i < t->nr_columns; i++)
		if (t->columns[i].type->put_json)
			t->columns[i].type->put_json(j, t, row);
	json_member_u64(j, "self", row->self);
	if (t->x->report.children)
		json_member_u64(j, "children", row->children);
	json_member_u64(j, "samples", row->samples);
	if (t->x->report.graph)
		put_tree(j, t, row);
	json_end(j);
}

static int put_event(struct json *j, struct export *x, uint32_t event, bool *any)
{
	const struct sonde_profile_event *e = &x->profile->events.at[event];
	struct report_table t;
	int r = report_table_make(&t, x, event);

	if (r == 0) {
		json_object(j);
		json_member_text(j, "event", e->name);
		json_member_u64(j, "samples", e->samples);
		json_member_u64(j, "period", e->period);
		json_member_u64(j, "total", t.hists.total);
		json_key(j, "rows");
		json_array(j);
		for (size_t i = 0; i < t.hists.list.n; i++)
			put_row(j, &t, &t.hists.list.at[i]);
		json_end(j);
		json_end(j);
	}
	*any = *any || t.hists.list.n;
	report_table_free(&t);
	return r;
}

/* The figures of a row for one event of its group; NULL: the event has no such row. */
static void put_of(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	static const struct hist_entry none;

	row = row ? row : &none;
	json_object(j);
	json_member_u64(j, "self", row->self);
	if (t->x->report.children)
		json_member_u64(j, "children", row->children);
	json_member_u64(j, "samples", row->samples);
	json_end(j);
}

static void put_joined_row(struct json *j, const struct report_table *t, const struct hist_entry *row)
{
	json_object(j);
	for (size_t i = 0; i < t->nr_columns; i++)
		if (!t->columns[i].type->figure && t->columns[i].type->put_json)
			t->columns[i].type->put_json(j, t, row);
	json_key(j, "of");
	json_array(j);
	put_of(j, t, row);
	for (size_t i = 0; i < t->nr_members; i++)
		put_of(j, &t->members[i], report_table_member_row(t, row, i));
	json_end(j);
	json_end(j);
}

static void put_group(struct json *j, const struct report_table *t)
{
	const struct sonde_profile_event *e = t->x->profile->events.at;

	json_object(j);
	json_member_text(j, "group", e[e[t->event].leader].group);
	json_key(j, "events");
	json_array(j);
	json_text(j, e[t->event].name);
	for (size_t i = 0; i < t->nr_members; i++)
		json_text(j, e[t->members[i].event].name);
	json_end(j);
	json_key(j, "totals");
	json_array(j);
	json_u64(j, t->hists.total);
	for (size_t i = 0; i < t->nr_members; i++)
		json_u64(j, t->members[i].hists.total);
	json_end(j);
	json_key(j, "rows");
	json_array(j);
	for (size_t i = 0; i < t->hists.list.n; i++)
		put_joined_row(j, t, &t->hists.list.at[i]);
	json_end(j);
	json_end(j);
}

/* The groups whose events stand side by side in the report; those of one event are left out. */
static int put_groups(struct json *j, struct export *x, uint32_t chosen)
{
	uint32_t *events = calloc(x->profile->events.n + 1, sizeof(*events));
	int r = events ? 0 : -SONDE_NOMEM;

	json_key(j, "groups");
	json_array(j);
	for (uint32_t i = 0, end; i < x->profile->events.n && r == 0; i = end) {
		struct report_table t;
		size_t n = group_events(x, i, chosen, events);

		end = i + group_size(x, i);
		if (n < 2)
			continue;
		r = group_make(&t, x, events, n);
		if (r == 0)
			put_group(j, &t);
		report_table_free(&t);
	}
	json_end(j);
	free(events);
	return r;
}

/* The basic blocks in place of rows. */
static void put_blocks(struct json *j, const struct sonde_profile *p)
{
	json_member_u64(j, "cycles", p->blocks.cycles);
	json_key(j, "blocks");
	json_array(j);
	for (size_t i = 0; i < p->found.block_rows.n; i++) {
		const struct sonde_profile_block *b = &p->found.block_rows.at[i];

		json_object(j);
		json_member_text(j, "symbol", b->symbol);
		json_member_text(j, "dso", b->dso_name);
		json_member_u64(j, "start", b->start);
		json_member_u64(j, "end", b->end);
		json_member_text(j, "start_place", b->start_place);
		json_member_text(j, "end_place", b->end_place);
		json_member_u64(j, "runs", b->runs);
		json_member_u64(j, "cycles", b->cycles);
		json_end(j);
	}
	json_end(j);
}

int export_json(struct export *x)
{
	struct json j = json_new(x->out);
	int chosen = export_event(x), r = chosen < 0 ? chosen : 0;
	bool any = false;

	if (r < 0)
		return r;
	json_object(&j);
	json_member_u64(&j, "schema", SCHEMA);
	if (x->report.blocks) {
		put_blocks(&j, x->profile);
		json_end(&j);
		buf_char(x->out, '\n');
		return x->profile->found.block_rows.n > 0;
	}
	json_key(&j, "events");
	json_array(&j);
	for (uint32_t i = 0; i < x->profile->events.n && r == 0; i++)
		if (x->profile->events.at[i].samples && (!export_names_event(x) || (uint32_t)chosen == i))
			r = put_event(&j, x, i, &any);
	json_end(&j);
	if (r == 0)
		r = put_groups(&j, x, (uint32_t)chosen);
	json_end(&j);
	buf_char(x->out, '\n');
	return r < 0 ? r : any;
}
