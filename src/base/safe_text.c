/* SPDX-License-Identifier: MIT */
#include "base/safe_text.h"

#include <string.h>

#include "base/text.h"

#define REPLACEMENT "\xef\xbf\xbd"  /* U+FFFD */

void buf_utf8(struct buf *b, const char *s, size_t len)
{
	size_t n, plain = 0;

	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = utf8_length((const uint8_t *)s + i, len - i);
		if (n)
			continue;
		buf_put(b, s + plain, i - plain);
		buf_str(b, REPLACEMENT);
		plain = i + 1;
	}
	buf_put(b, s + plain, len - plain);
}

/* XML 1.0, production 2: these have no escape. */
static bool has_no_escape(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0xfffe || c == 0xffff;
}

/* The entity of a character of XML's own; NULL: it stands for itself. Readers turn plain ends of lines into blanks. */
static const char *entity_of(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\t': return "&#9;";
	case '\n': return "&#10;";
	case '\r': return "&#13;";
	}
	return NULL;
}

void buf_xml(struct buf *b, const char *s, size_t len)
{
	const uint8_t *u = (const uint8_t *)s;
	size_t n;

	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = utf8_length(u + i, len - i);
		if (n == 0 || has_no_escape(utf8_code(u + i, n)))
			buf_str(b, REPLACEMENT);
		else if (entity_of(s[i]))
			buf_str(b, entity_of(s[i]));
		else
			buf_put(b, s + i, n);
	}
}

void buf_line(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_char(b, (uint8_t)s[i] < 0x20 || s[i] == 0x7f ? '?' : s[i]);
}

static bool is_plain_in_csv(uint8_t c)
{
	return c >= ' ' && c < 0x7f && c != '"';
}

void buf_csv(struct buf *b, const char *s, size_t len)
{
	const uint8_t *u = (const uint8_t *)s;

	/* nearly all bytes of a table are plain: they are copied together */
	for (size_t i = 0, from, n; i < len; i += n ? n : 1) {
		for (from = i; i < len && is_plain_in_csv(u[i]); i++)
			;
		buf_put(b, s + from, i - from);
		if (i == len)
			return;
		n = utf8_length(u + i, len - i);
		if (n == 0 || (utf8_is_control(utf8_code(u + i, n)) && !memchr("\t\n\r", u[i], 3)))
			buf_str(b, REPLACEMENT);
		else if (u[i] == '"')
			buf_put(b, "\"\"", 2);
		else
			buf_put(b, s + i, n);
	}
}

bool csv_needs_apostrophe(char first)
{
	return first && strchr("=+-@\t\r\n'", first);
}
