/* SPDX-License-Identifier: MIT */
/* extents.h - the layouts of both versions: where the pages of a buffer lie, and how a page begins */
#ifndef TRACEDAT_SCAN_EXTENTS_H
#define TRACEDAT_SCAN_EXTENTS_H

#include "model/findings.h"
#include "tracedat/format/file.h"

/* An entry of the table of a buffer becomes an extent, as far as it lies in the file; NULL when out of memory. */
struct dat_extent *dat_layout_add_extent(struct dat_file *f, struct dat_buffer *b, uint32_t cpu, uint64_t at,
					 uint64_t n, struct findings *found);
/* Finds the order of the extents, which lie one after the other from @from on, and the gaps. *end: after the last. */
int dat_layout_order_extents(struct dat_file *f, struct dat_buffer *b, uint64_t from, uint64_t *end,
			     struct findings *found);
/* Reads what header_page says about pages. */
void dat_layout_take_header_page(struct dat_file *f, const uint8_t *p, size_t n);

#endif
