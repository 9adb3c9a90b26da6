/* SPDX-License-Identifier: MIT */
/* layout.h - finds the parts of a trace.dat */
#ifndef TRACEDAT_SCAN_LAYOUT_H
#define TRACEDAT_SCAN_LAYOUT_H

#include "tracedat/format/file.h"
#include "tracedat/scan/rules.h"

/* Finds the parts. What is wrong is told to @found, which may be NULL; negative when nothing can be found at all.
 * @shallow: see struct dat_file */
int dat_layout_read(struct dat_file *f, struct image *im, struct findings *found, bool shallow,
		    struct sonde_error *err);
/* The same behind a header that is in f->header already, of a file that dat_file_init() has been called on. */
int dat_layout_read_parts(struct dat_file *f, struct findings *found, struct sonde_error *err);
/* The section at @at becomes a part: 1, 0 when there is none. */
int dat_layout_take_section(struct dat_file *f, uint64_t at, struct findings *found);
/* layout_v6.c: those of version 6, behind the header */
int dat_layout_read_v6(struct dat_file *f, struct findings *found, struct sonde_error *err);
/* The parts of version 6 that begin with the number of CPUs, at @at. */
int dat_layout_read_v6_data(struct dat_file *f, uint64_t at, struct findings *found);
/* What both need: the extents of a buffer lie one behind the other from @from on; what is between
 * them, what is behind. */
int dat_layout_order_extents(struct dat_file *f, struct dat_buffer *b, uint64_t from, uint64_t *end,
			     struct findings *found);
/* Reads what header_page says about pages. */
void dat_layout_take_header_page(struct dat_file *f, const uint8_t *p, size_t n);

#endif
