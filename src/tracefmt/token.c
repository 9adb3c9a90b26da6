/* SPDX-License-Identifier: MIT */
#include "tracefmt/token.h"

#include <string.h>

#include "base/ascii.h"

static bool is_name_char(char c)
{
	return is_alnum(c) || c == '_' || c == '$';
}

static int digit_value(char c)
{
	return is_digit(c) ? c - '0' : is_xdigit(c) ? (c | 0x20) - 'a' + 10 : 99;
}

static uint64_t read_digits(struct lexer *l, unsigned base, size_t max)
{
	uint64_t v = 0;

	for (size_t i = 0; i < max && l->p < l->end && digit_value(*l->p) < (int)base; i++)
		v = v * base + (uint64_t)digit_value(*l->p++);
	return v;
}

/* The character after a backslash, and the rest of its escape. */
static char escaped(struct lexer *l)
{
	static const char from[] = "abefnrtv", to[] = "\a\b\033\f\n\r\t\v";
	const char *at;
	char c = *l->p;

	if (c >= '0' && c <= '7')
		return (char)read_digits(l, 8, 3);
	l->p++;
	if (c == 'x')
		return (char)read_digits(l, 16, 2);
	at = c ? strchr(from, c) : NULL;
	return at ? to[at - from] : c;
}

/* A string. Its text is a copy, which is never longer than the source. */
static void read_string(struct lexer *l)
{
	const char *close = l->p;
	char *to;
	size_t n = 0;

	while (close < l->end && *close != '"')
		close += *close == '\\' && close + 1 < l->end ? 2 : 1;
	l->token.kind = TOKEN_BAD;
	if (close >= l->end)
		return;
	to = arena_alloc(l->arena, (size_t)(close - l->p) + 1);
	if (!to) {
		l->no_memory = true;
		return;
	}
	while (l->p < close) {
		char c = *l->p++;

		to[n++] = c == '\\' ? escaped(l) : c;
	}
	l->p = close + 1;
	l->token.kind = TOKEN_STRING;
	l->token.text = (struct sonde_str){ to, n };
}

static void read_character(struct lexer *l)
{
	char c = l->p < l->end ? *l->p++ : '\'';

	if (c == '\\' && l->p < l->end)
		c = escaped(l);
	l->token = (struct token){ .kind = TOKEN_NUMBER, .number = (uint64_t)(int8_t)c, .size = 4, .is_signed = true };
	if (l->p < l->end && *l->p == '\'')
		l->p++;
	else
		l->token.kind = TOKEN_BAD;
}

/* C gives a constant the first of int, unsigned (if not decimal), long, unsigned long that holds it. */
static void read_number(struct lexer *l)
{
	unsigned base = 10, longs = 0;
	bool is_unsigned = false;
	uint64_t v;

	if (l->end - l->p > 2 && l->p[0] == '0' && (l->p[1] | 0x20) == 'x') {
		base = 16;
		l->p += 2;
	} else if (*l->p == '0') {
		base = 8;
	}
	v = read_digits(l, base, SIZE_MAX);
	for (; l->p < l->end && is_name_char(*l->p); l->p++) {
		char c = (char)(*l->p | 0x20);

		if (c != 'u' && c != 'l') {
			l->token.kind = TOKEN_BAD;
			return;
		}
		longs += c == 'l';
		is_unsigned |= c == 'u';
	}
	l->token = (struct token){ .kind = TOKEN_NUMBER, .number = v, .size = 4 };
	if (longs)
		l->token.size = longs > 1 ? 8 : l->long_size;
	if (v > UINT32_MAX || (v > INT32_MAX && !is_unsigned && base == 10))
		l->token.size = 8;
	l->token.is_signed = !is_unsigned && v <= (l->token.size == 4 ? INT32_MAX : INT64_MAX);
}

static void read_operator(struct lexer *l)
{
	static const char three[][4] = { "<<=", ">>=", "..." };
	static const char two[][3] = { "->", "<<", ">>", "<=", ">=", "==", "!=", "&&",
				       "||", "++", "--", "+=", "-=", "|=", "&=" };
	size_t left = (size_t)(l->end - l->p), n = 1;

	for (size_t i = 0; i < sizeof(two) / sizeof(two[0]) && left >= 2; i++)
		if (memcmp(l->p, two[i], 2) == 0)
			n = 2;
	for (size_t i = 0; i < sizeof(three) / sizeof(three[0]) && left >= 3; i++)
		if (memcmp(l->p, three[i], 3) == 0)
			n = 3;
	l->token.kind = TOKEN_OPERATOR;
	l->token.op = OPERATOR((uint8_t)l->p[0], n > 1 ? (uint8_t)l->p[1] : 0, n > 2 ? (uint8_t)l->p[2] : 0);
	l->token.text = (struct sonde_str){ l->p, n };
	l->p += n;
}

void lexer_next(struct lexer *l)
{
	const char *start;

	while (l->p < l->end && (is_space(*l->p) || (*l->p == '\\' && l->p + 1 < l->end && l->p[1] == '\n')))
		l->p++;
	l->token = (struct token){ .kind = TOKEN_END };
	if (l->p >= l->end)
		return;
	if (*l->p == '"') {
		l->p++;
		read_string(l);
	} else if (*l->p == '\'') {
		l->p++;
		read_character(l);
	} else if (is_digit(*l->p)) {
		read_number(l);
	} else if (is_name_char(*l->p)) {
		for (start = l->p; l->p < l->end && is_name_char(*l->p);)
			l->p++;
		l->token.kind = TOKEN_NAME;
		l->token.text = (struct sonde_str){ start, (size_t)(l->p - start) };
	} else {
		read_operator(l);
	}
}
