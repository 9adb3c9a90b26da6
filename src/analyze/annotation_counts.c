/* SPDX-License-Identifier: MIT */
#include "analyze/annotation_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"

#define NO_FUNCTION UINT32_MAX

/* While the functions of the profile are gathered. */
struct gathering {
	const struct sonde_profile *p;
	const struct sonde_annotate_opts *opts;
	VEC(struct annotated_function) list;
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

static bool is_wanted(const struct gathering *g, const struct annotated_function *f)
{
	const struct sonde_annotate_opts *o = g->opts;

	if (o->dso && strcmp(o->dso, f->binary->name) != 0 &&
	    strcmp(o->dso, annotated_dso_name(g->p, f->binary)) != 0)
		return false;
	return !o->symbol || strcmp(o->symbol, annotated_function_name(f)) == 0 ||
	       (f->table && strcmp(o->symbol, symtab_linkage_name(f->table, f->symbol)) == 0);
}

/* The function of a frame; functions inlined into it, and its lines, are the same. NO_FUNCTION: none, or not wanted. */
static int function_of(struct gathering *g, const struct frame *f, uint32_t *out)
{
	struct annotated_function key = { .binary = f->binary, .symbol = f->symbol };
	uint64_t hash;
	uint32_t i;

	*out = NO_FUNCTION;
	if (!f->binary || (f->symbol == SYMTAB_NONE && f->binary->kind != BINARY_KSYMBOL))
		return 0;
	if (f->symbol != SYMTAB_NONE)
		key.table = f->table;
	hash = hash_two(hash_index_seed(&g->index) ^ (uintptr_t)key.binary, key.symbol);
	hash_index_each(&g->index, hash, i)
		if (g->list.at[i].binary == key.binary && g->list.at[i].symbol == key.symbol) {
			*out = i;
			return 0;
		}
	if (!is_wanted(g, &key))
		return 0;
	*out = (uint32_t)g->list.n;
	return vec_push(&g->list, key) < 0 || hash_index_add(&g->index, hash, *out) < 0 ? -SONDE_NOMEM : 0;
}

/* Sums up the cells of the first event by function. */
static int gather(struct gathering *g, uint32_t event)
{
	size_t nr_frames = g->p->frames.list.n;

	g->of_frame = malloc((nr_frames + 1) * sizeof(*g->of_frame));
	if (!g->of_frame)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < nr_frames; i++)
		if (function_of(g, &g->p->frames.list.at[i], &g->of_frame[i]) < 0)
			return -SONDE_NOMEM;
	for (size_t i = 0; i < g->p->cells.n; i++) {
		const struct sonde_profile_cell *cell = &g->p->cells.at[i];
		uint32_t f = g->of_frame[cell->frame];

		if (cell->event != event || f == NO_FUNCTION)
			continue;
		g->list.at[f].samples += cell->samples;
		g->list.at[f].period += cell->period;
	}
	return 0;
}

/* The one with more periods first, then by name. */
static int by_period(const void *a, const void *b)
{
	const struct annotated_function *x = *(const struct annotated_function *const *)a;
	const struct annotated_function *y = *(const struct annotated_function *const *)b;
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

/* The number of the nth function in the list; NO_FUNCTION: there are fewer, UINT32_MAX - 1: no memory. */
static int choose(const struct gathering *g, uint32_t event, uint32_t *out)
{
	double total = (double)g->p->events.at[event].period;
	const struct annotated_function **order = malloc((g->list.n + 1) * sizeof(const struct annotated_function *));
	size_t n = 0;

	if (!order)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < g->list.n; i++)
		if (g->list.at[i].samples &&
		    100 * (double)g->list.at[i].period >= g->opts->percent_limit * total)
			order[n++] = &g->list.at[i];
	qsort(order, n, sizeof(*order), by_period);
	*out = g->opts->nth < n ? (uint32_t)(order[g->opts->nth] - g->list.at) : NO_FUNCTION;
	free(order);
	return 0;
}

static int by_offset(const void *a, const void *b)
{
	const struct offset_count *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Entries of one place and event become one. */
static void sum_up(struct annotation_counts *c)
{
	size_t n = 0;

	qsort(c->list.at, c->list.n, sizeof(*c->list.at), by_offset);
	for (size_t i = 0; i < c->list.n; i++) {
		const struct offset_count *from = &c->list.at[i];

		if (n && by_offset(&c->list.at[n - 1], from) == 0) {
			c->list.at[n - 1].samples += from->samples;
			c->list.at[n - 1].period += from->period;
		} else {
			c->list.at[n++] = *from;
		}
	}
	c->list.n = n;
}

static int count(struct annotation_counts *c, const struct gathering *g, uint32_t function)
{
	for (size_t i = 0; i < g->p->cells.n; i++) {
		const struct sonde_profile_cell *cell = &g->p->cells.at[i];
		struct offset_count at = { .samples = cell->samples, .period = cell->period };

		if (g->of_frame[cell->frame] != function)
			continue;
		while (at.event < c->events.n && c->events.at[at.event] != cell->event)
			at.event++;
		if (at.event == c->events.n)
			continue;
		at.offset = g->p->details.list.at[cell->detail].symbol_offset;
		c->totals.at[at.event].samples += at.samples;
		c->totals.at[at.event].period += at.period;
		if (vec_push(&c->list, at) < 0)
			return -SONDE_NOMEM;
	}
	if (c->list.n)
		sum_up(c);
	return 0;
}

static int take_events(struct annotation_counts *c, const struct sonde_profile *p,
		       const struct sonde_annotate_opts *opts, struct sonde_error *err)
{
	for (size_t i = 0; i <= opts->nr_events; i++) {
		uint32_t event = i ? opts->events[i - 1] : opts->event;

		if (event >= p->events.n)
			return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no event number %u", event);
		if (vec_push(&c->events, event) < 0 ||
		    vec_push(&c->totals, ((struct sonde_annotation_count){ 0 })) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* Why no function was chosen. */
static int say_none(const struct gathering *g, struct sonde_error *err)
{
	const struct sonde_annotate_opts *o = g->opts;

	if (o->symbol && !g->list.n)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "no function '%s'%s%s has samples", o->symbol,
			       o->dso ? " of " : "", o->dso ? o->dso : "");
	return err_set(err, SONDE_MISSING, SONDE_NONE, o->nth ? "no further function has samples" :
							       "no function with a name has samples");
}

int annotation_counts_make(struct annotation_counts *c, const struct sonde_profile *p,
			   const struct sonde_annotate_opts *opts, struct sonde_error *err)
{
	struct gathering g = { .p = p, .opts = opts };
	uint32_t function;
	int r;

	*c = (struct annotation_counts){ 0 };
	if (!(p->by & SONDE_BY_SYMBOL_OFFSET))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the profile was made without SONDE_BY_SYMBOL_OFFSET");
	r = take_events(c, p, opts, err);
	if (r == 0)
		r = gather(&g, opts->event);
	if (r == 0)
		r = choose(&g, opts->event, &function);
	if (r == 0 && function == NO_FUNCTION)
		r = say_none(&g, err);
	if (r == 0) {
		c->function = g.list.at[function];
		r = count(c, &g, function);
	}
	vec_free(&g.list);
	hash_index_free(&g.index);
	free(g.of_frame);
	return r;
}

void annotation_counts_free(struct annotation_counts *c)
{
	vec_free(&c->events);
	vec_free(&c->list);
	vec_free(&c->totals);
}
