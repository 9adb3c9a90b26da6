/* SPDX-License-Identifier: MIT */
#include "analyze/rows.h"

#include <string.h>

#include "analyze/row_tree.h"
#include "base/bytes.h"

static const struct { const char *word; enum row_key key; } words[] = {
	{ "comm", ROW_COMM }, { "pid", ROW_PID }, { "tid", ROW_TID }, { "dso", ROW_DSO }, { "sym", ROW_SYM },
	{ "symbol", ROW_SYM }, { "cpu", ROW_CPU }, { "event", ROW_EVENT },
};

enum row_key row_key_find(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == len && memcmp(words[i].word, word, len) == 0)
			return words[i].key;
	return NR_ROW_KEYS;
}

#define HAS(opts, key) ((opts)->keys >> (key) & 1)

/* What the making of rows goes through. */
struct maker {
	const struct sonde_profile *p;
	const struct rows_opts *opts;
	struct rows *rows;
	struct forest forest;
	struct row_tree tree;
	struct hash_index index;             /* rows by (group, part) */
	VEC(struct group_key) groups;
	struct hash_index group_index;
	uint32_t *group_of_cell;         /* by cell of the event */
	uint32_t *cells;                 /* of the event, those of a group together */
	size_t nr_cells;
	/* Of the group at hand, by row and chained by cell or stack; number + 1. */
	VEC(uint32_t) first_cell, first_stack;
	uint32_t *next_cell, *next_stack;
	uint32_t first_row;              /* of the group */
};

struct group_key {
	const char *comm;
	int32_t pid, tid, cpu;
};

static uint32_t group_of(struct maker *m, const struct sonde_profile_cell *c)
{
	const struct sonde_profile_task *t = &m->p->who.at[c->task];
	struct group_key key = { .comm = HAS(m->opts, ROW_COMM) ? t->comm : NULL, .cpu = HAS(m->opts, ROW_CPU) ? c->cpu : 0,
				 .pid = HAS(m->opts, ROW_PID) ? t->pid : 0, .tid = HAS(m->opts, ROW_TID) ? t->tid : 0 };
	uint64_t hash = hash_two(hash_two(hash_index_seed(&m->group_index) ^ (uintptr_t)key.comm, (uint32_t)key.cpu),
				 (uint64_t)(uint32_t)key.pid << 32 | (uint32_t)key.tid);
	uint32_t i;

	hash_index_each(&m->group_index, hash, i) {
		const struct group_key *g = &m->groups.at[i];

		if (g->comm == key.comm && g->pid == key.pid && g->tid == key.tid && g->cpu == key.cpu)
			return i;
	}
	i = (uint32_t)m->groups.n;
	return vec_push(&m->groups, key) < 0 || hash_index_add(&m->group_index, hash, i) < 0 ? HASH_INDEX_NONE : i;
}

/* Sorts the cells of the event by group, keeping their order otherwise. */
static int gather_cells(struct maker *m)
{
	const struct sonde_profile *p = m->p;
	VEC(uint32_t) ends = { 0 };
	uint32_t sum = 0, n;
	int r = -SONDE_NOMEM;

	m->group_of_cell = malloc((p->cells.n + 1) * sizeof(*m->group_of_cell));
	m->cells = malloc((p->cells.n + 1) * sizeof(*m->cells));
	if (!m->group_of_cell || !m->cells)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < p->cells.n; i++) {
		if (p->cells.at[i].event != m->opts->event)
			continue;
		m->group_of_cell[i] = group_of(m, &p->cells.at[i]);
		if (m->group_of_cell[i] == HASH_INDEX_NONE)
			goto out;
		while (ends.n < m->groups.n)
			if (vec_push(&ends, 0) < 0)
				goto out;
		ends.at[m->group_of_cell[i]]++;
	}
	for (size_t i = 0; i < ends.n; i++) {
		n = ends.at[i];
		ends.at[i] = sum;
		sum += n;
	}
	for (uint32_t i = 0; i < p->cells.n; i++)
		if (p->cells.at[i].event == m->opts->event)
			m->cells[ends.at[m->group_of_cell[i]]++] = i;
	m->nr_cells = sum;
	r = 0;
out:
	vec_free(&ends);
	return r;
}

/* The row of a function; `cell` is one in which it is. */
static struct row *get_row(struct maker *m, uint32_t cell, uint32_t group, uint32_t frame)
{
	const struct sonde_profile_cell *c = &m->p->cells.at[cell];
	struct rows *rows = m->rows;
	uint32_t part = m->forest.part_of_frame[frame], i;
	uint64_t hash = hash_u64(hash_index_seed(&m->index) ^ ((uint64_t)group << 32 | part));

	hash_index_each(&m->index, hash, i)
		if (rows->list.at[i].group == group && rows->list.at[i].part == part) {
			if (cell < rows->list.at[i].cell) {
				rows->list.at[i].cell = cell;
				rows->list.at[i].task = c->task;
			}
			return &rows->list.at[i];
		}
	i = (uint32_t)rows->list.n;
	if (vec_push(&rows->list, ((struct row){ .cell = cell, .task = c->task, .frame = frame, .cpu = c->cpu, .group = group,
					      .part = part })) < 0 ||
	    vec_push(&m->first_cell, 0) < 0 || vec_push(&m->first_stack, 0) < 0 || hash_index_add(&m->index, hash, i) < 0)
		return NULL;
	return &rows->list.at[i];
}

static bool stack_has_part(const struct forest *f, uint32_t stack, uint32_t part)
{
	for (; stack; stack = forest_parent(f, stack))
		if (forest_part(f, stack) == part)
			return true;
	return false;
}

/* What hit the functions of a group. */
static int add_own(struct maker *m, uint32_t group, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct sonde_profile_cell *c = &m->p->cells.at[m->cells[i]];
		struct row *row = get_row(m, m->cells[i], group, c->frame);
		size_t n;

		if (!row)
			return -SONDE_NOMEM;
		n = (size_t)(row - m->rows->list.at);
		row->self += c->period;
		row->samples += c->samples;
		if (!m->opts->children || !stack_has_part(&m->forest, c->stack, row->part))
			row->children += c->period;
		if (row->depth < m->forest.depth[c->stack])
			row->depth = m->forest.depth[c->stack];
		m->next_cell[i] = m->first_cell.at[n];
		m->first_cell.at[n] = (uint32_t)i + 1;
	}
	return 0;
}

/* What was below them: a stack counts where the function is met for the first time from outside. */
static int add_children(struct maker *m, uint32_t group, size_t from, size_t to)
{
	struct forest *f = &m->forest;

	for (size_t i = from; i < to; i++)
		if (forest_add(f, m->cells[i]) < 0)
			return -SONDE_NOMEM;
	for (size_t i = 0; i < f->touched.n; i++) {
		uint32_t stack = f->touched.at[i].stack;
		uint32_t depth = m->opts->callee ? f->depth[stack] : f->deepest[stack] - f->depth[stack] + 1;
		struct row *row = get_row(m, f->touched.at[i].cell, group, forest_frame(f, stack));
		size_t n;

		if (!row)
			return -SONDE_NOMEM;
		n = (size_t)(row - m->rows->list.at);
		if (!f->above[stack])
			row->children += f->weight[stack];
		if (row->depth < depth)
			row->depth = depth;
		m->next_stack[stack] = m->first_stack.at[n];
		m->first_stack.at[n] = stack;
	}
	return 0;
}

static int add_shoot(struct maker *m, uint32_t stack, bool other, uint64_t value)
{
	return value ? vec_push(&m->tree.shoots, ((struct shoot){ stack, other, value })) : 0;
}

/* From the outermost frame of the stacks that end in the row, and with children from the row inwards for those that go on. */
static int shoot_inwards(struct maker *m, size_t n)
{
	struct forest *f = &m->forest;

	for (uint32_t i = m->first_cell.at[n]; i; i = m->next_cell[i - 1]) {
		const struct sonde_profile_cell *c = &m->p->cells.at[m->cells[i - 1]];

		for (uint32_t stack = c->stack; stack; stack = forest_parent(f, stack)) {
			if (!forest_parent(f, stack) && !f->other[stack] && add_shoot(m, stack, true, c->period) < 0)
				return -SONDE_NOMEM;
			f->other[stack] += c->period;
		}
	}
	for (size_t i = 0; i < m->tree.shoots.n; i++)
		m->tree.shoots.at[i].value = f->other[m->tree.shoots.at[i].stack];
	for (uint32_t stack = m->first_stack.at[n]; stack; stack = m->next_stack[stack])
		if (!f->above[stack] && add_shoot(m, stack, false, f->weight[stack] - f->other[stack]) < 0)
			return -SONDE_NOMEM;
	return 0;
}

static void clear_inwards(struct maker *m, size_t n)
{
	struct forest *f = &m->forest;

	for (uint32_t i = m->first_cell.at[n]; i; i = m->next_cell[i - 1])
		for (uint32_t stack = m->p->cells.at[m->cells[i - 1]].stack; stack; stack = forest_parent(f, stack))
			f->other[stack] = 0;
}

/* From where the row is met for the first time from inside; from the innermost frame of stacks that it is not in. */
static int shoot_outwards(struct maker *m, size_t n)
{
	struct forest *f = &m->forest;
	uint32_t part = m->rows->list.at[n].part;

	for (uint32_t i = m->first_cell.at[n]; i; i = m->next_cell[i - 1]) {
		const struct sonde_profile_cell *c = &m->p->cells.at[m->cells[i - 1]];

		if (c->stack && (!m->opts->children || !stack_has_part(f, c->stack, part)) &&
		    add_shoot(m, c->stack, false, c->period) < 0)
			return -SONDE_NOMEM;
	}
	for (uint32_t stack = m->first_stack.at[n]; stack; stack = m->next_stack[stack]) {
		f->other[stack] += f->weight[stack];
		f->other[f->above[stack]] -= f->weight[stack];
	}
	f->other[0] = 0;
	for (uint32_t stack = m->first_stack.at[n]; stack; stack = m->next_stack[stack]) {
		if (add_shoot(m, stack, false, f->other[stack]) < 0)
			return -SONDE_NOMEM;
		f->other[stack] = 0;
	}
	return 0;
}

static int grow_trees(struct maker *m)
{
	const struct rows_opts *o = m->opts;
	uint64_t least = o->relative ? 0 : (uint64_t)((double)m->rows->total * o->graph_limit / 100);
	int r = 0;

	for (size_t n = m->first_row; n < m->rows->list.n && r == 0; n++) {
		struct row *row = &m->rows->list.at[n];

		if (row->children < least)
			continue;
		r = o->callee ? shoot_outwards(m, n) : shoot_inwards(m, n);
		if (r == 0)
			r = row_tree_grow(&m->tree, row);
		if (!o->callee)
			clear_inwards(m, n);
	}
	return r;
}

static int make_group(struct maker *m, size_t from, size_t to)
{
	uint32_t group = m->group_of_cell[m->cells[from]];
	int r;

	m->first_row = (uint32_t)m->rows->list.n;
	r = add_own(m, group, from, to);
	if (r == 0 && m->opts->children)
		r = add_children(m, group, from, to);
	if (r == 0 && m->opts->graph)
		r = grow_trees(m);
	forest_clear(&m->forest);
	return r;
}

static bool is_among(const char *name, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return nr == 0;
}

/* Does a frame pass the filters? A binary may be given by its path or by its short name. */
static bool is_wanted(const struct maker *m, uint32_t frame)
{
	const struct rows_opts *o = m->opts;
	struct sonde_profile_frame f;

	if (!o->nr_dsos && !o->nr_symbols)
		return true;
	sonde_profile_frame(m->p, frame, &f);
	return (is_among(f.dso_name, o->dsos, o->nr_dsos) || (f.dso && is_among(f.dso, o->dsos, o->nr_dsos))) &&
	       is_among(f.symbol ? f.symbol : "", o->symbols, o->nr_symbols);
}

static void find_total(struct maker *m)
{
	const struct sonde_profile_event *e = &m->p->events.at[m->opts->event];

	m->rows->total = e->all_period;
	if (m->opts->absolute)
		return;
	m->rows->total = 0;
	for (size_t i = 0; i < m->p->cells.n; i++)
		if (m->p->cells.at[i].event == m->opts->event && is_wanted(m, m->p->cells.at[i].frame))
			m->rows->total += m->p->cells.at[i].period;
}

static void drop_unwanted(struct maker *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->rows->list.n; i++)
		if (is_wanted(m, m->rows->list.at[i].frame))
			m->rows->list.at[kept++] = m->rows->list.at[i];
	m->rows->list.n = kept;
}

static int compare_u64_down(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* Functions without a name come last, by address. */
static int compare_frames(const struct sonde_profile *p, uint32_t x, uint32_t y)
{
	struct sonde_profile_frame a, b;
	int r;

	sonde_profile_frame(p, x, &a);
	sonde_profile_frame(p, y, &b);
	r = strcmp(a.dso_name, b.dso_name);
	if (r)
		return r;
	if (!a.symbol || !b.symbol)
		return a.symbol ? -1 : b.symbol ? 1 : a.addr < b.addr ? -1 : a.addr > b.addr;
	r = strcmp(a.symbol, b.symbol);
	return r ? r : (x > y) - (x < y);
}

/*
 * By share, largest first; of rows with equal shares of one task the one that has more below it, then by name. With equal names by number,
 * which does not depend on how the work was done.
 */
static int compare_rows(const void *x, const void *y, void *ctx)
{
	const struct row *a = x, *b = y;
	const struct maker *m = ctx;
	const struct sonde_profile_task *s = &m->p->who.at[a->task], *t = &m->p->who.at[b->task];
	int r = compare_u64_down(a->children, b->children);

	if (r == 0 && a->task == b->task && m->opts->children)
		r = m->opts->callee ? (a->depth > b->depth) - (a->depth < b->depth) : (b->depth > a->depth) - (b->depth < a->depth);
	if (r == 0)
		r = compare_u64_down(a->self, b->self);
	if (r == 0 && HAS(m->opts, ROW_COMM))
		r = strcmp(s->comm, t->comm);
	if (r == 0 && HAS(m->opts, ROW_PID))
		r = (s->pid > t->pid) - (s->pid < t->pid);
	if (r == 0 && HAS(m->opts, ROW_TID))
		r = (s->tid > t->tid) - (s->tid < t->tid);
	if (r == 0 && HAS(m->opts, ROW_CPU))
		r = (a->cpu > b->cpu) - (a->cpu < b->cpu);
	return r ? r : compare_frames(m->p, a->frame, b->frame);
}

static int make(struct maker *m)
{
	size_t from, to;

	if (forest_init(&m->forest, m->p, HAS(m->opts, ROW_DSO), HAS(m->opts, ROW_SYM)) < 0 ||
	    row_tree_init(&m->tree, &m->forest, m->opts, m->rows) < 0 || gather_cells(m) < 0)
		return -SONDE_NOMEM;
	m->next_cell = calloc(m->nr_cells + 1, sizeof(*m->next_cell));
	m->next_stack = calloc(m->forest.n + 1, sizeof(*m->next_stack));
	if (!m->next_cell || !m->next_stack)
		return -SONDE_NOMEM;
	find_total(m);
	for (from = 0; from < m->nr_cells; from = to) {
		for (to = from; to < m->nr_cells && m->group_of_cell[m->cells[to]] == m->group_of_cell[m->cells[from]]; to++)
			;
		if (make_group(m, from, to) < 0)
			return -SONDE_NOMEM;
	}
	drop_unwanted(m);
	if (m->rows->list.n)
		qsort_r(m->rows->list.at, m->rows->list.n, sizeof(*m->rows->list.at), compare_rows, m);
	return 0;
}

int rows_make(struct rows *rows, const struct sonde_profile *p, const struct rows_opts *opts)
{
	struct maker m = { .p = p, .opts = opts, .rows = rows };
	int r;

	*rows = (struct rows){ 0 };
	r = make(&m);
	forest_free(&m.forest);
	row_tree_free(&m.tree);
	hash_index_free(&m.index);
	hash_index_free(&m.group_index);
	vec_free(&m.groups);
	vec_free(&m.first_cell);
	vec_free(&m.first_stack);
	free(m.group_of_cell);
	free(m.cells);
	free(m.next_cell);
	free(m.next_stack);
	return r;
}

void rows_free(struct rows *rows)
{
	vec_free(&rows->list);
	vec_free(&rows->tree);
}
