/* SPDX-License-Identifier: MIT */
/* jitdump_lines.h - the source lines of the functions of a jitdump: its records DEBUG_INFO */
#ifndef SYMBOL_LIST_JITDUMP_LINES_H
#define SYMBOL_LIST_JITDUMP_LINES_H

#include "base/arena.h"
#include "symbol/list/jitdump.h"

struct jitdump_line {
	const char *function, *file; /* the name of the symbol lives as long as the dump, the file in the arena */
	uint32_t line, column;
};

/* The line of the code at @offset of the dump; false if the dump does not say. */
bool jitdump_line(const struct jitdump *d, uint64_t offset, struct arena *texts, struct jitdump_line *out);

#endif
