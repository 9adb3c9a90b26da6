/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/unit_ranges.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "symbol/dwarf/address_table.h"
#include "symbol/dwarf/code_units.h"

void unit_ranges_init(struct unit_ranges *r, struct code_units *units)
{
	*r = (struct unit_ranges){ .units = units };
	pthread_mutex_init(&r->lock, NULL);
}

void unit_ranges_free(struct unit_ranges *r)
{
	vec_free(&r->own.at);
	vec_free(&r->told.rows.at);
	free(r->told.units);
	pthread_mutex_destroy(&r->lock);
}

static int by_start(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static void sort_rows(struct range_rows *rows)
{
	if (rows->at.n)
		qsort(rows->at.at, rows->at.n, sizeof(*rows->at.at), by_start);
}

static int add_rows(struct range_rows *to, const struct tree_range *from, size_t n, uint32_t unit)
{
	int e = 0;

	for (size_t i = 0; e == 0 && i < n; i++)
		e = vec_push(&to->at, ((struct unit_range){ from[i].start, from[i].end, unit }));
	return e;
}

/* ---- as the units say themselves ---- */

static int add_function_ranges(struct code_units *c, uint32_t unit, struct range_rows *to)
{
	struct unit_tree tree = { 0 };
	int e = code_unit_tree(c, unit, &tree) == -SONDE_NOMEM ? -SONDE_NOMEM : 0;

	for (size_t i = 0; e == 0 && i < tree.nodes.n; i++)
		if (tree.nodes.at[i].parent == TREE_NO_PARENT)
			e = add_rows(to, tree.ranges.at + tree.nodes.at[i].first_range, tree.nodes.at[i].nr_ranges,
				     unit);
	unit_tree_free(&tree);
	return e;
}

static uint64_t range_budget(struct debug_sections *s)
{
	return 4096 + debug_sections_place(s, DEBUG_INFO).n + debug_sections_get(s, DEBUG_RANGES).n +
	       debug_sections_get(s, DEBUG_RNGLISTS).n;
}

/* The list of a unit that is readable. */
static int read_list(const struct code_units *c, uint32_t unit, struct range_list *list, uint64_t *budget)
{
	const struct unit *u = c->list.at[unit].unit;

	return range_list_read(list, u, &u->die, c->code, budget);
}

/* Only memory can fail. */
static int add_own(struct code_units *c, uint32_t unit, struct range_list *list, uint64_t *budget,
		   struct range_rows *to)
{
	if (!code_unit_is_readable(c, unit))
		return 0;
	if (read_list(c, unit, list, budget) == -SONDE_NOMEM)
		return -SONDE_NOMEM;
	return list->ranges.n ? add_rows(to, list->ranges.at, list->ranges.n, unit) :
				add_function_ranges(c, unit, to);
}

/* The lock is held. */
static const struct range_rows *own_rows(struct unit_ranges *r)
{
	uint64_t budget;
	struct range_list list = { 0 };
	int e = 0;

	if (r->has_own)
		return &r->own;
	budget = range_budget(&r->units->file->sections);
	for (uint32_t i = 0; e == 0 && i < r->units->list.n; i++)
		e = add_own(r->units, i, &list, &budget, &r->own);
	vec_free(&list.ranges);
	sort_rows(&r->own);
	__atomic_store_n(&r->has_own, true, __ATOMIC_RELEASE);
	return &r->own;
}

const struct unit_range *unit_ranges_own(struct unit_ranges *r, size_t *n)
{
	if (!__atomic_load_n(&r->has_own, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&r->lock);
		own_rows(r);
		pthread_mutex_unlock(&r->lock);
	}
	*n = r->own.at.n;
	return r->own.at.at;
}

/* ---- by a table in the file ---- */

static uint64_t sum_of_ranges(const struct tree_range *r, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += hash_two(r[i].start, r[i].end);
	return sum;
}

#define NO_UNIT UINT32_MAX

/* The number of the unit that begins at an offset; NO_UNIT: there is none. */
static uint32_t unit_at_offset(const struct code_units *c, uint64_t offset)
{
	size_t low = 0, high = c->list.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->list.at[middle].unit->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->list.n && c->list.at[low].unit->offset == offset ? (uint32_t)low : NO_UNIT;
}

static int by_unit(const void *a, const void *b)
{
	const struct address_row *x = a, *y = b;

	return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Tables are mostly written unit by unit. */
static void group_rows(struct address_table *t)
{
	for (size_t i = 1; i < t->rows.n; i++)
		if (t->rows.at[i - 1].unit > t->rows.at[i].unit) {
			qsort(t->rows.at, t->rows.n, sizeof(*t->rows.at), by_unit);
			break;
		}
}

/* The rows of one unit, from *i on, which is moved behind them. */
static int take_rows(struct unit_ranges *r, const struct address_table *t, size_t *i, struct range_list *list)
{
	uint64_t offset = t->rows.at[*i].unit;
	uint32_t unit = unit_at_offset(r->units, offset);
	int e = unit == NO_UNIT ? -SONDE_CORRUPT : 0;

	list->ranges.n = 0;
	for (; e == 0 && *i < t->rows.n && t->rows.at[*i].unit == offset; ++*i)
		e = range_list_add(list, r->units->code, t->rows.at[*i].start, t->rows.at[*i].end);
	if (e < 0)
		return e;
	range_list_tidy(list);
	r->told.units[unit].sum = sum_of_ranges(list->ranges.at, list->ranges.n);
	return add_rows(&r->told.rows, list->ranges.at, list->ranges.n, unit);
}

/* Units that the table was not made of say their ranges themselves. */
static int take_table(struct unit_ranges *r, struct address_table *t)
{
	struct range_list list = { 0 };
	int e = 0;

	group_rows(t);
	for (size_t i = 0; e == 0 && i < t->units.n; i++) {
		uint32_t unit = unit_at_offset(r->units, t->units.at[i]);

		if (unit == NO_UNIT)
			e = -SONDE_CORRUPT;
		else
			r->told.units[unit].covered = true;
	}
	for (size_t i = 0; e == 0 && i < t->rows.n;)
		e = take_rows(r, t, &i, &list);
	for (uint32_t i = 0; e == 0 && i < r->units->list.n; i++)
		if (!r->told.units[i].covered) {
			e = add_own(r->units, i, &list, &r->told.budget, &r->told.rows);
			r->told.units[i].agrees = true;
		}
	vec_free(&list.ranges);
	return e;
}

static void ask_table(struct unit_ranges *r)
{
	struct debug_sections *s = &r->units->file->sections;
	struct address_table t;
	int e = address_table_read(&t, s);

	if (e == 0) {
		r->told.budget = range_budget(s);
		r->told.complete = t.complete;
		r->told.units = calloc(r->units->list.n, sizeof(*r->told.units));
		e = r->told.units ? take_table(r, &t) : -SONDE_NOMEM;
		address_table_free(&t);
	}
	sort_rows(&r->told.rows);
	r->told.asked = true;
	r->told.refused = e < 0;
}

static bool agrees(struct unit_ranges *r, uint32_t unit)
{
	struct told_unit *u = &r->told.units[unit];
	struct range_list list = { 0 };

	if (!u->agrees && code_unit_is_readable(r->units, unit) &&
	    read_list(r->units, unit, &list, &r->told.budget) == 0)
		u->agrees = sum_of_ranges(list.ranges.at, list.ranges.n) == u->sum;
	vec_free(&list.ranges);
	return u->agrees;
}

static size_t units_at(const struct range_rows *rows, uint64_t addr, uint32_t units[UNITS_OF_ADDRESS_MAX])
{
	size_t n = sorted_nr_at_most(rows->at.at, rows->at.n, start, addr), looked_at = 0, found = 0;

	while (n-- && looked_at++ < UNITS_OF_ADDRESS_MAX)
		if (addr < rows->at.at[n].end)
			units[found++] = rows->at.at[n].unit;
	return found;
}

/* False: the table does not answer. */
static bool told_units_at(struct unit_ranges *r, uint64_t addr, uint32_t units[UNITS_OF_ADDRESS_MAX], size_t *n)
{
	if (!r->told.asked)
		ask_table(r);
	*n = r->told.refused ? 0 : units_at(&r->told.rows, addr, units);
	for (size_t i = 0; i < *n && !r->told.refused; i++)
		r->told.refused = !agrees(r, units[i]);
	return !r->told.refused && (*n || r->told.complete);
}

size_t unit_ranges_at(struct unit_ranges *r, uint64_t addr, uint32_t units[UNITS_OF_ADDRESS_MAX])
{
	size_t n;

	pthread_mutex_lock(&r->lock);
	if (r->has_own || !told_units_at(r, addr, units, &n))
		n = units_at(own_rows(r), addr, units);
	pthread_mutex_unlock(&r->lock);
	return n;
}
