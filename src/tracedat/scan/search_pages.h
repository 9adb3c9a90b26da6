/* SPDX-License-Identifier: MIT */
/* search_pages.h - pages that no table points to */
#ifndef TRACEDAT_SCAN_SEARCH_PAGES_H
#define TRACEDAT_SCAN_SEARCH_PAGES_H

#include "tracedat/format/file.h"

#define DAT_PAGES_FOUND "pages were found without the table of whose they are: CPUs are numbered as they come"

/**
 * dat_search_pages - extents of pages between two offsets, one for each CPU
 * @b: its page_size, and whether its extents are lists of chunks, are set; the extents are added
 * @nr_pages: how many there are
 * Returns 0 or -SONDE_NOMEM.
 */
int dat_search_pages(struct dat_file *f, uint64_t from, uint64_t to, struct dat_buffer *b, uint64_t *nr_pages);

#endif
