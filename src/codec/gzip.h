/* SPDX-License-Identifier: MIT */
/*
 * gzip.h - output that is compressed on its way (RFC 1952)
 *
 *	struct gzip g;
 *	struct buf packed = gzip_begin(&g, out);
 *
 *	buf_str(&packed, "text");
 *	r = gzip_end(&g, &packed);
 *
 * The file depends on the text only: it has no name and no time.
 */
#ifndef CODEC_GZIP_H
#define CODEC_GZIP_H

#include "base/buf.h"

struct gzip {
	void *state;                 /* of zlib */
	struct buf *out;
};

/* A buffer whose text goes to @out compressed. It has failed when memory was too short. */
struct buf gzip_begin(struct gzip *g, struct buf *out);

/* Writes the rest, and frees @packed. 0 or the failure; to be called in any case. */
int gzip_end(struct gzip *g, struct buf *packed);

#endif
