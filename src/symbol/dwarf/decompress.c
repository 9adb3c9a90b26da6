/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/decompress.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/bytes.h"

/* No format makes one byte of more: zlib stops at 1032, and sections of DWARF stay far below it with zstd too. */
#define RATIO_MAX 1032

enum { PACKED_DAMAGED, PACKED_ZLIB = ELFCOMPRESS_ZLIB, PACKED_ZSTD = 2 };   /* elf.h of glibc 2.36 has no zstd */

#define ZSTD_WINDOW_LOG_MAX 27       /* memory of the decompressor: 128 MB */

static bool inflate_all(const uint8_t *p, size_t n, uint8_t *out, size_t size)
{
	z_stream s = { .next_in = (Bytef *)(uintptr_t)p };
	size_t out_left = size;
	int r = inflateInit(&s);

	s.next_out = out;
	while (r == Z_OK && (n || s.avail_in)) {  /* Z_BUF_ERROR: no room is left */
		if (!s.avail_in) {
			s.avail_in = n < UINT_MAX ? (uInt)n : UINT_MAX;
			n -= s.avail_in;
		}
		if (!s.avail_out) {
			s.avail_out = out_left < UINT_MAX ? (uInt)out_left : UINT_MAX;
			out_left -= s.avail_out;
		}
		r = inflate(&s, Z_NO_FLUSH);
	}
	inflateEnd(&s);
	return r == Z_STREAM_END && !out_left && !s.avail_out;
}

static bool unzstd_all(const uint8_t *p, size_t n, uint8_t *out, size_t size)
{
	ZSTD_DCtx *c = ZSTD_createDCtx();
	size_t r = 0;

	if (c) {
		ZSTD_DCtx_setParameter(c, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
		r = ZSTD_decompressDCtx(c, out, size, p, n);
	}
	ZSTD_freeDCtx(c);
	return r == size;
}

/* Takes the header off. Returns PACKED_*, or another number that the header has. */
static uint32_t take_header(const uint8_t **p, size_t *n, const struct compressed_layout *l, uint64_t *size)
{
	size_t header = l->zdebug ? 12 : l->wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	uint32_t type = PACKED_ZLIB;

	if (*n < header || (l->zdebug && memcmp(*p, "ZLIB", 4)))
		return PACKED_DAMAGED;
	if (l->zdebug)
		*size = load_u64(*p + 4, !host_is_big_endian());
	else {
		type = load_u32(*p, l->swap);
		*size = l->wide ? load_u64(*p + 8, l->swap) : load_u32(*p + 4, l->swap);
	}
	*p += header;
	*n -= header;
	return type;
}

uint8_t *decompress_section(const uint8_t *p, size_t n, const struct compressed_layout *layout, size_t *out_n)
{
	uint64_t size = 0;
	uint32_t type = take_header(&p, &n, layout, &size);
	uint8_t *out;
	bool good = false;

	if (type == PACKED_DAMAGED || size / RATIO_MAX > n || size >= SIZE_MAX || !(out = malloc((size_t)size + 1)))
		return NULL;
	if (type == PACKED_ZLIB)
		good = inflate_all(p, n, out, (size_t)size);
	else if (type == PACKED_ZSTD)
		good = unzstd_all(p, n, out, (size_t)size);
	if (!good) {
		free(out);
		return NULL;
	}
	out[size] = 0;
	*out_n = (size_t)size;
	return out;
}
