/* SPDX-License-Identifier: MIT */
#include "export/report/table.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "export/report/memory_shares.h"
#include "export/report/trace_columns.h"

/* The default expression for parents, as perf has it. */
#define USUAL_PARENT "^sys_|^do_page_fault"

const char *report_table_title(const struct report_table *t, const struct column *c)
{
	if (!c->type->title)
		return trace_column_title(t, c->type);
	if (memory_share_title(t, c->type))
		return memory_share_title(t, c->type);
	return t->opts.children && !t->all_named && c->type == COLUMN("overhead") ? "Self" : c->type->title;
}

static int add_column(struct report_table *t, const struct column_type *type)
{
	for (size_t i = 0; i < t->nr_columns; i++)
		if (t->columns[i].type == type)
			return 0;
	if (t->nr_columns == COLUMNS_MAX)
		return err_set(t->x->err, SONDE_USAGE, SONDE_NONE, "more than %d columns", COLUMNS_MAX);
	t->columns[t->nr_columns++] = (struct column){ .type = type };
	return 0;
}

static void add_order(struct report_table *t, const struct column_type *type)
{
	for (size_t i = 0; i < t->opts.nr_orders; i++)
		if (t->orders[i] == type->order)
			return;
	if (t->opts.nr_orders < COLUMNS_MAX)
		t->orders[t->opts.nr_orders++] = type->order;
}

static int add_type(struct report_table *t, const struct column_type *type, bool order)
{
	int r = add_column(t, type);

	if (order)
		add_order(t, type);
	return r;
}

/* Adds the fields of the event's tracepoint that a word names; other events may have them. */
static int add_trace_columns(struct report_table *t, const char *word, size_t len, bool order)
{
	const struct column_type *type;
	int r = 0;

	if (!trace_fields_has(&t->x->profile->trace_fields, word, len))
		return err_set(t->x->err, SONDE_USAGE, SONDE_NONE, "there is no column '%.*s'", (int)len, word);
	for (size_t i = 0; (type = trace_column_at(t, i)) && r == 0; i++)
		if (trace_column_is_named(t, i, word, len))
			r = add_type(t, type, order);
	return r;
}

/* Adds each word of a list as a column, or as a key of the order too. */
static int add_words(struct report_table *t, const char *list, bool order)
{
	size_t len;
	int r = 0;

	for (; *list && r == 0; list += len + (list[len] == ',')) {
		const struct column_type *type;

		len = strcspn(list, ",");
		type = column_find(list, len);
		if (len == 0)
			continue;
		if (type && type->what.missing)
			return err_set(t->x->err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "column '%s' needs %s, and this sonde was built without it", type->what.name,
				       type->what.missing);
		r = type ? add_type(t, type, order) : add_trace_columns(t, list, len, order);
	}
	return r;
}

struct figure {
	const char *word;
	bool of_children, of_latency;
};

/* Latency is shown without an option if several threads ran at once. */
static bool is_latency_shown(const struct report_table *t)
{
	const struct parallelism *p = &t->x->profile->parallelism;

	return t->x->report.latency || (p->known && !parallelism_is_trivial(p));
}

/*
 * Adds shares: perf shows them and orders by them before the keys. If the list of keys names a latency, it names every
 * share.
 */
static int add_shares(struct report_table *t, const char *sort)
{
	const struct figure overhead_first[] = {
		{ "overhead_children", true, false }, { "latency_children", true, true },
		{ "overhead", false, false }, { "latency", false, true },
	}, latency_first[] = {
		{ "latency_children", true, true }, { "overhead_children", true, false },
		{ "latency", false, true }, { "overhead", false, false },
	};
	const struct sonde_report_opts *o = &t->x->report;
	const struct figure *f = o->latency ? latency_first : overhead_first;
	bool named = !o->latency && strstr(sort, "latency"), latency = is_latency_shown(t);
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(overhead_first) && r == 0; i++, f++) {
		const struct column_type *type = column_find(f->word, strlen(f->word));
		bool in_keys = strstr(sort, f->word);  /* as perf: a part of a word is enough */

		if (named ? !in_keys : (f->of_children && !o->children) || (f->of_latency && !latency))
			continue;
		r = add_column(t, type);
		if (!in_keys)
			add_order(t, type);
	}
	return r;
}

static int add_figures(struct report_table *t, const char *sort)
{
	const struct sonde_report_opts *o = &t->x->report;
	const struct { bool wanted; const struct column_type *type; } figures[] = {
		{ o->show_modes, COLUMN("overhead_sys") }, { o->show_modes, COLUMN("overhead_us") },
		{ o->show_samples, COLUMN("sample") }, { o->show_period, COLUMN("period") },
	};
	int r = add_shares(t, sort);

	for (size_t i = 0; i < ARRAY_SIZE(figures) && r == 0; i++)
		if (figures[i].wanted)
			r = add_column(t, figures[i].type);
	return r;
}

const char *report_table_usual_keys(const struct report_table *t)
{
	if (t->x->profile->kept.branches)
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	if (t->x->profile->kept.weights)
		return "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,"
		       "local_p_stage_cyc";
	if (t->x->profile->kept.trace_only)
		return t->x->profile->kept.raw_trace ? "trace_fields" : "trace";
	return "comm,dso,sym";
}

static int choose_columns(struct report_table *t)
{
	const struct sonde_report_opts *o = &t->x->report;
	const char *usual = report_table_usual_keys(t), *sort = o->sort && *o->sort ? o->sort : usual;
	bool more_keys = sort[0] == '+', more_fields = !o->fields || o->fields[0] == '+';
	int r = 0;

	sort += more_keys;
	t->all_named = !more_fields;
	t->symbol_first = !o->fields && !more_keys && column_find(sort, strcspn(sort, ",")) == COLUMN("sym");
	if (more_fields)
		r = add_figures(t, sort);
	if (r == 0 && o->fields)
		r = add_words(t, o->fields + more_fields, false);
	if (r == 0 && more_keys)
		r = add_words(t, usual, true);
	if (r == 0 && (more_fields || o->sort))
		r = add_words(t, sort, true);
	if (r == 0 && o->sort && strstr(sort, "symbol"))  /* as perf: a part of a word is enough */
		r = add_words(t, t->x->profile->kept.branches ? "ipc_lbr" : "ipc_null", true);
	if (r == 0 && o->parent)
		r = add_words(t, "parent", true);
	for (size_t i = 0; i < t->nr_columns && r == 0; i++)
		add_order(t, t->columns[i].type);
	return r;
}

static int measure(struct report_table *t)
{
	struct buf text = BUF_MEMORY;
	int failed;

	if (t->x->report.separator)    /* nothing is padded */
		return 0;
	for (size_t c = 0; c < t->nr_columns; c++) {
		struct column *column = &t->columns[c];
		size_t title = strlen(report_table_title(t, column));

		column->width = column->type->title ? column->type->width : trace_column_width(t, column->type);
		if (memory_share_title(t, column->type))
			column->width = memory_share_width(t, column->type);
		if (column->width < title)
			column->width = (uint32_t)title;
		for (size_t i = 0; i < t->hists.list.n && !column->type->figure; i++) {
			text.n = 0;
			column->type->put(&text, t, &t->hists.list.at[i]);
			if (text.n > column->width)
				column->width = (uint32_t)text.n;
		}
		if (column->type->figure)
			column->width *= (uint32_t)t->nr_members + 1;
	}
	failed = text.failed;
	buf_free(&text);
	return failed;
}

static void drop_small(struct report_table *t)
{
	double least = t->x->report.percent_limit / 100 * (double)t->hists.total;
	size_t kept = 0;

	for (size_t i = 0; i < t->hists.list.n; i++)
		if ((double)t->hists.list.at[i].children >= least)
			t->hists.list.at[kept++] = t->hists.list.at[i];
	if (t->x->report.max_rows && kept > t->x->report.max_rows)
		kept = t->x->report.max_rows;
	t->hists.list.n = kept;
}

static void hide_columns(struct report_table *t)
{
	const struct export *x = t->x;
	const size_t values[] = { [COLUMN_FILTER_COMM] = x->profile->kept.comms.n,
				  [COLUMN_FILTER_DSO] = x->opts.nr_dsos,
				  [COLUMN_FILTER_SYMBOL] = x->report.nr_symbols };

	for (size_t i = 0; i < t->nr_columns; i++)
		t->columns[i].hidden = t->columns[i].type->filter && values[t->columns[i].type->filter] == 1;
}

/* By stack: the innermost function whose name matches; the outermost one if trees begin at the caller. */
static int find_parents(struct report_table *t)
{
	const struct sonde_report_opts *o = &t->x->report;
	const struct sonde_profile *p = t->x->profile;
	const char *expression = o->parent ? o->parent : USUAL_PARENT;
	const struct sonde_profile_stack *stacks = p->stacks.list.at;
	size_t nr = p->stacks.list.n;
	bool *matches = calloc(p->frames.list.n + 1, sizeof(*matches));
	regex_t regex;

	if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) != 0) {
		free(matches);
		return err_set(t->x->err, SONDE_USAGE, SONDE_NONE, "'%s' is not a regular expression", expression);
	}
	t->parents = calloc(nr + 1, sizeof(*t->parents));
	for (size_t i = 0; matches && i < p->frames.list.n; i++) {
		const char *name = frame_symbol(&p->frames.list.at[i]);

		matches[i] = name && regexec(&regex, name, 0, NULL, 0) == 0;
	}
	for (size_t i = 1; t->parents && matches && i < nr; i++) {
		uint32_t outer = t->parents[stacks[i].parent];

		t->parents[i] = matches[stacks[i].frame] && (o->callee || !outer) ? stacks[i].frame + 1 : outer;
	}
	regfree(&regex);
	if (!matches || !t->parents) {
		free(matches);
		return -SONDE_NOMEM;
	}
	free(matches);
	return 0;
}

static int choose_keys(struct report_table *t)
{
	bool parents = t->x->report.with_parent;

	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct column_type *type = t->columns[i].type;

		if (type->key.of_cell || type->key.of_frame)
			t->keys[t->opts.nr_keys++] = &type->key;
		parents |= type == COLUMN("parent");
		t->opts.memory |= memory_share_title(t, type) != NULL;
		t->opts.weights |= type->figure && type->what.by & SONDE_BY_WEIGHT;
	}
	return parents ? find_parents(t) : 0;
}

int report_table_make_hists(const struct report_table *t, struct hists *hists, const struct hists_opts *opts)
{
	int r = hists_make(hists, t->x->profile, opts);

	return r == -SONDE_STOPPED ? err_set(t->x->err, SONDE_STOPPED, SONDE_NONE, "stopped") : r;
}

int report_table_begin(struct report_table *t, struct export *x, uint32_t event)
{
	const struct sonde_report_opts *o = &x->report;
	/* the limit is one of stacks, not of nodes */
	bool whole = o->graph_style == SONDE_GRAPH_FLAT || o->graph_style == SONDE_GRAPH_FOLDED;
	int r;

	*t = (struct report_table){ .x = x, .event = event, .cell = calloc(1, sizeof(*t->cell)) };
	if (!t->cell)
		return -SONDE_NOMEM;
	*t->cell = (struct buf)BUF_MEMORY;
	t->opts = (struct hists_opts){ .event = event,
				       .cells = &x->cells,
				       .children = o->children,
				       .graph = o->graph && !o->graph_later,
				       .graph_lines = o->graph_lines,
				       .callee = o->callee,
				       .relative = o->graph_style == SONDE_GRAPH_FRACTAL,
				       .absolute = !o->of_shown,
				       .dsos = x->opts.dsos,
				       .nr_dsos = x->opts.nr_dsos,
				       .symbols = o->symbols,
				       .nr_symbols = o->nr_symbols,
				       .symbol_part = o->symbol_part,
				       .with_parent = o->with_parent,
				       .progress = o->progress,
				       .progress_ctx = o->progress_ctx };
	r = choose_columns(t);
	if (r == 0)
		r = choose_keys(t);
	if (r < 0)
		return r;
	t->opts.keys = t->keys;
	t->opts.orders = t->orders;
	t->opts.parents = t->parents;
	t->opts.graph_limit = o->graph_limit < 0 || whole ? 0 : o->graph_limit == 0 ? 0.5 : o->graph_limit;
	return report_table_make_hists(t, &t->hists, &t->opts);
}

int report_table_finish(struct report_table *t)
{
	if (t->opts.memory)
		memory_shares_prepare(t);
	drop_small(t);
	hide_columns(t);
	return measure(t);
}

int report_table_make(struct report_table *t, struct export *x, uint32_t event)
{
	int r = report_table_begin(t, x, event);

	return r < 0 ? r : report_table_finish(t);
}

void report_table_free(struct report_table *t)
{
	for (size_t i = 0; i < t->nr_members; i++)
		report_table_free(&t->members[i]);
	free(t->members);
	free(t->member_rows);
	hists_free(&t->hists);
	free(t->parents);
	if (t->cell)
		buf_free(t->cell);
	free(t->cell);
}
