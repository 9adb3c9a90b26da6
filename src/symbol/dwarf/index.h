/* SPDX-License-Identifier: MIT */
/*
 * index.h - functions, inlined functions and lines of a binary in a few compact bytes
 *
 * The bytes are the same in memory and on disk. Several threads may look addresses up at once.
 */
#ifndef SYMBOL_DWARF_INDEX_H
#define SYMBOL_DWARF_INDEX_H

#include <stdbool.h>

#include "symbol/dwarf/index_format.h"

/* NULL, 0: unknown. The name is not demangled. */
struct source_frame {
	const char *function, *file;
	uint32_t line, column;
};

/* Frames of an address beyond this number are left out. */
#define INDEX_FRAMES_MAX 1024

/* Views of the bytes. */
struct index {
	struct index_header header;
	const uint32_t *starts, *owners;
	const struct index_function *functions;
	const struct index_unit *units;
	const struct index_block *blocks;
	const uint32_t *strings;
	const uint8_t *bytes;
	const char *text;
};

/*
 * The bytes stay the caller's, and live longer; they begin at a multiple of 8. False: they are no index of this
 * version and byte order, or damaged. The numbers in the tables are checked when they are used.
 */
bool index_open(struct index *x, const uint8_t *bytes, size_t size);

struct index_answer {
	struct source_frame frames[INDEX_FRAMES_MAX];  /* innermost first; views of the index */
	size_t n;                    /* 0: nothing is known of the address */
	bool in_function;            /* the last frame is that of a function; false: it has only lines */
	uint64_t start, end;         /* addresses around this one that belong to the same function */
};

void index_find(const struct index *x, uint64_t addr, struct index_answer *a);

#endif
