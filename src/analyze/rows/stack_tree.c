/* SPDX-License-Identifier: MIT */
#include "analyze/rows/stack_tree.h"

#include <string.h>

#include "analyze/stacks/key_set.h"

/* The text of a frame: two frames with equal labels are one symbol. */
struct label {
	const char *dso;             /* names are interned */
	const char *symbol;          /* NULL: an address */
	uint64_t addr;               /* where the symbol begins: functions of one name may be several */
	bool inlined;
	const char *file;            /* of nodes with lines; interned */
	uint32_t line;
	uint64_t place;              /* of nodes that are addresses */
};

static struct label label_of(const struct sonde_profile *p, uint32_t frame, bool of_node, bool with_line)
{
	const struct frame *f = &p->frames.list.at[frame];
	struct label l = { .dso = f->binary ? p->dso_names.at[f->binary->index] : "",
			   .symbol = frame_symbol(f),
			   .addr = f->addr,
			   .inlined = f->inlined,
			   .file = with_line ? f->file : NULL,
			   .line = with_line ? f->line : 0,
			   .place = of_node ? f->place : 0 };

	if (f->symbol != SYMTAB_NONE)
		l.addr = symtab_start(f->table, f->symbol);
	return l;
}

static bool is_same_label(const struct label *a, const struct label *b)
{
	return a->dso == b->dso && a->addr == b->addr && !a->symbol == !b->symbol && a->inlined == b->inlined &&
	       a->file == b->file && a->line == b->line && a->place == b->place &&
	       (!a->symbol || strcmp(a->symbol, b->symbol) == 0);
}

static uint64_t hash_label(struct hash_index *index, const struct label *l)
{
	uint64_t seed = hash_index_seed(index),
		 name = l->symbol ? hash_bytes_seeded(seed, l->symbol, strlen(l->symbol)) : seed;

	return hash_two(hash_two(name ^ l->line, (uintptr_t)l->dso ^ (uintptr_t)l->file), l->addr ^ l->place);
}

/* Numbers the frames of each label; their number, or HASH_INDEX_NONE when out of memory. @of_node: of trees */
static uint32_t number_labels(struct stack_tree *t, uint32_t *number_of_frame, bool of_node, bool with_line)
{
	const struct sonde_profile *p = t->p;
	struct hash_index index = { 0 };
	VEC(struct label) labels = { 0 };
	uint32_t n;
	int r = 0;

	for (uint32_t i = 0; i < p->frames.list.n && r == 0; i++) {
		struct label l = label_of(p, i, of_node, with_line);
		uint64_t hash = hash_label(&index, &l);
		uint32_t k;

		hash_index_each(&index, hash, k)
			if (is_same_label(&labels.at[k], &l))
				break;
		if (k == HASH_INDEX_NONE) {
			k = (uint32_t)labels.n;
			r = vec_push(&labels, l) < 0 || hash_index_add(&index, hash, k) < 0 ? -SONDE_NOMEM : 0;
		}
		number_of_frame[i] = k;
	}
	n = (uint32_t)labels.n;
	vec_free(&labels);
	hash_index_free(&index);
	return r < 0 ? HASH_INDEX_NONE : n;
}

static int number_symbols(struct stack_tree *t, bool graph_lines)
{
	t->nr_symbols = t->nr_graph_symbols = number_labels(t, t->symbol_of_frame, false, false);
	if (graph_lines || t->p->frames.by_place)
		t->nr_graph_symbols = number_labels(t, t->graph_symbol_of_frame, true, graph_lines);
	else
		memcpy(t->graph_symbol_of_frame, t->symbol_of_frame,
		       t->p->frames.list.n * sizeof(*t->graph_symbol_of_frame));
	return t->nr_symbols == HASH_INDEX_NONE || t->nr_graph_symbols == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
}

static bool is_of_part(const struct hist_key *key)
{
	return key->of_frame && !key->other_frame;
}

static int number_parts(struct stack_tree *t, const struct hist_key *const *keys, size_t nr_keys)
{
	struct key_set parts = { 0 };
	uint64_t values[KEY_SET_WIDTH];
	uint32_t part = 0;

	for (size_t k = 0; k < nr_keys; k++)
		parts.width += is_of_part(keys[k]);
	for (uint32_t i = 0; i < t->p->frames.list.n && part != HASH_INDEX_NONE; i++) {
		size_t n = 0;

		for (size_t k = 0; k < nr_keys; k++)
			if (is_of_part(keys[k]))
				values[n++] = keys[k]->of_frame(t, i);
		t->part_of_frame[i] = part = key_set_number(&parts, values);
	}
	t->nr_parts = parts.n;
	key_set_free(&parts);
	return part == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
}

/* Outer stacks have lower numbers, so children can be linked in one pass, backwards to have them in order. */
static void link_stacks(struct stack_tree *t)
{
	for (uint32_t i = (uint32_t)t->n; i-- > 1;) {
		uint32_t parent = stack_tree_parent(t, i);

		t->next[i] = t->first_child[parent];
		t->first_child[parent] = i;
	}
	for (uint32_t i = 1; i < t->n; i++)
		t->depth[i] = t->depth[stack_tree_parent(t, i)] + 1;
}

/* A walk through the tree that knows the innermost stack on the way for each part. */
static int find_above(struct stack_tree *t)
{
	uint32_t *innermost = calloc(t->nr_parts + 1, sizeof(*innermost));
	uint32_t i = t->n ? t->first_child[0] : 0;

	if (!innermost)
		return -SONDE_NOMEM;
	while (i) {
		uint32_t part = stack_tree_part(t, i);

		t->above[i] = innermost[part];
		innermost[part] = i;
		if (t->first_child[i]) {
			i = t->first_child[i];
			continue;
		}
		while (i) {
			innermost[stack_tree_part(t, i)] = t->above[i];
			if (t->next[i])
				break;
			i = stack_tree_parent(t, i);
		}
		i = i ? t->next[i] : 0;
	}
	free(innermost);
	return 0;
}

int stack_tree_init(struct stack_tree *t, const struct sonde_profile *p, const struct hist_key *const *keys,
		    size_t nr_keys, bool graph_lines)
{
	size_t frames = p->frames.list.n + 1, n = p->stacks.list.n;

	*t = (struct stack_tree){ .p = p, .n = n };
	t->first_child = calloc(n, sizeof(*t->first_child));
	t->next = calloc(n, sizeof(*t->next));
	t->depth = calloc(n, sizeof(*t->depth));
	t->above = calloc(n, sizeof(*t->above));
	t->weight = calloc(n, sizeof(*t->weight));
	t->latency = calloc(n, sizeof(*t->latency));
	t->other = calloc(n, sizeof(*t->other));
	t->deepest = calloc(n, sizeof(*t->deepest));
	t->symbol_of_frame = calloc(frames, sizeof(*t->symbol_of_frame));
	t->graph_symbol_of_frame = calloc(frames, sizeof(*t->graph_symbol_of_frame));
	t->part_of_frame = calloc(frames, sizeof(*t->part_of_frame));
	if (!t->first_child || !t->next || !t->depth || !t->above || !t->weight || !t->latency || !t->other ||
	    !t->deepest || !t->symbol_of_frame || !t->graph_symbol_of_frame || !t->part_of_frame ||
	    number_symbols(t, graph_lines) < 0 || number_parts(t, keys, nr_keys) < 0)
		return -SONDE_NOMEM;
	link_stacks(t);
	return find_above(t);
}

void stack_tree_free(struct stack_tree *t)
{
	free(t->first_child);
	free(t->next);
	free(t->depth);
	free(t->above);
	free(t->weight);
	free(t->latency);
	free(t->other);
	free(t->deepest);
	free(t->symbol_of_frame);
	free(t->graph_symbol_of_frame);
	free(t->part_of_frame);
	vec_free(&t->touched);
}

int stack_tree_add(struct stack_tree *t, uint32_t cell)
{
	const struct sonde_profile_cell *c = &t->p->cells.at[cell];
	uint32_t depth = t->depth[c->stack];

	for (uint32_t i = c->stack; i; i = stack_tree_parent(t, i)) {
		if (!t->deepest[i] && vec_push(&t->touched, ((struct touched){ i, cell })) < 0)
			return -SONDE_NOMEM;
		weight_add(&t->weight[i], (struct weight){ c->period, c->samples });
		if (c->latency)          /* most recordings have none: one cache line less */
			t->latency[i] += c->latency;
		if (t->deepest[i] < depth)
			t->deepest[i] = depth;
	}
	return 0;
}

void stack_tree_clear(struct stack_tree *t)
{
	for (size_t i = 0; i < t->touched.n; i++) {
		t->weight[t->touched.at[i].stack] = (struct weight){ 0 };
		if (t->p->parallelism.known)
			t->latency[t->touched.at[i].stack] = 0;
		t->deepest[t->touched.at[i].stack] = 0;
	}
	t->touched.n = 0;
}
