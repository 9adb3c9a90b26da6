/* SPDX-License-Identifier: MIT */
#include "record/event.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "record/event_name.h"
#include "record/pmu.h"

#define NAME_MAX_BYTES 255
#define TERMS_MAX 64

struct scan {
	const char *text, *p;
	struct events *list;
	const struct event_roots *roots;
	struct sonde_error *err;
};

/* Notes what is wrong at `at`, a place in the text. */
static int bad(const struct scan *s, const char *at, enum sonde_code code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int bad(const struct scan *s, const char *at, enum sonde_code code, const char *fmt, ...)
{
	char what[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(s->err, code, SONDE_NONE, "event '%.48s%s', column %zu: %s", s->text, strlen(s->text) > 48 ? "..." : "",
		       (size_t)(at - s->text) + 1, what);
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_*?.[]!-", c));
}

static const char *keep(struct scan *s, const char *p, size_t len)
{
	return arena_strndup(&s->list->arena, p, len);
}

static void skip_blanks(struct scan *s)
{
	while (*s->p == ' ' || *s->p == '\t' || *s->p == '\n')
		s->p++;
}

/* Takes a name into out; false if there is none or it is too long. */
static bool take_name(struct scan *s, char out[NAME_MAX_BYTES + 1])
{
	size_t n = 0;

	while (is_name(s->p[n]))
		n++;
	if (n == 0 || n > NAME_MAX_BYTES)
		return false;
	memcpy(out, s->p, n);
	out[n] = '\0';
	s->p += n;
	return true;
}

static bool parse_number(const char *text, uint64_t *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return !errno && !*end;
}

/* "r1a8" and "r0x1a8" */
static bool parse_raw(const char *name, uint64_t *out)
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

static int add_event(struct scan *s, const struct event *proto, const char *name, struct event **out)
{
	struct event e = *proto;

	e.name = keep(s, name, strlen(name));
	e.leader = (uint32_t)s->list->n;
	if (!e.name || vec_push(s->list, e) < 0)
		return err_nomem(s->err);
	if (out)
		*out = &s->list->at[s->list->n - 1];
	return 0;
}

static struct event blank_event(uint32_t type, uint64_t config)
{
	return (struct event){ .attr = { .type = type, .config = config }, .inherit = -1, .time = -1, .scale = 1 };
}

/* ---- modifiers ---- */

static const struct modifier {
	char letter;
	uint32_t bit;
} modifiers[] = {
	{ 'u', MOD_USER }, { 'k', MOD_KERNEL }, { 'h', MOD_HV }, { 'G', MOD_GUEST }, { 'H', MOD_HOST }, { 'I', MOD_IDLE },
	{ 'P', MOD_PRECISE_MAX }, { 'S', MOD_READ }, { 'D', MOD_PINNED }, { 'e', MOD_EXCLUSIVE }, { 'W', MOD_WEAK },
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

/* Modifiers at s->p, with their colon or, after a slash, without it. Added to the events from `first` on. */
static int take_modifiers(struct scan *s, size_t first, bool colon_optional)
{
	char text[NAME_MAX_BYTES + 1];
	uint32_t bits = 0, precise = 0;
	const char *at;

	skip_blanks(s);
	at = s->p;
	if (*s->p == ':')
		s->p++;
	else if (!colon_optional || !is_name(*s->p))
		return 0;
	if (!take_name(s, text) || !modifiers_parse(text, &bits, &precise))
		return bad(s, at, SONDE_USAGE, "modifiers are of u k h p P G H S D I W e, each once (p up to three times)");
	for (size_t i = first; i < s->list->n; i++) {
		s->list->at[i].modifiers |= bits;
		if (precise > s->list->at[i].precise)
			s->list->at[i].precise = precise;
	}
	return 0;
}

/* The attr bits of an event's modifiers, its group's included. The first of u, k, h excludes what is not named. */
static void modifiers_apply(struct event *e, bool leads)
{
	uint32_t m = e->modifiers;
	uint64_t *flags = &e->attr.flags;

	if (m & (MOD_USER | MOD_KERNEL | MOD_HV))
		*flags |= (m & MOD_USER ? 0 : SONDE_ATTR_EXCLUDE_USER) | (m & MOD_KERNEL ? 0 : SONDE_ATTR_EXCLUDE_KERNEL) |
			  (m & MOD_HV ? 0 : SONDE_ATTR_EXCLUDE_HV);
	if (m & (MOD_GUEST | MOD_HOST))
		*flags |= (m & MOD_GUEST ? 0 : ATTR_EXCLUDE_GUEST) | (m & MOD_HOST ? 0 : ATTR_EXCLUDE_HOST);
	if (m & MOD_IDLE)
		*flags |= ATTR_EXCLUDE_IDLE;
	if (m & MOD_PINNED && leads)
		*flags |= ATTR_PINNED;
	if (m & MOD_EXCLUSIVE && leads)
		*flags |= ATTR_EXCLUSIVE;
	*flags |= (uint64_t)e->precise << ATTR_PRECISE_SHIFT;
}

/* ---- terms between slashes ---- */

struct term {
	char name[NAME_MAX_BYTES + 1];
	char value[NAME_MAX_BYTES + 1];
	bool has_value;
	const char *at;              /* in the text, for messages */
};

enum term_use { USE_TRACEPOINT = 1, USE_OTHER = 2, USE_ALL = 3 };

static bool term_u64(const struct term *t, uint64_t max, uint64_t *out)
{
	return t->has_value && parse_number(t->value, out) && *out <= max;
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

/* Read elsewhere: `name` names the event. */
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
	if (!take_name(s, t->name))
		return bad(s, s->p, SONDE_USAGE, "expected a term, as config=1");
	if (*s->p != '=')
		return 0;
	s->p++;
	t->has_value = true;
	if (*s->p == '\'') {
		const char *end = strchr(s->p + 1, '\'');

		if (!end || end - s->p - 1 > NAME_MAX_BYTES)
			return bad(s, s->p, SONDE_USAGE, "a quote that is not closed");
		memcpy(t->value, s->p + 1, (size_t)(end - s->p - 1));
		s->p = end + 1;
		return 0;
	}
	for (size_t n = 0; is_name(*s->p) || *s->p == ':'; s->p++, n++) {
		if (n == NAME_MAX_BYTES)
			return bad(s, t->at, SONDE_USAGE, "a value that is too long");
		t->value[n] = *s->p;
	}
	if (!*t->value)
		return bad(s, s->p, SONDE_USAGE, "term '%s' has an empty value", t->name);
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
	if (t->has_value && !parse_number(t->value, &value))
		return bad(s, t->at, SONDE_USAGE, "term '%s' expects a number", t->name);
	if (!t->has_value && __builtin_popcountll(f.mask) > 1)
		return bad(s, t->at, SONDE_USAGE, "term '%s' needs a value", t->name);
	if (!pmu_format_apply(&f, value, words))
		return bad(s, t->at, SONDE_USAGE, "value of '%s' does not fit its %d bits", t->name, __builtin_popcountll(f.mask));
	e->attr.config = words[0];
	e->attr.config1 = words[1];
	e->attr.config2 = words[2];
	e->attr.config3 = words[3];
	e->attr.config4 = words[4];
	return 1;
}

static int apply_term(struct scan *s, struct event *e, const struct pmu *pmu, const struct term *t, enum term_use use);

/* The terms that a named event of a PMU stands for. `term=?` must be given by the user and is left to him. */
static int pmu_alias(struct scan *s, struct event *e, const struct pmu *pmu, const struct term *t)
{
	char text[1024], unit[64], scale[64], path[NAME_MAX_BYTES + 16];
	struct scan inner = *s;
	struct term sub;
	int r = 0;

	if (t->has_value || !pmu || !pmu_event(pmu, t->name, text, sizeof(text)))
		return 0;
	inner.text = inner.p = text;
	while (*inner.p && r == 0) {
		r = take_term(&inner, &sub);
		if (r == 0 && strcmp(sub.value, "?") != 0) {
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
			r = bad(&inner, inner.p, SONDE_UNSUPPORTED, "event '%s' of PMU %s is described in a way that is not known",
				t->name, pmu->name);
	}
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s.unit", t->name);
	if (pmu_event(pmu, path, unit, sizeof(unit)))
		e->unit = keep(s, unit, strlen(unit));
	snprintf(path, sizeof(path), "%s.scale", t->name);
	if (pmu_event(pmu, path, scale, sizeof(scale)))
		e->scale = strtod(scale, NULL);
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
			return bad(s, t->at, SONDE_USAGE, "term '%s' expects %s", t->name, row->expects);
		return 0;
	}
	if (pmu && !t->has_value && parse_raw(t->name, &raw)) {
		e->attr.config = raw;
		return 0;
	}
	if (pmu)
		pmu_terms(pmu, known, sizeof(known));
	return bad(s, t->at, SONDE_USAGE, "unknown term '%.40s'%s%s", t->name, *known ? "; this PMU has " : "", known);
}

/* "/terms/" at s->p for the events from `first` on, all of one PMU or none; then modifiers. */
static int take_terms(struct scan *s, size_t first, const struct pmu *pmu, enum term_use use)
{
	const char *name = NULL;
	struct term t;
	int r;

	s->p++;
	for (int nr = 0; *s->p != '/'; nr++) {
		skip_blanks(s);
		if (nr == TERMS_MAX)
			return bad(s, s->p, SONDE_USAGE, "more than %d terms", TERMS_MAX);
		r = take_term(s, &t);
		for (size_t i = first; r == 0 && i < s->list->n; i++)
			r = apply_term(s, &s->list->at[i], pmu, &t, use);
		if (r < 0)
			return r;
		if (!strcmp(t.name, "name") && !(name = keep(s, t.value, strlen(t.value))))
			return err_nomem(s->err);
		if (*s->p == ',')
			s->p++;
		else if (*s->p != '/')
			return bad(s, s->p, SONDE_USAGE, "expected a comma or the slash that ends the terms");
	}
	s->p++;
	r = take_modifiers(s, first, true);
	for (size_t i = first; name && i < s->list->n; i++)
		s->list->at[i].name = name;
	return r;
}

/* ---- the kinds of event ---- */

/* After a name: terms with their modifiers, or modifiers alone. */
static int take_tail(struct scan *s, size_t first, const struct pmu *pmu, enum term_use use)
{
	if (*s->p == '/')
		return take_terms(s, first, pmu, use);
	return take_modifiers(s, first, false);
}

/* Events without a name of their own are called as they were written. */
static int name_as_written(struct scan *s, size_t first, const char *start)
{
	for (size_t i = first; i < s->list->n; i++) {
		const char *end = s->p;

		if (*s->list->at[i].name)
			continue;
		while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		s->list->at[i].name = keep(s, start, (size_t)(end - start));
		if (!s->list->at[i].name)
			return err_nomem(s->err);
	}
	return 0;
}

static int add_tracepoint(struct scan *s, const char *system, const char *name)
{
	struct event e = blank_event(PERF_TYPE_TRACEPOINT, 0);
	char full[2 * NAME_MAX_BYTES + 2];
	uint64_t id;

	if (!sysfile_u64(&id, "%s/events/%s/%s/id", s->roots->tracefs, system, name))
		return -SONDE_MISSING;
	e.attr.config = id;
	e.system = keep(s, system, strlen(system));
	e.tracepoint = keep(s, name, strlen(name));
	if (!e.system || !e.tracepoint)
		return err_nomem(s->err);
	snprintf(full, sizeof(full), "%.255s:%.255s", system, name);
	return add_event(s, &e, full, NULL);
}

/* All tracepoints that the two globs match. */
static int match_tracepoints(struct scan *s, const char *at, const char *system, const char *name)
{
	struct names systems = { 0 }, points = { 0 };
	size_t before = s->list->n;
	char dir[512];
	int r = 0, e;

	snprintf(dir, sizeof(dir), "%s/events", s->roots->tracefs);
	e = sysfile_list(&s->list->arena, dir, &systems);
	if (e < 0)
		r = bad(s, at, e == -EACCES ? SONDE_DENIED : SONDE_MISSING, "cannot read %s: %s%s", dir, strerror(-e),
			e == -EACCES ? " (tracefs is for root unless it is remounted with mode=755)" : "");
	for (size_t i = 0; r == 0 && i < systems.n; i++) {
		if (fnmatch(system, systems.at[i], 0) != 0)
			continue;
		points.n = 0;
		snprintf(dir, sizeof(dir), "%s/events/%s", s->roots->tracefs, systems.at[i]);
		if (sysfile_list(&s->list->arena, dir, &points) < 0)
			continue;  /* a file beside the systems */
		for (size_t k = 0; r == 0 && k < points.n; k++)
			if (fnmatch(name, points.at[k], 0) == 0) {
				r = add_tracepoint(s, systems.at[i], points.at[k]);
				if (r == -SONDE_MISSING)
					r = 0;  /* "enable" and "filter" lie beside the events; the ftrace system has no ids */
			}
	}
	vec_free(&systems);
	vec_free(&points);
	if (r == 0 && s->list->n == before)
		r = bad(s, at, SONDE_MISSING, "no tracepoint matches %s:%s", system, name);
	return r;
}

static int parse_tracepoint(struct scan *s, const char *at, const char *system, const char *name)
{
	size_t first = s->list->n;
	bool glob = strpbrk(system, "*?[") || strpbrk(name, "*?[");
	int r;

	if (!s->roots->tracefs)
		return bad(s, at, SONDE_MISSING, "no such event; for a tracepoint, tracefs has to be mounted: "
			   "mount -t tracefs nodev /sys/kernel/tracing");
	/* A dot could lead out of the directory; no tracepoint has one there. */
	if (!glob && (*system == '.' || *name == '.'))
		return bad(s, at, SONDE_MISSING, "no tracepoint %s:%s", system, name);
	r = glob ? match_tracepoints(s, at, system, name) : add_tracepoint(s, system, name);
	if (r == -SONDE_MISSING && !glob) {
		char text[32];
		ssize_t e = sysfile_read(text, sizeof(text), "%s/events/%s/%s/id", s->roots->tracefs, system, name);

		if (e == -EACCES)
			return bad(s, at, SONDE_DENIED, "cannot read tracefs at %s: it is for root unless it is remounted with "
				   "mode=755", s->roots->tracefs);
		return bad(s, at, SONDE_MISSING, "no tracepoint %s:%s (is its kernel option or module there?)", system, name);
	}
	if (r == 0)
		r = take_tail(s, first, NULL, USE_TRACEPOINT);
	return r;
}

/* mem:ADDR[/LEN][:rwx] */
static int parse_breakpoint(struct scan *s, const char *start)
{
	struct event e = blank_event(PERF_TYPE_BREAKPOINT, 0);
	size_t first = s->list->n;
	uint32_t access = 0;
	uint64_t addr, len = 0;
	char word[NAME_MAX_BYTES + 1];
	int r;

	s->p += strlen("mem:");
	if (!take_name(s, word) || !parse_number(word, &addr))
		return bad(s, s->p, SONDE_USAGE, "expected an address, as mem:0x601040");
	if (s->p[0] == '/' && s->p[1] >= '0' && s->p[1] <= '9') {
		s->p++;
		if (!take_name(s, word) || !parse_number(word, &len) || (len != 1 && len != 2 && len != 4 && len != 8))
			return bad(s, s->p, SONDE_USAGE, "the length of a breakpoint is 1, 2, 4 or 8");
	}
	if (*s->p == ':' && s->p[1] && strchr("rwx", s->p[1])) {
		static const char letters[] = "rwx";

		for (s->p++; *s->p && strchr(letters, *s->p); s->p++) {
			uint32_t bit = UINT32_C(1) << (strchr(letters, *s->p) - letters);

			if (access & bit)
				return bad(s, s->p, SONDE_USAGE, "'%c' twice", *s->p);
			access |= bit;
		}
	}
	e.attr.bp_type = access ? access : 3;
	if (len == 0) {
#if defined(__x86_64__) || defined(__i386__)
		len = access & 4 ? sizeof(long) : 4;
#else
		len = 4;
#endif
	}
	e.attr.config1 = addr;
	e.attr.config2 = len;
	r = add_event(s, &e, "", NULL);
	if (r == 0)
		r = take_tail(s, first, NULL, USE_ALL);
	return r < 0 ? r : name_as_written(s, first, start);
}

/* One event on each of the PMUs that the name stands for. */
static int parse_pmu(struct scan *s, const char *start, const struct names *pmus, const char *alias)
{
	const char *terms = s->p;
	size_t first = s->list->n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < pmus->n; i++) {
		struct event e = blank_event(0, 0);
		size_t mine = s->list->n;
		char cpus[1024];
		struct pmu pmu;

		if (!pmu_open(&pmu, s->roots->sysfs, pmus->at[i]))
			continue;
		e.attr.type = pmu.type;
		s->p = terms;
		if (sysfile_read(cpus, sizeof(cpus), "%s/cpumask", pmu.dir) > 0 && cpus_parse(&e.cpus, cpus) == 0)
			e.system_wide = true;
		else if (sysfile_read(cpus, sizeof(cpus), "%s/cpus", pmu.dir) > 0)
			cpus_parse(&e.cpus, cpus);
		r = add_event(s, &e, "", NULL);
		if (r < 0) {
			vec_free(&e.cpus);
			break;
		}
		if (alias) {
			struct term t = { .at = start };

			snprintf(t.name, sizeof(t.name), "%s", alias);
			r = pmu_alias(s, &s->list->at[mine], &pmu, &t);
			r = r < 0 ? r : take_modifiers(s, mine, false);
		} else {
			r = take_tail(s, mine, &pmu, USE_OTHER);
		}
	}
	if (r == 0 && s->list->n == first)
		r = bad(s, start, SONDE_MISSING, "no such PMU");
	return r < 0 ? r : name_as_written(s, first, start);
}

/* PMUs that have a named event called `name`. */
static int find_alias(struct scan *s, const char *name, struct names *out)
{
	struct names all = { 0 };
	char text[1024];
	int r = 0;

	pmu_all(&s->list->arena, s->roots->sysfs, &all);
	for (size_t i = 0; r == 0 && i < all.n; i++) {
		struct pmu pmu;

		if (pmu_open(&pmu, s->roots->sysfs, all.at[i]) && pmu_event(&pmu, name, text, sizeof(text)) &&
		    vec_push(out, all.at[i]) < 0)
			r = err_nomem(s->err);
	}
	vec_free(&all);
	return r;
}

/* A name that is no generic one: of a PMU, of a PMU's event, or the first half of a tracepoint's. */
static int parse_other(struct scan *s, const char *start, const char *name)
{
	char second[NAME_MAX_BYTES + 1];
	struct names pmus = { 0 };
	const char *near;
	int r;

	if (*s->p == '/') {
		r = pmu_match(&s->list->arena, s->roots->sysfs, name, &pmus);
		if (r == 0 && pmus.n > 0)
			r = parse_pmu(s, start, &pmus, NULL);
		else
			r = bad(s, start, SONDE_MISSING, "no PMU '%.60s' in %s/bus/event_source/devices", name, s->roots->sysfs);
		vec_free(&pmus);
		return r;
	}
	r = find_alias(s, name, &pmus);
	if (r == 0 && pmus.n > 0) {
		r = parse_pmu(s, start, &pmus, name);
		vec_free(&pmus);
		return r;
	}
	vec_free(&pmus);
	if (r < 0)
		return r;
	if (*s->p == ':') {
		s->p++;
		if (!take_name(s, second))
			return bad(s, s->p, SONDE_USAGE, "expected the name of a tracepoint");
		return parse_tracepoint(s, start, name, second);
	}
	near = event_name_near(name);
	return bad(s, start, SONDE_MISSING, "no such event%s%s%s", near ? "; did you mean '" : "", near ? near : "",
		   near ? "'?" : "");
}

static int parse_numeric(struct scan *s, const char *start, uint64_t type)
{
	struct event e = blank_event((uint32_t)type, 0);
	size_t first = s->list->n;
	char word[NAME_MAX_BYTES + 1];
	int r;

	s->p++;
	if (type > UINT32_MAX || !take_name(s, word) || !parse_number(word, &e.attr.config))
		return bad(s, start, SONDE_USAGE, "expected type:config, two numbers");
	r = add_event(s, &e, "", NULL);
	if (r == 0)
		r = take_tail(s, first, NULL, USE_OTHER);
	return r < 0 ? r : name_as_written(s, first, start);
}

static int parse_event(struct scan *s)
{
	char name[NAME_MAX_BYTES + 1];
	struct generic_event g;
	struct event e;
	const char *start;
	size_t first = s->list->n;
	uint64_t number;
	int r;

	skip_blanks(s);
	start = s->p;
	if (!strncmp(s->p, "mem:", 4))
		return parse_breakpoint(s, start);
	if (!take_name(s, name))
		return bad(s, start, SONDE_USAGE, "expected the name of an event");
	if (parse_number(name, &number) && *s->p == ':')
		return parse_numeric(s, start, number);
	if (event_name_generic(name, &g))
		e = blank_event(g.type, g.config);
	else if (parse_raw(name, &number))
		e = blank_event(PERF_TYPE_RAW, number);
	else
		return parse_other(s, start, name);
	r = add_event(s, &e, "", NULL);
	if (r == 0)
		r = take_tail(s, first, NULL, USE_OTHER);
	return r < 0 ? r : name_as_written(s, first, start);
}

/* [name]{event,event...}[:modifiers] */
static int parse_group(struct scan *s, const char *brace)
{
	size_t first = s->list->n;
	const char *name = keep(s, s->p, (size_t)(brace - s->p));
	int r;

	if (!name)
		return err_nomem(s->err);
	s->p = brace + 1;
	for (;;) {
		r = parse_event(s);
		if (r < 0)
			return r;
		skip_blanks(s);
		if (*s->p == '}')
			break;
		if (*s->p != ',')
			return bad(s, s->p, SONDE_USAGE, "expected a comma or the brace that ends the group");
		s->p++;
	}
	s->p++;
	for (size_t i = first; i < s->list->n; i++) {
		s->list->at[i].leader = (uint32_t)first;
		s->list->at[i].group = name;
	}
	return take_modifiers(s, first, true);
}

/* Where the brace is, if a group begins here. */
static const char *group_brace(const char *p)
{
	while (is_name(*p))
		p++;
	return *p == '{' ? p : NULL;
}

static int parse_list(struct scan *s)
{
	int r;

	for (;;) {
		const char *brace;

		skip_blanks(s);
		brace = group_brace(s->p);
		r = brace ? parse_group(s, brace) : parse_event(s);
		if (r < 0)
			return r;
		skip_blanks(s);
		if (!*s->p)
			return 0;
		if (*s->p != ',')
			return bad(s, s->p, SONDE_USAGE, "unexpected '%c'", *s->p);
		s->p++;
	}
}

int events_parse(struct events *list, const char *text, const struct event_roots *roots, struct sonde_error *err)
{
	struct scan s = { .text = text, .p = text, .list = list, .roots = roots, .err = err };
	size_t first = list->n;
	int r = parse_list(&s);

	if (r < 0) {
		for (size_t i = first; i < list->n; i++)
			vec_free(&list->at[i].cpus);
		list->n = first;
		return r;
	}
	for (size_t i = first; i < list->n; i++)
		modifiers_apply(&list->at[i], list->at[i].leader == i);
	return 0;
}

void events_free(struct events *list)
{
	for (size_t i = 0; i < list->n; i++) {
		vec_free(&list->at[i].cpus);
		vec_free(&list->at[i].filters);
	}
	vec_free(list);
	arena_free(&list->arena);
}

const char *tracefs_find(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		ssize_t n = sysfile_read(text, sizeof(text), "%s/events/header_page", places[i]);

		if (n > 0 || n == -EACCES)
			return places[i];
	}
	return NULL;
}
