/* SPDX-License-Identifier: MIT */
/*
 * unit_ranges.h - the addresses of the units of a debug file: as each says itself, or by a table in the file
 *
 * The table is asked first, because it spares most units from being read, and each of its answers is compared with
 * the unit. After one that differs it is not asked any more.
 */
#ifndef SYMBOL_DWARF_UNIT_RANGES_H
#define SYMBOL_DWARF_UNIT_RANGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct code_units;

struct unit_range { uint64_t start, end; uint32_t unit; };

struct range_rows { VEC(struct unit_range) at; };

struct unit_ranges {
	struct code_units *units;    /* borrowed */
	pthread_mutex_t lock;        /* of all that follows */
	bool has_own;                /* atomic; `own` stays as it is from then on */
	struct range_rows own;       /* as the units say themselves */
	struct told_ranges {
		bool asked, refused;         /* refused: there is no table, or it disagrees with a unit */
		bool complete;               /* an address without a range has no unit */
		struct range_rows rows;
		struct told_unit { uint64_t sum; bool covered, agrees; } *units; /* sum: of the hashes of its ranges */
		uint64_t budget;             /* for the ranges of units that are compared with the table */
	} told;
};

void unit_ranges_init(struct unit_ranges *r, struct code_units *units);
void unit_ranges_free(struct unit_ranges *r);

/* As dwarf_unit_ranges(). */
const struct unit_range *unit_ranges_own(struct unit_ranges *r, size_t *n);

/* Several units may have an address: functions that are the same in all of them, assembler. */
enum { UNITS_OF_ADDRESS_MAX = 64 };

/* As dwarf_units_at(). */
size_t unit_ranges_at(struct unit_ranges *r, uint64_t addr, uint32_t units[UNITS_OF_ADDRESS_MAX]);

#endif
