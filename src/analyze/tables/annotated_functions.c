/* SPDX-License-Identifier: MIT */
#include "analyze/tables/annotated_functions.h"

#include <stdlib.h>
#include <string.h>

#define NO_FUNCTION UINT32_MAX

/* While the functions of the profile are gathered. */
struct functions_in_making {
	const struct sonde_profile *p;
	struct annotated_functions *to;
	struct hash_index index;
	uint32_t *of_frame;          /* number in the list, or NO_FUNCTION */
};

const char *annotated_function_name(const struct annotated_function *f)
{
	return f->table ? symtab_name(f->table, f->symbol) : f->binary->name;
}

const char *annotated_dso_name(const struct sonde_profile *p, const struct binary *b)
{
	return b->index < p->dso_names.n ? p->dso_names.at[b->index] : b->name;
}

/* The function of a frame, NO_FUNCTION if it has none. Functions inlined into it, and its lines, are the same. */
static int function_of(struct functions_in_making *g, const struct frame *f, uint32_t *out)
{
	struct annotated_function key = { .binary = f->binary, .symbol = f->symbol, .first_cell = NO_CELL };
	uint64_t hash;
	uint32_t i;

	*out = NO_FUNCTION;
	if (!f->binary || (f->symbol == SYMTAB_NONE && f->binary->kind != BINARY_KSYMBOL))
		return 0;
	if (f->symbol != SYMTAB_NONE)
		key.table = f->table;
	hash = hash_two(hash_index_seed(&g->index) ^ (uintptr_t)key.binary, key.symbol);
	hash_index_each(&g->index, hash, i)
		if (g->to->list.at[i].binary == key.binary && g->to->list.at[i].symbol == key.symbol) {
			*out = i;
			return 0;
		}
	*out = (uint32_t)g->to->list.n;
	return vec_push(&g->to->list, key) < 0 || hash_index_add(&g->index, hash, *out) < 0 ? -SONDE_NOMEM : 0;
}

static void take_cells(struct functions_in_making *g)
{
	for (size_t i = 0; i < g->p->cells.n; i++) {
		const struct sonde_profile_cell *cell = &g->p->cells.at[i];
		uint32_t number = g->of_frame[cell->frame];
		struct annotated_function *f;

		if (number == NO_FUNCTION)
			continue;
		f = &g->to->list.at[number];
		g->to->next_cell[i] = f->first_cell;
		f->first_cell = (uint32_t)i;
		if (cell->event != g->to->event)
			continue;
		f->samples += cell->samples;
		f->period += cell->period;
	}
}

static int gather(struct functions_in_making *g)
{
	size_t nr_frames = g->p->frames.list.n;

	g->of_frame = malloc((nr_frames + 1) * sizeof(*g->of_frame));
	g->to->next_cell = malloc((g->p->cells.n + 1) * sizeof(*g->to->next_cell));
	if (!g->of_frame || !g->to->next_cell)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < nr_frames; i++)
		if (function_of(g, &g->p->frames.list.at[i], &g->of_frame[i]) < 0)
			return -SONDE_NOMEM;
	take_cells(g);
	return 0;
}

/* The one with more periods first, then by name. */
static int by_period(const void *a, const void *b)
{
	const struct annotated_function *x = a, *y = b;
	int names;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	names = strcmp(annotated_function_name(x), annotated_function_name(y));
	if (names)
		return names;
	return x->binary->index != y->binary->index ? (x->binary->index < y->binary->index ? -1 : 1) :
						      (x->symbol < y->symbol ? -1 : x->symbol > y->symbol);
}

static struct annotated_functions *make(const struct sonde_profile *p, uint32_t event)
{
	struct annotated_functions *made = calloc(1, sizeof(*made));
	struct functions_in_making g = { .p = p, .to = made };
	int r;

	if (!made)
		return NULL;
	made->event = event;
	r = gather(&g);
	hash_index_free(&g.index);
	free(g.of_frame);
	if (r == 0 && made->list.n)
		qsort(made->list.at, made->list.n, sizeof(*made->list.at), by_period);
	if (r == 0)
		return made;
	vec_free(&made->list);
	free(made->next_cell);
	free(made);
	return NULL;
}

const struct annotated_functions *annotated_functions_get(struct sonde_profile *p, uint32_t event)
{
	if (p->found.annotated && p->found.annotated->event != event)
		annotated_functions_drop(p);
	if (!p->found.annotated)
		p->found.annotated = make(p, event);
	return p->found.annotated;
}

void annotated_functions_drop(struct sonde_profile *p)
{
	if (!p->found.annotated)
		return;
	vec_free(&p->found.annotated->list);
	free(p->found.annotated->next_cell);
	free(p->found.annotated);
	p->found.annotated = NULL;
}
