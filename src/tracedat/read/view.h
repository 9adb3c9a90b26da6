/* SPDX-License-Identifier: MIT */
/* view.h - bytes of the input at a place: a view of memory, or read from a file */
#ifndef TRACEDAT_READ_VIEW_H
#define TRACEDAT_READ_VIEW_H

#include "base/cursor.h"

struct tracedat;

struct view {
	const uint8_t *p;
	size_t n;
	uint64_t at;                 /* file offset of p[0]; of what was decompressed: of the section */
	bool packed;                 /* decompressed */
	bool stays;                  /* as long as the trace is open */
	uint8_t *owned;              /* memory to free */
};

/* n bytes at @at, fewer where the file ends. 0, or negative when it cannot be read. */
int dat_view_read(const struct tracedat *f, uint64_t at, uint64_t n, struct view *out, struct sonde_error *err);
void dat_view_free(struct view *b);
struct cursor dat_view_cursor(const struct tracedat *f, const struct view *b, struct sonde_error *err);

#endif
