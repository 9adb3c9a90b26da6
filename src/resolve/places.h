/* SPDX-License-Identifier: MIT */
/*
 * places.h - the functions at an address: each address of a binary once, with the functions inlined there and lines
 *
 * Profiles make one frame of a function (analyze/stacks/frames.h). Exports of events keep its addresses apart.
 */
#ifndef RESOLVE_PLACES_H
#define RESOLVE_PLACES_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "resolve/addr_location.h"
#include "resolve/source_names.h"

struct place_frame {
	const struct binary *binary; /* NULL: nothing is mapped there */
	const char *symbol;          /* demangled; NULL if none is known */
	const char *file;            /* of the source; NULL if no line is known */
	uint32_t line;
	uint64_t addr;               /* in the binary, as people look it up in a file; without a binary the address */
	uint8_t cpumode;
	bool inlined;                /* into the function of the next frame */
	const char *module;          /* name of the binary as recorded; NULL if nothing is mapped there */
};

/* The frames of an address: n of them from `first` on, innermost first; the last one is that of the symbol. */
struct place {
	const struct binary *binary;
	uint64_t addr;
	const struct tracefmt *kernel;   /* that named the function; NULL: it has a binary, or nobody does */
	uint32_t first, n;
	uint8_t cpumode;
	bool is_caller, is_handler_entry;
};

struct places {
	struct locator locator;      /* its kernel is that of the trace at hand */
	struct source_lines *lines;  /* borrowed; NULL: nobody asks for inlined functions and lines */
	struct source_names names;
	VEC(struct place_frame) frames;
	VEC(struct place) list;
	struct hash_index index;
	struct place_slot *recent;
	uint64_t nr_interrupted;     /* addresses that are no callers' */
};

int places_init(struct places *p, struct symbols *symbols);
void places_free(struct places *p);

/* The number of the place of @ip; UINT32_MAX when out of memory. */
uint32_t places_find(struct places *p, maps_root root, uint8_t cpumode, uint64_t ip, bool is_caller);

#endif
