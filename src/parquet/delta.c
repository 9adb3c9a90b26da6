/* SPDX-License-Identifier: MIT */
#include "parquet/delta.h"

#include "base/protobuf.h"
#include "parquet/bits.h"
#include "parquet/zigzag.h"

enum { BLOCK = 1024, MINIBLOCKS = 8, MINIBLOCK = BLOCK / MINIBLOCKS };

/* A foreign block may be larger. */
#define BLOCK_MAX 65536

static void put_miniblock(struct buf *to, const uint64_t *offsets, unsigned width)
{
	size_t bytes = MINIBLOCK / 8 * width;
	struct bit_writer bits = { .p = (uint8_t *)buf_room(to, bytes) };

	if (!bits.p)
		return;
	for (size_t i = 0; i < MINIBLOCK; i++)
		bits_put(&bits, offsets[i], width);
	to->n += bytes;
}

/* n differences, at most a block of them; @values[-1] is before the first. */
static void put_block(struct buf *to, const int64_t *values, size_t n)
{
	uint64_t offsets[BLOCK];
	uint8_t widths[MINIBLOCKS] = { 0 };
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < n; i++) {
		offsets[i] = (uint64_t)values[i] - (uint64_t)values[(ptrdiff_t)i - 1];
		least = (int64_t)offsets[i] < least ? (int64_t)offsets[i] : least;
	}
	for (size_t i = 0; i < n; i++)
		offsets[i] -= (uint64_t)least;
	memset(offsets + n, 0, (BLOCK - n) * sizeof(*offsets));
	for (size_t m = 0; m * MINIBLOCK < n; m++) {
		uint64_t bits = 0;

		for (size_t i = 0; i < MINIBLOCK; i++)
			bits |= offsets[m * MINIBLOCK + i];
		widths[m] = (uint8_t)bits_width(bits);
	}
	pb_varint(to, zigzag(least));
	buf_put(to, widths, sizeof(widths));
	for (size_t m = 0; m * MINIBLOCK < n; m++)
		put_miniblock(to, offsets + m * MINIBLOCK, widths[m]);
}

void delta_encode(struct buf *to, const int64_t *values, size_t n)
{
	pb_varint(to, BLOCK);
	pb_varint(to, MINIBLOCKS);
	pb_varint(to, n);
	pb_varint(to, n ? zigzag(values[0]) : 0);
	for (size_t i = 1; i < n; i += BLOCK)
		put_block(to, values + i, n - i < BLOCK ? n - i : BLOCK);
}

static int corrupt(struct cursor *from, const char *text)
{
	return from->failed ? -SONDE_TRUNCATED : err_set(from->err, SONDE_CORRUPT, from->at, "%s", text);
}

/* n values after @last, at most a block of them. */
static int take_block(struct cursor *from, uint64_t miniblock, uint64_t miniblocks, uint64_t *last, int64_t *values,
		      size_t n)
{
	uint64_t least = (uint64_t)unzigzag(cur_uleb(from));
	const uint8_t *widths = cur_take(from, miniblocks);

	if (!widths)
		return -SONDE_TRUNCATED;
	for (size_t i = 0; i < n;) {
		size_t end = n - i < miniblock ? n : i + (size_t)miniblock;
		unsigned width = *widths++;
		struct bit_reader bits;
		const uint8_t *p;

		if (width > 64)
			return err_set(from->err, SONDE_CORRUPT, from->at,
				       "differences have %u bits: expected at most 64", width);
		p = cur_array(from, miniblock / 8, width);
		if (!p)
			return -SONDE_TRUNCATED;
		bits = bits_read(p, miniblock / 8 * width);
		for (; i < end; i++) {
			*last += least + bits_get(&bits, width);
			values[i] = (int64_t)*last;
		}
	}
	return 0;
}

int delta_decode(struct cursor *from, int64_t *values, size_t n)
{
	uint64_t block = cur_uleb(from), miniblocks = cur_uleb(from), count = cur_uleb(from);
	uint64_t last = (uint64_t)unzigzag(cur_uleb(from));
	int r = 0;

	if (from->failed || !block || block > BLOCK_MAX || !miniblocks || block % miniblocks || block / miniblocks % 32)
		return corrupt(from, "the blocks of differences have a size that Parquet does not have");
	if (count != n)
		return err_set(from->err, SONDE_CORRUPT, from->at, "%" PRIu64 " values are expected, %" PRIu64 " found",
			       (uint64_t)n, count);
	if (n)
		values[0] = (int64_t)last;
	for (size_t i = 1; i < n && r == 0; i += (size_t)block)
		r = take_block(from, block / miniblocks, miniblocks, &last, values + i,
			       n - i < block ? n - i : (size_t)block);
	return r;
}
