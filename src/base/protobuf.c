/* SPDX-License-Identifier: MIT */
#include "base/protobuf.h"

#include "base/safe_text.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, MOST_VARINT = 10 };

void pb_varint(struct buf *b, uint64_t v)
{
	uint8_t bytes[MOST_VARINT];
	size_t n = 0;

	while (v >= 0x80) {
		bytes[n++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	bytes[n++] = (uint8_t)v;
	buf_put(b, bytes, n);
}

static void tag(struct buf *b, uint32_t field, unsigned wire)
{
	pb_varint(b, (uint64_t)field << 3 | wire);
}

void pb_u64(struct buf *b, uint32_t field, uint64_t v)
{
	tag(b, field, VARINT);
	pb_varint(b, v);
}

void pb_i64(struct buf *b, uint32_t field, int64_t v)
{
	pb_u64(b, field, (uint64_t)v);
}

void pb_fixed64(struct buf *b, uint32_t field, uint64_t v)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(v >> 8 * i);
	tag(b, field, FIXED64);
	buf_put(b, bytes, sizeof(bytes));
}

void pb_bytes(struct buf *b, uint32_t field, const void *p, size_t n)
{
	tag(b, field, LENGTH);
	pb_varint(b, n);
	if (n)
		buf_put(b, p, n);
}

void pb_text(struct buf *b, uint32_t field, const char *s, size_t len)
{
	size_t begun = pb_begin(b, field);

	buf_utf8(b, s, len);
	pb_end(b, begun);
}

void pb_str(struct buf *b, uint32_t field, const char *s)
{
	pb_text(b, field, s ? s : "", s ? strlen(s) : 0);
}

size_t pb_begin(struct buf *b, uint32_t field)
{
	tag(b, field, LENGTH);
	buf_char(b, 0);  /* one byte is enough for most lengths; pb_end() makes room for a longer one */
	return b->n;
}

void pb_end(struct buf *b, size_t begun)
{
	size_t length = b->n - begun, more = pb_varint_size(length) - 1;
	uint8_t *at;

	if (b->failed || (more && !buf_room(b, more)))
		return;
	at = (uint8_t *)b->p + begun - 1;
	if (more)
		memmove(at + 1 + more, at + 1, length);
	b->n += more;
	for (; length >= 0x80; length >>= 7)
		*at++ = (uint8_t)(length | 0x80);
	*at = (uint8_t)length;
}

void pb_packed(struct buf *b, uint32_t field, const uint64_t *values, size_t n)
{
	size_t begun;

	if (!n)
		return;
	begun = pb_begin(b, field);
	for (size_t i = 0; i < n; i++)
		pb_varint(b, values[i]);
	pb_end(b, begun);
}
