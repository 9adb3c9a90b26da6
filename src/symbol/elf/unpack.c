/* SPDX-License-Identifier: MIT */
#include "symbol/elf/unpack.h"

#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/vec.h"

#define UNPACKED_MAX ((size_t)128 << 20)
#define RATIO_MAX 100 /* beyond what programs and modules are packed: a few KB must not cost seconds, name by name */
#define UNPACKED_FREE ((size_t)1 << 20)  /* of any ratio */
#define MEMORY_MAX ((size_t)128 << 20)   /* what the decompressor itself may take */
#define STEP ((size_t)256 << 10)

enum file_packing packing_of_name(const char *name)
{
	static const struct { const char *end; enum file_packing packing; } ends[] = {
		{ ".gz", PACKING_GZIP }, { ".xz", PACKING_XZ }, { ".zst", PACKING_ZSTD },
	};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (n > strlen(ends[i].end) && !strcmp(name + n - strlen(ends[i].end), ends[i].end))
			return ends[i].packing;
	return PACKING_NONE;
}

struct bytes {
	VEC(uint8_t) v;
	size_t max;
};

/* Room for the next piece of output; NULL when there is enough of it. */
static uint8_t *room(struct bytes *b, size_t *n)
{
	if (b->v.n >= b->max || vec_reserve(&b->v, STEP) < 0)
		return NULL;
	*n = b->v.cap - b->v.n;
	return b->v.at + b->v.n;
}

static bool unpack_xz(struct bytes *b, const void *in, size_t in_size)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret r = lzma_stream_decoder(&s, MEMORY_MAX, 0);

	s.next_in = in;
	s.avail_in = in_size;
	while (r == LZMA_OK) {
		size_t n;

		s.next_out = room(b, &n);
		if (!s.next_out)
			break;
		s.avail_out = n;
		r = lzma_code(&s, LZMA_FINISH);
		b->v.n += n - s.avail_out;
	}
	lzma_end(&s);
	return r == LZMA_STREAM_END;
}

static bool unpack_gzip(struct bytes *b, const void *in, size_t in_size)
{
	z_stream s = { .next_in = (Bytef *)(uintptr_t)in, .avail_in = (uInt)in_size };
	int r = in_size > UINT_MAX ? Z_BUF_ERROR : inflateInit2(&s, 16 + MAX_WBITS);

	while (r == Z_OK) {
		size_t n;

		s.next_out = room(b, &n);
		if (!s.next_out)
			break;
		n = n < UINT_MAX ? n : UINT_MAX;
		s.avail_out = (uInt)n;
		r = inflate(&s, Z_NO_FLUSH);
		b->v.n += n - s.avail_out;
	}
	inflateEnd(&s);
	return r == Z_STREAM_END;
}

static bool unpack_zstd(struct bytes *b, const void *in, size_t in_size)
{
	ZSTD_DStream *s = ZSTD_createDStream();
	ZSTD_inBuffer from = { .src = in, .size = in_size };
	size_t r = 1;

	if (!s)
		return false;
	ZSTD_DCtx_setParameter(s, ZSTD_d_windowLogMax, 27);  /* MEMORY_MAX */
	while (r != 0 && !ZSTD_isError(r)) {
		ZSTD_outBuffer to = { 0 };
		size_t before = from.pos;

		to.dst = room(b, &to.size);
		if (!to.dst)
			break;
		r = ZSTD_decompressStream(s, &to, &from);
		b->v.n += to.pos;
		if (!to.pos && from.pos == before)
			break;  /* cut short */
	}
	ZSTD_freeDStream(s);
	return r == 0;
}

int unpack(enum file_packing packing, const void *in, size_t in_size, void **out, size_t *out_size,
	   struct sonde_error *err)
{
	size_t max = in_size < UNPACKED_MAX / RATIO_MAX ? in_size * RATIO_MAX : UNPACKED_MAX;
	struct bytes b = { .max = max < UNPACKED_FREE ? UNPACKED_FREE : max };
	bool good = false;

	if (packing == PACKING_XZ)
		good = unpack_xz(&b, in, in_size);
	else if (packing == PACKING_GZIP)
		good = unpack_gzip(&b, in, in_size);
	else if (packing == PACKING_ZSTD)
		good = unpack_zstd(&b, in, in_size);
	if (!good || !b.v.n) {
		vec_free(&b.v);
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "cannot be unpacked");
	}
	*out = b.v.at;
	*out_size = b.v.n;
	return 0;
}
