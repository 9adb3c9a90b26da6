/* SPDX-License-Identifier: MIT */
/*
 * cursor.h - the one way to read bytes that came from outside
 *
 * A cursor checks bounds, alignment and byte order in one place. After the first read that does not fit, every later
 * one fails too and gives zero, so one check per record (cur_ok) is enough.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <inttypes.h>

#include "base/bytes.h"
#include "base/err.h"

struct cursor {
	const uint8_t *p, *end;
	uint64_t at;                /* file offset of p */
	bool swap;                  /* file order is not the host's */
	bool failed;
	struct sonde_error *err;    /* may be NULL */
};

static inline struct cursor cur_new(const void *p, size_t n, uint64_t at, bool swap, struct sonde_error *err)
{
	const uint8_t *b = p;

	return (struct cursor){ .p = b, .end = n ? b + n : b, .at = at, .swap = swap, .err = err };
}

static inline bool cur_ok(const struct cursor *c)
{
	return !c->failed;
}

static inline uint64_t cur_left(const struct cursor *c)
{
	return (uint64_t)(c->end - c->p);
}

/* Fails the cursor and returns -SONDE_TRUNCATED. */
int cur_short(struct cursor *c, uint64_t need);

/* A view of the next n bytes, NULL if they are not there. */
static inline const uint8_t *cur_take(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (n > cur_left(c) || c->failed) {  /* compare with what is left: p + n could wrap */
		cur_short(c, n);
		return NULL;
	}
	c->p += n;
	c->at += n;
	return p;
}

static inline uint8_t cur_u8(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 1);

	return p ? *p : 0;
}

static inline uint16_t cur_u16(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 2);

	return p ? load_u16(p, c->swap) : 0;
}

static inline uint32_t cur_u32(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 4);

	return p ? load_u32(p, c->swap) : 0;
}

static inline uint64_t cur_u64(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 8);

	return p ? load_u64(p, c->swap) : 0;
}

/* A view of count elements of size bytes; NULL if the product wraps or is not there. Check before allocating. */
static inline const uint8_t *cur_array(struct cursor *c, uint64_t count, uint64_t size)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		cur_short(c, UINT64_MAX);
		return NULL;
	}
	return cur_take(c, bytes);
}

/* A cursor over the next n bytes: a length inside them that lies cannot reach what follows. */
static inline struct cursor cur_sub(struct cursor *c, uint64_t n)
{
	uint64_t at = c->at;
	const uint8_t *p = cur_take(c, n);
	struct cursor sub = cur_new(p, p ? n : 0, at, c->swap, c->err);

	sub.failed = !p;
	return sub;
}

/* Text up to the first NUL of the next n bytes, or all of them if there is none. */
static inline struct sonde_str cur_str(struct cursor *c, uint64_t n)
{
	const uint8_t *p = cur_take(c, n);

	return p ? (struct sonde_str){ (const char *)p, strnlen((const char *)p, n) } : (struct sonde_str){ "", 0 };
}

/* NUL-terminated text of any length; the NUL is consumed. Fails if there is none. */
struct sonde_str cur_strz(struct cursor *c);

/* LEB128 numbers of DWARF: seven bits a byte, the lowest first. Bits above 64 are lost. */
uint64_t cur_uleb(struct cursor *c);
int64_t cur_sleb(struct cursor *c);

#endif
