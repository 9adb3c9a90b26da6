/* SPDX-License-Identifier: MIT */
/*
 * hierarchy.c - --hierarchy: a line for each value of the first key, below it those of the second, and so on
 *
 * Each level has rows of its own, made of the keys up to it, so that its shares are right when one stack is in several
 * rows. The rows of the last level are those of the table.
 */
#include "export/report/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/rows/stack_tree.h"
#include "base/bytes.h"
#include "export/report/chains.h"
#include "export/report/group.h"
#include "export/report/text.h"

enum { INDENT = 3 };

struct level {
	size_t column;               /* of the key of this level */
	struct report_table view;    /* of its rows: figures and members are those of the level, the rest is shared */
	struct key_set values;        /* the keys of each row; their numbers are those of the rows */
	VEC(uint32_t) first, last;   /* by row: its first and last row of the next level; number + 1 */
	VEC(uint32_t) next;          /* by row: the next row of the same parent; number + 1 */
};

struct hierarchy {
	const struct report_table *t;
	struct stack_tree stack_tree;
	struct level levels[COLUMNS_MAX];
	size_t n;
	const struct hist_key *keys[COLUMNS_MAX];
	hist_order figures[COLUMNS_MAX + 1];
	size_t nr_figures;
	bool filtered;               /* the rows are filtered: the levels above are sums of the shown ones */
	VEC(struct hierarchy_line) lines;
};

static void choose_levels(struct hierarchy *h)
{
	const struct report_table *t = h->t;

	for (size_t i = 0; i < t->nr_columns; i++) {
		const struct column *c = &t->columns[i];

		if (c->type->figure) {
			h->figures[h->nr_figures++] = c->type->order;
		} else if (!c->hidden && (c->type->key.of_cell || c->type->key.of_frame)) {
			h->keys[h->n] = &c->type->key;
			h->levels[h->n++].column = i;
		}
	}
	h->filtered = t->opts.nr_dsos || t->opts.nr_symbols || t->opts.symbol_part || t->opts.with_parent;
}

/* The rows of a level, of a group with those of each event. */
static int make_view(const struct hierarchy *h, struct report_table *view, const struct hists_opts *opts)
{
	int r;

	*view = *h->t;
	view->opts = *opts;
	view->member_rows = NULL;
	view->members = NULL;
	view->nr_members = 0;
	r = report_table_make_hists(h->t, &view->hists, opts);
	if (r < 0 || !h->t->nr_members)
		return r;
	view->members = calloc(h->t->nr_members, sizeof(*view->members));
	if (!view->members)
		return -SONDE_NOMEM;
	while (r == 0 && view->nr_members < h->t->nr_members) {
		struct report_table *member = &view->members[view->nr_members];

		*member = h->t->members[view->nr_members++];
		member->opts = *opts;
		member->opts.event = member->event;
		r = report_table_make_hists(h->t, &member->hists, &member->opts);
	}
	return r < 0 ? r : group_join(view);
}

static void free_view(struct report_table *view)
{
	for (size_t i = 0; i < view->nr_members; i++)
		hists_free(&view->members[i].hists);
	free(view->members);
	free(view->member_rows);
	hists_free(&view->hists);
}

static int make_level(struct hierarchy *h, size_t number)
{
	struct level *l = &h->levels[number];
	struct hists_opts opts = h->t->opts;
	hist_order orders[COLUMNS_MAX + 1];

	memcpy(orders, h->figures, h->nr_figures * sizeof(*orders));
	orders[h->nr_figures] = h->t->columns[l->column].type->order;
	opts.orders = orders;
	opts.nr_orders = h->nr_figures + 1;
	opts.keys = h->keys;
	opts.nr_keys = number + 1;
	opts.graph = opts.with_parent = false;
	opts.nr_dsos = opts.nr_symbols = 0;
	opts.symbol_part = NULL;
	return make_view(h, &l->view, &opts);
}

static const struct report_table *table_of(const struct hierarchy *h, size_t number)
{
	return number + 1 < h->n ? &h->levels[number].view : h->t;
}

static const struct hists *rows_of(const struct hierarchy *h, size_t number)
{
	return &table_of(h, number)->hists;
}

static uint64_t value_of(const struct hierarchy *h, size_t key, const struct hist_entry *row)
{
	const struct sonde_profile *p = h->t->x->profile;

	if (hist_key_is_of_cell(h->keys[key]))
		return hist_key_of_cell(h->keys[key], &h->t->opts, &h->stack_tree, &p->cells.at[row->cell]);
	return h->keys[key]->of_frame(&h->stack_tree, row->frame);
}

/* Rows of upper levels count the shown rows below them. */
static void add_up(struct hist_entry *above, const struct hist_entry *row)
{
	above->self += row->self;
	above->children += row->self;
	above->latency += row->latency;
	above->latency_children += row->latency;
	above->samples += row->samples;
	for (size_t i = 0; i < NR_HIST_MODES; i++)
		above->modes[i] += row->modes[i];
	for (size_t i = 0; i < ARRAY_SIZE(row->weights); i++)
		above->weights[i] += row->weights[i];
	for (size_t i = 0; above->memory && row->memory && i < NR_MEMORY_PARTS; i++)
		for (size_t k = 0; k < MEMORY_CLASSES; k++)
			above->memory->of[i][k] += row->memory->of[i][k];
}

static void start_sums(struct hists *hists)
{
	for (size_t i = 0; i < hists->list.n; i++) {
		struct hist_entry *row = &hists->list.at[i];

		row->self = row->children = row->samples = row->latency = row->latency_children = 0;
		memset(row->modes, 0, sizeof(row->modes));
		memset(row->weights, 0, sizeof(row->weights));
		if (row->memory)
			*row->memory = (struct memory_sums){ 0 };
	}
}

static void start_sums_of_group(struct report_table *view)
{
	start_sums(&view->hists);
	for (size_t i = 0; i < view->nr_members; i++)
		start_sums(&view->members[i].hists);
}

/* Adds a row of the last level to one above, for each event of a group. */
static void add_up_group(const struct hierarchy *h, struct level *above, uint32_t parent, const struct hist_entry *row)
{
	struct hist_entry *to = &above->view.hists.list.at[parent];

	add_up(to, row);
	for (size_t i = 0; i < above->view.nr_members; i++) {
		const struct hist_entry *from = report_table_member_row(h->t, row, i);
		uint32_t number = above->view.member_rows[to->joined * above->view.nr_members + i];

		if (from && number != NO_ROW)
			add_up(&above->view.members[i].hists.list.at[number], from);
	}
}

/* Adds a row to the row of the level above that has the same values. */
static int link_row(struct hierarchy *h, size_t number, uint32_t i)
{
	struct level *l = &h->levels[number];
	const struct hist_entry *row = &rows_of(h, number)->list.at[i];
	uint64_t values[COLUMNS_MAX];
	uint32_t parent;

	for (size_t key = 0; key <= number; key++)
		values[key] = value_of(h, key, row);
	if (key_set_number(&l->values, values) == HASH_INDEX_NONE || vec_push(&l->first, 0) < 0 ||
	    vec_push(&l->last, 0) < 0 || vec_push(&l->next, 0) < 0)
		return -SONDE_NOMEM;
	for (size_t up = number; up-- > 0;) {
		struct level *above = &h->levels[up];

		parent = key_set_number(&above->values, values);
		if (parent == HASH_INDEX_NONE)
			return -SONDE_NOMEM;
		if (parent >= above->view.hists.list.n)
			return 0;
		if (h->filtered && number + 1 == h->n)
			add_up_group(h, above, parent, row);
		if (up + 1 < number)
			continue;
		if (above->last.at[parent])
			l->next.at[above->last.at[parent] - 1] = i + 1;
		else
			above->first.at[parent] = i + 1;
		above->last.at[parent] = i + 1;
	}
	return 0;
}

static int link_levels(struct hierarchy *h)
{
	for (size_t number = 0; number < h->n; number++) {
		h->levels[number].values.width = number + 1;
		if (h->filtered && number + 1 < h->n)
			start_sums_of_group(&h->levels[number].view);
		for (uint32_t i = 0; i < rows_of(h, number)->list.n; i++)
			if (link_row(h, number, i) < 0)
				return -SONDE_NOMEM;
	}
	return 0;
}

/* Lists the rows of a level from the i-th on (number + 1), each with those below it. */
static int list_level(struct hierarchy *h, size_t number, uint32_t i)
{
	double least = h->t->x->report.percent_limit / 100 * (double)h->t->hists.total;
	bool last = number + 1 == h->n;
	int r = 0;

	for (; i && r == 0; i = number ? h->levels[number].next.at[i - 1] : i < rows_of(h, 0)->list.n ? i + 1 : 0) {
		const struct hist_entry *row = &rows_of(h, number)->list.at[i - 1];

		/* rows below may be left out for their shares, which is no reason to leave out this one */
		if ((double)row->children < least ||
		    (h->filtered && !last && !h->levels[number].first.at[i - 1]))
			continue;
		r = vec_push(&h->lines, ((struct hierarchy_line){ row, (uint32_t)number, last }));
		if (r == 0 && !last)
			r = list_level(h, number + 1, h->levels[number].first.at[i - 1]);
	}
	return r;
}

static void put_separator(struct buf *b, const struct hierarchy *h)
{
	if (h->t->x->report.separator)
		buf_char(b, h->t->x->report.separator);
	else
		buf_str(b, "  ");
}

static void put_figures(struct buf *b, const struct hierarchy *h, size_t level, const struct hist_entry *row)
{
	for (size_t i = 0, shown = 0; i < h->t->nr_columns; i++)
		if (h->t->columns[i].type->figure) {
			if (shown++)
				put_separator(b, h);
			report_put_cell(b, table_of(h, level), i, row);
		}
}

/* "Command / Shared Object / Symbol" */
static void put_names(struct buf *b, const struct hierarchy *h)
{
	for (size_t i = 0; i < h->n; i++) {
		const char *text = report_table_title(h->t, &h->t->columns[h->levels[i].column]);

		if (i)
			buf_str(b, " / ");
		buf_str(b, text + strspn(text, " "));
	}
}

static size_t width_of_figures(const struct hierarchy *h)
{
	size_t width = 0;

	for (size_t i = 0; i < h->t->nr_columns; i++)
		if (h->t->columns[i].type->figure)
			width += h->t->columns[i].width + (width ? 2 : 0);
	return width;
}

static void put_head(struct buf *b, const struct hierarchy *h)
{
	size_t indent = (h->n - 1) * INDENT, width = 0, title, at;

	buf_str(b, "# ");
	buf_pad(b, ' ', (uint32_t)indent);
	put_figures(b, h, h->n, NULL);
	buf_str(b, "  ");
	title = b->n;
	put_names(b, h);
	title = b->n - title;
	for (size_t i = 0; i < h->n; i++) {
		at = i * INDENT + h->t->columns[h->levels[i].column].width;
		width = at > width ? at : width;
	}
	buf_str(b, "\n# ");
	buf_pad(b, '.', (uint32_t)(indent + width_of_figures(h)));
	buf_str(b, "  ");
	buf_pad(b, '.', (uint32_t)(title > width ? title : width));
	buf_str(b, "\n#\n");
}

/* The value of the key of a line, without blanks before it. */
static void put_value(struct buf *b, const struct hierarchy *h, const struct hierarchy_line *line)
{
	struct buf key = BUF_MEMORY;
	size_t from = 0;

	report_put_cell(&key, h->t, h->levels[line->level].column, line->row);
	while (from < key.n && key.p[from] == ' ')
		from++;
	buf_put(b, key.p + from, key.n - from);
	buf_take_failure(b, &key);
	buf_free(&key);
}

static void put_row(struct buf *b, const struct hierarchy *h, const struct hierarchy_line *line)
{
	buf_pad(b, ' ', line->level * INDENT + 2);
	put_figures(b, h, line->level, line->row);
	buf_pad(b, ' ', (uint32_t)((h->n - 1) * INDENT + 2));
	put_value(b, h, line);
	buf_char(b, '\n');
}

/* In place of the rows below a line, which are all below the limit. */
static void put_no_entry(struct buf *b, const struct hierarchy *h, const struct hierarchy_line *line)
{
	buf_pad(b, ' ', (uint32_t)((line->level + h->n) * INDENT + 4 + width_of_figures(h)));
	buf_printf(b, "no entry >= %.2f%%\n", h->t->x->report.percent_limit);
}

/* Whether lines below this one are missing. */
static bool lacks_rows(const struct hierarchy *h, size_t i)
{
	const struct hierarchy_line *line = &h->lines.at[i];

	return !line->last && (i + 1 == h->lines.n || h->lines.at[i + 1].level <= line->level);
}

void hierarchy_free(struct hierarchy *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++) {
		struct level *l = &h->levels[i];

		free_view(&l->view);
		key_set_free(&l->values);
		vec_free(&l->first);
		vec_free(&l->last);
		vec_free(&l->next);
	}
	stack_tree_free(&h->stack_tree);
	vec_free(&h->lines);
	free(h);
}

static int make(struct hierarchy *h)
{
	int r;

	choose_levels(h);
	r = stack_tree_init(&h->stack_tree, h->t->x->profile, h->keys, h->n, false);
	for (size_t i = 0; i + 1 < h->n && r == 0; i++)
		r = make_level(h, i);
	if (r == 0)
		r = link_levels(h);
	if (r == 0 && h->n)
		r = list_level(h, 0, rows_of(h, 0)->list.n ? 1 : 0);
	return r;
}

int hierarchy_new(struct hierarchy **out, const struct report_table *t)
{
	struct hierarchy *h = *out = calloc(1, sizeof(*h));

	if (!h)
		return -SONDE_NOMEM;
	h->t = t;
	return make(h);
}

size_t hierarchy_count(const struct hierarchy *h)
{
	return h->lines.n;
}

const struct hierarchy_line *hierarchy_at(const struct hierarchy *h, size_t i)
{
	return &h->lines.at[i];
}

const char *hierarchy_key(const struct hierarchy *h, uint32_t level)
{
	return h->t->columns[h->levels[level].column].type->what.name;
}

void hierarchy_put_titles(struct buf *b, const struct hierarchy *h)
{
	put_figures(b, h, h->n, NULL);
	put_separator(b, h);
	put_names(b, h);
}

void hierarchy_put_cells(struct buf *b, const struct hierarchy *h, const struct hierarchy_line *line)
{
	put_figures(b, h, line->level, line->row);
	put_separator(b, h);
	put_value(b, h, line);
}

void hierarchy_put_key(struct buf *b, const struct hierarchy *h, const struct hierarchy_line *line)
{
	for (size_t i = 0; i <= line->level; i++) {
		h->t->columns[h->levels[i].column].type->put(b, h->t, line->row);
		buf_char(b, '\t');
	}
}

int report_put_hierarchy(struct buf *b, const struct report_table *t)
{
	struct hierarchy *h;
	int r = hierarchy_new(&h, t);

	if (r == 0 && h->n && !t->x->report.no_header)
		put_head(b, h);
	for (size_t i = 0; r == 0 && i < h->lines.n; i++) {
		put_row(b, h, &h->lines.at[i]);
		if (lacks_rows(h, i))
			put_no_entry(b, h, &h->lines.at[i]);
		if (h->lines.at[i].last)
			r = report_put_chains(b, t, h->lines.at[i].row);
	}
	r = r < 0 ? r : h->lines.n > 0;
	hierarchy_free(h);
	return r;
}
