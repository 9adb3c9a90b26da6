/* SPDX-License-Identifier: MIT */
/*
 * source_lines.h - the source lines and inlined functions of an address of a binary
 *
 *	const struct source_frame *frames;
 *	size_t n = source_lines_find(lines, mapping->binary, mapping_to_binary(mapping, ip), &frames);
 *
 * A binary's DWARF is indexed when it is first needed: unit by unit for a few addresses, as a whole for many. The index
 * of a whole binary is kept on disk, beside the tables of symbols. Several threads may ask at once.
 */
#ifndef SYMBOL_SOURCE_LINES_H
#define SYMBOL_SOURCE_LINES_H

#include "symbol/dwarf/index.h"
#include "symbol/symbols.h"

struct source_lines;

/* symbols: says where files are looked for and kept; lives longer. NULL when out of memory. */
struct source_lines *source_lines_new(struct symbols *symbols);
void source_lines_free(struct source_lines *s);

/*
 * The frames of an address, as mapping_to_binary() gives it; innermost first, the last one is the function of the
 * address itself. 0: no DWARF covers it. The location of each frame is where it is: the innermost one's in the line
 * table, of the others the call of the frame before it. As long as the source_lines.
 */
size_t source_lines_find(struct source_lines *s, const struct binary *b, uint64_t addr,
			 const struct source_frame **frames);

/*
 * Whether one of the directories in which the units of a binary were compiled is one; these are read once. False also
 * if the DWARF of the binary is not here.
 */
bool source_lines_built_in(struct source_lines *s, const struct binary *b, bool (*is_one)(const char *dir, void *ctx),
			   void *ctx);

#endif
