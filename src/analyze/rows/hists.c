/* SPDX-License-Identifier: MIT */
#include "analyze/rows/hists.h"

#include <string.h>

#include "analyze/rows/call_tree.h"
#include "analyze/rows/event_cells.h"
#include "analyze/stacks/key_set.h"
#include "base/bytes.h"
#include "base/u64map.h"

/* The state while rows are made. */
struct maker {
	const struct sonde_profile *p;
	const struct hists_opts *opts;
	struct hists *hists;
	struct stack_tree stack_tree;
	struct call_tree tree;
	struct hash_index index;             /* rows by (group, part) */
	struct key_set groups;
	uint32_t *group_of_cell;         /* by cell of the event */
	uint32_t *cells;                 /* of the event, those of a group together */
	size_t nr_cells;
	/* The first cell and stack of each row of the current group, and links to the next; number + 1. */
	VEC(uint32_t) first_cell, first_stack;
	uint32_t *next_cell, *next_stack;
	uint32_t first_row;              /* of the group */
	const struct hists *whole;       /* of hists_make_tree(): they have the totals, and this row; else NULL */
	const struct hist_entry *only;
	/* progress: the part of the work that is done now, as shares of the whole, and the work since the last call */
	double part_from, part_size;
	size_t work;
	size_t compared, to_compare;     /* rows, while they are sorted */
	bool stopped;
};

/* Parts of the work, roughly as long as they take: the samples of a group, its callers, its trees; the order. */
enum { WORK_OF_CALL = 1024, WORK_OF_REF = 16 };
static const double group_share = 0.7, own_share = 0.3, callers_share = 0.3;

static void begin_part(struct maker *m, double from, double size)
{
	m->part_from = from;
	m->part_size = size;
}

/* Tells now and then how much is done. 0, or -SONDE_STOPPED from then on */
static int tell_progress(struct maker *m, size_t work, size_t done, size_t all)
{
	m->work += work;
	if (m->opts->progress && m->work >= WORK_OF_CALL && !m->stopped) {
		m->work = 0;
		m->stopped = m->opts->progress(m->opts->progress_ctx,
					       m->part_from + m->part_size * (double)done / (double)all) != 0;
	}
	return m->stopped ? -SONDE_STOPPED : 0;
}

uint64_t hist_key_of_cell(const struct hist_key *key, const struct hists_opts *opts, const struct stack_tree *tree,
			  const struct sonde_profile_cell *c)
{
	uint64_t frame;

	if (key->of_cell)
		return key->of_cell(opts, tree->p, c);
	frame = key->other_frame(&tree->p->details.list.at[c->detail]);
	return frame ? key->of_frame(tree, (uint32_t)frame - 1) + 1 : 0;
}

static uint32_t group_of(struct maker *m, const struct sonde_profile_cell *c)
{
	uint64_t values[KEY_SET_WIDTH];
	size_t n = 0;

	for (size_t i = 0; i < m->opts->nr_keys; i++)
		if (hist_key_is_of_cell(m->opts->keys[i]))
			values[n++] = hist_key_of_cell(m->opts->keys[i], m->opts, &m->stack_tree, c);
	return key_set_number(&m->groups, values);
}

/* Sorts the cells of the event by group, keeping their order otherwise. */
static int sort_cells(struct maker *m)
{
	const struct sonde_profile *p = m->p;
	size_t nr_own;
	const uint32_t *own = event_cells_of(m->opts->cells, m->opts->event, &nr_own);
	VEC(uint32_t) ends = { 0 };
	uint32_t sum = 0, n;
	int r = -SONDE_NOMEM;

	m->group_of_cell = malloc((p->cells.n + 1) * sizeof(*m->group_of_cell));
	m->cells = malloc((nr_own + 1) * sizeof(*m->cells));
	if (!m->group_of_cell || !m->cells)
		return -SONDE_NOMEM;
	if (m->only && group_of(m, &p->cells.at[m->only->cell]) != 0)  /* the first number */
		return -SONDE_NOMEM;
	for (size_t i = 0; i < nr_own; i++) {
		n = m->group_of_cell[own[i]] = group_of(m, &p->cells.at[own[i]]);
		if (n == HASH_INDEX_NONE)
			goto out;
		if (n && m->only)
			continue;
		while (ends.n < m->groups.n)
			if (vec_push(&ends, 0) < 0)
				goto out;
		ends.at[n]++;
	}
	for (size_t i = 0; i < ends.n; i++) {
		n = ends.at[i];
		ends.at[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < nr_own; i++)
		if (!m->only || m->group_of_cell[own[i]] == 0)
			m->cells[ends.at[m->group_of_cell[own[i]]]++] = own[i];
	m->nr_cells = sum;
	r = 0;
out:
	vec_free(&ends);
	return r;
}

/* The row of a function; `cell` is one in which it is. */
static struct hist_entry *get_row(struct maker *m, uint32_t cell, uint32_t group, uint32_t frame)
{
	const struct sonde_profile_cell *c = &m->p->cells.at[cell];
	struct hists *hists = m->hists;
	uint32_t part = m->stack_tree.part_of_frame[frame], i;
	uint64_t hash = hash_u64(hash_index_seed(&m->index) ^ ((uint64_t)group << 32 | part));

	hash_index_each(&m->index, hash, i)
		if (hists->list.at[i].group == group && hists->list.at[i].part == part) {
			if (cell < hists->list.at[i].cell) {
				hists->list.at[i].cell = cell;
				hists->list.at[i].task = c->task;
			}
			return &hists->list.at[i];
		}
	i = (uint32_t)hists->list.n;
	if (vec_push(&hists->list,
		     ((struct hist_entry){
			     .cell = cell, .task = c->task, .frame = frame, .group = group, .part = part })) < 0 ||
	    vec_push(&m->first_cell, 0) < 0 || vec_push(&m->first_stack, 0) < 0 ||
	    hash_index_add(&m->index, hash, i) < 0)
		return NULL;
	return &hists->list.at[i];
}

static bool stack_has_part(const struct stack_tree *f, uint32_t stack, uint32_t part)
{
	for (; stack; stack = stack_tree_parent(f, stack))
		if (stack_tree_part(f, stack) == part)
			return true;
	return false;
}

static enum hist_mode mode_of(const struct sonde_profile *p, uint32_t frame)
{
	switch (p->frames.list.at[frame].cpumode) {
	case CPUMODE_KERNEL: return HIST_KERNEL;
	case CPUMODE_USER: return HIST_USER;
	case CPUMODE_GUEST_KERNEL: return HIST_GUEST_KERNEL;
	case CPUMODE_GUEST_USER: return HIST_GUEST_USER;
	}
	return NR_HIST_MODES;
}

static void add_weights(struct maker *m, struct hist_entry *row, const struct sonde_profile_cell *c)
{
	const struct sonde_profile_detail *d = &m->p->details.list.at[c->detail];
	const uint64_t weights[] = { d->weight, d->weight2, d->weight3 };

	for (size_t i = 0; i < ARRAY_SIZE(weights); i++)
		row->weights[i] += weights[i] * c->samples;
}

static int add_memory(struct maker *m, struct hist_entry *row, const struct sonde_profile_cell *c)
{
	uint64_t data_src = m->p->details.list.at[c->detail].data_src;

	if (!row->memory) {
		if (vec_reserve(&m->hists->memory, 1) < 0)
			return -SONDE_NOMEM;
		row->memory = calloc(1, sizeof(*row->memory));
		if (!row->memory)
			return -SONDE_NOMEM;
		m->hists->memory.at[m->hists->memory.n++] = row->memory;
	}
	for (size_t part = 0; part < NR_MEMORY_PARTS; part++)
		row->memory->of[part][memory_class((enum memory_part)part, data_src)] += c->period;
	return 0;
}

/* Adds the branches in the stack of a cell to its row. */
static int add_branches(struct maker *m, struct hist_entry *row, const struct sonde_profile_cell *c)
{
	struct hists *hists = m->hists;

	if (!row->branches) {
		if (vec_push(&hists->row_branches, ((struct branch_sums){ 0 })) < 0)
			return -SONDE_NOMEM;
		row->branches = (uint32_t)hists->row_branches.n;
	}
	for (uint32_t stack = c->stack; stack; stack = stack_tree_parent(&m->stack_tree, stack))
		branch_sums_add(&hists->row_branches.at[row->branches - 1], &m->p->frames,
				stack_tree_frame(&m->stack_tree, stack), c->samples);
	return 0;
}

/* Adds the samples that hit the functions of a group. */
static int add_own(struct maker *m, uint32_t group, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct sonde_profile_cell *c = &m->p->cells.at[m->cells[i]];
		struct hist_entry *row = get_row(m, m->cells[i], group, c->frame);
		size_t n;

		if (!row)
			return -SONDE_NOMEM;
		if (tell_progress(m, 1, i - from, to - from) < 0)
			return -SONDE_STOPPED;
		n = (size_t)(row - m->hists->list.at);
		row->self += c->period;
		row->latency += c->latency;
		if (mode_of(m->p, c->frame) != NR_HIST_MODES)
			row->modes[mode_of(m->p, c->frame)] += c->period;
		row->samples += c->samples;
		if (m->opts->weights)
			add_weights(m, row, c);
		if ((m->opts->memory && add_memory(m, row, c) < 0) ||
		    (m->p->kept.branch_history && add_branches(m, row, c) < 0))
			return -SONDE_NOMEM;
		if (!m->opts->children || !stack_has_part(&m->stack_tree, c->stack, row->part)) {
			row->children += c->period;
			row->latency_children += c->latency;
		}
		if (row->depth < m->stack_tree.depth[c->stack])
			row->depth = m->stack_tree.depth[c->stack];
		m->next_cell[i] = m->first_cell.at[n];
		m->first_cell.at[n] = (uint32_t)i + 1;
	}
	return 0;
}

/* Adds the samples of callees: a stack counts at its outermost frame of the function. */
static int add_children(struct maker *m, uint32_t group, size_t from, size_t to)
{
	struct stack_tree *f = &m->stack_tree;

	for (size_t i = from; i < to; i++)
		if (stack_tree_add(f, m->cells[i]) < 0)
			return -SONDE_NOMEM;
	for (size_t i = 0; i < f->touched.n; i++) {
		uint32_t stack = f->touched.at[i].stack;
		uint32_t depth = m->opts->callee ? f->depth[stack] : f->deepest[stack] - f->depth[stack] + 1;
		struct hist_entry *row = get_row(m, f->touched.at[i].cell, group, stack_tree_frame(f, stack));
		size_t n;

		if (!row)
			return -SONDE_NOMEM;
		if (tell_progress(m, 1, i, f->touched.n) < 0)
			return -SONDE_STOPPED;
		n = (size_t)(row - m->hists->list.at);
		if (!f->above[stack]) {
			row->children += f->weight[stack].period;
			row->latency_children += f->latency[stack];
		}
		if (row->depth < depth)
			row->depth = depth;
		m->next_stack[stack] = m->first_stack.at[n];
		m->first_stack.at[n] = stack;
	}
	return 0;
}

static struct weight weight_of(const struct sonde_profile_cell *c)
{
	return (struct weight){ c->period, c->samples };
}

static int add_ref(struct maker *m, uint32_t stack, bool other, struct weight value)
{
	return value.period ? vec_push(&m->tree.refs, ((struct stack_ref){ stack, other, value })) : 0;
}

/*
 * From the outermost frame of the stacks that end in the row, and with children from the row inwards for those that
 * go on.
 */
static int begin_inwards(struct maker *m, size_t n)
{
	struct stack_tree *f = &m->stack_tree;

	for (uint32_t i = m->first_cell.at[n]; i; i = m->next_cell[i - 1]) {
		const struct sonde_profile_cell *c = &m->p->cells.at[m->cells[i - 1]];

		for (uint32_t stack = c->stack; stack; stack = stack_tree_parent(f, stack)) {
			if (!stack_tree_parent(f, stack) && !f->other[stack].period &&
			    add_ref(m, stack, true, weight_of(c)) < 0)
				return -SONDE_NOMEM;
			weight_add(&f->other[stack], weight_of(c));
		}
	}
	for (size_t i = 0; i < m->tree.refs.n; i++)
		m->tree.refs.at[i].value = f->other[m->tree.refs.at[i].stack];
	for (uint32_t stack = m->first_stack.at[n]; stack; stack = m->next_stack[stack])
		if (!f->above[stack] && add_ref(m, stack, false, weight_less(f->weight[stack], f->other[stack])) < 0)
			return -SONDE_NOMEM;
	return 0;
}

static void clear_inwards(struct maker *m, size_t n)
{
	struct stack_tree *f = &m->stack_tree;

	for (uint32_t i = m->first_cell.at[n]; i; i = m->next_cell[i - 1])
		for (uint32_t stack = m->p->cells.at[m->cells[i - 1]].stack; stack; stack = stack_tree_parent(f, stack))
			f->other[stack] = (struct weight){ 0 };
}

/* From where the row is met for the first time from inside; from the innermost frame of stacks that it is not in. */
static int begin_outwards(struct maker *m, size_t n)
{
	struct stack_tree *f = &m->stack_tree;
	uint32_t part = m->hists->list.at[n].part;

	for (uint32_t i = m->first_cell.at[n]; i; i = m->next_cell[i - 1]) {
		const struct sonde_profile_cell *c = &m->p->cells.at[m->cells[i - 1]];

		if (c->stack && (!m->opts->children || !stack_has_part(f, c->stack, part)) &&
		    add_ref(m, c->stack, false, weight_of(c)) < 0)
			return -SONDE_NOMEM;
	}
	for (uint32_t stack = m->first_stack.at[n]; stack; stack = m->next_stack[stack]) {
		weight_add(&f->other[stack], f->weight[stack]);
		f->other[f->above[stack]] = weight_less(f->other[f->above[stack]], f->weight[stack]);
	}
	f->other[0] = (struct weight){ 0 };
	for (uint32_t stack = m->first_stack.at[n]; stack; stack = m->next_stack[stack]) {
		if (add_ref(m, stack, false, f->other[stack]) < 0)
			return -SONDE_NOMEM;
		f->other[stack] = (struct weight){ 0 };
	}
	return 0;
}

static int make_trees(struct maker *m)
{
	const struct hists_opts *o = m->opts;
	uint64_t least = o->relative ? 0 : (uint64_t)((double)m->hists->total * o->graph_limit / 100);
	int r = 0;

	for (size_t n = m->first_row; n < m->hists->list.n && r == 0; n++) {
		struct hist_entry *row = &m->hists->list.at[n];

		if (row->children < least || (m->only && row->part != m->stack_tree.part_of_frame[m->only->frame]))
			continue;
		r = o->callee ? begin_outwards(m, n) : begin_inwards(m, n);
		if (r == 0)
			r = tell_progress(m, 1 + WORK_OF_REF * m->tree.refs.n, n - m->first_row,
					  m->hists->list.n - m->first_row);
		if (r == 0)
			r = call_tree_expand(&m->tree, row);
		if (!o->callee)
			clear_inwards(m, n);
	}
	return r;
}

static int make_group(struct maker *m, size_t from, size_t to)
{
	uint32_t group = m->group_of_cell[m->cells[from]];
	const double begin = group_share * (double)from / (double)m->nr_cells,
		     size = group_share * (double)(to - from) / (double)m->nr_cells;
	int r;

	m->first_row = (uint32_t)m->hists->list.n;
	begin_part(m, begin, own_share * size);
	r = add_own(m, group, from, to);
	begin_part(m, begin + own_share * size, callers_share * size);
	if (r == 0 && m->opts->children)
		r = add_children(m, group, from, to);
	begin_part(m, begin + (own_share + callers_share) * size, (1 - own_share - callers_share) * size);
	if (r == 0 && m->opts->graph)
		r = make_trees(m);
	for (size_t n = m->first_row; n < m->hists->list.n; n++)
		m->hists->list.at[n].last_task = m->p->cells.at[m->cells[to - 1]].task;
	stack_tree_clear(&m->stack_tree);
	return r;
}

static bool is_among(const char *name, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return nr == 0;
}

static bool chooses_rows(const struct hists_opts *o)
{
	return o->nr_dsos || o->nr_symbols || o->symbol_part;
}

/* Does a frame pass the filters? A binary may be given by its path or by its short name. */
static bool is_wanted(const struct maker *m, uint32_t frame)
{
	const struct hists_opts *o = m->opts;
	struct sonde_profile_frame f;

	if (!chooses_rows(o))
		return true;
	profile_frame(m->p, frame, &f);
	return (!o->symbol_part || (f.symbol && strstr(f.symbol, o->symbol_part))) &&
		(is_among(f.dso_name, o->dsos, o->nr_dsos) || (f.dso && is_among(f.dso, o->dsos, o->nr_dsos))) &&
		is_among(f.symbol ? f.symbol : "", o->symbols, o->nr_symbols);
}

/* Whether the row of a cell is wanted, which depends on the first cell of the row. 1, 0 or -SONDE_NOMEM. */
static int is_row_wanted(struct maker *m, struct u64map *first, uint32_t cell)
{
	uint32_t frame = m->p->cells.at[cell].frame, wanted;
	uint64_t row = (uint64_t)m->group_of_cell[cell] << 32 | m->stack_tree.part_of_frame[frame];

	if (!chooses_rows(m->opts))
		return 1;
	wanted = u64map_get(first, row);
	if (wanted != U64MAP_NONE)
		return (int)wanted;
	wanted = is_wanted(m, frame);
	return u64map_set(first, row, wanted) < 0 ? -SONDE_NOMEM : (int)wanted;
}

/* The whole of percentages of shown rows. 0 or -SONDE_NOMEM. */
static int add_wanted(struct maker *m)
{
	struct u64map first = { 0 };
	int r = 0;

	m->hists->total = m->hists->total_latency = m->hists->samples = 0;
	for (size_t i = 0; i < m->nr_cells && r >= 0; i++) {
		const struct sonde_profile_cell *c = &m->p->cells.at[m->cells[i]];

		r = is_row_wanted(m, &first, m->cells[i]);
		if (r <= 0)
			continue;
		m->hists->total += c->period;
		m->hists->total_latency += c->latency;
		m->hists->samples += c->samples;
	}
	u64map_free(&first);
	return r < 0 ? r : 0;
}

static int find_total(struct maker *m)
{
	const struct sonde_profile_event *e = &m->p->events.at[m->opts->event];

	if (m->whole) {
		m->hists->total = m->whole->total;
		return 0;
	}
	m->hists->total = e->all_period;
	m->hists->total_latency = e->all_latency;
	m->hists->samples = e->all_samples;
	return m->opts->absolute ? 0 : add_wanted(m);
}

static void drop_unwanted(struct maker *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->hists->list.n; i++) {
		const struct hist_entry *row = &m->hists->list.at[i];

		if (is_wanted(m, row->frame) &&
		    (!m->opts->with_parent || m->opts->parents[m->p->cells.at[row->cell].stack]))
			m->hists->list.at[kept++] = *row;
	}
	m->hists->list.n = kept;
}

/* Functions without a name come last, by address. */
static int compare_frames(const struct sonde_profile *p, uint32_t x, uint32_t y)
{
	struct sonde_profile_frame a, b;
	int r;

	profile_frame(p, x, &a);
	profile_frame(p, y, &b);
	r = strcmp(a.dso_name, b.dso_name);
	if (r)
		return r;
	if (!a.symbol || !b.symbol)
		return a.symbol ? -1 : b.symbol ? 1 : a.addr < b.addr ? -1 : a.addr > b.addr;
	r = strcmp(a.symbol, b.symbol);
	return r ? r : (x > y) - (x < y);
}

int hists_compare_names(const struct sonde_profile *p, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct sonde_profile_task *s = &p->who.at[a->task], *t = &p->who.at[b->task];
	int r = strcmp(s->comm, t->comm);

	if (r == 0)
		r = compare_frames(p, a->frame, b->frame);
	if (r == 0)
		r = (s->tid > t->tid) - (s->tid < t->tid);
	return r ? r : (a->cell > b->cell) - (a->cell < b->cell);
}

static int compare_rows(const void *x, const void *y, void *ctx)
{
	struct maker *m = ctx;
	int r = 0;

	if (tell_progress(m, 1, ++m->compared, m->to_compare) < 0)
		return 0;            /* the order does not matter any more */
	for (size_t i = 0; i < m->opts->nr_orders && r == 0; i++)
		r = m->opts->orders[i](m->opts, m->p, x, y);
	return r ? r : hists_compare_names(m->p, x, y);
}

static int sort_rows(struct maker *m)
{
	size_t n = m->hists->list.n;

	for (size_t k = n; k; k /= 2)
		m->to_compare += n;
	begin_part(m, group_share, 1 - group_share);
	if (n && !m->only)           /* one row needs no order */
		qsort_r(m->hists->list.at, n, sizeof(*m->hists->list.at), compare_rows, m);
	return m->stopped ? -SONDE_STOPPED : 0;
}

static int make(struct maker *m)
{
	size_t from, to;
	int r = 0;

	for (size_t i = 0; i < m->opts->nr_keys; i++)
		m->groups.width += hist_key_is_of_cell(m->opts->keys[i]);
	if (stack_tree_init(&m->stack_tree, m->p, m->opts->keys, m->opts->nr_keys, m->opts->graph_lines) < 0 ||
	    call_tree_init(&m->tree, &m->stack_tree, m->opts, m->hists) < 0 || sort_cells(m) < 0)
		return -SONDE_NOMEM;
	m->next_cell = calloc(m->nr_cells + 1, sizeof(*m->next_cell));
	m->next_stack = calloc(m->stack_tree.n + 1, sizeof(*m->next_stack));
	if (!m->next_cell || !m->next_stack)
		return -SONDE_NOMEM;
	r = find_total(m);
	for (from = 0; from < m->nr_cells && r == 0; from = to) {
		for (to = from; to < m->nr_cells && m->group_of_cell[m->cells[to]] == m->group_of_cell[m->cells[from]];
		     to++)
			;
		r = make_group(m, from, to);
	}
	if (r < 0)
		return r;
	drop_unwanted(m);
	return sort_rows(m);
}

static int make_and_free(struct maker *m)
{
	int r;

	*m->hists = (struct hists){ 0 };
	r = make(m);
	stack_tree_free(&m->stack_tree);
	call_tree_free(&m->tree);
	hash_index_free(&m->index);
	key_set_free(&m->groups);
	vec_free(&m->first_cell);
	vec_free(&m->first_stack);
	free(m->group_of_cell);
	free(m->cells);
	free(m->next_cell);
	free(m->next_stack);
	return r;
}

int hists_make(struct hists *hists, const struct sonde_profile *p, const struct hists_opts *opts)
{
	struct maker m = { .p = p, .opts = opts, .hists = hists };

	return make_and_free(&m);
}

int hists_make_tree(struct hists *tree, const struct hists *whole, const struct hist_entry *row,
		    const struct sonde_profile *p, const struct hists_opts *opts)
{
	struct hists_opts with_graph = *opts;
	struct maker m = { .p = p, .opts = &with_graph, .hists = tree, .whole = whole, .only = row };
	size_t n = 0;
	int r;

	with_graph.graph = true;
	r = make_and_free(&m);
	while (r == 0 && n < tree->list.n && (tree->list.at[n].part != row->part || tree->list.at[n].cell != row->cell))
		n++;
	if (r == 0 && n < tree->list.n)
		tree->list.at[0] = tree->list.at[n];
	tree->list.n = r == 0 && n < tree->list.n;
	return r;
}

void hists_free(struct hists *hists)
{
	vec_free(&hists->list);
	for (size_t i = 0; i < hists->memory.n; i++)
		free(hists->memory.at[i]);
	vec_free(&hists->memory);
	vec_free(&hists->tree);
	vec_free(&hists->branches);
	vec_free(&hists->row_branches);
}
