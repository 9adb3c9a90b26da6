/* SPDX-License-Identifier: MIT */
#include "record/event/event_scan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

int scan_bad(const struct event_scan *s, const char *at, enum sonde_code code, const char *fmt, ...)
{
	char what[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(s->err, code, (uint64_t)(at - s->text), "event '%.48s%s', column %zu: %s", s->text,
		       strlen(s->text) > 48 ? "..." : "", (size_t)(at - s->text) + 1, what);
}

bool scan_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		(c && strchr("_*?.[]!-", c));
}

const char *scan_keep(struct event_scan *s, const char *p, size_t len)
{
	return arena_strndup(&s->list->arena, p, len);
}

void scan_blanks(struct event_scan *s)
{
	while (*s->p == ' ' || *s->p == '\t' || *s->p == '\n')
		s->p++;
}

bool scan_name(struct event_scan *s, char out[NAME_MAX_BYTES + 1])
{
	size_t n = 0;

	while (scan_is_name(s->p[n]))
		n++;
	if (n == 0 || n > NAME_MAX_BYTES)
		return false;
	memcpy(out, s->p, n);
	out[n] = '\0';
	s->p += n;
	return true;
}

bool scan_number(const char *text, uint64_t *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return !errno && !*end;
}

bool scan_raw(const char *name, uint64_t *out)
{
	const char *hex = name + 1;
	char *end;

	if (*name != 'r')
		return false;
	if (hex[0] == '0' && hex[1] == 'x')
		hex += 2;
	if (!*hex || strlen(hex) > 16 || strspn(hex, "0123456789abcdefABCDEF") != strlen(hex))
		return false;
	*out = strtoull(hex, &end, 16);
	return true;
}

/* ---- modifiers ---- */

static const struct modifier {
	char letter;
	uint32_t bit;
} modifiers[] = {
	{ 'u', MOD_USER },   { 'k', MOD_KERNEL },    { 'h', MOD_HV },          { 'G', MOD_GUEST },
	{ 'H', MOD_HOST },   { 'I', MOD_IDLE },      { 'P', MOD_PRECISE_MAX }, { 'S', MOD_READ },
	{ 'D', MOD_PINNED }, { 'e', MOD_EXCLUSIVE }, { 'W', MOD_WEAK },
	{ 'b', MOD_BPF },    { 'R', MOD_RETIRE_LATENCY }, { 'X', MOD_OWN_GROUP },
};

static bool modifier_add(char c, uint32_t *bits, uint32_t *precise)
{
	if (c == 'p')
		return ++*precise <= 3;
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++)
		if (modifiers[i].letter == c) {
			bool fresh = !(*bits & modifiers[i].bit);

			*bits |= modifiers[i].bit;
			return fresh;
		}
	return false;
}

/* The letters at s->p. */
static int take_modifiers(struct event_scan *s, uint32_t *bits, uint32_t *precise)
{
	const char *first = s->p;

	for (; scan_is_name(*s->p); s->p++)
		if (!modifier_add(*s->p, bits, precise))
			return scan_bad(s, s->p, SONDE_USAGE, "modifiers are u k h p P G H S D I W e b R X, each at "
					"most once (p up to three times)");
	if (s->p == first)
		return scan_bad(s, s->p, SONDE_USAGE, "expected modifiers after the colon, as in cycles:u");
	return 0;
}

int scan_modifiers(struct event_scan *s, size_t first, bool colon_optional)
{
	uint32_t bits = 0, precise = 0;
	int r;

	scan_blanks(s);
	if (*s->p == ':')
		s->p++;
	else if (!colon_optional || !scan_is_name(*s->p))
		return 0;
	r = take_modifiers(s, &bits, &precise);
	for (size_t i = first; r == 0 && i < s->list->n; i++) {
		s->list->at[i].modifiers |= bits;
		if (precise > s->list->at[i].precise)
			s->list->at[i].precise = precise;
	}
	return r;
}

/* ---- terms ---- */

/* A value without quotes: letters of names, and some that stand between words of values. */
static bool take_word(struct event_scan *s, char *out, size_t max)
{
	size_t n = 0;

	for (; scan_is_name(*s->p) || (*s->p && strchr(":+%$|@", *s->p)); s->p++) {
		if (n == max)
			return false;
		out[n++] = *s->p;
	}
	return true;
}

static int take_value(struct event_scan *s, struct term *t)
{
	const char *end;

	if (*s->p != '\'') {
		if (!take_word(s, t->value, NAME_MAX_BYTES))
			return scan_bad(s, t->at, SONDE_USAGE, "the value is too long");
		return *t->value ? 0 : scan_bad(s, s->p, SONDE_USAGE, "term '%.40s' has an empty value", t->name);
	}
	end = strchr(s->p + 1, '\'');
	if (!end)
		return scan_bad(s, s->p, SONDE_USAGE, "the quote is not closed");
	if (end - s->p - 1 > NAME_MAX_BYTES)
		return scan_bad(s, t->at, SONDE_USAGE, "the value is too long");
	memcpy(t->value, s->p + 1, (size_t)(end - s->p - 1));
	s->p = end + 1;
	return 0;
}

int scan_term(struct event_scan *s, struct term *t)
{
	*t = (struct term){ .at = s->p };
	if (*s->p == '@') {
		s->p++;
		t->name[0] = '@';
		if (!take_word(s, t->name + 1, NAME_MAX_BYTES - 1) || !t->name[1])
			return scan_bad(s, t->at, SONDE_USAGE, "expected a setting of the driver after @");
	} else if (!scan_name(s, t->name)) {
		return scan_bad(s, s->p, SONDE_USAGE, "expected a term, as config=1");
	}
	if (*s->p != '=')
		return 0;
	s->p++;
	t->has_value = true;
	return take_value(s, t);
}
