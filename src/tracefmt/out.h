/* SPDX-License-Identifier: MIT */
/*
 * out.h - text of one record, into room that was taken beforehand
 *
 * What does not fit is dropped and the room closed, so that nothing has to be checked before the end.
 */
#ifndef TRACEFMT_OUT_H
#define TRACEFMT_OUT_H

#include "base/digits.h"
#include <sonde/types.h>

struct out {
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

static inline void out_put(struct out *o, const char *s, size_t n)
{
	if (n <= (size_t)(o->end - o->p)) {
		memcpy(o->p, s, n);
		o->p += n;
	} else {
		o->end = o->p;
	}
}

/* As above, from where OUT_PADDING more bytes can be read. */
#define OUT_PADDING 16
static inline void out_put_padded(struct out *o, const char *s, size_t n)
{
	if (n <= 16 && o->end - o->p >= 16) {
		memcpy(o->p, s, 16);
		o->p += n;
	} else {
		out_put(o, s, n);
	}
}

static inline void out_char(struct out *o, char c)
{
	if (o->p < o->end)
		*o->p++ = c;
}

static inline void out_decimal(struct out *o, uint64_t v)
{
	char scratch[DIGITS_MAX];

	if (o->end - o->p >= DIGITS_MAX)
		o->p = digits_put_decimal(o->p, v);
	else
		out_put(o, scratch, (size_t)(digits_put_decimal(scratch, v) - scratch));
}

static inline void out_signed(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_decimal(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static inline void out_hex(struct out *o, uint64_t v)
{
	char scratch[DIGITS_MAX];

	if (o->end - o->p >= DIGITS_MAX)
		o->p = digits_put_hex(o->p, v);
	else
		out_put(o, scratch, (size_t)(digits_put_hex(scratch, v) - scratch));
}

void out_pad(struct out *o, char c, size_t n);
void out_hex_zero(struct out *o, uint64_t v, unsigned digits);
void out_byte(struct out *o, uint8_t v);                          /* two hex digits */

/* Text of a record up to its first NUL; control bytes become '.'. */
void out_text(struct out *o, const uint8_t *s, size_t n);
/* The same with line breaks and tabs kept, for messages that are made of lines. */
void out_lines(struct out *o, const uint8_t *s, size_t n);

/* v as printf prints it with d i u x X o or c; width and precision are those of c or of its arguments. */
void out_integer(struct out *o, const struct conversion *c, int32_t width, int32_t precision, uint64_t v);

/* What was written since start, as %s with width and precision. */
void out_fit(struct out *o, char *start, const struct conversion *c, int32_t width, int32_t precision);

#endif
