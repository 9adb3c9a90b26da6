/* SPDX-License-Identifier: MIT */
/*
 * buf.h - output: bytes and text gathered in large blocks, written to a file descriptor or kept in memory
 *
 * A failure (out of memory, a full disk, a closed pipe) is remembered in `err`; what follows is dropped, so one check
 * at the end, or per block, is enough.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

struct buf {
	char *p;
	size_t n, cap;
	int fd; /* where full blocks go; -1: to `sink`, or, without one, nowhere: everything is kept */
	int (*sink)(void *ctx, const void *p, size_t n);
	void *ctx;
	uint64_t written;            /* bytes that have gone to fd or sink */
	struct sonde_error *err;     /* may be NULL */
	int failed;                  /* 0, or the negative code of the first failure */
};

#define BUF_MEMORY ((struct buf){ .fd = -1 })
#define BUF_TO(fd_, err_) ((struct buf){ .fd = (fd_), .err = (err_) })

/* Full blocks leave the buffer: it is not one in memory. */
static inline bool buf_drains(const struct buf *b)
{
	return b->fd >= 0 || b->sink;
}

/* Writes out what is gathered (nothing to do for a buffer in memory). 0 or the failure. */
int buf_flush(struct buf *b);
void buf_free(struct buf *b);

/* @part, a buffer in memory whose text should go to @b, has failed: @b fails with the same error. */
void buf_take_failure(struct buf *b, const struct buf *part);

/* Appends @text, a buffer in memory, which is empty afterwards. A buffer that drains gets it without a copy. */
void buf_move(struct buf *b, struct buf *text);

/* Room for n more bytes at the returned place; advance b->n by what was used. NULL when out of memory. */
char *buf_room(struct buf *b, size_t n);

void buf_put_slow(struct buf *b, const void *p, size_t n);

static inline void buf_put(struct buf *b, const void *p, size_t n)
{
	if (n - 1 < b->cap - b->n) {  /* also: n is not 0 */
		memcpy(b->p + b->n, p, n);
		b->n += n;
	} else {
		buf_put_slow(b, p, n);
	}
}

void buf_pad(struct buf *b, char c, size_t n);
/* In the locale "C", whatever the program has set. */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void buf_char(struct buf *b, char c)
{
	if (b->n < b->cap)
		b->p[b->n++] = c;
	else
		buf_put(b, &c, 1);
}

static inline void buf_str(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

void buf_u64(struct buf *b, uint64_t v);                       /* decimal */
void buf_i64(struct buf *b, int64_t v);
void buf_u64_width(struct buf *b, uint64_t v, int width);      /* right-aligned with blanks, as %*lu */
void buf_u64_zero(struct buf *b, uint64_t v, int digits);      /* with leading zeros, as %0*lu */
void buf_hex(struct buf *b, uint64_t v);                       /* lower case, no 0x, as %lx */
void buf_hex_width(struct buf *b, uint64_t v, int width);      /* right-aligned with blanks, as %*lx */
void buf_hex_zero(struct buf *b, uint64_t v, int digits);

/* Text padded with blanks: left (as %*s) or right (as %-*s). */
void buf_str_right(struct buf *b, const char *s, size_t len, int width);
void buf_str_left(struct buf *b, const char *s, size_t len, int width);

/* Text from a trace: control bytes (and DEL) become '.', so that a terminal cannot be driven by a file. */
void buf_text(struct buf *b, const char *s, size_t len);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void buf_json(struct buf *b, const char *s, size_t len);

#endif
