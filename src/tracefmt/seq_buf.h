/* SPDX-License-Identifier: MIT */
/*
 * seq_buf.h - the text of one record in memory of fixed size, as the kernel's seq_buf
 *
 * Text that does not fit is dropped and the buffer is closed, so that nothing has to be checked before the end.
 */
#ifndef TRACEFMT_SEQ_BUF_H
#define TRACEFMT_SEQ_BUF_H

#include "base/digits.h"
#include <sonde/types.h>

struct seq_buf {
	char *p, *end;
};

/* A conversion of printf. */
struct conversion {
	bool left, plus, blank, alternate, zero;
	bool star_width, star_precision;   /* from arguments */
	char letter;
	uint8_t size;                      /* of the integer: 1, 2, 4 or 8 */
	int32_t width, precision;          /* precision -1: none */
};

static inline void seq_put(struct seq_buf *o, const char *s, size_t n)
{
	if (n <= (size_t)(o->end - o->p)) {
		memcpy(o->p, s, n);
		o->p += n;
	} else {
		o->end = o->p;
	}
}

/* As above, from where SEQ_PADDING more bytes can be read. */
#define SEQ_PADDING 16
static inline void seq_put_padded(struct seq_buf *o, const char *s, size_t n)
{
	if (n <= 16 && o->end - o->p >= 16) {
		memcpy(o->p, s, 16);
		o->p += n;
	} else {
		seq_put(o, s, n);
	}
}

static inline void seq_char(struct seq_buf *o, char c)
{
	if (o->p < o->end)
		*o->p++ = c;
}

static inline void seq_decimal(struct seq_buf *o, uint64_t v)
{
	char scratch[DIGITS_MAX];

	if (o->end - o->p >= DIGITS_MAX)
		o->p = digits_put_decimal(o->p, v);
	else
		seq_put(o, scratch, (size_t)(digits_put_decimal(scratch, v) - scratch));
}

static inline void seq_signed(struct seq_buf *o, int64_t v)
{
	if (v < 0)
		seq_char(o, '-');
	seq_decimal(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

/* With at least @digits of them, 16 at most. */
static inline void seq_hex_zero(struct seq_buf *o, uint64_t v, unsigned digits)
{
	char scratch[DIGITS_MAX];

	if (o->end - o->p >= DIGITS_MAX)
		o->p = digits_put_hex_zero(o->p, v, digits);
	else
		seq_put(o, scratch, (size_t)(digits_put_hex_zero(scratch, v, digits) - scratch));
}

static inline void seq_hex(struct seq_buf *o, uint64_t v)
{
	seq_hex_zero(o, v, 1);
}

void seq_pad(struct seq_buf *o, char c, size_t n);
void seq_byte(struct seq_buf *o, uint8_t v);                          /* two hex digits */

/* Text of a record up to its first NUL; control bytes become '.'. */
void seq_text(struct seq_buf *o, const uint8_t *s, size_t n);
/* The same with line breaks and tabs kept, for messages that are made of lines. */
void seq_lines(struct seq_buf *o, const uint8_t *s, size_t n);

/* v as printf prints it with d i u x X o or c; width and precision are those of c or of its arguments. */
void seq_integer(struct seq_buf *o, const struct conversion *c, int32_t width, int32_t precision, uint64_t v);

/* The text since start, as %s with width and precision. */
void seq_fit(struct seq_buf *o, char *start, const struct conversion *c, int32_t width, int32_t precision);

#endif
