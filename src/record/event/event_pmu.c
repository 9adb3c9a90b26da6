/* SPDX-License-Identifier: MIT */
#include "record/event/event_pmu.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "record/event/aux_driver.h"
#include "record/event/event_list.h"
#include "record/event/event_near.h"
#include "record/event/event_term.h"
#include "record/event/vendor_events.h"
#include "record/host/pmu.h"

/* Settings without which a trace of a processor is of no use; terms that say otherwise follow. */
static const struct {
	const char *pmu, *term;      /* the name begins so; the driver of an older kernel may lack the term */
} defaults[] = {
	{ "intel_pt", "pt" }, { "intel_pt", "tsc" }, { "intel_pt", "branch" },
	{ "arm_spe_", "ts_enable" },
	{ "cs_etm", "timestamp" }, { "cs_etm", "contextid" },
};

/* The CPUs that the PMU counts on: a mask of one CPU per package, or those of a kind. */
static int read_cpus(struct event_scan *s, struct event *e, const struct pmu *pmu)
{
	char text[1024];
	int r = 0;

	if (sysfile_read(text, sizeof(text), "%s/cpumask", pmu->dir) > 0) {
		r = cpus_parse(&e->cpus, text);
		e->system_wide = r == 0 && aux_driver_of(pmu->name) == AUX_NONE;
	} else if (sysfile_read(text, sizeof(text), "%s/cpus", pmu->dir) > 0) {
		r = cpus_parse(&e->cpus, text);
	}
	/* A list that cannot be read limits nothing: the kernel knows its CPUs. */
	return r == -SONDE_NOMEM ? err_nomem(s->err) : 0;
}

static int add_event_of(struct event_scan *s, const struct pmu *pmu)
{
	struct event e = event_blank(pmu->type, 0);
	int r = read_cpus(s, &e, pmu);

	e.pmu = scan_keep(s, pmu->name, strlen(pmu->name));
	if (r < 0 || !e.pmu) {
		vec_free(&e.cpus);
		return err_nomem(s->err);
	}
	return event_list_add(s, &e, "");
}

static int apply_defaults(struct event_scan *s, struct event *e, const struct pmu *pmu, const char *at)
{
	struct pmu_format f;
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(defaults); i++)
		if (!strncmp(defaults[i].pmu, pmu->name, strlen(defaults[i].pmu)) &&
		    pmu_format(pmu, defaults[i].term, &f))
			r = event_terms_apply(s, e, pmu, defaults[i].term, at);
	return r;
}

/* How an event of a PMU is told after its first words. */
struct on_pmu {
	const struct vendor_event *vendor;
	const char *alias;                  /* the event that the PMU names so; NULL: all is in the terms */
	const struct generic_event *generic;
	bool raw;
};

static int set_alias(struct event_scan *s, size_t event, const struct pmu *pmu, const char *alias, const char *start)
{
	int r = event_alias(s, &s->list->at[event], pmu, alias, start);

	if (r == 0)
		return scan_bad(s, start, SONDE_MISSING, "PMU %s has no event '%.60s'", pmu->name, alias);
	if (r > 0 && s->required[0] && *s->p != '/')
		return scan_bad(s, start, SONDE_USAGE, "this event needs a value: %.60s/%.60s,%.60s=VALUE/",
				pmu->name, alias, s->required);
	return r;
}

/* The event, with what follows it at s->p. */
static int parse_on(struct event_scan *s, const struct pmu *pmu, const struct on_pmu *what, const char *start)
{
	size_t event = s->list->n;
	int r = add_event_of(s, pmu);
	struct event *e = &s->list->at[event];

	if (r < 0)
		return r;
	if (what->alias) {
		r = set_alias(s, event, pmu, what->alias, start);
	} else if (what->generic) {
		if (!what->raw)
			e->attr.type = what->generic->type;
		e->attr.config = what->generic->config | (what->raw ? 0 : event_kind_of_cpu(s, pmu));
	} else if (what->vendor) {
		r = event_vendor(s, e, pmu, what->vendor, start);
	} else {
		r = apply_defaults(s, e, pmu, start);
	}
	if (r < 0)
		return r;
	return *s->p == '/' ? event_terms(s, event, pmu, USE_OTHER) : scan_modifiers(s, event, false);
}

/* "cpu_core/cycles/u" for cycles:u: events of one text on several PMUs have different names. */
static int name_by_pmu(struct event_scan *s, size_t first, const char *start)
{
	size_t len = (size_t)(s->p - start), words;
	const char *modifiers;

	while (len > 0 && (start[len - 1] == ' ' || start[len - 1] == '\t'))
		len--;
	if (len > NAME_MAX_BYTES || memchr(start, '/', len))
		return event_list_name(s, first, start);
	modifiers = memchr(start, ':', len);
	words = modifiers ? (size_t)(modifiers - start) : len;
	for (size_t i = first; i < s->list->n; i++) {
		struct event *e = &s->list->at[i];
		char name[2 * NAME_MAX_BYTES];

		snprintf(name, sizeof(name), "%s/%.*s/%.*s", e->pmu, (int)words, start,
			 modifiers ? (int)(len - words - 1) : 0, modifiers ? modifiers + 1 : "");
		e->name = scan_keep(s, name, strlen(name));
		if (!e->name)
			return err_nomem(s->err);
	}
	return 0;
}

/* One event on each of the PMUs; all read the same text after it. */
static int parse_on_each(struct event_scan *s, const struct names *pmus, const struct on_pmu *what, const char *start)
{
	const char *tail = s->p;
	const char *only = pmus->n > 1 ? s->roots->only_pmu : NULL;
	size_t first = s->list->n;
	int r = 0;

	for (size_t i = 0; r == 0 && i < pmus->n; i++) {
		struct pmu pmu;

		if ((only && strcmp(only, pmus->at[i]) != 0) || !pmu_open(&pmu, s->roots->sysfs, pmus->at[i]))
			continue;
		s->p = tail;
		s->required[0] = '\0';
		r = parse_on(s, &pmu, what, start);
	}
	if (r == 0 && s->list->n == first && only)
		return scan_bad(s, start, SONDE_MISSING, "the PMU '%.60s' does not have this event", only);
	if (r == 0 && s->list->n == first)
		return scan_bad(s, start, SONDE_MISSING, "no such PMU");
	if (r < 0)
		return r;
	return pmus->n > 1 && (what->generic || what->alias || what->vendor) ? name_by_pmu(s, first, start) :
							       event_list_name(s, first, start);
}

static int no_such_pmu(const struct event_scan *s, const char *start, const char *name)
{
	char near[NAME_MAX_BYTES + 1], dir[512];
	struct near_search search = event_near_begin(name, near, sizeof(near));

	snprintf(dir, sizeof(dir), "%s/bus/event_source/devices", s->roots->sysfs);
	event_near_files(&search, dir);
	if (event_near_found(&search))
		return scan_bad(s, start, SONDE_MISSING, "no PMU '%.60s'; did you mean '%.60s'?", name, near);
	return scan_bad(s, start, SONDE_MISSING, "no PMU '%.60s' in %.80s", name, dir);
}

int event_pmu(struct event_scan *s, const char *start, const char *name)
{
	const struct on_pmu what = { 0 };
	struct names pmus = { 0 };
	int r = pmu_match(&s->list->arena, s->roots->sysfs, name, &pmus);

	if (r == 0 && pmus.n > 0)
		r = parse_on_each(s, &pmus, &what, start);
	else
		r = no_such_pmu(s, start, name);
	vec_free(&pmus);
	return r;
}

int event_pmu_alias(struct event_scan *s, const char *start, const char *name, bool cores_only)
{
	const struct on_pmu what = { .alias = name };
	struct names all = { 0 }, found = { 0 };
	char text[1024];
	int r = 0;

	pmu_all(&s->list->arena, s->roots->sysfs, &all);
	for (size_t i = 0; r == 0 && i < all.n; i++) {
		struct pmu pmu;

		/* imc/.../ is the PMU, not an event that another one calls so */
		if (!pmu_open(&pmu, s->roots->sysfs, all.at[i]) || (cores_only && !pmu.core) ||
		    !pmu_event(&pmu, name, text, sizeof(text)))
			continue;
		if (vec_push(&found, all.at[i]) < 0)
			r = err_nomem(s->err);
	}
	if (r == 0 && found.n > 0)
		r = parse_on_each(s, &found, &what, start) < 0 ? -SONDE_USAGE : 1;
	vec_free(&all);
	vec_free(&found);
	return r;
}

int event_pmu_each_core(struct event_scan *s, const char *start, const struct generic_event *g, bool raw)
{
	const struct on_pmu what = { .generic = g, .raw = raw };
	struct names cores = { 0 };
	int r = 0;

	pmu_cores(&s->list->arena, s->roots->sysfs, &cores);
	if (cores.n > 1)
		r = parse_on_each(s, &cores, &what, start) < 0 ? -SONDE_USAGE : 1;
	vec_free(&cores);
	return r;
}

int event_pmu_vendor(struct event_scan *s, const char *start, const char *name)
{
	const struct vendor_event *e = vendor_events_find(s->roots->vendor, name);
	const char *tail = s->p;
	bool any = false;
	int r = 0;

	for (; r == 0 && e; e = vendor_events_next(s->roots->vendor, e)) {
		const struct on_pmu what = { .vendor = e };
		struct names pmus = { 0 };

		if (e->metric_expr)
			continue;
		if (e->pmu)
			pmu_match(&s->list->arena, s->roots->sysfs, e->pmu, &pmus);
		else
			pmu_cores(&s->list->arena, s->roots->sysfs, &pmus);
		s->p = tail;
		r = pmus.n ? parse_on_each(s, &pmus, &what, start) : 0;
		any |= pmus.n > 0;
		vec_free(&pmus);
	}
	return r < 0 ? r : any;
}
