/* SPDX-License-Identifier: MIT */
#include "record/perf/event.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "record/perf/event_name.h"
#include "record/perf/event_near.h"
#include "record/perf/event_scan.h"

static int add_event(struct scan *s, const struct event *proto, const char *name)
{
	struct event e = *proto;

	e.name = scan_keep(s, name, strlen(name));
	e.leader = (uint32_t)s->list->n;
	if (!e.name || vec_push(s->list, e) < 0)
		return err_nomem(s->err);
	return 0;
}

static struct event blank_event(uint32_t type, uint64_t config)
{
	return (struct event){ .attr = { .type = type, .config = config }, .inherit = -1, .time = -1, .scale = 1 };
}

/* The attr bits of the modifiers of an event and its group. One of u, k, h excludes the others. */
static void modifiers_apply(struct event *e, bool leads)
{
	uint32_t m = e->modifiers;
	uint64_t *flags = &e->attr.flags;

	if (m & (MOD_USER | MOD_KERNEL | MOD_HV))
		*flags |= (m & MOD_USER ? 0 : SONDE_ATTR_EXCLUDE_USER) |
			  (m & MOD_KERNEL ? 0 : SONDE_ATTR_EXCLUDE_KERNEL) |
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

/* ---- the kinds of event ---- */

/* After a name: terms with their modifiers, or modifiers alone. */
static int take_tail(struct scan *s, size_t first, const struct pmu *pmu, enum term_use use)
{
	if (*s->p == '/')
		return scan_terms(s, first, pmu, use);
	return scan_modifiers(s, first, false);
}

/* An event without a name is named by its text. */
static int name_as_written(struct scan *s, size_t first, const char *start)
{
	for (size_t i = first; i < s->list->n; i++) {
		const char *end = s->p;

		if (*s->list->at[i].name)
			continue;
		while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		s->list->at[i].name = scan_keep(s, start, (size_t)(end - start));
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
	e.system = scan_keep(s, system, strlen(system));
	e.tracepoint = scan_keep(s, name, strlen(name));
	if (!e.system || !e.tracepoint)
		return err_nomem(s->err);
	snprintf(full, sizeof(full), "%.255s:%.255s", system, name);
	return add_event(s, &e, full);
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
		r = scan_bad(s, at, e == -EACCES ? SONDE_DENIED : SONDE_MISSING, "cannot read %s: %s%s", dir,
			     strerror(-e),
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
					r = 0;  /* "enable", "filter", and events of ftrace, which have no ids */
			}
	}
	vec_free(&systems);
	vec_free(&points);
	if (r == 0 && s->list->n == before)
		r = scan_bad(s, at, SONDE_MISSING, "no tracepoint matches %s:%s", system, name);
	return r;
}

/* "no such event; did you mean '...'?" @system: NULL if there was only one word */
static int no_such_event(const struct scan *s, const char *at, const char *system, const char *name)
{
	char near[2 * NAME_MAX_BYTES + 4], what[2 * NAME_MAX_BYTES + 24] = "no such event";
	const char *found = event_near(s->roots->tracefs, system, name, near, sizeof(near));

	if (system)
		snprintf(what, sizeof(what), "no tracepoint %s:%s", system, name);
	if (found)
		return scan_bad(s, at, SONDE_MISSING, "%s; did you mean '%s'?", what, found);
	return scan_bad(s, at, SONDE_MISSING, "%s%s", what, system ? " (is its kernel option or module there?)" : "");
}

static int parse_tracepoint(struct scan *s, const char *at, const char *system, const char *name)
{
	size_t first = s->list->n;
	bool glob = strpbrk(system, "*?[") || strpbrk(name, "*?[");
	int r;

	if (!s->roots->tracefs)
		return scan_bad(s, at, SONDE_MISSING, "no such event; for a tracepoint, tracefs has to be mounted: "
			   "mount -t tracefs nodev /sys/kernel/tracing");
	/* A dot could lead out of the directory; no tracepoint has one there. */
	if (!glob && (*system == '.' || *name == '.'))
		return scan_bad(s, at, SONDE_MISSING, "no tracepoint %s:%s", system, name);
	r = glob ? match_tracepoints(s, at, system, name) : add_tracepoint(s, system, name);
	if (r == -SONDE_MISSING && !glob) {
		char text[32];
		ssize_t e = sysfile_read(text, sizeof(text), "%s/events/%s/%s/id", s->roots->tracefs, system, name);

		if (e == -EACCES)
			return scan_bad(s, at, SONDE_DENIED,
					"cannot read tracefs at %s: it is for root unless it is remounted with "
					"mode=755",
					s->roots->tracefs);
		return no_such_event(s, at, system, name);
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
	if (!scan_name(s, word) || !scan_number(word, &addr))
		return scan_bad(s, s->p, SONDE_USAGE, "expected an address, as mem:0x601040");
	if (s->p[0] == '/' && s->p[1] >= '0' && s->p[1] <= '9') {
		s->p++;
		if (!scan_name(s, word) || !scan_number(word, &len) || (len != 1 && len != 2 && len != 4 && len != 8))
			return scan_bad(s, s->p, SONDE_USAGE, "the length of a breakpoint is 1, 2, 4 or 8");
	}
	if (*s->p == ':' && s->p[1] && strchr("rwx", s->p[1])) {
		static const char letters[] = "rwx";

		for (s->p++; *s->p && strchr(letters, *s->p); s->p++) {
			uint32_t bit = UINT32_C(1) << (strchr(letters, *s->p) - letters);

			if (access & bit)
				return scan_bad(s, s->p, SONDE_USAGE, "'%c' twice", *s->p);
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
	r = add_event(s, &e, "");
	if (r == 0)
		r = take_tail(s, first, NULL, USE_ALL);
	return r < 0 ? r : name_as_written(s, first, start);
}

/* One event on each PMU of that name. */
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
		r = add_event(s, &e, "");
		if (r < 0) {
			vec_free(&e.cpus);
			break;
		}
		if (alias) {
			r = scan_alias(s, &s->list->at[mine], &pmu, alias, start);
			r = r < 0 ? r : scan_modifiers(s, mine, false);
		} else {
			r = take_tail(s, mine, &pmu, USE_OTHER);
		}
	}
	if (r == 0 && s->list->n == first)
		r = scan_bad(s, start, SONDE_MISSING, "no such PMU");
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

/* A name that is not generic: a PMU, an event of a PMU, or the system of a tracepoint. */
static int parse_other(struct scan *s, const char *start, const char *name)
{
	char second[NAME_MAX_BYTES + 1];
	struct names pmus = { 0 };
	int r;

	if (*s->p == '/') {
		r = pmu_match(&s->list->arena, s->roots->sysfs, name, &pmus);
		if (r == 0 && pmus.n > 0)
			r = parse_pmu(s, start, &pmus, NULL);
		else
			r = scan_bad(s, start, SONDE_MISSING, "no PMU '%.60s' in %s/bus/event_source/devices", name,
				     s->roots->sysfs);
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
		if (!scan_name(s, second))
			return scan_bad(s, s->p, SONDE_USAGE, "expected the name of a tracepoint");
		return parse_tracepoint(s, start, name, second);
	}
	return no_such_event(s, start, NULL, name);
}

static int parse_numeric(struct scan *s, const char *start, uint64_t type)
{
	struct event e = blank_event((uint32_t)type, 0);
	size_t first = s->list->n;
	char word[NAME_MAX_BYTES + 1];
	int r;

	s->p++;
	if (type > UINT32_MAX || !scan_name(s, word) || !scan_number(word, &e.attr.config))
		return scan_bad(s, start, SONDE_USAGE, "expected type:config, two numbers");
	r = add_event(s, &e, "");
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

	scan_blanks(s);
	start = s->p;
	if (!strncmp(s->p, "mem:", 4))
		return parse_breakpoint(s, start);
	if (!scan_name(s, name))
		return scan_bad(s, start, SONDE_USAGE, "expected the name of an event");
	if (scan_number(name, &number) && *s->p == ':')
		return parse_numeric(s, start, number);
	if (event_name_generic(name, &g))
		e = blank_event(g.type, g.config);
	else if (scan_raw(name, &number))
		e = blank_event(PERF_TYPE_RAW, number);
	else
		return parse_other(s, start, name);
	r = add_event(s, &e, "");
	if (r == 0)
		r = take_tail(s, first, NULL, USE_OTHER);
	return r < 0 ? r : name_as_written(s, first, start);
}

/* [name]{event,event...}[:modifiers] */
static int parse_group(struct scan *s, const char *brace)
{
	size_t first = s->list->n;
	const char *name = scan_keep(s, s->p, (size_t)(brace - s->p));
	int r;

	if (!name)
		return err_nomem(s->err);
	s->p = brace + 1;
	for (;;) {
		r = parse_event(s);
		if (r < 0)
			return r;
		scan_blanks(s);
		if (*s->p == '}')
			break;
		if (*s->p != ',')
			return scan_bad(s, s->p, SONDE_USAGE, "expected a comma or the brace that ends the group");
		s->p++;
	}
	s->p++;
	for (size_t i = first; i < s->list->n; i++) {
		s->list->at[i].leader = (uint32_t)first;
		s->list->at[i].group = name;
	}
	return scan_modifiers(s, first, true);
}

/* The opening brace, if a group begins here. */
static const char *group_brace(const char *p)
{
	while (scan_is_name(*p))
		p++;
	return *p == '{' ? p : NULL;
}

static int parse_list(struct scan *s)
{
	int r;

	for (;;) {
		const char *brace;

		scan_blanks(s);
		brace = group_brace(s->p);
		r = brace ? parse_group(s, brace) : parse_event(s);
		if (r < 0)
			return r;
		scan_blanks(s);
		if (!*s->p)
			return 0;
		if (*s->p != ',')
			return scan_bad(s, s->p, SONDE_USAGE, "unexpected '%c'", *s->p);
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
