/* SPDX-License-Identifier: MIT */
/*
 * zstd.c - Zstandard frames (RFC 8878), one or several in a row
 *
 * libzstd refuses a window of more than 128 MiB by itself (ZSTD_d_windowLogMax): a frame cannot ask for more memory
 * than that.
 */
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "codec/codec.h"
#include "codec/zstd.h"

#define BLOCK_HEADER_BYTES 3

struct zstd {
	ZSTD_DStream *stream;
	size_t first;                /* bytes with which a frame begins */
	size_t want;                 /* what is left of the block that is being read, with the header of the next */
	bool full;                   /* the last output had no room left: there may be more of it */
};

static void zstd_reset(void *state)
{
	struct zstd *z = state;

	z->first = z->want = ZSTD_initDStream(z->stream);
	z->full = false;
}

static void zstd_free(void *state)
{
	struct zstd *z = state;

	ZSTD_freeDStream(z->stream);
	free(z);
}

static void *zstd_new(void)
{
	struct zstd *z = malloc(sizeof(*z));

	if (!z)
		return NULL;
	z->stream = ZSTD_createDStream();
	if (!z->stream) {
		free(z);
		return NULL;
	}
	zstd_reset(z);
	return z;
}

static int decompress(struct zstd *z, struct codec_io *io, size_t n, struct sonde_error *err)
{
	ZSTD_inBuffer in = { io->in, n, 0 };
	ZSTD_outBuffer out = { io->out, io->nr_out, 0 };
	size_t r = ZSTD_decompressStream(z->stream, &out, &in);

	io->in += in.pos;
	io->nr_in -= in.pos;
	io->out += out.pos;
	io->nr_out -= out.pos;
	if (ZSTD_isError(r))
		return ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation ?
			err_nomem(err) : err_set(err, SONDE_CORRUPT, SONDE_NONE, "zstd: %s", ZSTD_getErrorName(r));
	z->want = r ? r : z->first;
	z->full = r != 0 && io->nr_out == 0;  /* with 0 a frame has ended, and nothing of it waits */
	return 0;
}

/* As much as is needed to put something out: not the header after a block, and nothing while output waits. */
static size_t next_input(const struct zstd *z, const struct codec_io *io)
{
	size_t n = z->want > BLOCK_HEADER_BYTES ? z->want - BLOCK_HEADER_BYTES : z->want;

	return z->full ? 0 : n < io->nr_in ? n : io->nr_in;
}

/*
 * A call of the library that fails forgets what it has put out before. So each gets no more than one block: what comes
 * out of a damaged stream would depend on the room there was otherwise.
 */
static int zstd_step(void *state, struct codec_io *io, struct sonde_error *err)
{
	struct zstd *z = state;
	int r = 0;

	do {
		r = decompress(z, io, io->at_once ? io->nr_in : next_input(z, io), err);
	} while (r == 0 && io->nr_in > 0 && io->nr_out > 0);
	return r < 0 ? r : io->nr_in > 0 || z->full;
}

static void *zstd_packer_new(void)
{
	return ZSTD_createCCtx();
}

static void zstd_packer_free(void *packer)
{
	ZSTD_freeCCtx(packer);
}

static size_t zstd_bound(size_t n)
{
	return ZSTD_compressBound(n);
}

static size_t zstd_pack(void *packer, uint32_t level, const void *p, size_t n, void *to, size_t room)
{
	size_t size = ZSTD_compressCCtx(packer, to, room, p, n, (int)level);

	return ZSTD_isError(size) ? 0 : size;
}

static void *zstd_stream_new(uint32_t level)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();

	if (z && ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, (int)level))) {
		ZSTD_freeCCtx(z);
		return NULL;
	}
	return z;
}

static int zstd_stream(void *state, struct codec_io *io, struct sonde_error *err)
{
	ZSTD_inBuffer in = { io->in, io->nr_in, 0 };
	ZSTD_outBuffer out = { io->out, io->nr_out, 0 };
	size_t r = ZSTD_compressStream2(state, &out, &in, ZSTD_e_flush);

	io->in += in.pos;
	io->nr_in -= in.pos;
	io->out += out.pos;
	io->nr_out -= out.pos;
	if (ZSTD_isError(r))
		return err_set(err, SONDE_NOMEM, SONDE_NONE, "zstd: %s", ZSTD_getErrorName(r));
	return r != 0 || io->nr_in > 0;
}

static void zstd_stream_free(void *state)
{
	ZSTD_freeCCtx(state);
}

const struct codec codec_zstd = {
	.name = "zstd", .new = zstd_new, .step = zstd_step, .reset = zstd_reset, .free = zstd_free,
	.version = ZSTD_versionString, .default_level = 3, .max_level = 19,
	.packer_new = zstd_packer_new, .packer_free = zstd_packer_free, .bound = zstd_bound, .pack = zstd_pack,
	.stream_new = zstd_stream_new, .stream = zstd_stream, .stream_free = zstd_stream_free,
};
