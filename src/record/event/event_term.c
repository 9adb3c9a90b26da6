/* SPDX-License-Identifier: MIT */
#include "record/event/event_term.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/plain_locale.h"
#include "record/event/branch_filter.h"
#include "record/event/event_name.h"
#include "record/event/event_near.h"

#define TERMS_MAX 64
#define ALIAS_BYTES 1024

/* ---- terms that every event has ---- */

static bool term_u64(const struct term *t, uint64_t max, uint64_t *out)
{
	return t->has_value && scan_number(t->value, out) && *out <= max;
}

/* A switch: no value, 0 or 1. */
static bool term_bool(const struct term *t, bool *out)
{
	uint64_t v = 1;

	if (t->has_value && !term_u64(t, 1, &v))
		return false;
	*out = v;
	return true;
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

/* A period and a frequency exclude each other: the later term holds. */
static bool set_period(struct event *e, const struct term *t)
{
	e->freq = 0;
	return term_u64(t, INT64_MAX, &e->period) && e->period > 0;
}

static bool set_freq(struct event *e, const struct term *t)
{
	e->period = 0;
	return term_u64(t, INT64_MAX, &e->freq) && e->freq > 0;
}

static bool set_branch_type(struct event *e, const struct term *t)
{
	const char *bad;

	e->branch_given = true;
	e->attr.branch_sample_type = 0;
	return t->has_value && (!strcmp(t->value, "no") || branch_filter_parse(t->value, &e->attr.branch_sample_type,
									       &bad));
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
	bool on;

	if (!term_bool(t, &on))
		return false;
	e->inherit = on;
	return true;
}

static bool set_no_inherit(struct event *e, const struct term *t)
{
	bool on;

	if (!term_bool(t, &on))
		return false;
	e->inherit = !on;
	return true;
}

static bool set_overwrite(struct event *e, const struct term *t)
{
	bool on;

	if (!term_bool(t, &on))
		return false;
	e->overwrite = on;
	return true;
}

static bool set_no_overwrite(struct event *e, const struct term *t)
{
	bool on;

	if (!term_bool(t, &on))
		return false;
	e->overwrite = !on;
	return true;
}

static bool set_percore(struct event *e, const struct term *t)
{
	return term_bool(t, &e->percore);
}

static bool set_time(struct event *e, const struct term *t)
{
	uint64_t v;

	if (!term_u64(t, 1, &v))
		return false;
	e->time = (int8_t)v;
	return true;
}

static bool set_nr(struct event *e, const struct term *t)
{
	return term_u64(t, UINT64_MAX, &e->max_samples) && e->max_samples > 0;
}

static bool set_aux_output(struct event *e, const struct term *t)
{
	bool on;

	if (!term_bool(t, &on))
		return false;
	e->attr.flags = on ? e->attr.flags | ATTR_AUX_OUTPUT : e->attr.flags & ~ATTR_AUX_OUTPUT;
	return true;
}

/* "start-paused", "pause", "resume": the bits of attr.aux_action. */
static bool set_aux_action(struct event *e, const struct term *t)
{
	static const char *const actions[] = { "start-paused", "pause", "resume" };

	for (size_t i = 0; t->has_value && i < ARRAY_SIZE(actions); i++)
		if (!strcmp(t->value, actions[i])) {
			e->attr.aux_action = UINT32_C(1) << i;
			return true;
		}
	return false;
}

static bool set_aux_sample_size(struct event *e, const struct term *t)
{
	uint64_t v;

	if (!term_u64(t, UINT32_MAX, &v))
		return false;
	e->attr.aux_sample_size = (uint32_t)v;
	return true;
}

static bool set_cpu(struct event *e, const struct term *t)
{
	return t->has_value && cpus_parse(&e->cpus, t->value) == 0;
}

/* The value is kept by keep_text(). */
static bool set_text(struct event *e, const struct term *t)
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
	{ "name", USE_ALL, set_text, "a name" },
	{ "metric-id", USE_OTHER, set_text, "a name" },
	{ "period", USE_OTHER, set_period, "a number above 0" },
	{ "freq", USE_OTHER, set_freq, "a number above 0" },
	{ "branch_type", USE_OTHER, set_branch_type, "a branch filter, as any or 'any_call,u', or no" },
	{ "call-graph", USE_ALL, set_callgraph, "fp, dwarf, lbr or no" },
	{ "stack-size", USE_ALL, set_stack_size, "bytes, up to 65528" },
	{ "max-stack", USE_ALL, set_max_stack, "a number of frames" },
	{ "inherit", USE_ALL, set_inherit, "no value" },
	{ "no-inherit", USE_ALL, set_no_inherit, "no value" },
	{ "overwrite", USE_ALL, set_overwrite, "no value" },
	{ "no-overwrite", USE_ALL, set_no_overwrite, "no value" },
	{ "time", USE_OTHER, set_time, "0 or 1" },
	{ "nr", USE_ALL, set_nr, "a number above 0" },
	{ "percore", USE_OTHER, set_percore, "no value" },
	{ "aux-output", USE_ALL, set_aux_output, "no value" },
	{ "aux-action", USE_ALL, set_aux_action, "start-paused, pause or resume" },
	{ "aux-sample-size", USE_ALL, set_aux_sample_size, "a number of bytes" },
	{ "cpu", USE_OTHER, set_cpu, "the number of a CPU, or a range as 0-3" },
};

/* Terms whose value is a text live as long as the list. */
static int keep_text(struct event_scan *s, struct event *e, const struct term *t)
{
	const char **place = !strcmp(t->name, "name") ? &e->name :
			     !strcmp(t->name, "metric-id") ? &e->metric_id : NULL;

	if (!place)
		return 0;
	*place = scan_keep(s, t->value, strlen(t->value));
	return *place ? 0 : err_nomem(s->err);
}

/* "@sink=tmc_etr0": settings that a driver understands are gathered as they are. */
static int keep_driver_config(struct event_scan *s, struct event *e, const struct term *t)
{
	char text[4 * NAME_MAX_BYTES];
	int n = snprintf(text, sizeof(text), "%s%s%s%s%s", e->driver_config ? e->driver_config : "",
			 e->driver_config ? "," : "", t->name + 1, t->has_value ? "=" : "", t->value);

	if (n < 0 || (size_t)n >= sizeof(text))
		return scan_bad(s, t->at, SONDE_USAGE, "the settings of the driver are too long");
	e->driver_config = scan_keep(s, text, strlen(text));
	return e->driver_config ? 0 : err_nomem(s->err);
}

/* ---- terms of a PMU ---- */

uint64_t event_kind_of_cpu(struct event_scan *s, const struct pmu *pmu)
{
	struct names cores = { 0 };
	uint64_t kind = 0;

	if (pmu_cores(&s->list->arena, s->roots->sysfs, &cores) == 0 && cores.n > 1)
		kind = (uint64_t)pmu->type << 32;
	vec_free(&cores);
	return kind;
}

/* A term that the PMU describes; 0 if it does not, 1 when done, else negative. */
static int pmu_term(struct event_scan *s, struct event *e, const struct pmu *pmu, const struct term *t)
{
	uint64_t words[5] = { e->attr.config, e->attr.config1, e->attr.config2, e->attr.config3, e->attr.config4 };
	uint64_t value = 1;
	struct pmu_format f;

	if (!pmu || !pmu_format(pmu, t->name, &f))
		return 0;
	if (t->has_value && !scan_number(t->value, &value))
		return scan_bad(s, t->at, SONDE_USAGE, "term '%.40s' expects a number", t->name);
	if (!t->has_value && __builtin_popcountll(f.mask) > 1)
		return scan_bad(s, t->at, SONDE_USAGE, "term '%.40s' needs a value", t->name);
	if (!pmu_format_apply(&f, value, words))
		return scan_bad(s, t->at, SONDE_USAGE, "value of '%.40s' does not fit its %d %s", t->name,
				__builtin_popcountll(f.mask), __builtin_popcountll(f.mask) == 1 ? "bit" : "bits");
	e->attr.config = words[0];
	e->attr.config1 = words[1];
	e->attr.config2 = words[2];
	e->attr.config3 = words[3];
	e->attr.config4 = words[4];
	return 1;
}

/* "cycles" between the slashes of a core PMU, "cs" between those of `software`. */
static bool generic_on_pmu(struct event_scan *s, struct event *e, const struct pmu *pmu, const struct term *t)
{
	struct generic_event g;

	if (!pmu || t->has_value || !event_name_generic(t->name, &g) ||
	    !(g.type == pmu->type || (pmu->core && g.type != PERF_TYPE_SOFTWARE && g.type != EVENT_TYPE_TOOL)))
		return false;
	e->attr.type = g.type;
	e->attr.config = g.config | (pmu->core ? event_kind_of_cpu(s, pmu) : 0);
	return true;
}

/* An event that a file names for this PMU: 1, 0 if there is none, else negative. */
static int vendor_on_pmu(struct event_scan *s, struct event *e, const struct pmu *pmu, const struct term *t)
{
	const struct vendor_event *v = pmu && !t->has_value ? vendor_events_find(s->roots->vendor, t->name) : NULL;
	int r;

	for (; v; v = vendor_events_next(s->roots->vendor, v)) {
		if (v->metric_expr || (v->pmu ? !pmu_is_piece(pmu->name, v->pmu) : !pmu->core))
			continue;
		r = event_vendor(s, e, pmu, v, t->at);
		return r < 0 ? r : 1;
	}
	return 0;
}

static int unknown_term(const struct event_scan *s, const struct pmu *pmu, const struct term *t, enum term_use use)
{
	char known[128] = "", near[NAME_MAX_BYTES + 1];
	struct near_search search = event_near_begin(t->name, near, sizeof(near));

	for (size_t i = 0; i < ARRAY_SIZE(term_rows); i++)
		if (term_rows[i].use & use)
			event_near_try(&search, term_rows[i].name);
	if (pmu) {
		char dir[600];

		snprintf(dir, sizeof(dir), "%s/format", pmu->dir);
		event_near_files(&search, dir);
		snprintf(dir, sizeof(dir), "%s/events", pmu->dir);
		event_near_files(&search, dir);
		pmu_terms(pmu, known, sizeof(known));
	}
	if (event_near_found(&search))
		return scan_bad(s, t->at, SONDE_USAGE, "unknown term '%.40s'; did you mean '%.60s'?", t->name, near);
	return scan_bad(s, t->at, SONDE_USAGE, "unknown term '%.40s'%s%s", t->name, *known ? "; this PMU has " : "",
			known);
}

static int apply_term(struct event_scan *s, struct event *e, const struct pmu *pmu, const struct term *t,
		      enum term_use use)
{
	uint64_t raw;
	int r;

	if (*t->name == '@')
		return keep_driver_config(s, e, t);
	r = pmu_term(s, e, pmu, t);
	if (r == 0 && !t->has_value && pmu)
		r = event_alias(s, e, pmu, t->name, t->at);
	if (r == 0)
		r = vendor_on_pmu(s, e, pmu, t);
	if (r != 0)
		return r < 0 ? r : 0;
	for (size_t i = 0; i < ARRAY_SIZE(term_rows); i++) {
		const struct term_row *row = &term_rows[i];

		if (strcmp(t->name, row->name) != 0 || !(row->use & use))
			continue;
		if (!row->set(e, t))
			return scan_bad(s, t->at, SONDE_USAGE, "term '%s' expects %s", t->name, row->expects);
		return keep_text(s, e, t);
	}
	if (generic_on_pmu(s, e, pmu, t))
		return 0;
	if (pmu && ((!t->has_value && scan_raw(t->name, &raw)) ||
		    (!strcmp(t->name, "raw") && t->has_value && scan_number(t->value, &raw)))) {
		e->attr.config = raw;
		return 0;
	}
	return unknown_term(s, pmu, t, use);
}

int event_terms_apply(struct event_scan *s, struct event *e, const struct pmu *pmu, const char *text, const char *at)
{
	struct event_scan inner = *s;
	struct term t;
	int r = 0;

	inner.text = inner.p = text;
	inner.err = NULL;            /* The user has not written this text: one message for its place in his own. */
	while (r == 0 && *inner.p) {
		r = scan_term(&inner, &t);
		if (r == 0 && !strcmp(t.value, "?")) {
			strcpy(s->required, t.name);
		} else if (r == 0) {
			/* An alias of an alias does not exist: with a value only formats and general terms are looked
			 * at. */
			if (!t.has_value)
				strcpy(t.value, "1");
			t.has_value = true;
			r = apply_term(&inner, e, pmu, &t, USE_OTHER);
		}
		if (r == 0 && *inner.p == ',')
			inner.p++;
		else if (r == 0 && *inner.p)
			r = -SONDE_UNSUPPORTED;
	}
	if (r < 0 && r != -SONDE_NOMEM)
		return scan_bad(s, at, SONDE_UNSUPPORTED,
				"the machine describes this event as '%.80s', which is no list of terms", text);
	return r < 0 ? err_nomem(s->err) : 0;
}

/* NAME.unit, NAME.scale, NAME.per-pkg, NAME.snapshot */
static int read_presentation(struct event_scan *s, struct event *e, const struct pmu *pmu, const char *name)
{
	char path[NAME_MAX_BYTES + 16], text[64];
	struct plain_locale plain;

	snprintf(path, sizeof(path), "%s.unit", name);
	if (pmu_event(pmu, path, text, sizeof(text)) && !(e->unit = scan_keep(s, text, strlen(text))))
		return err_nomem(s->err);
	snprintf(path, sizeof(path), "%s.scale", name);
	if (pmu_event(pmu, path, text, sizeof(text))) {
		plain = plain_locale_begin();
		e->scale = strtod(text, NULL);
		plain_locale_end(plain);
	}
	snprintf(path, sizeof(path), "%s.per-pkg", name);
	e->per_pkg |= pmu_event(pmu, path, text, sizeof(text));
	snprintf(path, sizeof(path), "%s.snapshot", name);
	e->snapshot |= pmu_event(pmu, path, text, sizeof(text));
	return 0;
}

int event_alias(struct event_scan *s, struct event *e, const struct pmu *pmu, const char *name, const char *at)
{
	char text[ALIAS_BYTES];
	int r;

	if (!pmu_event(pmu, name, text, sizeof(text)))
		return 0;
	r = event_terms_apply(s, e, pmu, text, at);
	if (r == 0)
		r = read_presentation(s, e, pmu, name);
	return r < 0 ? r : 1;
}

/* "6.1e-5MiB": a number, and the unit after it */
static int split_scale_unit(struct event_scan *s, struct event *e, const char *text)
{
	struct plain_locale plain = plain_locale_begin();
	char *end;
	double scale = strtod(text, &end);

	plain_locale_end(plain);
	if (end != text)
		e->scale = scale;
	if (!*end)
		return 0;
	e->unit = scan_keep(s, end, strlen(end));
	return e->unit ? 0 : err_nomem(s->err);
}

int event_vendor(struct event_scan *s, struct event *e, const struct pmu *pmu, const struct vendor_event *vendor,
		 const char *at)
{
	int r = event_terms_apply(s, e, pmu, vendor->terms, at);

	e->per_pkg |= vendor->per_pkg;
	return r == 0 && vendor->scale_unit ? split_scale_unit(s, e, vendor->scale_unit) : r;
}

/* ---- the list between the slashes ---- */

int event_terms(struct event_scan *s, size_t first, const struct pmu *pmu, enum term_use use)
{
	struct term t;
	int r;

	s->p++;
	for (int nr = 0; *s->p != '/'; nr++) {
		scan_blanks(s);
		if (nr == TERMS_MAX)
			return scan_bad(s, s->p, SONDE_USAGE, "more than %d terms", TERMS_MAX);
		r = scan_term(s, &t);
		for (size_t i = first; r == 0 && i < s->list->n; i++)
			r = apply_term(s, &s->list->at[i], pmu, &t, use);
		if (r < 0)
			return r;
		if (!strcmp(t.name, s->required))
			s->required[0] = '\0';
		if (*s->p == ',')
			s->p++;
		else if (*s->p != '/')
			return scan_bad(s, s->p, SONDE_USAGE, "expected a comma or the slash that ends the terms");
	}
	if (s->required[0])
		return scan_bad(s, s->p, SONDE_USAGE, "this event needs %.60s=VALUE after its name", s->required);
	s->p++;
	return scan_modifiers(s, first, true);
}
