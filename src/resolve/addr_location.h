/* SPDX-License-Identifier: MIT */
/* addr_location.h - from an ip in an address space to the symbol it is in. */
#ifndef RESOLVE_ADDR_LOCATION_H
#define RESOLVE_ADDR_LOCATION_H

#include <sonde/symbol.h>

#include "symbol/source_lines.h"
#include "symbol/symbols.h"
#include "threads/maps.h"

struct addr_location {
	const struct mapping *mapping;  /* NULL: nothing is mapped there */
	struct symtab *table;           /* NULL without symbols of its own: nothing mapped, BINARY_KSYMBOL */
	uint32_t symbol;                /* of the table, or SYMTAB_NONE */
	uint64_t looked_up;             /* ip, or of a caller the byte before */
};

/* @is_caller: ip is where its call returns to, so the place is that of the byte before: see threads/callchain.h */
struct addr_location addr_location_find(struct symbols *s, maps_root root, uint64_t ip, bool is_caller);

/* Whether the caller in a callchain was not calling: the function is one that an interrupt or a signal enters by. */
bool addr_location_is_handler_entry(const struct addr_location *p);

/*
 * The functions at a place, innermost first, the last one being that of the symbol. 0 if no DWARF covers it, or @lines
 * is NULL. Views as long as @lines.
 */
size_t addr_location_source(const struct addr_location *p, struct source_lines *lines,
			    const struct source_frame **frames);

/* The symbol's name and the distance of ip from its start; NULL if there is none. */
const char *addr_location_symbol(const struct addr_location *p, uint64_t ip, uint64_t *offset);

/* The distance of an interrupted address from the start of its function; without a function the address. */
uint64_t addr_location_offset(struct symbols *s, maps_root root, uint64_t ip);

/* The same where the location is known. */
uint64_t addr_location_offset_in(const struct addr_location *p, uint64_t ip);

/* The kind of a binary in the words of the API. */
enum sonde_binary_kind binary_public_kind(const struct binary *b);

#endif
