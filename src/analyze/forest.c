/* SPDX-License-Identifier: MIT */
#include "analyze/forest.h"

#include <string.h>

#include "analyze/tuples.h"

/* What is seen of a frame: two frames with equal looks are one symbol. */
struct look {
	const char *dso;             /* names are interned */
	const char *symbol;          /* NULL: an address */
	uint64_t addr;               /* where the symbol begins: functions of one name may be several */
};

static struct look look_of(const struct sonde_profile *p, uint32_t frame)
{
	const struct frame *f = &p->frames.list.at[frame];
	struct look l = { .dso = f->binary ? p->dso_names.at[f->binary->index] : "", .symbol = frame_symbol(f), .addr = f->addr };

	if (f->symbol != SYMTAB_NONE)
		l.addr = symtab_start(f->table, f->symbol);
	return l;
}

static bool is_same_look(const struct look *a, const struct look *b)
{
	return a->dso == b->dso && a->addr == b->addr && !a->symbol == !b->symbol &&
	       (!a->symbol || strcmp(a->symbol, b->symbol) == 0);
}

static uint64_t hash_look(struct hash_index *index, const struct look *l)
{
	uint64_t seed = hash_index_seed(index), name = l->symbol ? hash_bytes_seeded(seed, l->symbol, strlen(l->symbol)) : seed;

	return hash_two(hash_two(name, (uintptr_t)l->dso), l->addr);
}

static int number_symbols(struct forest *f)
{
	const struct sonde_profile *p = f->p;
	struct hash_index index = { 0 };
	VEC(struct look) looks = { 0 };
	int r = 0;

	for (uint32_t i = 0; i < p->frames.list.n && r == 0; i++) {
		struct look l = look_of(p, i);
		uint64_t hash = hash_look(&index, &l);
		uint32_t k;

		hash_index_each(&index, hash, k)
			if (is_same_look(&looks.at[k], &l))
				break;
		if (k == HASH_INDEX_NONE) {
			k = (uint32_t)looks.n;
			r = vec_push(&looks, l) < 0 || hash_index_add(&index, hash, k) < 0 ? -SONDE_NOMEM : 0;
		}
		f->symbol_of_frame[i] = k;
	}
	f->nr_symbols = (uint32_t)looks.n;
	vec_free(&looks);
	hash_index_free(&index);
	return r;
}

static int number_parts(struct forest *f, const struct row_key *const *keys, size_t nr_keys)
{
	struct tuples parts = { 0 };
	uint64_t values[TUPLE_MAX];
	uint32_t part = 0;

	for (size_t k = 0; k < nr_keys; k++)
		parts.width += keys[k]->of_frame != NULL;
	for (uint32_t i = 0; i < f->p->frames.list.n && part != HASH_INDEX_NONE; i++) {
		size_t n = 0;

		for (size_t k = 0; k < nr_keys; k++)
			if (keys[k]->of_frame)
				values[n++] = keys[k]->of_frame(f, i);
		f->part_of_frame[i] = part = tuples_number(&parts, values);
	}
	f->nr_parts = parts.n;
	tuples_free(&parts);
	return part == HASH_INDEX_NONE ? -SONDE_NOMEM : 0;
}

/* Outer stacks have lower numbers, so children can be linked in one pass, backwards to have them in order. */
static void link_stacks(struct forest *f)
{
	for (uint32_t i = (uint32_t)f->n; i-- > 1;) {
		uint32_t parent = forest_parent(f, i);

		f->next[i] = f->first_child[parent];
		f->first_child[parent] = i;
	}
	for (uint32_t i = 1; i < f->n; i++)
		f->depth[i] = f->depth[forest_parent(f, i)] + 1;
}

/* A walk through the tree that knows the innermost stack on the way for each part. */
static int find_above(struct forest *f)
{
	uint32_t *innermost = calloc(f->nr_parts + 1, sizeof(*innermost));
	uint32_t i = f->n ? f->first_child[0] : 0;

	if (!innermost)
		return -SONDE_NOMEM;
	while (i) {
		uint32_t part = forest_part(f, i);

		f->above[i] = innermost[part];
		innermost[part] = i;
		if (f->first_child[i]) {
			i = f->first_child[i];
			continue;
		}
		while (i) {
			innermost[forest_part(f, i)] = f->above[i];
			if (f->next[i])
				break;
			i = forest_parent(f, i);
		}
		i = i ? f->next[i] : 0;
	}
	free(innermost);
	return 0;
}

int forest_init(struct forest *f, const struct sonde_profile *p, const struct row_key *const *keys, size_t nr_keys)
{
	size_t frames = p->frames.list.n + 1, n = p->stacks.list.n;

	*f = (struct forest){ .p = p, .n = n };
	f->first_child = calloc(n, sizeof(*f->first_child));
	f->next = calloc(n, sizeof(*f->next));
	f->depth = calloc(n, sizeof(*f->depth));
	f->above = calloc(n, sizeof(*f->above));
	f->weight = calloc(n, sizeof(*f->weight));
	f->latency = calloc(n, sizeof(*f->latency));
	f->other = calloc(n, sizeof(*f->other));
	f->deepest = calloc(n, sizeof(*f->deepest));
	f->symbol_of_frame = calloc(frames, sizeof(*f->symbol_of_frame));
	f->part_of_frame = calloc(frames, sizeof(*f->part_of_frame));
	if (!f->first_child || !f->next || !f->depth || !f->above || !f->weight || !f->latency || !f->other ||
	    !f->deepest || !f->symbol_of_frame || !f->part_of_frame || number_symbols(f) < 0 ||
	    number_parts(f, keys, nr_keys) < 0)
		return -SONDE_NOMEM;
	link_stacks(f);
	return find_above(f);
}

void forest_free(struct forest *f)
{
	free(f->first_child);
	free(f->next);
	free(f->depth);
	free(f->above);
	free(f->weight);
	free(f->latency);
	free(f->other);
	free(f->deepest);
	free(f->symbol_of_frame);
	free(f->part_of_frame);
	vec_free(&f->touched);
}

int forest_add(struct forest *f, uint32_t cell)
{
	const struct sonde_profile_cell *c = &f->p->cells.at[cell];
	uint32_t depth = f->depth[c->stack];

	for (uint32_t i = c->stack; i; i = forest_parent(f, i)) {
		if (!f->deepest[i] && vec_push(&f->touched, ((struct touched){ i, cell })) < 0)
			return -SONDE_NOMEM;
		weight_add(&f->weight[i], (struct weight){ c->period, c->samples });
		f->latency[i] += c->latency;
		if (f->deepest[i] < depth)
			f->deepest[i] = depth;
	}
	return 0;
}

void forest_clear(struct forest *f)
{
	for (size_t i = 0; i < f->touched.n; i++) {
		f->weight[f->touched.at[i].stack] = (struct weight){ 0 };
		f->latency[f->touched.at[i].stack] = 0;
		f->deepest[f->touched.at[i].stack] = 0;
	}
	f->touched.n = 0;
}
