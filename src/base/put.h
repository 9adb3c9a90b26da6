/* SPDX-License-Identifier: MIT */
/* put.h - numbers into a buffer, in the byte order of the file that it becomes */
#ifndef BASE_PUT_H
#define BASE_PUT_H

#include "base/buf.h"
#include "base/bytes.h"

static inline void put_u16(struct buf *b, uint16_t v, bool swap)
{
	v = swap ? bswap_16(v) : v;
	buf_put(b, &v, sizeof(v));
}

static inline void put_u32(struct buf *b, uint32_t v, bool swap)
{
	v = swap ? bswap_32(v) : v;
	buf_put(b, &v, sizeof(v));
}

static inline void put_u64(struct buf *b, uint64_t v, bool swap)
{
	v = swap ? bswap_64(v) : v;
	buf_put(b, &v, sizeof(v));
}

/* With its NUL. */
static inline void put_strz(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s) + 1);
}

#endif
