/* SPDX-License-Identifier: MIT */
#include "base/json_cursor.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/plain_locale.h"

enum { DEPTH_MAX = 1024, NUMBER_MAX = 64 };

struct json_cursor jcur_new(const char *text, size_t size, struct buf *buf, struct sonde_error *err)
{
	return (struct json_cursor){ .begin = text, .p = text, .end = size ? text + size : text, .err = err,
				     .text = buf };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

char jcur_peek(struct json_cursor *c)
{
	while (c->p < c->end && is_blank(*c->p))
		c->p++;
	return c->p < c->end ? *c->p : '\0';
}

int jcur_expected(struct json_cursor *c, const char *expected)
{
	unsigned char found = c->p < c->end ? (unsigned char)*c->p : 0;

	c->failed = true;
	if (c->p >= c->end)
		return err_set(c->err, SONDE_TRUNCATED, jcur_at(c), "the JSON text ends: expected %s", expected);
	if (found > ' ' && found < 0x7f)
		return err_set(c->err, SONDE_CORRUPT, jcur_at(c), "not JSON as it should be: expected %s, found '%c'",
			       expected, found);
	return err_set(c->err, SONDE_CORRUPT, jcur_at(c), "not JSON as it should be: expected %s, found byte 0x%02x",
		       expected, found);
}

static const char *name_of(char bracket)
{
	switch (bracket) {
	case '[': return "'['";
	case '{': return "'{'";
	case ']': return "',' or ']'";
	default: return "',' or '}'";
	}
}

int jcur_first(struct json_cursor *c, char open)
{
	if (c->failed || jcur_peek(c) != open)
		return c->failed ? -SONDE_CORRUPT : jcur_expected(c, name_of(open));
	c->p++;
	if (jcur_peek(c) != (open == '[' ? ']' : '}'))
		return 1;
	c->p++;
	return 0;
}

int jcur_next(struct json_cursor *c, char close)
{
	char found = c->failed ? '\0' : jcur_peek(c);

	if (found != ',' && found != close)
		return c->failed ? -SONDE_CORRUPT : jcur_expected(c, name_of(close));
	c->p++;
	return found == ',';
}

/* Steps behind the quote that ends a text whose first quote has been read. *escapes: some were seen. */
static int find_end(struct json_cursor *c, bool *escapes)
{
	*escapes = false;
	for (; c->p < c->end && *c->p != '"'; c->p++)
		if (*c->p == '\\') {
			*escapes = true;
			c->p += c->p + 1 < c->end;
		}
	if (c->p == c->end)
		return jcur_expected(c, "the end of a text");
	c->p++;
	return 0;
}

/* The four digits of \uXXXX; negative if they are none. */
static int32_t hex4(const char *p, const char *end)
{
	int32_t code = 0;

	for (int i = 0; i < 4; i++) {
		int d = p + i < end ? hex_digit(p[i]) : -1;

		if (d < 0)
			return -1;
		code = code << 4 | d;
	}
	return code;
}

/* A code point as UTF-8; halves of pairs, and NUL, become U+FFFD. */
static void put_code(struct buf *b, uint32_t code)
{
	if (code == 0 || (code >= 0xd800 && code < 0xe000))
		code = 0xfffd;
	if (code < 0x80) {
		buf_char(b, (char)code);
		return;
	}
	if (code >= 0x10000) {
		buf_char(b, (char)(0xf0 | code >> 18));
		buf_char(b, (char)(0x80 | (code >> 12 & 0x3f)));
	} else if (code >= 0x800) {
		buf_char(b, (char)(0xe0 | code >> 12));
	} else {
		buf_char(b, (char)(0xc0 | code >> 6));
		buf_char(b, (char)(0x80 | (code & 0x3f)));
		return;
	}
	buf_char(b, (char)(0x80 | (code >> 6 & 0x3f)));
	buf_char(b, (char)(0x80 | (code & 0x3f)));
}

/* \uXXXX, of a pair both halves: the bytes read after the 'u', 0 if there are no digits. */
static size_t put_unicode(struct buf *b, const char *p, const char *end)
{
	int32_t code = hex4(p, end), low;

	if (code < 0)
		return 0;
	if (code >= 0xd800 && code < 0xdc00 && end - p >= 10 && p[4] == '\\' && p[5] == 'u') {
		low = hex4(p + 6, end);
		if (low >= 0xdc00 && low < 0xe000) {
			put_code(b, 0x10000 + ((uint32_t)(code - 0xd800) << 10 | (uint32_t)(low - 0xdc00)));
			return 10;
		}
	}
	put_code(b, (uint32_t)code);
	return 4;
}

/* The text without its escapes. */
static int unescape(struct json_cursor *c, const char *p, const char *end, struct sonde_str *out)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";

	c->text->n = 0;
	while (p < end) {
		const char *at = memchr(p, '\\', (size_t)(end - p));
		size_t used;

		buf_put(c->text, p, (size_t)((at ? at : end) - p));
		if (!at)
			break;
		p = at + 2;      /* find_end() has seen the byte after the backslash */
		at = at[1] == 'u' ? NULL : memchr(names, at[1], sizeof(names) - 1);
		used = at ? 0 : put_unicode(c->text, p, end);
		if (at)
			buf_char(c->text, values[at - names]);
		if (!at && (p[-1] != 'u' || !used)) {
			c->p = p - 1;
			return jcur_expected(c, "an escape");
		}
		p += used;
	}
	if (c->text->failed)
		return c->failed = true, err_nomem(c->err);
	*out = (struct sonde_str){ c->text->p, c->text->n };
	return 1;
}

static int take_text(struct json_cursor *c, struct sonde_str *out)
{
	const char *first = ++c->p;
	bool escapes;

	if (find_end(c, &escapes) < 0)
		return -SONDE_CORRUPT;
	*out = (struct sonde_str){ first, (size_t)(c->p - 1 - first) };
	return escapes ? unescape(c, first, c->p - 1, out) : 1;
}

/* 0 if the word stands there, negative after a message if not. */
static int take_word(struct json_cursor *c, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
		return jcur_expected(c, "a value");
	c->p += n;
	return 0;
}

int jcur_text(struct json_cursor *c, struct sonde_str *out)
{
	char found = c->failed ? '\0' : jcur_peek(c);

	*out = (struct sonde_str){ "", 0 };
	if (found == '"')
		return take_text(c, out);
	if (found == 'n')
		return take_word(c, "null");
	return c->failed ? -SONDE_CORRUPT : jcur_expected(c, "a text");
}

int jcur_key(struct json_cursor *c, struct sonde_str *key)
{
	if (c->failed || jcur_peek(c) != '"')
		return c->failed ? -SONDE_CORRUPT : jcur_expected(c, "the name of a member");
	if (take_text(c, key) < 0)
		return -SONDE_CORRUPT;
	if (jcur_peek(c) != ':')
		return jcur_expected(c, "':'");
	c->p++;
	return 0;
}

/* A number that take_digits() does not know exactly. */
static double slow_number(const char *p, size_t n)
{
	struct plain_locale plain = plain_locale_begin();
	char text[NUMBER_MAX + 1];
	double v;

	memcpy(text, p, n);
	text[n] = '\0';
	v = strtod(text, NULL);
	plain_locale_end(plain);
	return v;
}

static size_t count_digits(const char *p, const char *end, uint64_t *digits)
{
	const char *first = p;

	for (; p < end && *p >= '0' && *p <= '9'; p++)
		*digits = *digits * 10 + (uint64_t)(*p - '0');
	return (size_t)(p - first);
}

/* Digits and a point: exact up to 15 digits, whose number and power of ten are doubles without loss. */
static int take_number(struct json_cursor *c, double *out)
{
	static const double tens[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
				       1e15 };
	const char *first = c->p, *p = first + (*first == '-');
	uint64_t digits = 0;
	size_t whole = count_digits(p, c->end, &digits), fraction = 0;

	if (!whole)
		return jcur_expected(c, "a number");
	p += whole;
	if (p < c->end && *p == '.') {
		fraction = count_digits(p + 1, c->end, &digits);
		p += 1 + fraction;
	}
	if (whole + fraction <= 15 && (p == c->end || (*p | 0x20) != 'e')) {
		*out = (*first == '-' ? -(double)digits : (double)digits) / tens[fraction];
		c->p = p;
		return 1;
	}
	while (p < c->end && ((*p >= '0' && *p <= '9') || *p == '+' || *p == '-' || (*p | 0x20) == 'e'))
		p++;
	if (p - first > NUMBER_MAX)
		return jcur_expected(c, "a number of at most 64 characters");
	*out = slow_number(first, (size_t)(p - first));
	c->p = p;
	return 1;
}

int jcur_number(struct json_cursor *c, double *out)
{
	char found = c->failed ? '\0' : jcur_peek(c);

	*out = 0;
	if (found == '-' || (found >= '0' && found <= '9'))
		return take_number(c, out);
	if (found == 'n')
		return take_word(c, "null");
	return c->failed ? -SONDE_CORRUPT : jcur_expected(c, "a number");
}

/* Steps over an array or an object; `open` has a bit for each level that is an array. */
static int skip_nested(struct json_cursor *c)
{
	uint64_t open[DEPTH_MAX / 64] = { 0 };
	size_t depth = 0;
	bool escapes;

	do {
		char found = jcur_peek(c);
		bool array = found == '[' || found == ']';

		if (!found)
			return jcur_expected(c, "the end of an array or an object");
		if (found == '[' || found == '{') {
			if (depth == DEPTH_MAX)
				return jcur_expected(c, "at most 1024 levels");
			open[depth / 64] = (open[depth / 64] & ~(UINT64_C(1) << depth % 64)) |
					   (uint64_t)array << depth % 64;
			depth++;
		} else if (found == ']' || found == '}') {
			if ((open[(depth - 1) / 64] >> (depth - 1) % 64 & 1) != array)
				return jcur_expected(c, array ? "'}'" : "']'");
			depth--;
		}
		c->p++;
		if (found == '"' && find_end(c, &escapes) < 0)
			return -SONDE_CORRUPT;
	} while (depth > 0);
	return 0;
}

int jcur_skip(struct json_cursor *c)
{
	char found = c->failed ? '\0' : jcur_peek(c);
	struct sonde_str text;
	double number;

	switch (found) {
	case '[': case '{': return skip_nested(c);
	case '"': return jcur_text(c, &text) < 0 ? -SONDE_CORRUPT : 0;
	case 't': return take_word(c, "true");
	case 'f': return take_word(c, "false");
	default: return jcur_number(c, &number) < 0 ? -SONDE_CORRUPT : 0;
	}
}
