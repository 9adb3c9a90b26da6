/* SPDX-License-Identifier: MIT */
#include "record/event/catalog_pmu.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "record/host/pmu.h"

#define TEXT_BYTES 1024

/* PMUs that are recorded without the name of an event. */
static const char *const bare[] = { "intel_pt", "intel_bts", "arm_spe_", "cs_etm", "hisi_ptt", "ibs_op", "ibs_fetch" };

static const char *keep(struct catalog *c, const char *text)
{
	return arena_strndup(&c->arena, text, strlen(text));
}

/* "uncore_imc" of "uncore_imc_3"; the length of the whole name if no number ends it. */
static size_t stem_length(const char *pmu)
{
	const char *tail = strrchr(pmu, '_');

	return tail && tail[1] && !tail[1 + strspn(tail + 1, "0123456789")] ? (size_t)(tail - pmu) : strlen(pmu);
}

/* Pieces of one unit follow each other: the next one in the list has the same stem. */
static bool same_unit(const char *a, const char *b)
{
	size_t n = stem_length(a);

	return a[n] && b[stem_length(b)] && n == stem_length(b) && !strncmp(a, b, n);
}

/* "event=0x3c,term=?": a term that the user gives, as a part of the name. */
static void append_required(char *name, size_t cap, const char *terms)
{
	for (const char *p = terms, *end; *p; p = end + (*end == ',')) {
		size_t n = strlen(name);

		end = p + strcspn(p, ",");
		if (end - p > 2 && !strncmp(end - 2, "=?", 2))
			snprintf(name + n, cap - n, ",%.*s", (int)(end - p), p);
	}
}

/* "6.1e-5MiB" of NAME.scale and NAME.unit */
static const char *scale_unit(struct catalog *c, const struct pmu *pmu, const char *name)
{
	char path[300], scale[64], unit[64], text[130];

	snprintf(path, sizeof(path), "%.255s.scale", name);
	if (!pmu_event(pmu, path, scale, sizeof(scale)))
		scale[0] = '\0';
	snprintf(path, sizeof(path), "%.255s.unit", name);
	if (!pmu_event(pmu, path, unit, sizeof(unit)))
		unit[0] = '\0';
	if (!*scale && !*unit)
		return NULL;
	snprintf(text, sizeof(text), "%s%s", *scale ? scale : "1", unit);
	return keep(c, text);
}

static int add_event(struct catalog *c, const struct pmu *pmu, const char *unit, const char *name)
{
	char terms[TEXT_BYTES], full[2 * TEXT_BYTES], encoding[2 * TEXT_BYTES];
	struct sonde_catalog_event e = { .kind = SONDE_CATALOG_PMU, .kind_name = "Kernel PMU event", .pmu = unit };

	if (!pmu_event(pmu, name, terms, sizeof(terms)))
		return 0;
	snprintf(full, sizeof(full), "%s/%s", unit, name);
	append_required(full, sizeof(full) - 1, terms);
	strcat(full, "/");
	snprintf(encoding, sizeof(encoding), "%s/%s/", unit, terms);
	e.alias = pmu->core ? keep(c, full) : NULL;
	e.name = keep(c, pmu->core ? name : full);
	e.encoding = keep(c, encoding);
	e.scale_unit = scale_unit(c, pmu, name);
	return !e.name || !e.encoding || vec_push(c, e) < 0 ? err_nomem(c->err) : 0;
}

static int add_bare(struct catalog *c, const struct pmu *pmu)
{
	struct sonde_catalog_event e = { .kind = SONDE_CATALOG_PMU, .kind_name = "Kernel PMU event" };
	char name[80];

	for (size_t i = 0; i < ARRAY_SIZE(bare); i++) {
		if (strncmp(pmu->name, bare[i], strlen(bare[i])) != 0)
			continue;
		snprintf(name, sizeof(name), "%s//", pmu->name);
		e.pmu = keep(c, pmu->name);
		e.name = keep(c, name);
		return !e.pmu || !e.name || vec_push(c, e) < 0 ? err_nomem(c->err) : 0;
	}
	return 0;
}

static int add_pmu(struct catalog *c, const struct pmu *pmu, const char *unit)
{
	struct names names = { 0 };
	int r = add_bare(c, pmu);

	pmu_events(pmu, &c->arena, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++)
		r = add_event(c, pmu, unit, names.at[i]);
	vec_free(&names);
	return r;
}

int catalog_pmu_events(struct catalog *c)
{
	struct names all = { 0 };
	int r = 0;

	pmu_all(&c->arena, c->roots.sysfs, &all);
	for (size_t i = 0; r == 0 && i < all.n; i++) {
		const char *unit = all.at[i];
		struct pmu pmu;
		size_t next = i + 1;

		if (!pmu_open(&pmu, c->roots.sysfs, unit) || pmu.type == PERF_TYPE_TRACEPOINT ||
		    pmu.type == PERF_TYPE_SOFTWARE || pmu.type == PERF_TYPE_BREAKPOINT)
			continue;
		while (next < all.n && same_unit(all.at[i], all.at[next]))
			next++;
		if (next > i + 1 && !(unit = arena_strndup(&c->arena, unit, stem_length(unit))))
			r = err_nomem(c->err);
		r = r < 0 ? r : add_pmu(c, &pmu, unit);
		i = next - 1;
	}
	vec_free(&all);
	return r;
}
