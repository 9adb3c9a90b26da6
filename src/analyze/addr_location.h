/* SPDX-License-Identifier: MIT */
/* addr_location.h - from an ip in an address space to the symbol it is in. */
#ifndef ANALYZE_ADDR_LOCATION_H
#define ANALYZE_ADDR_LOCATION_H

#include <sonde/symbol.h>

#include "symbol/symbols.h"
#include "threads/maps.h"

struct addr_location {
	const struct mapping *mapping;  /* NULL: nothing is mapped there */
	struct symtab *table;           /* NULL without symbols of its own: nothing mapped, BINARY_KSYMBOL */
	uint32_t symbol;                /* of the table, or SYMTAB_NONE */
};

struct addr_location addr_location_find(struct symbols *s, maps_root root, uint64_t ip);

/* The symbol's name and the distance of ip from its start; NULL if there is none. */
const char *addr_location_symbol(const struct addr_location *p, uint64_t ip, uint64_t *offset);

/* The kind of a binary in the words of the API. */
enum sonde_binary_kind binary_public_kind(const struct binary *b);

#endif
