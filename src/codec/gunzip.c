/* SPDX-License-Identifier: MIT */
#include "codec/gunzip.h"

#include <inttypes.h>
#include <limits.h>
#include <zlib.h>

enum { STEP = 1 << 18, GZIP_WINDOW = 15 + 16 };

/* One more step: Z_OK, Z_STREAM_END, or a failure. Z_BUF_ERROR: the input has ended, or no more may come out. */
static int step(z_stream *z, size_t most, struct buf *out)
{
	size_t room = most - out->n < STEP ? most - out->n : STEP;
	char *to = buf_room(out, room ? room : 1);
	int r;

	if (!to)
		return Z_MEM_ERROR;
	z->next_out = (Bytef *)to;
	z->avail_out = (uInt)room;
	r = room ? inflate(z, Z_NO_FLUSH) : Z_BUF_ERROR;
	out->n += room - z->avail_out;
	return r;
}

/* Feeds the input, which may be larger than zlib counts. */
static int inflate_all(z_stream *z, const uint8_t *p, size_t n, size_t most, struct buf *out, size_t *used)
{
	int r = Z_OK;

	for (*used = 0; r == Z_OK || (r == Z_STREAM_END && *used < n);) {
		uInt given = n - *used < UINT_MAX ? (uInt)(n - *used) : UINT_MAX;

		/* zeros may follow the last member, as gzip allows them */
		if (r == Z_STREAM_END && p[*used] != 0x1f)
			break;
		if (r == Z_STREAM_END)
			inflateReset(z);
		z->next_in = (Bytef *)(uintptr_t)(p + *used);  /* zlib takes it without const, and does not write */
		z->avail_in = given;
		r = step(z, most, out);
		*used += given - z->avail_in;
	}
	return r;
}

int gunzip(const uint8_t *p, size_t n, size_t most, struct buf *out, struct sonde_error *err)
{
	z_stream z = { 0 };
	size_t used;
	int r = inflateInit2(&z, GZIP_WINDOW);

	if (r != Z_OK)
		return err_nomem(err);
	r = inflate_all(&z, p, n, most, out, &used);
	if (r == Z_MEM_ERROR)
		r = err_nomem(err);
	else if (r == Z_STREAM_END)
		r = 0;
	else if (r == Z_BUF_ERROR && out->n >= most)
		r = err_set(err, SONDE_UNSUPPORTED, used, "gzip: decompresses to more than %zu bytes", most);
	else if (r == Z_BUF_ERROR)
		r = err_set(err, SONDE_TRUNCATED, used, "gzip: the compressed data end too early");
	else
		r = err_set(err, SONDE_CORRUPT, used, "gzip: %s", z.msg ? z.msg : "the data are damaged");
	inflateEnd(&z);
	return r;
}
