/* SPDX-License-Identifier: MIT */
/*
 * folded.c - "comm;outer;...;inner count", one line for each stack, sorted, as FlameGraph's stackcollapse-perf.pl
 *
 * The stacks become a tree of names, because functions of one name are one here. A walk through its branches in the
 * order of bytes gives sorted lines without having them all in memory.
 */
#include "export/folded/folded.h"

#include "export/frame_name.h"

#include <string.h>

#include "base/text.h"

struct fold_node {
	uint32_t parent, name;
	uint32_t first_child, next;  /* siblings; 0: none */
	uint64_t count;              /* samples of the current comm whose stack ends here */
	uint32_t used_by;            /* comm + 1 whose lines contain the node */
};

struct stack_folder {
	const struct sonde_profile *p;
	const struct event_cells *cells;
	uint32_t event;
	bool by_period;
	struct strpool names;
	VEC(struct fold_node) nodes; /* 0 is the root */
	struct hash_index index;         /* by (parent, name) */
	uint32_t *name_of_frame;
	uint32_t *node_of_stack;
	uint32_t *comm_of_task;
	uint32_t *ranks;             /* by name: rank 2i of the name if a line ends with it, 2i+1 if the line goes on */
};

/* A semicolon would begin another frame. */
static void put_cleaned(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] != '"' && s[i] != '\'')
			buf_char(b, s[i] == ';' ? ':' : s[i]);
}

/*
 * The length of a name up to its parameters. The parentheses of Go methods, "net/http.(*Client).Do", and of anonymous
 * namespaces are a part of the name.
 */
static size_t length_without_parameters(const char *name)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *p = strstr(name, ".("), *end = p;

	while (end && (end = strchr(end + 1, ')')))
		if (end[1] == '.')
			return strlen(name);
	for (p = strchr(name, '('); p && strncmp(p, anonymous, sizeof(anonymous) - 1) == 0; p = strchr(p + 1, '('))
		;
	return p ? (size_t)(p - name) : strlen(name);
}

static uint32_t add_name(struct stack_folder *f, struct buf *text)
{
	if (text->failed)
		return UINT32_MAX;
	text_clean(text->p, text->n);
	return strpool_add(&f->names, text->p, text->n);
}

static uint32_t name_of_frame(struct stack_folder *f, uint32_t frame, struct buf *text)
{
	struct sonde_profile_frame fr;
	const char *base;

	profile_frame(f->p, frame, &fr);
	text->n = 0;
	if (fr.symbol) {
		put_cleaned(text, fr.symbol, length_without_parameters(fr.symbol));
	} else if (fr.dso) {
		base = strrchr(fr.dso, '/');
		base = base ? base + 1 : fr.dso;
		if (fr.size) {
			frame_put_nameless(text, &fr);
			buf_char(text, ' ');
		}
		buf_char(text, '[');
		put_cleaned(text, base, strlen(base));
		buf_char(text, ']');
	} else {
		buf_str(text, "[unknown]");
	}
	return add_name(f, text);
}

static uint32_t name_of_comm(struct stack_folder *f, const char *comm, struct buf *text)
{
	text->n = 0;
	for (; *comm; comm++)
		buf_char(text, *comm == ' ' ? '_' : *comm == ';' ? ':' : *comm);
	return add_name(f, text);
}

static uint32_t child_of(struct stack_folder *f, uint32_t parent, uint32_t name)
{
	uint64_t hash = hash_u64(hash_index_seed(&f->index) ^ ((uint64_t)parent << 32 | name));
	uint32_t i;

	hash_index_each(&f->index, hash, i)
		if (f->nodes.at[i].parent == parent && f->nodes.at[i].name == name)
			return i;
	i = (uint32_t)f->nodes.n;
	if (vec_push(&f->nodes, ((struct fold_node){ .parent = parent, .name = name })) < 0 ||
	    hash_index_add(&f->index, hash, i) < 0)
		return HASH_INDEX_NONE;
	return i;
}

static int name_everything(struct stack_folder *f)
{
	const struct sonde_profile *p = f->p;
	struct buf text = BUF_MEMORY;
	bool failed = false;

	f->name_of_frame = malloc((p->frames.list.n + 1) * sizeof(*f->name_of_frame));
	f->comm_of_task = malloc((p->who.n + 1) * sizeof(*f->comm_of_task));
	failed = !f->name_of_frame || !f->comm_of_task || strpool_add(&f->names, "", 0) == UINT32_MAX;
	for (uint32_t i = 0; i < p->frames.list.n && !failed; i++) {
		f->name_of_frame[i] = name_of_frame(f, i, &text);
		failed = f->name_of_frame[i] == UINT32_MAX;
	}
	for (size_t i = 0; i < p->who.n && !failed; i++) {
		f->comm_of_task[i] = name_of_comm(f, p->who.at[i].comm, &text);
		failed = f->comm_of_task[i] == UINT32_MAX;
	}
	buf_free(&text);
	return failed ? -SONDE_NOMEM : 0;
}

static int build_tree(struct stack_folder *f)
{
	const struct sonde_profile *p = f->p;

	f->node_of_stack = malloc((p->stacks.list.n + 1) * sizeof(*f->node_of_stack));
	if (!f->node_of_stack || vec_push(&f->nodes, ((struct fold_node){ 0 })) < 0)
		return -SONDE_NOMEM;
	f->node_of_stack[0] = 0;
	for (size_t i = 1; i < p->stacks.list.n; i++) {
		const struct sonde_profile_stack *s = &p->stacks.list.at[i];

		f->node_of_stack[i] = child_of(f, f->node_of_stack[s->parent], f->name_of_frame[s->frame]);
		if (f->node_of_stack[i] == HASH_INDEX_NONE)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* A name in a line, with its separator: names are compared together with it. */
struct ranked {
	const char *name;
	uint32_t number;             /* index into ranks */
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	size_t i = 0;
	int cx, cy;

	while (x->name[i] && x->name[i] == y->name[i])
		i++;
	cx = x->name[i] ? (unsigned char)x->name[i] : x->number & 1 ? ';' : -1;
	cy = y->name[i] ? (unsigned char)y->name[i] : y->number & 1 ? ';' : -1;
	return cx - cy;
}

static int rank_names(struct stack_folder *f)
{
	size_t n = f->names.names.n * 2;
	struct ranked *all = malloc((n + 1) * sizeof(*all));

	f->ranks = malloc((n + 1) * sizeof(*f->ranks));
	if (!all || !f->ranks) {
		free(all);
		return -SONDE_NOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		all[i] = (struct ranked){ strpool_get(&f->names, i / 2), i };
	qsort(all, n, sizeof(*all), compare_ranked);
	for (uint32_t i = 0; i < n; i++)
		f->ranks[all[i].number] = i;
	free(all);
	return 0;
}

static void link_children(struct stack_folder *f)
{
	for (uint32_t i = 1; i < f->nodes.n; i++) {
		struct fold_node *parent = &f->nodes.at[f->nodes.at[i].parent];

		f->nodes.at[i].next = parent->first_child;
		parent->first_child = i;
	}
}

/* A possible continuation of a line: the lines below a node, or the line that ends in it. */
struct fold_step {
	uint32_t node;
	uint32_t length;             /* of the line before the step */
	bool ends;
};

struct fold_walk {
	VEC(struct fold_step) todo;  /* a stack: the next step is the last element */
	struct buf line;
};

/* Sorts steps so that the next one is last. */
static int compare_steps(const void *a, const void *b, void *ctx)
{
	const struct fold_step *x = a, *y = b;
	const struct stack_folder *f = ctx;
	uint32_t rx = f->ranks[2 * f->nodes.at[x->node].name + !x->ends],
		 ry = f->ranks[2 * f->nodes.at[y->node].name + !y->ends];

	return rx < ry ? 1 : rx > ry ? -1 : 0;
}

static int push_children(struct stack_folder *f, struct fold_walk *w, uint32_t parent, uint32_t comm)
{
	size_t first = w->todo.n;
	struct fold_step s;

	for (uint32_t child = f->nodes.at[parent].first_child; child; child = f->nodes.at[child].next) {
		const struct fold_node *n = &f->nodes.at[child];

		if (n->used_by != comm + 1)
			continue;
		s = (struct fold_step){ child, (uint32_t)w->line.n, false };
		if (vec_push(&w->todo, s) < 0)
			return -SONDE_NOMEM;
		if (!n->count)
			continue;
		s.ends = true;
		if (vec_push(&w->todo, s) < 0)
			return -SONDE_NOMEM;
	}
	if (w->todo.n - first > 1)
		qsort_r(&w->todo.at[first], w->todo.n - first, sizeof(s), compare_steps, f);
	return 0;
}

static int write_comm(struct stack_folder *f, struct fold_walk *w, uint32_t comm, struct buf *out)
{
	w->line.n = 0;
	buf_str(&w->line, strpool_get(&f->names, comm));
	if (push_children(f, w, 0, comm) < 0)
		return -SONDE_NOMEM;
	while (w->todo.n) {
		struct fold_step s = w->todo.at[--w->todo.n];
		struct fold_node *n = &f->nodes.at[s.node];

		w->line.n = s.length;
		buf_char(&w->line, ';');
		buf_str(&w->line, strpool_get(&f->names, n->name));
		if (w->line.failed)
			return w->line.failed;
		if (s.ends) {
			buf_put(out, w->line.p, w->line.n);
			buf_char(out, ' ');
			buf_u64(out, n->count);
			buf_char(out, '\n');
			n->count = 0;
		} else if (push_children(f, w, s.node, comm) < 0) {
			return -SONDE_NOMEM;
		}
	}
	return 0;
}

static int compare_cells(const void *a, const void *b, void *ctx)
{
	const struct stack_folder *f = ctx;
	const struct sonde_profile_cell *x = &f->p->cells.at[*(const uint32_t *)a],
					*y = &f->p->cells.at[*(const uint32_t *)b];
	uint32_t rx = f->ranks[2 * f->comm_of_task[x->task] + 1], ry = f->ranks[2 * f->comm_of_task[y->task] + 1];

	return rx < ry ? -1 : rx > ry;
}

/* Adds a cell to the tree, and marks the nodes of its stack. */
static int count_cell(struct stack_folder *f, const struct sonde_profile_cell *c)
{
	uint32_t comm = f->comm_of_task[c->task];
	uint32_t at = c->stack ? f->node_of_stack[c->stack] : child_of(f, 0, f->name_of_frame[c->frame]);

	if (at == HASH_INDEX_NONE)
		return -SONDE_NOMEM;
	f->nodes.at[at].count += f->by_period ? c->period : c->samples;
	for (; at && f->nodes.at[at].used_by != comm + 1; at = f->nodes.at[at].parent)
		f->nodes.at[at].used_by = comm + 1;
	return 0;
}

/* Stacks of one frame, for samples without a callchain, are added before children are linked. */
static int add_lone_frames(struct stack_folder *f)
{
	for (size_t i = 0; i < f->p->cells.n; i++)
		if (!f->p->cells.at[i].stack &&
		    child_of(f, 0, f->name_of_frame[f->p->cells.at[i].frame]) == HASH_INDEX_NONE)
			return -SONDE_NOMEM;
	return 0;
}

static int write_cells(struct stack_folder *f, struct buf *out)
{
	const struct sonde_profile *p = f->p;
	size_t n;
	const uint32_t *cells = event_cells_of(f->cells, f->event, &n);
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	struct fold_walk w = { .line = BUF_MEMORY };
	int r = 0;

	if (!order)
		return -SONDE_NOMEM;
	memcpy(order, cells, n * sizeof(*order));
	qsort_r(order, n, sizeof(*order), compare_cells, f);
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct sonde_profile_cell *c = &p->cells.at[order[i]];
		uint32_t comm = f->comm_of_task[c->task];

		r = count_cell(f, c);
		if (r == 0 && (i + 1 == n || f->comm_of_task[p->cells.at[order[i + 1]].task] != comm))
			r = write_comm(f, &w, comm, out);
	}
	vec_free(&w.todo);
	buf_free(&w.line);
	free(order);
	return r;
}

int export_folded(struct export *x)
{
	struct stack_folder f = { .p = x->profile, .cells = &x->cells,
				  .by_period = x->opts.weight == SONDE_WEIGHT_PERIOD };
	int r = export_event(x);

	if (r >= 0) {
		f.event = (uint32_t)r;
		r = name_everything(&f) < 0 || build_tree(&f) < 0 || add_lone_frames(&f) < 0 || rank_names(&f) < 0 ?
			    -SONDE_NOMEM : 0;
	}
	if (r == 0) {
		link_children(&f);
		r = write_cells(&f, x->out);
	}
	strpool_free(&f.names);
	vec_free(&f.nodes);
	hash_index_free(&f.index);
	free(f.name_of_frame);
	free(f.node_of_stack);
	free(f.comm_of_task);
	free(f.ranks);
	return r < 0 ? r : x->profile->cells.n > 0;
}
