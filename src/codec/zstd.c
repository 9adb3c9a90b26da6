/* SPDX-License-Identifier: MIT */
/*
 * zstd.c - Zstandard frames (RFC 8878), one or several behind each other
 *
 * libzstd refuses a window of more than 128 MiB by itself (ZSTD_d_windowLogMax): a frame cannot ask for more memory than
 * that.
 */
#include <zstd.h>
#include <zstd_errors.h>

#include "codec/codec.h"

static void *zstd_new(void)
{
	return ZSTD_createDStream();
}

static int zstd_step(void *state, struct codec_io *io, struct sonde_error *err)
{
	ZSTD_inBuffer in = { io->in, io->nr_in, 0 };
	ZSTD_outBuffer out = { io->out, io->nr_out, 0 };
	size_t r = ZSTD_decompressStream(state, &out, &in);

	io->in += in.pos;
	io->nr_in -= in.pos;
	io->out += out.pos;
	io->nr_out -= out.pos;
	if (ZSTD_isError(r))
		return ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation ?
			err_nomem(err) : err_set(err, SONDE_CORRUPT, SONDE_NONE, "zstd: %s", ZSTD_getErrorName(r));
	/* with r 0 a frame has ended, and nothing of it waits */
	return io->nr_in > 0 || (r != 0 && io->nr_out == 0);
}

static void zstd_reset(void *state)
{
	ZSTD_DCtx_reset(state, ZSTD_reset_session_only);
}

static void zstd_free(void *state)
{
	ZSTD_freeDStream(state);
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
