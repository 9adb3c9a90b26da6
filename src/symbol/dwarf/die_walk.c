/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/die_walk.h"

bool die_walk_begin(struct die_walk *w, struct unit *u)
{
	w->unit = u;
	w->table = unit_abbrevs(u);
	w->s = unit_scan(u, u->first);
	w->info = debug_sections_place(&u->file->sections, DEBUG_INFO).p;
	w->real_depth = 0;
	w->below = w->declarations = false;
	return w->table && !w->s.failed;
}

/* Goes to the sibling, which must lie ahead. */
static bool jump(struct die_walk *w, uint64_t sibling)
{
	if (sibling <= die_walk_offset(w) || sibling > w->unit->end)
		return false;
	w->s.p = w->info + sibling;
	return true;
}

/* Leaves out entries up to the end of their list. */
static void skip_list(struct die_walk *w)
{
	uint64_t depth = 1;

	while (depth && scan_left(&w->s)) {
		uint64_t code = scan_uleb(&w->s), sibling;
		const struct abbrev *a;

		if (!code) {
			depth--;
			continue;
		}
		a = abbrev_find(w->table, code);
		if (!a) {
			scan_fail(&w->s);
			return;
		}
		sibling = die_skip(&w->s, w->unit, w->table, a);
		if (a->children && !jump(w, sibling))
			depth++;
	}
}

/* Whether there is neither code nor a function below such an entry. */
static bool is_other(const struct die_walk *w, const struct abbrev *a)
{
	return a->kind == DIE_OTHER || (a->kind == DIE_SCOPE && w->unit->is_c);
}

bool die_walk_next(struct die_walk *w)
{
	w->real_depth += w->below;
	w->below = false;
	while (scan_left(&w->s)) {
		uint64_t offset = die_walk_offset(w), code = scan_uleb(&w->s), sibling;
		const struct abbrev *a;

		if (!code) {
			if (w->real_depth)
				w->real_depth--;
			continue;
		}
		a = abbrev_find(w->table, code);
		if (!a) {
			scan_fail(&w->s);
			return false;
		}
		if (is_other(w, a)) {
			sibling = die_skip(&w->s, w->unit, w->table, a);
			if (a->children && !jump(w, sibling))
				skip_list(w);
			continue;
		}
		die_read(&w->die, &w->s, w->unit, w->table, a);
		w->die.offset = offset;
		w->below = a->children;
		w->depth = w->real_depth < WALK_DEPTH_MAX ? (uint32_t)w->real_depth : WALK_DEPTH_MAX;
		if (w->s.failed)
			return false;
		if (a->kind != DIE_FUNCTION || !DIE_HAS(&w->die, ATTR_DECLARATION) || w->declarations)
			return true;
		die_walk_skip(w);
	}
	return false;
}

void die_walk_skip(struct die_walk *w)
{
	const struct die *die = &w->die;
	bool relative = DIE_HAS(die, ATTR_SIBLING) && die->form[ATTR_SIBLING] != DW_FORM_ref_addr;

	if (w->below && !jump(w, relative ? w->unit->offset + die->value[ATTR_SIBLING] : 0))
		skip_list(w);
	w->below = false;
}
