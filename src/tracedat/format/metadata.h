/* SPDX-License-Identifier: MIT */
/* metadata.h - the six kinds of metadata that both versions have */
#ifndef TRACEDAT_FORMAT_METADATA_H
#define TRACEDAT_FORMAT_METADATA_H

#include "base/buf.h"
#include "io/image.h"
#include "tracefmt/format_list.h"

/* The bytes of metadata @id at @at: *n, all that are left when it is cut, which is false. */
bool dat_metadata_measure(struct image *im, uint64_t at, uint16_t id, bool swap, uint64_t *n);

/* Calls fn for each event format of FTRACE_FORMATS or EVENT_FORMATS in memory, as far as they are whole. */
int dat_metadata_formats(const uint8_t *p, size_t n, uint16_t id, bool swap, format_list_fn fn, void *ctx);

/* HEADER_INFO: 0, -SONDE_CORRUPT (a wrong name), -SONDE_TRUNCATED. A text that is not there stays as it was. */
int dat_metadata_header_info(struct cursor *c, struct sonde_str *page, struct sonde_str *event);

/* Bytes of the size before a text: kallsyms, printk formats, modules or command lines. */
size_t dat_metadata_size_bytes(uint16_t id);

/* The text in the n bytes of a section, as far as it goes: a view. */
struct sonde_str dat_metadata_text(uint16_t id, const uint8_t *p, size_t n);

/* Such a text after its size. */
void dat_metadata_put_text(struct buf *out, uint16_t id, bool swap, struct sonde_str text);

/* HEADER_INFO of these texts; for one that is empty what a kernel of this size of long and of pages says. */
void dat_metadata_make_header_info(struct buf *out, bool swap, struct sonde_str page, struct sonde_str event,
				   unsigned long_size, uint32_t page_size);

#endif
