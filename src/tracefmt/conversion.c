/* SPDX-License-Identifier: MIT */
#include "tracefmt/conversion.h"

#include "base/ascii.h"
#include "tracefmt/print.h"
#include "tracefmt/tracefmt.h"

static char peek(struct sonde_str format, size_t at)
{
	return at < format.len ? format.p[at] : '\0';
}

/* A width or precision: digits, at most what a text may have, or '*'. */
static void amount(struct sonde_str format, size_t *at, int32_t *n, bool *star)
{
	if (peek(format, *at) == '*') {
		++*at;
		*star = true;
		return;
	}
	for (; is_digit(peek(format, *at)); ++*at)
		if (*n < TRACEFMT_TEXT_MAX)
			*n = *n * 10 + (peek(format, *at) - '0');
}

static void flags(struct sonde_str format, size_t *at, struct conversion *v)
{
	for (;; ++*at)
		switch (peek(format, *at)) {
		case '-': v->left = true; break;
		case '+': v->plus = true; break;
		case ' ': v->blank = true; break;
		case '#': v->alternate = true; break;
		case '0': v->zero = true; break;
		default: return;
		}
}

static uint8_t length(struct sonde_str format, size_t *at, uint8_t long_size)
{
	uint8_t size = 4;

	for (;; ++*at)
		switch (peek(format, *at)) {
		case 'h': size = size == 2 ? 1 : 2; break;
		case 'l': size = size == 4 && long_size == 4 && format.p[*at - 1] != 'l' ? 4 : 8; break;
		case 'L': case 'q': case 'j': size = 8; break;
		case 'z': case 'Z': case 't': size = long_size; break;
		default: return size;
		}
}

struct conversion conversion_parse(struct sonde_str format, size_t *at, uint8_t long_size)
{
	struct conversion v = { .precision = -1 };

	flags(format, at, &v);
	amount(format, at, &v.width, &v.star_width);
	if (peek(format, *at) == '.') {
		++*at;
		v.precision = 0;
		amount(format, at, &v.precision, &v.star_precision);
	}
	v.size = length(format, at, long_size);
	v.letter = peek(format, *at);
	*at += *at < format.len;
	return v;
}
