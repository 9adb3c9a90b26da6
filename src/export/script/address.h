/* SPDX-License-Identifier: MIT */
/* address.h - the text of an address, with a cache for addresses that come again */
#ifndef EXPORT_SCRIPT_ADDRESS_H
#define EXPORT_SCRIPT_ADDRESS_H

#include "base/buf.h"
#include "resolve/addr_location.h"
#include "resolve/source_names.h"

#define ADDRESS_TEXT 4096          /* the longest text that is kept: that of a few inlined C++ functions */

struct address_slot {
	maps_root root;
	uint64_t ip;
	uint32_t text;               /* where it begins in the texts */
	uint16_t len : 15;
	uint16_t is_handler_entry : 1;  /* see resolve/addr_location.h */
	uint16_t parts;              /* ADDRESS_*; 0: the slot is empty */
};

/*
 * Of limited size, so memory does not grow with the trace. An address has two slots side by side: in one of them, half
 * of the addresses in a half-full table would drive out each other.
 */
struct address_cache {
	struct locator locator;
	struct source_lines *lines;
	struct source_names names;
	struct address_slot *slots;
	unsigned slot_bits;          /* the logarithm of their number */
	size_t nr_used;
	uint64_t nr_interrupted;     /* addresses that are no callers', since the symbols were last told */
	bool is_kept;                /* the last one: each address of code that lacks its names is counted */
	struct buf texts;
	struct buf scratch;
};

enum address_parts {
	ADDRESS_IP = 1, ADDRESS_SYM = 2, ADDRESS_SYMOFF = 4, ADDRESS_DSO = 8, ADDRESS_DSOFF = 16,
	ADDRESS_LINE = 32,             /* with a tab before and a newline after */
	ADDRESS_CALLER = 64,           /* it is where a call returns to */
	ADDRESS_INLINED = 128,         /* with a line before for each function inlined there */
	ADDRESS_SRCLINE = 256, ADDRESS_FULL_PATH = 512,
	ADDRESS_KERNEL = 1024,         /* of the kernel of a trace.dat, which names its functions itself */
};

void address_cache_init(struct address_cache *p);
void address_cache_free(struct address_cache *p);

/*
 * The names and lines of the next addresses. The cache is by address space, which no two traces share. @kernel: of a
 * trace.dat; or NULL
 */
void address_cache_use(struct address_cache *p, struct symbols *symbols, struct source_lines *lines,
		       const struct tracefmt *kernel);

/*
 * "ffffffff81000123 do_idle+0x3 ([kernel.kallsyms])\n  idle.c:12", with the chosen parts. Returns whether the next
 * address of a callchain was interrupted.
 */
bool address_cache_print(struct address_cache *p, struct buf *out, maps_root root, uint64_t ip, uint32_t parts);

/* The parts after the address, for a place that has been looked up. */
void address_print_names(struct buf *out, const struct addr_location *location, uint64_t ip, uint32_t parts);

#endif
