/* SPDX-License-Identifier: MIT */
/* place.h - from an address to the text that stands for it, remembered for the addresses that come again. */
#ifndef EXPORT_SCRIPT_PLACE_H
#define EXPORT_SCRIPT_PLACE_H

#include "analyze/place.h"
#include "base/buf.h"

#define PLACE_TEXT 232

struct place_slot {
	maps_root root;
	uint64_t ip;
	uint32_t parts;              /* PLACE_*; 0: the slot is empty */
	uint32_t len;
	char text[PLACE_TEXT];
};

/* The slots are of a fixed number, so memory does not grow with the trace; an address pushes out the one it collides with. */
struct places {
	struct symbols *symbols;
	struct place_slot *slots;
	struct buf scratch;
};

enum place_parts {
	PLACE_IP = 1, PLACE_SYM = 2, PLACE_SYMOFF = 4, PLACE_DSO = 8, PLACE_DSOFF = 16,
	PLACE_LINE = 32,             /* with a tab before and a newline behind */
};

int places_init(struct places *p, struct symbols *symbols);
void places_free(struct places *p);

/* "ffffffff81000123 do_idle+0x3 ([kernel.kallsyms])", made of the parts */
void places_print(struct places *p, struct buf *out, maps_root root, uint64_t ip, uint32_t parts);

/* The parts but the address, of a place that has been looked up. */
void place_print_names(struct buf *out, const struct place *place, uint64_t ip, uint32_t parts);

#endif
