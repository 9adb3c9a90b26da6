/* SPDX-License-Identifier: MIT */
/*
 * protobuf.h - messages of Protocol Buffers in a buffer, field by field
 *
 *	struct buf b = BUF_MEMORY;
 *	size_t sample;
 *
 *	pb_u64(&b, 9, time_nanos);
 *	sample = pb_begin(&b, 2);
 *	pb_u64(&b, 3, number);
 *	pb_end(&b, sample);
 *
 * The length of a message is known when its fields have been written, so the buffer is one in memory (BUF_MEMORY); a
 * writer of many messages moves each to its output with buf_move(). A field of 0 is written: a writer that follows
 * proto3 leaves it out itself. Layout: the encoding of protobuf.dev, wire types 0 (varint), 1 (64 bits) and 2 (length).
 */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include "base/buf.h"

/* A varint: 7 bits a byte, the lowest first. */
void pb_varint(struct buf *b, uint64_t v);

/* Bytes of a varint. */
static inline size_t pb_varint_size(uint64_t v)
{
	return 1 + (63 - (size_t)__builtin_clzll(v | 1)) / 7;
}

/* Fields of one value. int32, int64 and enum are as uint64: a negative value takes ten bytes. */
void pb_u64(struct buf *b, uint32_t field, uint64_t v);
void pb_i64(struct buf *b, uint32_t field, int64_t v);
void pb_fixed64(struct buf *b, uint32_t field, uint64_t v);
void pb_bytes(struct buf *b, uint32_t field, const void *p, size_t n);

/* A string must be UTF-8, or readers reject the whole message: other bytes become U+FFFD. */
void pb_text(struct buf *b, uint32_t field, const char *s, size_t len);
void pb_str(struct buf *b, uint32_t field, const char *s);     /* NULL as "" */

/* Begins a message, or a packed list of pb_varint(): where its length is patched in. */
size_t pb_begin(struct buf *b, uint32_t field);

/* Ends the message that began there. */
void pb_end(struct buf *b, size_t begun);

/* A list of varints in one field; nothing for n = 0. */
void pb_packed(struct buf *b, uint32_t field, const uint64_t *values, size_t n);

#endif
