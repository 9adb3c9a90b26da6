/* SPDX-License-Identifier: MIT */
/* kallsyms.h - the kernel's own list of its symbols: "ffffffff81000000 T _text", then "... t name\t[module]". */
#ifndef SYMBOL_LIST_KALLSYMS_H
#define SYMBOL_LIST_KALLSYMS_H

#include "symbol/table/symtab.h"

struct kallsyms {
	const char *text;            /* a view */
	size_t size;
	VEC(struct kallsyms_part) parts;
};

/* Successive lines of one module. */
struct kallsyms_part {
	size_t begin, end;           /* offsets in the text */
	struct sonde_str module;     /* without brackets; "" for the kernel itself */
};

/* Finds out which lines belong to which module. 0 or -SONDE_NOMEM. */
int kallsyms_open(struct kallsyms *k, const char *text, size_t size);

/* Adds the functions and objects of a module, or of the kernel itself (""). Returns how many. */
size_t kallsyms_add(const struct kallsyms *k, struct symtab_builder *b, struct sonde_str module);

/* Are all addresses zero, because the reader had no right to see them? */
bool kallsyms_is_hidden(const struct kallsyms *k);

/* The address of a symbol of the kernel itself; false if it has none of that name. */
bool kallsyms_value(const struct kallsyms *k, const char *name, uint64_t *addr);

void kallsyms_close(struct kallsyms *k);

#endif
