/* SPDX-License-Identifier: MIT */
#include "parquet/hybrid.h"

#include "base/protobuf.h"
#include "parquet/bits.h"

/* Values of a group, and the shortest run that is worth its head. */
#define GROUP 8

static size_t run_length(const uint32_t *values, size_t n)
{
	size_t i = 1;

	while (i < n && values[i] == values[0])
		i++;
	return i;
}

static void put_run(struct buf *to, uint32_t value, size_t n, unsigned width)
{
	pb_varint(to, (uint64_t)n << 1);
	for (unsigned bit = 0; bit < width; bit += 8)
		buf_char(to, (char)(value >> bit));
}

/* Zeros fill the last group. */
static void put_groups(struct buf *to, const uint32_t *values, size_t n, unsigned width)
{
	size_t groups = (n + GROUP - 1) / GROUP, bytes = groups * width;
	struct bit_writer bits;

	pb_varint(to, (uint64_t)groups << 1 | 1);
	bits = (struct bit_writer){ .p = (uint8_t *)buf_room(to, bytes) };
	if (!bits.p)
		return;
	for (size_t i = 0; i < n; i++)
		bits_put(&bits, values[i], width);
	for (size_t i = n; i < groups * GROUP; i++)
		bits_put(&bits, 0, width);
	bits_end(&bits);
	to->n += bytes;
}

/* The values before the next group that begins a run; whole groups, except at the end. */
static size_t literal_length(const uint32_t *values, size_t n)
{
	size_t i = GROUP;

	while (i < n && (n - i < GROUP || run_length(values + i, GROUP) < GROUP))
		i += GROUP;
	return i < n ? i : n;
}

void hybrid_encode(struct buf *to, const uint32_t *values, size_t n, unsigned width)
{
	size_t length;

	for (size_t i = 0; i < n; i += length) {
		length = run_length(values + i, n - i);
		if (length >= GROUP || length == n - i) {
			put_run(to, values[i], length, width);
		} else {
			length = literal_length(values + i, n - i);
			put_groups(to, values + i, length, width);
		}
	}
}

static uint32_t take_value(struct cursor *from, unsigned width)
{
	uint32_t value = 0;

	for (unsigned bit = 0; bit < width; bit += 8)
		value |= (uint32_t)cur_u8(from) << bit;
	return value;
}

static int wrong(struct cursor *from)
{
	return from->failed ? -SONDE_TRUNCATED : err_set(from->err, SONDE_CORRUPT, from->at, "a run has no value");
}

int hybrid_decode(struct cursor *from, unsigned width, uint32_t *values, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint64_t head = cur_uleb(from), count = head >> 1, left = n - i;

		if (!count || from->failed)
			return wrong(from);
		if (head & 1) {
			const uint8_t *p = cur_array(from, count, width);
			struct bit_reader bits;

			if (from->failed)
				return -SONDE_TRUNCATED;
			bits = bits_read(p, count * width);
			count = count > left / GROUP ? left : count * GROUP;
			for (size_t j = 0; j < count; j++)
				values[i + j] = (uint32_t)bits_get(&bits, width);
		} else {
			uint32_t value = take_value(from, width);

			count = count > left ? left : count;
			for (size_t j = 0; j < count; j++)
				values[i + j] = value;
		}
		i += count;
	}
	return from->failed ? -SONDE_TRUNCATED : 0;
}
