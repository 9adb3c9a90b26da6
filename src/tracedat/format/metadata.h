/* SPDX-License-Identifier: MIT */
/* metadata.h - the six kinds of metadata that both versions have: where they end */
#ifndef TRACEDAT_FORMAT_METADATA_H
#define TRACEDAT_FORMAT_METADATA_H

#include "base/buf.h"
#include "io/image.h"
#include "tracefmt/format_list.h"

/* The bytes of metadata @id at @at: *n, all that are left when it is cut, which is false. */
bool dat_metadata_measure(struct image *im, uint64_t at, uint16_t id, bool swap, uint64_t *n);

/* Calls fn for each event format of FTRACE_FORMATS or EVENT_FORMATS in memory, as far as they are whole. */
int dat_metadata_formats(const uint8_t *p, size_t n, uint16_t id, bool swap, format_list_fn fn, void *ctx);

/* HEADER_INFO of these texts; for one that is empty what a kernel of this size of long and of pages says. */
void dat_metadata_make_header_info(struct buf *out, bool swap, struct sonde_str page, struct sonde_str event,
				   unsigned long_size, uint32_t page_size);

#endif
