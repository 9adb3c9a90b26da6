/* SPDX-License-Identifier: MIT */
/* carried.h - symbols that a recording has of its binaries, by the names that it gives them. */
#ifndef SYMBOL_LIST_CARRIED_H
#define SYMBOL_LIST_CARRIED_H

#include "model/meta.h"

#include "base/strpool.h"
#include "symbol/table/symtab.h"
#include "threads/mapping.h"

struct carried {
	struct strpool names;
	struct arena texts;
	VEC(struct meta_carried_symbols) tables;  /* by number of the name */
};

/* Copies what the metadata has; of two tables of one name the first stays. 0 or -SONDE_NOMEM. */
int carried_add(struct carried *c, const struct meta *meta);

/* Adds the symbols of a binary to a table that is being made; false if there are none. */
bool carried_take(struct carried *c, const struct binary *b, struct symtab_builder *to);

void carried_free(struct carried *c);

#endif
