/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/dwarf.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "symbol/dwarf/address_table.h"
#include "symbol/dwarf/die_names.h"
#include "symbol/dwarf/range_list.h"
#include "symbol/dwarf/split.h"
#include "symbol/dwarf/supplement.h"

/* split: of a skeleton whose entries were asked for; otherwise NULL. */
struct dwarf_unit { struct unit *unit; struct split *split; };

struct unit_ranges { VEC(struct unit_range) at; };

/* The addresses by a table in the file. */
struct told_ranges {
	bool asked, refused;         /* refused: there is none, or it disagrees with a unit */
	bool complete;               /* an address without a range has no unit */
	struct unit_ranges ranges;
	struct told_unit { uint64_t sum; bool covered, agrees; } *units; /* sum: of the hashes of its ranges */
	uint64_t budget;             /* for the ranges of units that are compared with it */
};

struct dwarf {
	struct dwarf_paths paths;
	struct debug_file file;
	struct elf_file supplement_elf;
	struct debug_file supplement;    /* made by dwz */
	struct code_areas code;
	struct die_names names;
	VEC(struct dwarf_unit) units;    /* those that may have code */
	pthread_mutex_t split_lock;  /* of the pointers to splits */
	struct splits splits;
	struct missing_parts missing;
	pthread_mutex_t lock;        /* of the ranges */
	bool has_ranges;             /* atomic */
	struct unit_ranges ranges;
	struct told_ranges told;
};

/* Without the file that dwz made, most functions have no names, but their ranges are there. */
static int open_supplement(struct dwarf *d, const struct elf_file *debug)
{
	if (supplement_open(&d->supplement_elf, debug, &d->paths, &d->missing) < 0)
		return 0;
	debug_file_open(&d->supplement, &d->supplement_elf, "");
	d->file.supplement = &d->supplement;
	return debug_file_read_units(&d->supplement);
}

static int choose_units(struct dwarf *d)
{
	int r = debug_file_read_units(&d->file);

	for (size_t i = 0; r == 0 && i < d->file.units.n; i++) {
		struct dwarf_unit u = { .unit = &d->file.units.at[i] };

		if (u.unit->type != DW_UT_partial)
			r = vec_push(&d->units, u);
	}
	return r;
}

/* Up to DWARF 4, only the first entry tells that a unit has no code. */
static bool has_code(const struct dwarf_unit *u)
{
	return unit_ready(u->unit) && !u->unit->partial;
}

static bool has_units(const struct dwarf *d)
{
	for (size_t i = 0; i < d->units.n; i++)
		if (has_code(&d->units.at[i]))
			return true;
	return false;
}

struct dwarf *dwarf_new(const struct elf_file *debug, const char *path, const struct dwarf_opts *opts,
			struct sonde_error *err)
{
	struct dwarf *d = calloc(1, sizeof(*d));

	if (!d) {
		err_nomem(err);
		return NULL;
	}
	debug_file_open(&d->file, debug, "");
	pthread_mutex_init(&d->lock, NULL);
	pthread_mutex_init(&d->split_lock, NULL);
	die_names_init(&d->names);
	die_names_allow(&d->names, debug_sections_place(&d->file.sections, DEBUG_INFO).n);
	missing_parts_init(&d->missing);
	splits_init(&d->splits, &d->paths, &d->missing);
	if (dwarf_paths_init(&d->paths, path, opts) < 0 || code_areas_find(&d->code, debug) < 0 ||
	    open_supplement(d, debug) < 0 || choose_units(d) < 0)
		err_nomem(err);
	else if (has_units(d))
		return d;
	else
		err_set(err, SONDE_MISSING, SONDE_NONE, "has no DWARF units");
	dwarf_free(d);
	return NULL;
}

void dwarf_free(struct dwarf *d)
{
	if (!d)
		return;
	vec_free(&d->ranges.at);
	vec_free(&d->told.ranges.at);
	free(d->told.units);
	for (size_t i = 0; i < d->units.n; i++)
		if (d->units.at[i].split) {
			split_free(d->units.at[i].split);
			free(d->units.at[i].split);
		}
	vec_free(&d->units);
	splits_free(&d->splits);
	missing_parts_free(&d->missing);
	code_areas_free(&d->code);
	die_names_free(&d->names);
	debug_file_close(&d->file);
	debug_file_close(&d->supplement);
	if (d->supplement_elf.elf)
		elf_file_close(&d->supplement_elf);
	dwarf_paths_free(&d->paths);
	pthread_mutex_destroy(&d->lock);
	pthread_mutex_destroy(&d->split_lock);
	free(d);
}

const struct missing_parts *dwarf_missing_parts(const struct dwarf *d)
{
	return &d->missing;
}

uint32_t dwarf_nr_units(const struct dwarf *d)
{
	return (uint32_t)d->units.n;
}

static int by_start(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static void sort_ranges(struct unit_ranges *r)
{
	if (r->at.n)
		qsort(r->at.at, r->at.n, sizeof(*r->at.at), by_start);
}

static int add_ranges(struct unit_ranges *to, const struct tree_range *r, size_t n, uint32_t unit)
{
	int e = 0;

	for (size_t i = 0; e == 0 && i < n; i++)
		e = vec_push(&to->at, ((struct unit_range){ r[i].start, r[i].end, unit }));
	return e;
}

static int add_function_ranges(struct dwarf *d, uint32_t unit, struct unit_ranges *to)
{
	struct unit_tree tree = { 0 };
	int r = dwarf_unit_tree(d, unit, &tree) == -SONDE_NOMEM ? -SONDE_NOMEM : 0;

	for (size_t i = 0; r == 0 && i < tree.nodes.n; i++)
		if (tree.nodes.at[i].parent == TREE_NO_PARENT)
			r = add_ranges(to, tree.ranges.at + tree.nodes.at[i].first_range, tree.nodes.at[i].nr_ranges,
				       unit);
	unit_tree_free(&tree);
	return r;
}

static uint64_t range_budget(struct dwarf *d)
{
	return 4096 + debug_sections_place(&d->file.sections, DEBUG_INFO).n +
	       debug_sections_get(&d->file.sections, DEBUG_RANGES).n +
	       debug_sections_get(&d->file.sections, DEBUG_RNGLISTS).n;
}

/* As the unit says itself. Only memory can fail. */
static int add_own_ranges(struct dwarf *d, uint32_t unit, struct range_list *list, uint64_t *budget,
			  struct unit_ranges *to)
{
	const struct dwarf_unit *u = &d->units.at[unit];

	if (!has_code(u))
		return 0;
	if (range_list_read(list, u->unit, &u->unit->die, &d->code, budget) == -SONDE_NOMEM)
		return -SONDE_NOMEM;
	return list->ranges.n ? add_ranges(to, list->ranges.at, list->ranges.n, unit) :
				add_function_ranges(d, unit, to);
}

static int find_ranges(struct dwarf *d)
{
	uint64_t budget = range_budget(d);
	struct range_list list = { 0 };
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < d->units.n; i++)
		r = add_own_ranges(d, i, &list, &budget, &d->ranges);
	vec_free(&list.ranges);
	sort_ranges(&d->ranges);
	return r;
}

/* The lock is held. */
static const struct unit_ranges *own_ranges(struct dwarf *d)
{
	if (!d->has_ranges)
		find_ranges(d);
	__atomic_store_n(&d->has_ranges, true, __ATOMIC_RELEASE);
	return &d->ranges;
}

const struct unit_range *dwarf_unit_ranges(struct dwarf *d, size_t *n)
{
	if (!__atomic_load_n(&d->has_ranges, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&d->lock);
		own_ranges(d);
		pthread_mutex_unlock(&d->lock);
	}
	*n = d->ranges.at.n;
	return d->ranges.at.at;
}

static uint64_t sum_of_ranges(const struct tree_range *r, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += hash_two(r[i].start, r[i].end);
	return sum;
}

/* The number of the unit that begins at an offset; NO_UNIT: there is none. */
#define NO_UNIT UINT32_MAX

static uint32_t unit_at_offset(const struct dwarf *d, uint64_t offset)
{
	size_t low = 0, high = d->units.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->units.at[middle].unit->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->units.n && d->units.at[low].unit->offset == offset ? (uint32_t)low : NO_UNIT;
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
static int take_rows(struct dwarf *d, const struct address_table *t, size_t *i, struct range_list *list)
{
	uint64_t offset = t->rows.at[*i].unit;
	uint32_t unit = unit_at_offset(d, offset);
	int r = unit == NO_UNIT ? -SONDE_CORRUPT : 0;

	list->ranges.n = 0;
	for (; r == 0 && *i < t->rows.n && t->rows.at[*i].unit == offset; ++*i)
		r = range_list_add(list, &d->code, t->rows.at[*i].start, t->rows.at[*i].end);
	if (r < 0)
		return r;
	range_list_tidy(list);
	d->told.units[unit].sum = sum_of_ranges(list->ranges.at, list->ranges.n);
	return add_ranges(&d->told.ranges, list->ranges.at, list->ranges.n, unit);
}

/* Units that the table was not made of say their ranges themselves. */
static int take_table(struct dwarf *d, struct address_table *t)
{
	struct range_list list = { 0 };
	int r = 0;

	group_rows(t);
	for (size_t i = 0; r == 0 && i < t->units.n; i++) {
		uint32_t unit = unit_at_offset(d, t->units.at[i]);

		if (unit == NO_UNIT)
			r = -SONDE_CORRUPT;
		else
			d->told.units[unit].covered = true;
	}
	for (size_t i = 0; r == 0 && i < t->rows.n;)
		r = take_rows(d, t, &i, &list);
	for (uint32_t i = 0; r == 0 && i < d->units.n; i++)
		if (!d->told.units[i].covered) {
			r = add_own_ranges(d, i, &list, &d->told.budget, &d->told.ranges);
			d->told.units[i].agrees = true;
		}
	vec_free(&list.ranges);
	return r;
}

static void ask_table(struct dwarf *d)
{
	struct address_table t;
	int r = address_table_read(&t, &d->file.sections);

	if (r == 0) {
		d->told.budget = range_budget(d);
		d->told.complete = t.complete;
		d->told.units = calloc(d->units.n, sizeof(*d->told.units));
		r = d->told.units ? take_table(d, &t) : -SONDE_NOMEM;
		address_table_free(&t);
	}
	sort_ranges(&d->told.ranges);
	d->told.asked = true;
	d->told.refused = r < 0;
}

static bool agrees(struct dwarf *d, uint32_t unit)
{
	struct told_unit *u = &d->told.units[unit];
	struct range_list list = { 0 };

	if (!u->agrees && has_code(&d->units.at[unit]) &&
	    range_list_read(&list, d->units.at[unit].unit, &d->units.at[unit].unit->die, &d->code,
			    &d->told.budget) == 0)
		u->agrees = sum_of_ranges(list.ranges.at, list.ranges.n) == u->sum;
	vec_free(&list.ranges);
	return u->agrees;
}

static size_t units_at(const struct unit_ranges *r, uint64_t addr, uint32_t units[UNITS_OF_ADDRESS_MAX])
{
	size_t n = sorted_nr_at_most(r->at.at, r->at.n, start, addr), looked_at = 0, found = 0;

	while (n-- && looked_at++ < UNITS_OF_ADDRESS_MAX)
		if (addr < r->at.at[n].end)
			units[found++] = r->at.at[n].unit;
	return found;
}

/* False: by no table. */
static bool told_units_at(struct dwarf *d, uint64_t addr, uint32_t units[UNITS_OF_ADDRESS_MAX], size_t *n)
{
	if (!d->told.asked)
		ask_table(d);
	*n = d->told.refused ? 0 : units_at(&d->told.ranges, addr, units);
	for (size_t i = 0; i < *n && !d->told.refused; i++)
		d->told.refused = !agrees(d, units[i]);
	return !d->told.refused && (*n || d->told.complete);
}

size_t dwarf_units_at(struct dwarf *d, uint64_t addr, uint32_t units[UNITS_OF_ADDRESS_MAX])
{
	size_t n;

	pthread_mutex_lock(&d->lock);
	if (d->has_ranges || !told_units_at(d, addr, units, &n))
		n = units_at(own_ranges(d), addr, units);
	pthread_mutex_unlock(&d->lock);
	return n;
}

static struct unit *unit_of_skeleton(struct dwarf *d, struct dwarf_unit *u)
{
	struct split *split;

	if (!unit_is_skeleton(u->unit))
		return NULL;
	pthread_mutex_lock(&d->split_lock);
	if (!u->split && (u->split = malloc(sizeof(*u->split))))
		split_init(u->split);
	split = u->split;
	pthread_mutex_unlock(&d->split_lock);
	return split ? split_unit(split, &d->splits, u->unit, &d->names) : NULL;
}

int dwarf_unit_tree(struct dwarf *d, uint32_t unit, struct unit_tree *tree)
{
	struct dwarf_unit *u = &d->units.at[unit];
	struct unit *split;

	if (!has_code(u))
		return 0;
	split = unit_of_skeleton(d, u);
	/* a skeleton may have the functions that others were inlined into itself */
	return unit_tree_read(tree, split ? split : u->unit, &d->names, &d->code);
}

/* Loads a line program, by the length that it begins with. */
static bool load_lines(struct debug_sections *s, uint64_t offset)
{
	struct debug_bytes b = debug_sections_place(s, DEBUG_LINE);
	struct scan scan = scan_from(b.p, b.n, offset, s->swap);
	uint64_t before = scan_left(&scan) < 12 ? scan_left(&scan) : 12, length;
	uint8_t offset_size;

	if (scan.failed || !debug_sections_load(s, DEBUG_LINE, offset, before))
		return false;
	length = scan_length(&scan, &offset_size);
	return !scan.failed && debug_sections_load(s, DEBUG_LINE, (uint64_t)(scan.p - b.p), length);
}

void dwarf_unit_lines(struct dwarf *d, uint32_t unit, struct unit_lines *lines)
{
	const struct unit *u = d->units.at[unit].unit;
	struct debug_sections *s = &d->file.sections;
	bool known = has_code(&d->units.at[unit]);
	uint64_t offset = known && DIE_HAS(&u->die, ATTR_STMT_LIST) ? u->die.value[ATTR_STMT_LIST] : UINT64_MAX;

	*lines = (struct unit_lines){
		.strings = s, .sup_strings = d->file.supplement ? &d->supplement.sections : NULL,
		.line = debug_sections_place(s, DEBUG_LINE), .offset = load_lines(s, offset) ? offset : UINT64_MAX,
		.swap = s->swap, .address_size = u->sizes.address,
		.comp_dir = known ? die_string(u, &u->die, ATTR_COMP_DIR) : NULL,
	};
}

void dwarf_load_all(struct dwarf *d)
{
	debug_sections_get(&d->file.sections, DEBUG_INFO);
	debug_sections_get(&d->file.sections, DEBUG_LINE);
	debug_sections_get(&d->file.sections, DEBUG_STR);
	debug_sections_get(&d->supplement.sections, DEBUG_INFO);
	debug_sections_get(&d->supplement.sections, DEBUG_STR);
}

bool dwarf_is_code(const struct dwarf *d, uint64_t addr)
{
	return code_areas_at(&d->code, addr);
}
