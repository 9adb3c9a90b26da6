/* SPDX-License-Identifier: MIT */
#include <sonde/catalog.h>

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/error.h"
#include "api/base/text_output.h"
#include "api/record/catalog_sdt.h"
#include "base/json.h"
#include "record/event/catalog.h"
#include "record/host/tracefs.h"

struct sonde_catalog {
	struct catalog list;
	struct sonde_error err;
	bool opened;
};

struct sonde_catalog *sonde_catalog_new(void)
{
	struct sonde_catalog *c = calloc(1, sizeof(*c));

	if (c)
		err_clear(&c->err);
	return c;
}

void sonde_catalog_free(struct sonde_catalog *c)
{
	if (!c)
		return;
	vendor_events_free(&c->list.vendor);
	vec_free(&c->list);
	arena_free(&c->list.arena);
	free(c);
}

int sonde_catalog_open(struct sonde_catalog *c, const struct sonde_catalog_opts *opts)
{
	int r;

	err_clear(&c->err);
	if (OPTS_CHECK(sonde_catalog_opts, opts, &c->err) < 0)
		return -SONDE_USAGE;
	if (c->opened)
		return err_set(&c->err, SONDE_USAGE, SONDE_NONE, "the catalogue was opened before");
	c->opened = true;
	c->list.roots.sysfs = OPT(opts, sysfs, NULL) ? opts->sysfs : "/sys";
	c->list.roots.tracefs = OPT(opts, tracefs, NULL) ? opts->tracefs : tracefs_find();
	c->list.try_events = OPT(opts, try_events, false);
	c->list.formats = OPT(opts, formats, false);
	c->list.err = &c->err;
	for (size_t i = 0; i < OPT(opts, nr_event_files, 0); i++) {
		r = vendor_events_load(&c->list.vendor, opts->event_files[i], &c->err);
		if (r < 0)
			return r;
	}
	r = catalog_fill(&c->list);
	for (size_t i = 0; r == 0 && i < OPT(opts, nr_sdt_files, 0); i++)
		r = catalog_add_sdt(&c->list, opts->sdt_files[i]);
	/* The strings of the program may end with this call. */
	c->list.roots = (struct event_roots){ 0 };
	return r;
}

size_t sonde_catalog_count(const struct sonde_catalog *c)
{
	return c->list.n;
}

const struct sonde_catalog_event *sonde_catalog_at(const struct sonde_catalog *c, size_t i)
{
	return i < c->list.n ? &c->list.at[i] : NULL;
}

const struct sonde_error *sonde_catalog_error(const struct sonde_catalog *c)
{
	return &c->err;
}

static const struct {
	const char *word;
	enum sonde_catalog_kind kind;
} kinds[] = {
	{ "hw", SONDE_CATALOG_HARDWARE }, { "hardware", SONDE_CATALOG_HARDWARE }, { "sw", SONDE_CATALOG_SOFTWARE },
	{ "software", SONDE_CATALOG_SOFTWARE }, { "sw", SONDE_CATALOG_TOOL }, { "software", SONDE_CATALOG_TOOL },
	{ "tool", SONDE_CATALOG_TOOL }, { "cache", SONDE_CATALOG_CACHE }, { "hwcache", SONDE_CATALOG_CACHE },
	{ "pmu", SONDE_CATALOG_PMU }, { "raw", SONDE_CATALOG_RAW }, { "breakpoint", SONDE_CATALOG_BREAKPOINT },
	{ "tracepoint", SONDE_CATALOG_TRACEPOINT }, { "metric", SONDE_CATALOG_METRIC },
	{ "metrics", SONDE_CATALOG_METRIC }, { "metricgroup", SONDE_CATALOG_METRIC },
	{ "metricgroups", SONDE_CATALOG_METRIC }, { "sdt", SONDE_CATALOG_SDT },
};

/* A word without wildcards is a part of the name. */
static bool matches(const char *name, const char *word)
{
	if (!name)
		return false;
	if (strpbrk(word, "*?["))
		return fnmatch(word, name, FNM_CASEFOLD) == 0;
	return strcasestr(name, word) != NULL;
}

bool sonde_catalog_chooses(const struct sonde_catalog_event *e, const char *word)
{
	bool is_kind = false;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].word, word) != 0)
			continue;
		is_kind = true;
		if (kinds[i].kind == e->kind)
			return true;
	}
	if (is_kind)
		return false;
	if (!strncmp(word, "pmu:", 4))
		return e->kind == SONDE_CATALOG_PMU && (matches(e->pmu, word + 4) || matches(e->name, word + 4));
	return matches(e->name, word) || matches(e->alias, word) || matches(e->metric_group, word);
}

static int print_json(const struct sonde_catalog_event *e, const struct sonde_output *to, struct sonde_error *err)
{
	struct buf out = text_output(to, err);
	struct json j = json_new(&out);
	bool metric = e->kind == SONDE_CATALOG_METRIC;
	const struct {
		const char *key, *text;
	} rows[] = {
		{ "Unit", e->pmu }, { "Topic", e->topic }, { metric ? "MetricName" : "EventName", e->name },
		{ "EventAlias", e->alias }, { "ScaleUnit", e->scale_unit },
		{ "EventType", metric ? NULL : e->kind_name }, { "BriefDescription", e->description },
		{ "PublicDescription", e->long_description }, { "Encoding", e->encoding },
		{ "MetricGroup", e->metric_group }, { "MetricExpr", e->metric_expr },
		{ "MetricThreshold", e->metric_threshold }, { "Deprecated", e->deprecated ? "1" : NULL },
		{ "Unavailable", e->unavailable },
	};
	int r;

	json_object(&j);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].text)
			json_member_text(&j, rows[i].key, rows[i].text);
	json_end(&j);
	r = buf_flush(&out);
	buf_free(&out);
	return r;
}

int sonde_catalog_print_json(const struct sonde_catalog_event *e, const struct sonde_output *to,
			     struct sonde_error *err)
{
	WITH_ERROR(err, own, print_json(e, to, &own));
}
