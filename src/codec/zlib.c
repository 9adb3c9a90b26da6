/* SPDX-License-Identifier: MIT */
/* zlib.c - streams of RFC 1950, as trace.dat has them. */
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "codec/codec.h"
#include "codec/zlib.h"

struct inflater {
	z_stream z;
	bool ended;
};

static void *zlib_new(void)
{
	struct inflater *s = calloc(1, sizeof(*s));

	if (s && inflateInit(&s->z) != Z_OK) {
		free(s);
		return NULL;
	}
	return s;
}

static int zlib_step(void *state, struct codec_io *io, struct sonde_error *err)
{
	struct inflater *s = state;
	uInt nr_in = io->nr_in < UINT_MAX ? (uInt)io->nr_in : UINT_MAX;
	uInt nr_out = io->nr_out < UINT_MAX ? (uInt)io->nr_out : UINT_MAX;
	int r;

	if (s->ended)
		return io->nr_in ? err_set(err, SONDE_CORRUPT, SONDE_NONE,
					   "zlib: %zu bytes past the end of the stream", io->nr_in) :
				   0;
	s->z.next_in = (Bytef *)(uintptr_t)io->in;  /* zlib takes it without const, and does not write */
	s->z.avail_in = nr_in;
	s->z.next_out = io->out;
	s->z.avail_out = nr_out;
	r = inflate(&s->z, Z_NO_FLUSH);
	io->in += nr_in - s->z.avail_in;
	io->nr_in -= nr_in - s->z.avail_in;
	io->out += nr_out - s->z.avail_out;
	io->nr_out -= nr_out - s->z.avail_out;
	if (r == Z_MEM_ERROR)
		return err_nomem(err);
	s->ended = r == Z_STREAM_END;
	/* Z_BUF_ERROR is no error: there was nothing to be done with what was there */
	if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "zlib: %s", s->z.msg ? s->z.msg : "the data is damaged");
	return !s->ended && (io->nr_out == 0 || io->nr_in > 0);
}

static void zlib_reset(void *state)
{
	struct inflater *s = state;

	inflateReset(&s->z);
	s->ended = false;
}

static void zlib_free(void *state)
{
	struct inflater *s = state;

	inflateEnd(&s->z);
	free(s);
}

/* compress2() needs no state of its own between blocks. */
static void *zlib_packer_new(void)
{
	static char none;

	return &none;
}

static void zlib_packer_free(void *packer)
{
	(void)packer;
}

static size_t zlib_bound(size_t n)
{
	return compressBound(n);
}

static size_t zlib_pack(void *packer, uint32_t level, const void *p, size_t n, void *to, size_t room)
{
	uLongf size = room;

	(void)packer;
	return compress2(to, &size, p, n, (int)level) == Z_OK ? size : 0;
}

const struct codec codec_zlib = {
	.name = "zlib", .new = zlib_new, .step = zlib_step, .reset = zlib_reset, .free = zlib_free,
	.version = zlibVersion, .default_level = 6, .max_level = 9,
	.packer_new = zlib_packer_new, .packer_free = zlib_packer_free, .bound = zlib_bound, .pack = zlib_pack,
};
