/* SPDX-License-Identifier: MIT */
/* extents.h - the layouts of both versions: where the pages of a buffer lie, and how a page begins */
#ifndef TRACEDAT_SCAN_EXTENTS_H
#define TRACEDAT_SCAN_EXTENTS_H

#include "model/findings.h"
#include "tracedat/format/file.h"

/* What both need: the extents of a buffer lie one behind the other from @from on; what is between
 * them, what is behind. */
int dat_layout_order_extents(struct dat_file *f, struct dat_buffer *b, uint64_t from, uint64_t *end,
			     struct findings *found);
/* Reads what header_page says about pages. */
void dat_layout_take_header_page(struct dat_file *f, const uint8_t *p, size_t n);

#endif
