/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/digits.h"
#include "base/fd_io.h"
#include "base/plain_locale.h"
#include "base/text.h"

#define BLOCK_BYTES (256 * 1024)

static void fail(struct buf *b, int code)
{
	if (!b->failed)
		b->failed = code;
	b->n = 0;
}

/* 0 or the failure. */
static int write_out(struct buf *b)
{
	int bad;

	if (b->fd < 0)
		bad = b->n ? b->sink(b->ctx, b->p, b->n) : 0;
	else
		bad = fd_write(b->fd, b->p, b->n);
	if (bad && b->fd < 0)
		return err_set(b->err, SONDE_STOPPED, SONDE_NONE, "the program's own function took no more output");
	return bad ? err_sys(b->err, bad, "cannot write the output") : 0;
}

int buf_flush(struct buf *b)
{
	int r;

	if (!buf_drains(b) || b->failed)
		return b->failed;
	r = write_out(b);
	if (r < 0) {
		fail(b, r);
		return r;
	}
	b->written += b->n;
	b->n = 0;
	return 0;
}

void buf_take_failure(struct buf *b, const struct buf *part)
{
	if (part->failed && !b->failed)
		fail(b, err_nomem(b->err));
}

void buf_free(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ .fd = b->fd, .sink = b->sink, .ctx = b->ctx };
}

static char *make_room(struct buf *b, size_t n)
{
	size_t cap;
	char *p;

	if (buf_drains(b) && b->n + n > BLOCK_BYTES && b->n)
		buf_flush(b);
	if (b->failed)
		b->n = 0;  /* what is dropped needs no memory */
	if (b->cap - b->n >= n)
		return b->p + b->n;
	cap = b->cap ? b->cap : buf_drains(b) ? BLOCK_BYTES : 256;
	while (cap - b->n < n)
		if (__builtin_mul_overflow(cap, (size_t)2, &cap)) {
			fail(b, err_nomem(b->err));
			return NULL;
		}
	p = realloc(b->p, cap);
	if (!p) {
		fail(b, err_nomem(b->err));
		return NULL;
	}
	b->p = p;
	b->cap = cap;
	return b->p + b->n;
}

static inline char *room(struct buf *b, size_t n)
{
	if (n <= b->cap - b->n && b->n + n <= BLOCK_BYTES && !b->failed)
		return b->p + b->n;
	return make_room(b, n);
}

char *buf_room(struct buf *b, size_t n)
{
	return room(b, n);
}

void buf_put_slow(struct buf *b, const void *p, size_t n)
{
	char *to = n ? room(b, n) : NULL;

	if (to) {
		memcpy(to, p, n);
		b->n += n;
	}
}

void buf_move(struct buf *b, struct buf *text)
{
	struct buf spare = *b;

	buf_take_failure(b, text);
	if (!buf_drains(b)) {
		buf_put(b, text->p, text->n);
	} else if (buf_flush(b) == 0) {
		b->p = text->p;
		b->n = text->n;
		b->cap = text->cap;
		text->p = spare.p;
		text->cap = spare.cap;
		buf_flush(b);
	}
	text->n = 0;
}

void buf_pad(struct buf *b, char c, size_t n)
{
	char *to = n ? room(b, n) : NULL;

	if (to) {
		memset(to, c, n);
		b->n += n;
	}
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	struct plain_locale plain = plain_locale_begin();
	size_t left = b->failed ? 0 : b->cap - b->n;
	va_list ap;
	char *to;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(left ? b->p + b->n : NULL, left, fmt, ap);  /* mostly there is room */
	va_end(ap);
	if (n > 0 && (size_t)n >= left) {
		to = room(b, (size_t)n + 1);
		va_start(ap, fmt);
		n = to ? vsnprintf(to, (size_t)n + 1, fmt, ap) : 0;
		va_end(ap);
	}
	if (n > 0)
		b->n += (size_t)n;
	plain_locale_end(plain);
}

static void put_filled(struct buf *b, const char *digits, const char *end, char fill, int width)
{
	size_t n = (size_t)(end - digits);

	if (width > 0 && (size_t)width > n)
		buf_pad(b, fill, (size_t)width - n);
	buf_put(b, digits, n);
}

void buf_u64(struct buf *b, uint64_t v)
{
	buf_u64_width(b, v, 0);
}

void buf_i64(struct buf *b, int64_t v)
{
	if (v < 0)
		buf_char(b, '-');
	buf_u64(b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static inline void put_decimal(struct buf *b, uint64_t v, char fill, int width)
{
	size_t n = digits_decimal_count(v), all = width > 0 && (size_t)width > n ? (size_t)width : n;
	char *to = room(b, all > DIGITS_MAX ? all : DIGITS_MAX);

	if (!to)
		return;
	/* a fill of constant size is three stores; what it writes after the digits is written over */
	if (all <= DIGITS_MAX)
		memset(to, fill, DIGITS_MAX);
	else
		memset(to, fill, all);
	digits_decimal(to + all, v);
	b->n += all;
}

void buf_u64_width(struct buf *b, uint64_t v, int width)
{
	put_decimal(b, v, ' ', width);
}

void buf_u64_zero(struct buf *b, uint64_t v, int digits)
{
	put_decimal(b, v, '0', digits);
}

void buf_hex(struct buf *b, uint64_t v)
{
	buf_hex_width(b, v, 0);
}

void buf_hex_width(struct buf *b, uint64_t v, int width)
{
	char scratch[DIGITS_MAX];

	put_filled(b, digits_hex(scratch + DIGITS_MAX, v), scratch + DIGITS_MAX, ' ', width);
}

void buf_hex_zero(struct buf *b, uint64_t v, int digits)
{
	char scratch[DIGITS_MAX];

	put_filled(b, digits_hex(scratch + DIGITS_MAX, v), scratch + DIGITS_MAX, '0', digits);
}

void buf_str_right(struct buf *b, const char *s, size_t len, int width)
{
	put_filled(b, s, s + len, ' ', width);
}

void buf_str_left(struct buf *b, const char *s, size_t len, int width)
{
	buf_put(b, s, len);
	if (width > 0 && (size_t)width > len)
		buf_pad(b, ' ', (size_t)width - len);
}

void buf_text(struct buf *b, const char *s, size_t len)
{
	char *to = len ? room(b, len) : NULL;

	if (to) {
		memcpy(to, s, len);
		text_clean(to, len);
		b->n += len;
	}
}

void buf_json(struct buf *b, const char *s, size_t len)
{
	const uint8_t *u = (const uint8_t *)s;
	size_t n;

	buf_char(b, '"');
	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = utf8_length(u + i, len - i);
		if (n == 0)
			buf_str(b, "\xef\xbf\xbd");
		else if (u[i] == '"' || u[i] == '\\')
			buf_char(b, '\\'), buf_char(b, s[i]);
		else if (utf8_is_control(utf8_code(u + i, n)))
			buf_str(b, "\\u"), buf_hex_zero(b, utf8_code(u + i, n), 4);
		else
			buf_put(b, s + i, n);
	}
	buf_char(b, '"');
}
