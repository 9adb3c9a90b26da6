/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/dwarf.h"

#include <stdlib.h>

#include "symbol/dwarf/die_names.h"
#include "symbol/dwarf/range_list.h"
#include "symbol/dwarf/unit.h"

struct dwarf {
	struct debug_file file;
	struct code_areas code;
	struct die_names names;
	VEC(struct unit *) units;    /* those that may have code */
	pthread_mutex_t lock;        /* of the ranges */
	bool has_ranges;             /* atomic */
	VEC(struct unit_range) ranges;
};

static int choose_units(struct dwarf *d)
{
	int r = debug_file_read_units(&d->file);

	for (size_t i = 0; r == 0 && i < d->file.units.n; i++)
		if (!d->file.units.at[i].partial)
			r = vec_push(&d->units, &d->file.units.at[i]);
	return r;
}

struct dwarf *dwarf_new(const struct elf_file *debug, const char *path, const struct dwarf_opts *opts,
			struct sonde_error *err)
{
	struct dwarf *d = calloc(1, sizeof(*d));

	(void)path;
	(void)opts;
	if (!d) {
		err_nomem(err);
		return NULL;
	}
	debug_file_open(&d->file, debug, "");
	pthread_mutex_init(&d->lock, NULL);
	die_names_init(&d->names, 65536 + 4 * debug_sections_get(&d->file.sections, DEBUG_INFO).n);
	if (code_areas_find(&d->code, debug) < 0 || choose_units(d) < 0)
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
	vec_free(&d->units);
	code_areas_free(&d->code);
	die_names_free(&d->names);
	debug_file_close(&d->file);
	pthread_mutex_destroy(&d->lock);
	free(d);
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
	uint64_t budget = 4096 + debug_sections_get(&d->file.sections, DEBUG_INFO).n +
			  debug_sections_get(&d->file.sections, DEBUG_RANGES).n +
			  debug_sections_get(&d->file.sections, DEBUG_RNGLISTS).n;
	struct range_list list = { 0 };
	int r = 0;

	for (uint32_t i = 0; r != -SONDE_NOMEM && i < d->units.n; i++) {
		const struct unit *u = d->units.at[i];

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
	return unit_tree_read(tree, d->units.at[unit], &d->names, &d->code);
}

int dwarf_unit_lines(struct dwarf *d, uint32_t unit, struct unit_lines *lines)
{
	const struct unit *u = d->units.at[unit];
	struct debug_sections *s = &d->file.sections;

	*lines = (struct unit_lines){
		.line = debug_sections_get(s, DEBUG_LINE),
		.offset = DIE_HAS(&u->die, ATTR_STMT_LIST) ? u->die.value[ATTR_STMT_LIST] : UINT64_MAX,
		.str = debug_sections_get(s, DEBUG_STR), .line_str = debug_sections_get(s, DEBUG_LINE_STR),
		.swap = s->swap, .address_size = u->sizes.address,
		.comp_dir = die_string(u, &u->die, ATTR_COMP_DIR), .name = die_string(u, &u->die, ATTR_NAME),
	};
	return 0;
}

bool dwarf_is_code(const struct dwarf *d, uint64_t addr)
{
	return code_areas_at(&d->code, addr);
}
