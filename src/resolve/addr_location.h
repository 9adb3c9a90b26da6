/* SPDX-License-Identifier: MIT */
/*
 * addr_location.h - the function and source lines at an address of an address space
 *
 *	root of the maps, mode, ip ---> locator_find() ---> mapping, symbol -+--> addr_location_symbol()  a name
 *	                                                                     +--> addr_location_source()  lines
 *
 * An address flows in with the root of its maps, which a task had at the time of an event (resolve/moment.h), and a
 * location flows out: the mapping there and the symbol of its binary. Where nothing is mapped, a trace.dat names the
 * functions of its kernel by its own table. Nothing here depends on a time: root and ip decide, so whoever looks up
 * often keeps what was found by them (resolve/places.h, analyze/stacks/frames.h, export/script/address.h). A location
 * never names a function of another binary than the one that is mapped, and no name is made up: without a symbol it is
 * NULL.
 */
#ifndef RESOLVE_ADDR_LOCATION_H
#define RESOLVE_ADDR_LOCATION_H

#include <sonde/symbol.h>

#include "base/strpool.h"
#include "symbol/source_lines.h"
#include "symbol/symbols.h"
#include "threads/tasks.h"

struct tracefmt;

/* The means of one thread to find locations. */
struct locator {
	struct symbols *symbols;         /* borrowed */
	const struct tracefmt *kernel;   /* borrowed: names the kernel's functions where nothing is mapped; or NULL */
	struct strpool names;            /* that it gave */
	bool out_of_memory;              /* a name is missing for want of memory */
};

void locator_free(struct locator *l);

struct addr_location {
	const struct mapping *mapping;  /* NULL: nothing is mapped there */
	struct symtab *table;           /* NULL without symbols of its own: nothing mapped, BINARY_KSYMBOL */
	uint32_t symbol;                /* of the table, or SYMTAB_NONE */
	uint32_t kernel_offset;         /* with kernel_name */
	uint64_t looked_up;             /* ip, or of a caller the byte before */
	const char *kernel_name;        /* of the locator's kernel, as long as the locator; NULL: it has none */
};

/* @is_caller: ip is where its call returns to, so the place is that of the byte before: see threads/callchain.h */
struct addr_location addr_location_find(struct symbols *s, maps_root root, uint64_t ip, bool is_caller);

/* Names a location where nothing is mapped by the locator's kernel, if it knows the address. */
void locator_name_in_kernel(struct locator *l, uint64_t ip, struct addr_location *p);

/*
 * addr_location_find(), with the names that the recording itself has for its kernel. @cpumode: of the ip. 0 is no
 * address of the kernel: an event has none, or one of another boot has no place in this one.
 */
static inline struct addr_location locator_find(struct locator *l, maps_root root, uint8_t cpumode, uint64_t ip,
						bool is_caller)
{
	struct addr_location p = addr_location_find(l->symbols, root, ip, is_caller);

	if (!p.mapping && l->kernel && cpumode == CPUMODE_KERNEL && ip)
		locator_name_in_kernel(l, ip, &p);
	return p;
}

/*
 * The name of what is mapped at a location: the binary as recorded, "[kernel.kallsyms]" for the locator's kernel; NULL
 * if it is not known.
 */
const char *addr_location_module(const struct addr_location *p);

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

/* Whether it is in code that was made at run time, whose names nobody wrote down. */
bool addr_location_is_unnamed_code(const struct addr_location *p);

/* The kind of a binary in the words of the API. */
enum sonde_binary_kind binary_public_kind(const struct binary *b);

#endif
