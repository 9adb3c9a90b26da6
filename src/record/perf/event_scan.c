/* SPDX-License-Identifier: MIT */
#include "record/perf/event_scan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/plain_locale.h"

#define TERMS_MAX 64

int scan_bad(const struct scan *s, const char *at, enum sonde_code code, const char *fmt, ...)
{
	char what[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(s->err, code, SONDE_NONE, "event '%.48s%s', column %zu: %s", s->text,
		       strlen(s->text) > 48 ? "..." : "", (size_t)(at - s->text) + 1, what);
}

bool scan_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		(c && strchr("_*?.[]!-", c));
}

const char *scan_keep(struct scan *s, const char *p, size_t len)
{
	return arena_strndup(&s->list->arena, p, len);
}

void scan_blanks(struct scan *s)
{
	while (*s->p == ' ' || *s->p == '\t' || *s->p == '\n')
		s->p++;
}

bool scan_name(struct scan *s, char out[NAME_MAX_BYTES + 1])
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

/* true if text is made of modifier letters; they are then in bits and precise */
static bool modifiers_parse(const char *text, uint32_t *bits, uint32_t *precise)
{
	uint32_t b = 0, p = 0;

	for (const char *c = text; *c; c++)
		if (!modifier_add(*c, &b, &p))
			return false;
	if (!*text)
		return false;
	*bits |= b;
	*precise = p > *precise ? p : *precise;
	return true;
}

int scan_modifiers(struct scan *s, size_t first, bool colon_optional)
{
	char text[NAME_MAX_BYTES + 1];
	uint32_t bits = 0, precise = 0;
	const char *at;

	scan_blanks(s);
	at = s->p;
	if (*s->p == ':')
		s->p++;
	else if (!colon_optional || !scan_is_name(*s->p))
		return 0;
	if (!scan_name(s, text) || !modifiers_parse(text, &bits, &precise))
		return scan_bad(s, at, SONDE_USAGE,
				"modifiers are u k h p P G H S D I W e, each at most once (p up to three times)");
	for (size_t i = first; i < s->list->n; i++) {
		s->list->at[i].modifiers |= bits;
		if (precise > s->list->at[i].precise)
			s->list->at[i].precise = precise;
	}
	return 0;
}

/* ---- terms between slashes ---- */

struct term {
	char name[NAME_MAX_BYTES + 1];
	char value[NAME_MAX_BYTES + 1];
	bool has_value;
	const char *at;              /* in the text, for messages */
};

static bool term_u64(const struct term *t, uint64_t max, uint64_t *out)
{
	return t->has_value && scan_number(t->value, out) && *out <= max;
}

static bool set_config(struct event *e, int word, const struct term *t)
{
	uint64_t *words[] = { &e->attr.config, &e->attr.config1, &e->attr.config2, &e->attr.config3, &e->attr.config4 };

	return term_u64(t, UINT64_MAX, words[word]);
}

static bool set_config0(struct event *e, const struct term *t) { return set_config(e, 0, t); }
static bool set_config1(struct event *e, const struct term *t) { return set_config(e, 1, t); }
static bool set_config2(struct event *e, const struct term *t) { return set_config(e, 2, t); }
static bool set_config3(struct event *e, const struct term *t) { return set_config(e, 3, t); }
static bool set_config4(struct event *e, const struct term *t) { return set_config(e, 4, t); }

static bool set_period(struct event *e, const struct term *t)
{
	return term_u64(t, INT64_MAX, &e->period) && e->period > 0;
}

static bool set_freq(struct event *e, const struct term *t)
{
	return term_u64(t, INT64_MAX, &e->freq) && e->freq > 0;
}

static bool set_callgraph(struct event *e, const struct term *t)
{
	static const char *const names[] = { [CALLGRAPH_NO] = "no", [CALLGRAPH_FP] = "fp", [CALLGRAPH_DWARF] = "dwarf",
					     [CALLGRAPH_LBR] = "lbr" };

	for (size_t i = CALLGRAPH_NO; t->has_value && i < ARRAY_SIZE(names); i++)
		if (!strcmp(t->value, names[i])) {
			e->callgraph = (enum callgraph)i;
			return true;
		}
	return false;
}

static bool set_stack_size(struct event *e, const struct term *t)
{
	uint64_t v;

	if (!term_u64(t, 65528, &v) || v == 0)
		return false;
	e->stack_size = (uint32_t)ALIGN_UP(v, 8u);
	return true;
}

static bool set_max_stack(struct event *e, const struct term *t)
{
	uint64_t v;

	if (!term_u64(t, UINT16_MAX, &v))
		return false;
	e->max_stack = (uint16_t)v;
	return true;
}

static bool set_inherit(struct event *e, const struct term *t)
{
	e->inherit = 1;
	return !t->has_value;
}

static bool set_no_inherit(struct event *e, const struct term *t)
{
	e->inherit = 0;
	return !t->has_value;
}

static bool set_time(struct event *e, const struct term *t)
{
	uint64_t v;

	if (!term_u64(t, 1, &v))
		return false;
	e->time = (int8_t)v;
	return true;
}

/* `name` is read elsewhere. */
static bool set_nothing(struct event *e, const struct term *t)
{
	(void)e;
	return t->has_value && *t->value;
}

static const struct term_row {
	const char *name;
	enum term_use use;
	bool (*set)(struct event *e, const struct term *t);
	const char *expects;
} term_rows[] = {
	{ "config", USE_OTHER, set_config0, "a number" },
	{ "config1", USE_OTHER, set_config1, "a number" },
	{ "config2", USE_OTHER, set_config2, "a number" },
	{ "config3", USE_OTHER, set_config3, "a number" },
	{ "config4", USE_OTHER, set_config4, "a number" },
	{ "name", USE_ALL, set_nothing, "a name" },
	{ "metric-id", USE_OTHER, set_nothing, "a name" },
	{ "period", USE_OTHER, set_period, "a number above 0" },
	{ "freq", USE_OTHER, set_freq, "a number above 0" },
	{ "call-graph", USE_ALL, set_callgraph, "fp, dwarf, lbr or no" },
	{ "stack-size", USE_ALL, set_stack_size, "bytes, up to 65528" },
	{ "max-stack", USE_ALL, set_max_stack, "a number of frames" },
	{ "inherit", USE_ALL, set_inherit, "no value" },
	{ "no-inherit", USE_ALL, set_no_inherit, "no value" },
	{ "time", USE_OTHER, set_time, "0 or 1" },
};

/* One term at s->p, up to a comma or the closing slash. */
static int take_term(struct scan *s, struct term *t)
{
	*t = (struct term){ .at = s->p };
	if (!scan_name(s, t->name))
		return scan_bad(s, s->p, SONDE_USAGE, "expected a term, as config=1");
	if (*s->p != '=')
		return 0;
	s->p++;
	t->has_value = true;
	if (*s->p == '\'') {
		const char *end = strchr(s->p + 1, '\'');

		if (!end || end - s->p - 1 > NAME_MAX_BYTES)
			return scan_bad(s, s->p, SONDE_USAGE, "a quote that is not closed");
		memcpy(t->value, s->p + 1, (size_t)(end - s->p - 1));
		s->p = end + 1;
		return 0;
	}
	for (size_t n = 0; scan_is_name(*s->p) || *s->p == ':'; s->p++, n++) {
		if (n == NAME_MAX_BYTES)
			return scan_bad(s, t->at, SONDE_USAGE, "a value that is too long");
		t->value[n] = *s->p;
	}
	if (!*t->value)
		return scan_bad(s, s->p, SONDE_USAGE, "term '%s' has an empty value", t->name);
	return 0;
}

/* A term that the PMU describes; 0 if it does not, 1 when done, else negative. */
static int pmu_term(struct scan *s, struct event *e, const struct pmu *pmu, const struct term *t)
{
	uint64_t words[5] = { e->attr.config, e->attr.config1, e->attr.config2, e->attr.config3, e->attr.config4 };
	uint64_t value = 1;
	struct pmu_format f;

	if (!pmu || !pmu_format(pmu, t->name, &f))
		return 0;
	if (t->has_value && !scan_number(t->value, &value))
		return scan_bad(s, t->at, SONDE_USAGE, "term '%s' expects a number", t->name);
	if (!t->has_value && __builtin_popcountll(f.mask) > 1)
		return scan_bad(s, t->at, SONDE_USAGE, "term '%s' needs a value", t->name);
	if (!pmu_format_apply(&f, value, words))
		return scan_bad(s, t->at, SONDE_USAGE, "value of '%s' does not fit its %d bits", t->name,
				__builtin_popcountll(f.mask));
	e->attr.config = words[0];
	e->attr.config1 = words[1];
	e->attr.config2 = words[2];
	e->attr.config3 = words[3];
	e->attr.config4 = words[4];
	return 1;
}

static int apply_term(struct scan *s, struct event *e, const struct pmu *pmu, const struct term *t, enum term_use use);

/* The terms that a named event of a PMU stands for. `term=?` is left to the user. */
static int pmu_alias(struct scan *s, struct event *e, const struct pmu *pmu, const struct term *t)
{
	char text[1024], unit[64], scale[64], path[NAME_MAX_BYTES + 16];
	struct plain_locale plain;
	struct scan inner = *s;
	struct term sub;
	int r = 0;

	if (t->has_value || !pmu || !pmu_event(pmu, t->name, text, sizeof(text)))
		return 0;
	inner.text = inner.p = text;
	while (*inner.p && r == 0) {
		r = take_term(&inner, &sub);
		if (r == 0 && !strcmp(sub.value, "?")) {
			strcpy(s->required, sub.name);
		} else if (r == 0) {
			struct term flat = sub;

			/* An alias of an alias does not exist: only formats and the general terms are looked at. */
			flat.has_value = true;
			if (!sub.has_value)
				strcpy(flat.value, "1");
			r = apply_term(&inner, e, pmu, &flat, USE_OTHER);
		}
		if (r == 0 && *inner.p == ',')
			inner.p++;
		else if (r == 0 && *inner.p)
			r = scan_bad(&inner, inner.p, SONDE_UNSUPPORTED,
				     "the description of event '%s' of PMU %s has an unknown form", t->name, pmu->name);
	}
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s.unit", t->name);
	if (pmu_event(pmu, path, unit, sizeof(unit)))
		e->unit = scan_keep(s, unit, strlen(unit));
	snprintf(path, sizeof(path), "%s.scale", t->name);
	if (pmu_event(pmu, path, scale, sizeof(scale))) {
		plain = plain_locale_begin();
		e->scale = strtod(scale, NULL);
		plain_locale_end(plain);
	}
	return 1;
}

static int apply_term(struct scan *s, struct event *e, const struct pmu *pmu, const struct term *t, enum term_use use)
{
	char known[128] = "";
	uint64_t raw;
	int r;

	r = pmu_term(s, e, pmu, t);
	if (r == 0)
		r = pmu_alias(s, e, pmu, t);
	if (r != 0)
		return r < 0 ? r : 0;
	for (size_t i = 0; i < ARRAY_SIZE(term_rows); i++) {
		const struct term_row *row = &term_rows[i];

		if (strcmp(t->name, row->name) != 0 || !(row->use & use))
			continue;
		if (!row->set(e, t))
			return scan_bad(s, t->at, SONDE_USAGE, "term '%s' expects %s", t->name, row->expects);
		return 0;
	}
	if (pmu && !t->has_value && scan_raw(t->name, &raw)) {
		e->attr.config = raw;
		return 0;
	}
	if (pmu)
		pmu_terms(pmu, known, sizeof(known));
	return scan_bad(s, t->at, SONDE_USAGE, "unknown term '%.40s'%s%s", t->name, *known ? "; this PMU has " : "",
			known);
}

int scan_terms(struct scan *s, size_t first, const struct pmu *pmu, enum term_use use)
{
	const char *name = NULL;
	struct term t;
	int r;

	s->p++;
	for (int nr = 0; *s->p != '/'; nr++) {
		scan_blanks(s);
		if (nr == TERMS_MAX)
			return scan_bad(s, s->p, SONDE_USAGE, "more than %d terms", TERMS_MAX);
		r = take_term(s, &t);
		for (size_t i = first; r == 0 && i < s->list->n; i++)
			r = apply_term(s, &s->list->at[i], pmu, &t, use);
		if (r < 0)
			return r;
		if (!strcmp(t.name, s->required))
			s->required[0] = '\0';
		if (!strcmp(t.name, "name") && !(name = scan_keep(s, t.value, strlen(t.value))))
			return err_nomem(s->err);
		if (*s->p == ',')
			s->p++;
		else if (*s->p != '/')
			return scan_bad(s, s->p, SONDE_USAGE, "expected a comma or the slash that ends the terms");
	}
	if (s->required[0])
		return scan_bad(s, s->p, SONDE_USAGE, "this event needs %s=VALUE behind its name", s->required);
	s->p++;
	r = scan_modifiers(s, first, true);
	for (size_t i = first; name && i < s->list->n; i++)
		s->list->at[i].name = name;
	return r;
}

int scan_alias(struct scan *s, struct event *e, const struct pmu *pmu, const char *name, const char *at)
{
	struct term t = { .at = at };
	int r;

	snprintf(t.name, sizeof(t.name), "%s", name);
	r = pmu_alias(s, e, pmu, &t);
	if (r > 0 && s->required[0])
		return scan_bad(s, at, SONDE_USAGE, "this event needs a value: %s/%s,%s=VALUE/", pmu->name, name,
				s->required);
	return r;
}
