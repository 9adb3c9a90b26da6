/* SPDX-License-Identifier: MIT */
/*
 * jitdump_lines.h - the source lines of the functions of a jitdump: its records DEBUG_INFO
 *
 * The record of a function is read once, when a line of it is asked for.
 */
#ifndef SYMBOL_LIST_JITDUMP_LINES_H
#define SYMBOL_LIST_JITDUMP_LINES_H

#include "base/strpool.h"
#include "symbol/list/jitdump.h"

/* Code from a place in a function on. */
struct jitdump_place {
	uint64_t into;               /* the function */
	uint32_t line, column;
	uint32_t file;               /* number of its name */
	uint32_t order;              /* in the record: of several at one place the last one holds */
};

/* The lines of one dump that have been read; zero-initialised. */
struct jitdump_lines {
	struct strpool files;
	VEC(struct jitdump_function_lines { VEC(struct jitdump_place) places; }) functions;
	struct u64map by_offset;     /* of a function -> its number */
};

struct jitdump_line {
	const char *function;        /* as long as the dump */
	const char *file;            /* as long as the lines */
	uint32_t line, column;
};

/* The line of the code at @offset of the dump; false if the dump does not say. */
bool jitdump_line(struct jitdump_lines *all, const struct jitdump *d, uint64_t offset, struct jitdump_line *out);

void jitdump_lines_free(struct jitdump_lines *all);

#endif
