/* SPDX-License-Identifier: MIT */
#include "tracefmt/seq_buf.h"

void seq_pad(struct seq_buf *o, char c, size_t n)
{
	if (n > (size_t)(o->end - o->p))
		n = (size_t)(o->end - o->p);
	memset(o->p, c, n);
	o->p += n;
}

void seq_byte(struct seq_buf *o, uint8_t v)
{
	static const char digits[] = "0123456789abcdef";

	seq_char(o, digits[v >> 4]);
	seq_char(o, digits[v & 15]);
}

/* Up to a NUL. */
static inline void put_visible(struct seq_buf *o, const uint8_t *s, size_t n, bool keeps_lines)
{
	size_t room = (size_t)(o->end - o->p);
	char *to = o->p;

	if (n > room)
		n = room;
	for (size_t i = 0; i < n && s[i]; i++)
		*to++ = (s[i] < 0x20 && !(keeps_lines && (s[i] == '\n' || s[i] == '\t'))) || s[i] == 0x7f ? '.' :
			(char)s[i];
	o->p = to;
}

void seq_text(struct seq_buf *o, const uint8_t *s, size_t n)
{
	put_visible(o, s, n, false);
}

void seq_lines(struct seq_buf *o, const uint8_t *s, size_t n)
{
	put_visible(o, s, n, true);
}

/* Digits of v in the base of the conversion, before `end`. */
static char *digits_of(char *end, char letter, uint64_t v)
{
	char *p;

	switch (letter) {
	case 'x':
		return digits_hex(end, v);
	case 'X':
		p = digits_hex(end, v);
		for (char *q = p; q < end; q++)
			*q = *q >= 'a' ? (char)(*q - 'a' + 'A') : *q;
		return p;
	case 'o':
		p = end;
		do
			*--p = (char)('0' + (v & 7));
		while (v >>= 3);
		return p;
	default:
		return digits_decimal(end, v);
	}
}

static uint64_t narrow(uint64_t v, uint8_t size, bool is_signed)
{
	unsigned shift = 64 - 8 * size;

	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

static void put_character(struct seq_buf *o, bool left, int32_t width, uint8_t c)
{
	if (!left && width > 1)
		seq_pad(o, ' ', (size_t)width - 1);
	seq_char(o, c < 0x20 || c == 0x7f ? '.' : (char)c);
	if (left && width > 1)
		seq_pad(o, ' ', (size_t)width - 1);
}

void seq_integer(struct seq_buf *o, const struct conversion *c, int32_t width, int32_t precision, uint64_t v)
{
	char scratch[DIGITS_MAX + 2], *end = scratch + sizeof(scratch), *d;
	bool is_signed = c->letter == 'd' || c->letter == 'i', left = c->left || width < 0;
	const char *prefix = "";
	size_t n, digits, zeros = 0, total;

	if (width < 0)
		width = width == INT32_MIN ? 0 : -width;
	if (c->letter == 'c') {
		put_character(o, left, width, (uint8_t)v);
		return;
	}
	v = narrow(v, c->size, is_signed);
	if (is_signed) {
		prefix = (int64_t)v < 0 ? "-" : c->plus ? "+" : c->blank ? " " : "";
		v = (int64_t)v < 0 ? -v : v;
	} else if (c->alternate && v && c->letter != 'u' && c->letter != 'o') {
		prefix = c->letter == 'x' ? "0x" : "0X";
	}
	d = digits_of(end, c->letter, v);
	if (v == 0 && precision == 0)
		d = end;
	if (c->alternate && c->letter == 'o' && (d == end || *d != '0'))
		*--d = '0';
	digits = (size_t)(end - d);
	n = *prefix == '0' ? 2 : *prefix ? 1 : 0;
	if (precision > 0 && (size_t)precision > digits)
		zeros = (size_t)precision - digits;
	else if (precision < 0 && c->zero && !left && (size_t)width > n + digits)
		zeros = (size_t)width - n - digits;
	total = n + zeros + digits;
	if (!left && (size_t)width > total)
		seq_pad(o, ' ', (size_t)width - total);
	seq_put(o, prefix, n);
	seq_pad(o, '0', zeros);
	seq_put(o, d, digits);
	if (left && (size_t)width > total)
		seq_pad(o, ' ', (size_t)width - total);
}

void seq_fit(struct seq_buf *o, char *start, const struct conversion *c, int32_t width, int32_t precision)
{
	size_t n = (size_t)(o->p - start), pad, room;
	bool left = c->left || width < 0;

	if (width < 0)
		width = width == INT32_MIN ? 0 : -width;
	if (precision >= 0 && (size_t)precision < n) {
		n = (size_t)precision;
		o->p = start + n;
	}
	if ((size_t)width <= n)
		return;
	pad = (size_t)width - n;
	room = (size_t)(o->end - o->p);
	if (pad > room)
		pad = room;
	if (!left)
		memmove(start + pad, start, n);
	memset(left ? start + n : start, ' ', pad);
	o->p += pad;
}
