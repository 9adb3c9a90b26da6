/* SPDX-License-Identifier: MIT */
#include "analyze/annotate/annotation_counts.h"

#include <stdlib.h>
#include <string.h>

static bool is_wanted(const struct sonde_profile *p, const struct sonde_annotate_opts *o,
		      const struct annotated_function *f)
{
	if (o->dso && strcmp(o->dso, f->binary->name) != 0 && strcmp(o->dso, annotated_dso_name(p, f->binary)) != 0)
		return false;
	return !o->symbol || strcmp(o->symbol, annotated_function_name(f)) == 0 ||
	       (f->table && strcmp(o->symbol, symtab_linkage_name(f->table, f->symbol)) == 0);
}

/* The nth function that the options name; NULL: there are fewer. */
static const struct annotated_function *choose(const struct annotated_functions *all, const struct sonde_profile *p,
					       const struct sonde_annotate_opts *o)
{
	double total = (double)p->events.at[all->event].period;
	size_t nr_before = 0;

	for (size_t i = 0; i < all->list.n; i++) {
		const struct annotated_function *f = &all->list.at[i];

		if (f->samples && 100 * (double)f->period >= o->percent_limit * total && is_wanted(p, o, f) &&
		    nr_before++ == o->nth)
			return f;
	}
	return NULL;
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

static int count(struct annotation_counts *c, const struct sonde_profile *p, const uint32_t *next_cell)
{
	for (uint32_t i = c->function.first_cell; i != NO_CELL; i = next_cell[i]) {
		const struct sonde_profile_cell *cell = &p->cells.at[i];
		struct offset_count at = { .samples = cell->samples, .period = cell->period };

		while (at.event < c->events.n && c->events.at[at.event] != cell->event)
			at.event++;
		if (at.event == c->events.n)
			continue;
		at.offset = p->details.list.at[cell->detail].symbol_offset;
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
static int say_none(const struct sonde_annotate_opts *o, struct sonde_error *err)
{
	if (o->nth)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "no further function has samples");
	if (o->symbol)
		return err_set(err, SONDE_MISSING, SONDE_NONE, "no function '%s'%s%s has samples", o->symbol,
			       o->dso ? " of " : "", o->dso ? o->dso : "");
	return err_set(err, SONDE_MISSING, SONDE_NONE, "no function with a name has samples");
}

int annotation_counts_make(struct annotation_counts *c, struct sonde_profile *p, const struct sonde_annotate_opts *opts,
			   struct sonde_error *err)
{
	const struct annotated_functions *all;
	const struct annotated_function *function;
	int r;

	*c = (struct annotation_counts){ 0 };
	if (!(p->kept.by & SONDE_BY_SYMBOL_OFFSET))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the profile was made without SONDE_BY_SYMBOL_OFFSET");
	r = take_events(c, p, opts, err);
	if (r < 0)
		return r;
	all = annotated_functions_get(p, opts->event);
	if (!all)
		return -SONDE_NOMEM;
	function = choose(all, p, opts);
	if (!function)
		return say_none(opts, err);
	c->function = *function;
	return count(c, p, all->next_cell);
}

void annotation_counts_free(struct annotation_counts *c)
{
	vec_free(&c->events);
	vec_free(&c->list);
	vec_free(&c->totals);
}
