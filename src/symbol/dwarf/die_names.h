/* SPDX-License-Identifier: MIT */
/* die_names.h - names of functions: linkage names, or names with those of the namespaces and classes around them. */
#ifndef SYMBOL_DWARF_DIE_NAMES_H
#define SYMBOL_DWARF_DIE_NAMES_H

#include "base/arena.h"
#include "symbol/dwarf/unit.h"

/* Names that are made of several. Several threads may use it at once. */
struct die_names {
	pthread_mutex_t lock;
	struct arena text;
	size_t left;                 /* bytes that names may still take */
};

void die_names_init(struct die_names *n);
/* Names in so many bytes of .debug_info may be made. Functions beyond that have their plain names. */
void die_names_allow(struct die_names *n, size_t info_bytes);
void die_names_free(struct die_names *n);

/* The name of a function, as long as the files are open and the names live; NULL: has none. */
const char *die_names_of_function(struct die_names *n, struct unit *u, const struct die *die);

#endif
