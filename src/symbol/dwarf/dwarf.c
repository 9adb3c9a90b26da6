/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/dwarf.h"

#include <stdlib.h>

#include "symbol/dwarf/die_names.h"
#include "symbol/dwarf/range_list.h"
#include "symbol/dwarf/split.h"
#include "symbol/dwarf/supplement.h"

/* split: of a skeleton; otherwise NULL. */
struct dwarf_unit { struct unit *unit; struct split *split; };

struct dwarf {
	struct dwarf_paths paths;
	struct debug_file file;
	struct elf_file supplement_elf;
	struct debug_file supplement;    /* made by dwz */
	struct code_areas code;
	struct die_names names;
	VEC(struct dwarf_unit) units;    /* those that may have code */
	struct splits splits;
	struct missing_parts missing;
	pthread_mutex_t lock;        /* of the ranges */
	bool has_ranges;             /* atomic */
	VEC(struct unit_range) ranges;
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

		if (u.unit->partial)
			continue;
		if (unit_is_skeleton(u.unit) && (u.split = malloc(sizeof(*u.split))))
			split_init(u.split);
		r = vec_push(&d->units, u);
		if (r < 0 && u.split) {
			split_free(u.split);
			free(u.split);
		}
	}
	return r;
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
	die_names_init(&d->names);
	die_names_allow(&d->names, debug_sections_place(&d->file.sections, DEBUG_INFO).n);
	missing_parts_init(&d->missing);
	splits_init(&d->splits, &d->paths, &d->missing);
	if (dwarf_paths_init(&d->paths, path, opts) < 0 || code_areas_find(&d->code, debug) < 0 ||
	    open_supplement(d, debug) < 0 || choose_units(d) < 0)
		err_nomem(err);
	else if (d->units.n)
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
	vec_free(&d->ranges);
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

static int add_ranges(struct dwarf *d, const struct tree_range *r, size_t n, uint32_t unit)
{
	int e = 0;

	for (size_t i = 0; e == 0 && i < n; i++)
		e = vec_push(&d->ranges, ((struct unit_range){ r[i].start, r[i].end, unit }));
	return e;
}

static int add_function_ranges(struct dwarf *d, uint32_t unit)
{
	struct unit_tree tree = { 0 };
	int r = dwarf_unit_tree(d, unit, &tree) == -SONDE_NOMEM ? -SONDE_NOMEM : 0;

	for (size_t i = 0; r == 0 && i < tree.nodes.n; i++)
		if (tree.nodes.at[i].parent == TREE_NO_PARENT)
			r = add_ranges(d, tree.ranges.at + tree.nodes.at[i].first_range, tree.nodes.at[i].nr_ranges,
				       unit);
	unit_tree_free(&tree);
	return r;
}

static int find_ranges(struct dwarf *d)
{
	uint64_t budget = 4096 + debug_sections_place(&d->file.sections, DEBUG_INFO).n +
			  debug_sections_get(&d->file.sections, DEBUG_RANGES).n +
			  debug_sections_get(&d->file.sections, DEBUG_RNGLISTS).n;
	struct range_list list = { 0 };
	int r = 0;

	for (uint32_t i = 0; r != -SONDE_NOMEM && i < d->units.n; i++) {
		const struct unit *u = d->units.at[i].unit;

		r = range_list_read(&list, u, &u->die, &d->code, &budget);
		if (r != -SONDE_NOMEM)
			r = list.ranges.n ? add_ranges(d, list.ranges.at, list.ranges.n, i) : add_function_ranges(d, i);
	}
	vec_free(&list.ranges);
	if (d->ranges.n)
		qsort(d->ranges.at, d->ranges.n, sizeof(*d->ranges.at), by_start);
	return r;
}

const struct unit_range *dwarf_unit_ranges(struct dwarf *d, size_t *n)
{
	if (!__atomic_load_n(&d->has_ranges, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&d->lock);
		if (!d->has_ranges)
			find_ranges(d);
		__atomic_store_n(&d->has_ranges, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&d->lock);
	}
	*n = d->ranges.n;
	return d->ranges.at;
}

int dwarf_unit_tree(struct dwarf *d, uint32_t unit, struct unit_tree *tree)
{
	const struct dwarf_unit *u = &d->units.at[unit];
	struct unit *split = u->split ? split_unit(u->split, &d->splits, u->unit, &d->names) : NULL;

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
	uint64_t offset = DIE_HAS(&u->die, ATTR_STMT_LIST) ? u->die.value[ATTR_STMT_LIST] : UINT64_MAX;

	*lines = (struct unit_lines){
		.strings = s, .sup_strings = d->file.supplement ? &d->supplement.sections : NULL,
		.line = debug_sections_place(s, DEBUG_LINE), .offset = load_lines(s, offset) ? offset : UINT64_MAX,
		.swap = s->swap, .address_size = u->sizes.address,
		.comp_dir = die_string(u, &u->die, ATTR_COMP_DIR),
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
