/* SPDX-License-Identifier: MIT */
/* die_walk.h - a walk over the entries of a unit that functions are among or below, in preorder. */
#ifndef SYMBOL_DWARF_DIE_WALK_H
#define SYMBOL_DWARF_DIE_WALK_H

#include "symbol/dwarf/unit.h"

/* Entries that are nested deeper are told to be of this depth. */
#define WALK_DEPTH_MAX 4096

struct die_walk {
	struct unit *unit;
	const struct abbrev_table *table;
	struct dwarf_scan s;
	const uint8_t *info;         /* .debug_info */
	uint64_t real_depth;
	uint32_t depth;              /* of the entry; that of the unit is 0 */
	bool below;                  /* the entries below this one come next */
	bool declarations;           /* functions that are only declared are entries too: to be set after the begin */
	struct die die;              /* the entry */
};

/* False: the unit cannot be read. */
bool die_walk_begin(struct die_walk *w, struct unit *u);

/*
 * The next entry that is no DIE_OTHER and no declaration of a function. False: the end, or damage, which
 * w->s.failed tells.
 */
bool die_walk_next(struct die_walk *w);

/* Leaves out the entries below this one. */
void die_walk_skip(struct die_walk *w);

/* The offset of the end of this entry's attributes in .debug_info; after die_walk_skip(), that of its sibling. */
static inline uint64_t die_walk_offset(const struct die_walk *w)
{
	return (uint64_t)(w->s.p - w->info);
}

#endif
