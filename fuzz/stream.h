/* SPDX-License-Identifier: MIT */
/* stream.h - the beginning of a perf.data stream, for targets whose input is what follows */
#ifndef FUZZ_STREAM_H
#define FUZZ_STREAM_H

#include "base/buf.h"

enum { RECORD_HEADER_ATTR = 64, ATTR_BYTES = 64 };

static inline void put_record_header(struct buf *b, uint32_t type, size_t size)
{
	buf_put(b, &type, 4);
	buf_put(b, &(uint16_t[]){ 0, (uint16_t)size }, 4);
}

/* The beginning of a stream with one cpu-clock event: ip, tid, time, all records with an id trailer. */
static inline void put_stream_begin(struct buf *b)
{
	const uint64_t sample_type = 7, sample_id_all = 1 << 18;

	buf_put(b, "PERFILE2", 8);
	buf_put(b, &(uint64_t){ 16 }, 8);
	put_record_header(b, RECORD_HEADER_ATTR, 8 + ATTR_BYTES);
	buf_put(b, &(uint32_t[]){ 1, ATTR_BYTES }, 8);
	buf_pad(b, 0, 16);
	buf_put(b, &sample_type, 8);
	buf_pad(b, 0, 8);
	buf_put(b, &sample_id_all, 8);
	buf_pad(b, 0, ATTR_BYTES - 48);
}

#endif
