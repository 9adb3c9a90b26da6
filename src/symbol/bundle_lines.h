/* SPDX-License-Identifier: MIT */
/* bundle_lines.h - the source lines and inlined functions of some addresses as a member of a bundle */
#ifndef SYMBOL_BUNDLE_LINES_H
#define SYMBOL_BUNDLE_LINES_H

#include "base/buf.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "symbol/dwarf/index.h"

struct bundle_lines_row {
	uint64_t addr;
	uint32_t first;              /* of its frames; they end where those of the next row begin */
};

struct bundle_lines_writer {
	VEC(struct bundle_lines_row) rows;
	VEC(uint32_t) words;         /* of the frames: function, file, line, column */
	struct strpool texts;
};

/* The frames of an address; addresses ascend. 0 or -SONDE_NOMEM. */
int bundle_lines_add(struct bundle_lines_writer *w, uint64_t addr, const struct source_frame *frames, size_t n);
void bundle_lines_encode(struct buf *out, const struct bundle_lines_writer *w);
void bundle_lines_writer_free(struct bundle_lines_writer *w);

struct bundle_lines;

/* Owns the bytes, malloced, from here on. NULL if they make no sense or memory is short. */
struct bundle_lines *bundle_lines_new(uint8_t *p, size_t n);

/* Strings are views, as long as the lines. */
void bundle_lines_find(const struct bundle_lines *l, uint64_t addr, struct index_answer *a);
void bundle_lines_free(struct bundle_lines *l);

#endif
