/* SPDX-License-Identifier: MIT */
/* encode.h - header, sections and options of a trace.dat, written in the byte order of the file */
#ifndef TRACEDAT_FORMAT_ENCODE_H
#define TRACEDAT_FORMAT_ENCODE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/put.h"

#define SECTION_HEADER_BYTES 16
#define SECTION_FLAG_COMPRESSED 1

/* The first bytes of every file, up to the page size. */
void dat_encode_header(struct buf *b, uint32_t version, bool big_endian, uint8_t long_size, uint32_t page_size);

void dat_encode_section(struct buf *b, bool swap, uint16_t id, uint16_t flags, uint32_t description, uint64_t size);

void dat_encode_option(struct buf *b, bool swap, uint16_t id, const void *data, uint32_t size);

/* The u32 in front of an event of a page. */
static inline uint32_t event_header(bool big_endian, uint32_t type_len, uint32_t delta)
{
	return big_endian ? type_len << 27 | delta : delta << 5 | type_len;
}

#endif
