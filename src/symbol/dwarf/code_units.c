/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/code_units.h"

#include <stdlib.h>

void code_units_init(struct code_units *c, struct debug_file *file, const struct code_areas *code,
		     const struct dwarf_paths *paths, struct missing_parts *missing)
{
	*c = (struct code_units){ .file = file, .code = code };
	pthread_mutex_init(&c->split_lock, NULL);
	die_names_init(&c->names);
	die_names_allow(&c->names, debug_sections_place(&file->sections, DEBUG_INFO).n);
	splits_init(&c->splits, paths, missing);
}

void code_units_free(struct code_units *c)
{
	for (size_t i = 0; i < c->list.n; i++)
		if (c->list.at[i].split) {
			split_free(c->list.at[i].split);
			free(c->list.at[i].split);
		}
	vec_free(&c->list);
	splits_free(&c->splits);
	die_names_free(&c->names);
	pthread_mutex_destroy(&c->split_lock);
}

int code_units_find(struct code_units *c)
{
	int r = debug_file_read_units(c->file);

	for (size_t i = 0; r == 0 && i < c->file->units.n; i++) {
		struct code_unit u = { .unit = &c->file->units.at[i] };

		if (u.unit->type != DW_UT_partial)
			r = vec_push(&c->list, u);
	}
	return r;
}

bool code_unit_is_readable(const struct code_units *c, uint32_t unit)
{
	struct unit *u = c->list.at[unit].unit;

	return unit_ready(u) && !u->partial;
}

bool code_units_any_readable(const struct code_units *c)
{
	for (uint32_t i = 0; i < c->list.n; i++)
		if (code_unit_is_readable(c, i))
			return true;
	return false;
}

static struct unit *unit_of_skeleton(struct code_units *c, struct code_unit *u)
{
	struct split *split;

	if (!unit_is_skeleton(u->unit))
		return NULL;
	pthread_mutex_lock(&c->split_lock);
	if (!u->split && (u->split = malloc(sizeof(*u->split))))
		split_init(u->split);
	split = u->split;
	pthread_mutex_unlock(&c->split_lock);
	return split ? split_unit(split, &c->splits, u->unit, &c->names) : NULL;
}

int code_unit_tree(struct code_units *c, uint32_t unit, struct unit_tree *tree)
{
	struct code_unit *u = &c->list.at[unit];
	struct unit *split;

	if (!code_unit_is_readable(c, unit))
		return 0;
	split = unit_of_skeleton(c, u);
	/* a skeleton may have the functions that others were inlined into itself */
	return unit_tree_read(tree, split ? split : u->unit, &c->names, c->code);
}
