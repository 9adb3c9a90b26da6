/* SPDX-License-Identifier: MIT */
#include "record/event/event.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "record/event/event_group.h"
#include "record/event/event_list.h"
#include "record/event/event_name.h"
#include "record/event/event_pmu.h"
#include "record/event/event_probe.h"
#include "record/event/event_sdt.h"
#include "record/event/event_term.h"
#include "record/event/event_tracepoint.h"

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

/* After the events from @first on, whose text begins at @start: terms with modifiers, or modifiers; then their name. */
static int take_tail(struct event_scan *s, size_t first, const char *start)
{
	int r = *s->p == '/' ? event_terms(s, first, NULL, USE_OTHER) : scan_modifiers(s, first, false);

	return r < 0 ? r : event_list_name(s, first, start);
}

/* A number, or SYMBOL[+OFFSET] of the kernel. */
static int take_address(struct event_scan *s, uint64_t *addr)
{
	char word[NAME_MAX_BYTES + 1];
	const char *at = s->p;
	uint64_t offset = 0;
	int r;

	if (!scan_name(s, word))
		return scan_bad(s, at, SONDE_USAGE, "expected an address, as mem:0x601040, or a symbol of the kernel");
	if (scan_number(word, addr))
		return 0;
	r = s->roots->kernel_symbol ? s->roots->kernel_symbol(word, addr) : -SONDE_MISSING;
	if (r == -SONDE_DENIED)
		return scan_bad(s, at, SONDE_DENIED, "kernel.kptr_restrict hides the addresses of the kernel");
	if (r < 0)
		return scan_bad(s, at, SONDE_MISSING, "expected an address, as mem:0x601040: the kernel has no symbol "
				"'%.60s'", word);
	if (*s->p != '+')
		return 0;
	s->p++;
	if (!scan_name(s, word) || !scan_number(word, &offset))
		return scan_bad(s, s->p, SONDE_USAGE, "expected an offset from the symbol on, as +8");
	*addr += offset;
	return 0;
}

/* mem:ADDR[/LEN][:rwx] */
static int parse_breakpoint(struct event_scan *s, const char *start)
{
	struct event e = event_blank(PERF_TYPE_BREAKPOINT, 0);
	size_t first = s->list->n;
	uint32_t access = 0;
	uint64_t addr, len = 0;
	char word[NAME_MAX_BYTES + 1];
	int r;

	s->p += strlen("mem:");
	r = take_address(s, &addr);
	if (r < 0)
		return r;
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
	r = event_list_add(s, &e, "");
	return r < 0 ? r : take_tail(s, first, start);
}

static int parse_numeric(struct event_scan *s, const char *start, uint64_t type)
{
	struct event e = event_blank((uint32_t)type, 0);
	size_t first = s->list->n;
	char word[NAME_MAX_BYTES + 1];
	int r;

	s->p++;
	if (type > UINT32_MAX || !scan_name(s, word) || !scan_number(word, &e.attr.config))
		return scan_bad(s, start, SONDE_USAGE, "expected type:config, two numbers");
	r = event_list_add(s, &e, "");
	return r < 0 ? r : take_tail(s, first, start);
}

/* One event of that type and number. */
static int parse_simple(struct event_scan *s, const char *start, uint32_t type, uint64_t config)
{
	struct event e = event_blank(type, config);
	size_t first = s->list->n;
	int r = event_list_add(s, &e, "");

	return r < 0 ? r : take_tail(s, first, start);
}

/*
 * A generic name. An event that the core PMU itself calls so comes first: the kernel's generic one may be another.
 * Where there are several kinds of CPU, each has the event.
 */
static int parse_generic(struct event_scan *s, const char *start, const char *name, const struct generic_event *g)
{
	bool hardware = g->type == PERF_TYPE_HARDWARE || g->type == PERF_TYPE_HW_CACHE;
	int r = hardware ? event_pmu_alias(s, start, name, true) : 0;

	if (r == 0 && hardware)
		r = event_pmu_each_core(s, start, g, false);
	if (r == 0)
		return parse_simple(s, start, g->type, g->config);
	return r < 0 ? r : 0;
}

static int parse_raw(struct event_scan *s, const char *start, uint64_t config)
{
	const struct generic_event raw = { "raw", PERF_TYPE_RAW, config };
	int r = event_pmu_each_core(s, start, &raw, true);

	if (r == 0)
		return parse_simple(s, start, PERF_TYPE_RAW, config);
	return r < 0 ? r : 0;
}

/* A name that is not generic: a PMU, an event of a PMU, or the system of a tracepoint. */
static int parse_other(struct event_scan *s, const char *start, const char *name)
{
	char second[NAME_MAX_BYTES + 1];
	int r = event_pmu_alias(s, start, name, false);

	if (r == 0)
		r = event_pmu_vendor(s, start, name);
	if (r != 0)
		return r < 0 ? r : 0;
	if (*s->p == '/')
		return event_pmu(s, start, name);
	if (*s->p == ':') {
		s->p++;
		if (!scan_name(s, second))
			return scan_bad(s, s->p, SONDE_USAGE, "expected the name of a tracepoint");
		return event_tracepoint(s, start, name, second);
	}
	return event_unknown(s, start, NULL, name);
}

/* uprobe:...; or probe:... unless that is a tracepoint which somebody has added already. */
static bool defines_probe(const struct event_scan *s)
{
	char name[NAME_MAX_BYTES + 1];
	struct event_scan ahead = *s;
	uint64_t id;

	if (!strncmp(s->p, "uprobe:", 7))
		return true;
	if (strncmp(s->p, "probe:", 6) != 0)
		return false;
	ahead.p += 6;
	return scan_name(&ahead, name) && !strpbrk(name, "*?[") &&
	       !(s->roots->tracefs && *name != '.' &&
		 sysfile_u64(&id, "%s/events/probe/%s/id", s->roots->tracefs, name));
}

static int parse_event(struct event_scan *s)
{
	char name[NAME_MAX_BYTES + 1];
	struct generic_event g;
	const char *start;
	uint64_t number;

	scan_blanks(s);
	start = s->p;
	if (!strncmp(s->p, "mem:", 4))
		return parse_breakpoint(s, start);
	if (!strncmp(s->p, "sdt:", 4)) {
		s->p += 4;
		return event_sdt(s, start);
	}
	if (defines_probe(s)) {
		bool user = *s->p == 'u';

		s->p = strchr(s->p, ':') + 1;
		return event_probe(s, start, user);
	}
	if (!scan_name(s, name))
		return scan_bad(s, start, SONDE_USAGE, scan_is_name(*start) ? "a name of more than %d bytes" :
				"expected the name of an event", NAME_MAX_BYTES);
	if (scan_number(name, &number) && *s->p == ':')
		return parse_numeric(s, start, number);
	if (event_name_generic(name, &g))
		return parse_generic(s, start, name, &g);
	if (scan_raw(name, &number))
		return parse_raw(s, start, number);
	return parse_other(s, start, name);
}

/* [name]{event,event...}[:modifiers] */
static int parse_group(struct event_scan *s, const char *brace)
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
	if (event_group_form(s->list, first, name) < 0)
		return err_nomem(s->err);
	return scan_modifiers(s, first, true);
}

/* The opening brace, if a group begins here. */
static const char *group_brace(const char *p)
{
	while (scan_is_name(*p))
		p++;
	return *p == '{' ? p : NULL;
}

static int parse_list(struct event_scan *s)
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

/* The probes from @first on, the last one first. */
static void remove_probes(struct events *list, size_t first)
{
	while (list->probes.n > first)
		probe_remove(&list->probes.at[--list->probes.n], list->tracefs);
}

int events_parse(struct events *list, const char *text, const struct event_roots *roots, struct sonde_error *err)
{
	struct event_scan s = { .text = text, .p = text, .list = list, .roots = roots, .err = err };
	size_t first = list->n, probes = list->probes.n;
	int r;

	if (!list->tracefs && roots->tracefs) {
		list->tracefs = arena_strndup(&list->arena, roots->tracefs, strlen(roots->tracefs));
		if (!list->tracefs)
			return err_nomem(err);
	}
	r = parse_list(&s);
	if (r < 0) {
		remove_probes(list, probes);
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
	remove_probes(list, 0);
	vec_free(&list->probes);
	list->tracefs = NULL;
	arena_free(&list->arena);
}
