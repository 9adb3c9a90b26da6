/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <string.h>

size_t utf8_length(const uint8_t *s, size_t left)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 :
		   s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] >= 0x90))
		return 0;
	return n;
}

uint32_t utf8_code(const uint8_t *s, size_t length)
{
	uint32_t c = length == 1 ? s[0] : s[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++)
		c = c << 6 | (s[i] & 0x3fu);
	return c;
}

bool utf8_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f ||
		(c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static uint64_t eight_bytes(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

/* How many bytes at p are ASCII, up to the eight that one is in that is not; 0 if the first is not. */
static size_t ascii_length(const uint8_t *p, size_t n)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	size_t i = 0;

	while (n - i >= 32 && ((eight_bytes(p + i) | eight_bytes(p + i + 8) | eight_bytes(p + i + 16) |
				eight_bytes(p + i + 24)) & high) == 0)
		i += 32;
	while (n - i >= 8 && (eight_bytes(p + i) & high) == 0)
		i += 8;
	/* fewer than eight are left: some of those before are looked at again */
	if (i > 0 && n - i < 8 && (eight_bytes(p + n - 8) & high) == 0)
		return n;
	return i > 0 || n == 0 ? i : p[0] < 0x80;
}

void text_clean_wide(char *s, size_t n)
{
	uint8_t *p = (uint8_t *)s;
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		len = ascii_length(p + i, n - i);
		if (len)
			continue;
		len = utf8_length(p + i, n - i);
		if (len == 0 || utf8_is_control(utf8_code(p + i, len))) {
			len = len ? len : 1;
			memset(p + i, '.', len);
		}
	}
}

/* Eight bytes at once: none is a control byte or above ASCII. Borrows come from bytes that are one only. */
static bool is_plain(const char *s)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t v, del;

	memcpy(&v, s, 8);
	del = v ^ ones * 0x7f;
	return ((v | (v - ones * 0x20) | (del - ones)) & ones << 7) == 0;
}

void text_clean(char *s, size_t n)
{
	while (n >= 8 && is_plain(s)) {
		s += 8;
		n -= 8;
	}
	for (size_t i = 0; i < n; i++)
		if ((uint8_t)s[i] < 0x20 || s[i] == 0x7f)
			s[i] = '.';
	text_clean_wide(s, n);
}

bool text_is_identifier(const char *s)
{
	return *s && s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}
