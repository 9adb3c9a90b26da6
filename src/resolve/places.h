/* SPDX-License-Identifier: MIT */
/*
 * places.h - the functions at an address: each address of a binary once, with the functions inlined there and lines
 *
 * The exports of events, the library and Python ask here. Profiles make one frame of a function
 * (analyze/stacks/frames.h), script keeps the text of an address (export/script/address.h).
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
	uint64_t offset;             /* from the start of the symbol; 0 if none is known */
	uint64_t symbol_addr;        /* as symbols have it: mapping_to_binary(); without a binary the address */
	uint32_t first, n;
	uint8_t cpumode;
	bool is_caller, is_handler_entry;
};

enum { PLACES_RECENT = 1 << 12 };

/* An address that was looked up lately; another one with its hash replaces it. */
struct place_slot {
	maps_root root;
	const struct tracefmt *kernel;
	uint64_t ip;
	uint32_t number_1;           /* of the place plus 1; 0: free */
	uint8_t cpumode;
	bool is_caller;
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

static inline struct place_slot *places_slot(const struct places *p, maps_root root, uint64_t ip)
{
	return &p->recent[(ip * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)root >> 4) >> 20 & (PLACES_RECENT - 1)];
}

/* places_find() of an address that was not looked up lately. */
uint32_t places_look_up(struct places *p, maps_root root, uint8_t cpumode, uint64_t ip, bool is_caller);

/* The number of the place of @ip; UINT32_MAX when out of memory. */
static inline uint32_t places_find(struct places *p, maps_root root, uint8_t cpumode, uint64_t ip, bool is_caller)
{
	const struct place_slot *s = places_slot(p, root, ip);

	p->nr_interrupted += !is_caller;
	if (s->number_1 && s->ip == ip && s->root == root && s->kernel == p->locator.kernel && s->cpumode == cpumode &&
	    s->is_caller == is_caller)
		return s->number_1 - 1;
	return places_look_up(p, root, cpumode, ip, is_caller);
}

/* The frame of the symbol, not of what was inlined into it. */
static inline const struct place_frame *places_outermost(const struct places *p, const struct place *place)
{
	return &p->frames.at[place->first + place->n - 1];
}

#endif
