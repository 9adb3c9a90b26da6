/* SPDX-License-Identifier: MIT */
/* layout.h - finds the parts of a trace.dat */
#ifndef TRACEDAT_SCAN_LAYOUT_H
#define TRACEDAT_SCAN_LAYOUT_H

#include "tracedat/format/file.h"
#include "tracedat/scan/rules.h"

/* DAT_SHALLOW: lists of chunks are not looked into, for a reader that comes to them later. */
enum dat_depth { DAT_DEEP, DAT_SHALLOW };

/* Finds the parts. What is wrong is told to @found, which may be NULL.
 * Negative: nothing can be found at all. */
int dat_layout_read(struct dat_file *f, struct image *im, struct findings *found, enum dat_depth depth,
		    struct sonde_error *err);
/* The same after a header that is in f->header already, of a file that dat_file_init() has been called on. */
int dat_layout_read_parts(struct dat_file *f, struct findings *found, struct sonde_error *err);
/* The section at @at becomes a part: 1, 0 when there is none. */
int dat_layout_take_section(struct dat_file *f, uint64_t at, struct findings *found);

#endif
