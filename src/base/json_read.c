/* SPDX-License-Identifier: MIT */
#include "base/json_read.h"

#include <sonde/types.h>

#include <string.h>
#include <strings.h>

#define DEPTH_MAX 64
#define MEMBERS_MAX 1024             /* of a row */

struct json_reader json_reader(const char *text, size_t size, struct arena *arena)
{
	return (struct json_reader){ .begin = text, .p = text, .end = text + size, .arena = arena };
}

static char peek(struct json_reader *r)
{
	while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
		r->p++;
	return r->p < r->end ? *r->p : '\0';
}

static bool take(struct json_reader *r, char c)
{
	if (peek(r) != c)
		return false;
	r->p++;
	return true;
}

/* A code point as UTF-8; halves of pairs become U+FFFD. */
static size_t put_code(char *out, unsigned code)
{
	if (code == 0 || (code >= 0xd800 && code < 0xe000))
		code = 0xfffd;
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	out[0] = (char)(0xe0 | code >> 12);
	out[1] = (char)(0x80 | (code >> 6 & 0x3f));
	out[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

static bool hex4(const char *p, const char *end, unsigned *out)
{
	static const char digits[] = "0123456789abcdef";

	*out = 0;
	if (end - p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		const char *at = p[i] ? strchr(digits, p[i] | 0x20) : NULL;

		if (!at)
			return false;
		*out = *out << 4 | (unsigned)(at - digits);
	}
	return true;
}

/* One escape after its backslash; the bytes written, 0 if it is none. A text gets no longer by it. */
static size_t unescape(struct json_reader *r, char *out)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *at;
	unsigned code;

	if (r->p == r->end)
		return 0;
	if (*r->p == 'u') {
		if (!hex4(r->p + 1, r->end, &code))
			return 0;
		r->p += 5;
		return put_code(out, code);
	}
	at = *r->p ? strchr(names, *r->p) : NULL;
	if (!at)
		return 0;
	r->p++;
	*out = values[at - names];
	return 1;
}

/* The text that begins at the quote; NULL if it does not end. */
static int take_text(struct json_reader *r, const char **out)
{
	const char *quote;
	char *text;
	size_t n = 0;

	if (!take(r, '"'))
		return -SONDE_CORRUPT;
	for (quote = r->p; quote < r->end && *quote != '"'; quote++)
		if (*quote == '\\' && quote + 1 < r->end)
			quote++;
	if (quote >= r->end)
		return -SONDE_CORRUPT;
	text = arena_alloc(r->arena, (size_t)(quote - r->p) + 1);
	if (!text)
		return -SONDE_NOMEM;
	while (r->p < quote) {
		size_t k = 1;

		if (*r->p == '\\') {
			r->p++;
			k = unescape(r, text + n);
		} else {
			text[n] = *r->p++;
		}
		if (!k)
			return -SONDE_CORRUPT;
		n += k;
	}
	r->p = quote + 1;
	text[n] = '\0';
	*out = text;
	return 0;
}

/* Passes over a value that is an array or an object; texts in it may hold brackets. */
static int skip_nested(struct json_reader *r)
{
	int depth = 0;

	do {
		char c = peek(r);

		if (!c || depth > DEPTH_MAX)
			return -SONDE_CORRUPT;
		if (c == '"') {
			for (r->p++; r->p < r->end && *r->p != '"'; r->p++)
				r->p += *r->p == '\\' && r->p + 1 < r->end;
			if (r->p == r->end)
				return -SONDE_CORRUPT;
		}
		depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
		r->p++;
	} while (depth > 0);
	return 0;
}

static int take_value(struct json_reader *r, const char **out)
{
	size_t n = 0;
	char c = peek(r);

	*out = "";
	if (c == '"')
		return take_text(r, out);
	if (c == '[' || c == '{')
		return skip_nested(r);
	while (r->p + n < r->end && r->p[n] && !strchr(",]} \t\r\n", r->p[n]))
		n++;
	if (n == 0)
		return -SONDE_CORRUPT;
	if (n != 4 || strncmp(r->p, "null", 4) != 0)
		*out = arena_strndup(r->arena, r->p, n);
	r->p += n;
	return *out ? 0 : -SONDE_NOMEM;
}

static int take_members(struct json_reader *r, struct json_row *row)
{
	int e;

	if (take(r, '}'))
		return 1;
	do {
		struct json_member m;

		if ((e = take_text(r, &m.key)) < 0)
			return e;
		if (!take(r, ':') || row->members.n == MEMBERS_MAX)
			return -SONDE_CORRUPT;
		if ((e = take_value(r, &m.value)) < 0)
			return e;
		if (vec_push(&row->members, m) < 0)
			return -SONDE_NOMEM;
	} while (take(r, ','));
	return take(r, '}') ? 1 : -SONDE_CORRUPT;
}

static int at_end(struct json_reader *r)
{
	return peek(r) && !r->within ? -SONDE_CORRUPT : 0;
}

int json_read_row(struct json_reader *r, struct json_row *row)
{
	row->members.n = 0;
	if (!r->started) {
		r->started = true;
		if (!take(r, '['))
			return -SONDE_CORRUPT;
		if (take(r, ']'))
			return at_end(r);
	} else if (take(r, ']')) {
		return at_end(r);
	} else if (!take(r, ',')) {
		return -SONDE_CORRUPT;
	}
	return take(r, '{') ? take_members(r, row) : -SONDE_CORRUPT;
}

const char *json_row_get(const struct json_row *row, const char *key)
{
	for (size_t i = 0; i < row->members.n; i++)
		if (!strcasecmp(row->members.at[i].key, key))
			return row->members.at[i].value;
	return NULL;
}
