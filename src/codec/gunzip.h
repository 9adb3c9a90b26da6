/* SPDX-License-Identifier: MIT */
/* gunzip.h - a file of RFC 1952 that is decompressed as a whole: its members one after the other */
#ifndef CODEC_GUNZIP_H
#define CODEC_GUNZIP_H

#include "base/buf.h"

/* Whether a file that begins with these bytes is one. */
static inline bool gunzip_is(const uint8_t *p, size_t n)
{
	return n >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8;
}

/*
 * Appends the text of n bytes to @out, a buffer in memory, up to @most bytes of it. After a failure (-SONDE_CORRUPT,
 * -SONDE_TRUNCATED: with the place in the n bytes; -SONDE_UNSUPPORTED: there is more than @most; -SONDE_NOMEM) the text
 * before it is there.
 */
int gunzip(const uint8_t *p, size_t n, size_t most, struct buf *out, struct sonde_error *err);

#endif
