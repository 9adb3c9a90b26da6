/* SPDX-License-Identifier: MIT */
/* index_make.h - the index of some or all units of a file with DWARF */
#ifndef SYMBOL_DWARF_INDEX_MAKE_H
#define SYMBOL_DWARF_INDEX_MAKE_H

#include "symbol/dwarf/dwarf.h"

/*
 * Indexes one unit. line_bytes: how many bytes of line programs may be run yet; a unit with more has no lines. The
 * bytes of the index are malloced. 0, -SONDE_NOMEM or -SONDE_UNSUPPORTED.
 */
int index_make_unit(struct dwarf *d, uint32_t unit, uint64_t *line_bytes, uint8_t **bytes, size_t *size);

/*
 * Indexes all units, with up to so many threads, of which the caller's is one. The bytes do not depend on their
 * number. As above.
 */
int index_make(struct dwarf *d, unsigned threads, const uint64_t identity[2], uint8_t **bytes, size_t *size);

/* The bytes of line programs that may be run for a file: several units may share a large program, not all of many. */
uint64_t index_line_bytes(struct dwarf *d);

#endif
