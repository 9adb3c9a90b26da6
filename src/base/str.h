/* SPDX-License-Identifier: MIT */
/* str.h - views of text: taken apart and compared. One of no length may have a NULL for its text. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <string.h>

#include <sonde/types.h>

static inline void str_skip(struct sonde_str *s, size_t n)
{
	s->p += n;
	s->len -= n;
}

/* Takes what is before the next `end`, or all there is, off @rest, and `end` itself. */
static inline struct sonde_str str_take(struct sonde_str *rest, char end)
{
	const char *at = rest->len ? (const char *)memchr(rest->p, end, rest->len) : NULL;
	struct sonde_str s = { rest->p, at ? (size_t)(at - rest->p) : rest->len };

	if (rest->len)
		str_skip(rest, s.len + (at ? 1 : 0));
	return s;
}

/* Takes hexadecimal digits off @rest, 16 at the most; false if there is none. */
static inline bool str_take_hex(struct sonde_str *rest, uint64_t *out)
{
	size_t n = 0;

	*out = 0;
	for (; n < rest->len && n < 16; n++) {
		char c = rest->p[n], letter = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			*out = *out << 4 | (uint64_t)(c - '0');
		else if (letter >= 'a' && letter <= 'f')
			*out = *out << 4 | (uint64_t)(letter - 'a' + 10);
		else
			break;
	}
	if (n)
		str_skip(rest, n);
	return n > 0;
}

static inline bool str_equal(struct sonde_str a, struct sonde_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* The order of their bytes, as unsigned numbers; a text comes after its beginning: negative, 0, positive. */
static inline int str_compare(struct sonde_str a, struct sonde_str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int r = n ? memcmp(a.p, b.p, n) : 0;

	return r ? r : (a.len > b.len) - (a.len < b.len);
}

static inline bool str_is(struct sonde_str s, const char *text)
{
	return str_equal(s, (struct sonde_str){ text, strlen(text) });
}

static inline bool str_begins(struct sonde_str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.len >= n && (n == 0 || memcmp(s.p, prefix, n) == 0);
}

static inline bool str_ends(struct sonde_str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.len >= n && (n == 0 || memcmp(s.p + s.len - n, suffix, n) == 0);
}

/* Takes a prefix off @s; false if it does not begin so. */
static inline bool str_skip_prefix(struct sonde_str *s, const char *prefix)
{
	if (!str_begins(*s, prefix))
		return false;
	str_skip(s, strlen(prefix));
	return true;
}

#endif
