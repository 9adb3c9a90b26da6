/* SPDX-License-Identifier: MIT */
#include "codec/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

/* Fast: a higher level takes several times as long, and saves a tenth of the bytes. */
enum { LEVEL = 1, GZIP_FORMAT = 16, MEMORY = 8, ROOM = 64 * 1024 };

/* 0 or -SONDE_NOMEM. */
static int deflate_all(struct gzip *g, int flush)
{
	z_stream *z = g->state;
	int r;

	do {
		z->next_out = (Bytef *)buf_room(g->out, ROOM);
		if (!z->next_out)
			return -SONDE_NOMEM;
		z->avail_out = ROOM;
		r = deflate(z, flush);
		g->out->n += ROOM - z->avail_out;
	} while (z->avail_out == 0 && r != Z_STREAM_END);
	return 0;
}

static int take(void *ctx, const void *p, size_t n)
{
	struct gzip *g = ctx;
	z_stream *z = g->state;
	const Bytef *at = p;
	uInt some;

	for (; n; n -= some, at += some) {
		some = n < UINT_MAX ? (uInt)n : UINT_MAX;
		z->next_in = (Bytef *)(uintptr_t)at;  /* zlib takes it without const, and does not write */
		z->avail_in = some;
		if (deflate_all(g, Z_NO_FLUSH) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

struct buf gzip_begin(struct gzip *g, struct buf *out)
{
	struct buf packed = { .fd = -1, .sink = take, .ctx = g, .err = out->err };

	*g = (struct gzip){ .state = calloc(1, sizeof(z_stream)), .out = out };
	if (!g->state || deflateInit2(g->state, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP_FORMAT, MEMORY,
				      Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g->state);
		g->state = NULL;
		packed.failed = -SONDE_NOMEM;
	}
	return packed;
}

int gzip_end(struct gzip *g, struct buf *packed)
{
	int r = buf_flush(packed);

	if (r == 0)
		r = deflate_all(g, Z_FINISH);
	if (g->state)
		deflateEnd(g->state);
	free(g->state);
	buf_free(packed);
	return g->out->failed ? g->out->failed : r;
}
