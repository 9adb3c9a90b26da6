/* SPDX-License-Identifier: MIT */
#include "record/event/event_near.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "record/event/event_name.h"
#include "record/host/pmu.h"

#define FAR 3                  /* this many letters off is too far */

/* Edit distance, given up beyond `limit`; names longer than any event's are far. */
static size_t distance(const char *a, const char *b, size_t limit)
{
	size_t row[128], n = strlen(b), m = strlen(a);

	if (n >= ARRAY_SIZE(row) || (m > n ? m - n : n - m) > limit)
		return limit + 1;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; i <= m; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t change = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
			if (change < row[j])
				row[j] = change;
		}
	}
	return row[n];
}

struct near_search event_near_begin(const char *name, char *out, size_t size)
{
	return (struct near_search){ .name = name, .distance = FAR, .out = out, .size = size };
}

/* The first of equally near names wins. In short words two wrong letters make another word. */
static void look_at(struct near_search *s, const char *system, const char *candidate)
{
	size_t d = distance(s->name, candidate, FAR - 1);

	if (d >= s->distance || (d > 0 && d >= strlen(s->name) / 2))
		return;
	s->distance = d;
	snprintf(s->out, s->size, "%s%s%s", system ? system : "", system ? ":" : "", candidate);
}

void event_near_try(struct near_search *s, const char *candidate)
{
	look_at(s, NULL, candidate);
}

bool event_near_found(const struct near_search *s)
{
	return s->distance < FAR;
}

void event_near_files(struct near_search *s, const char *dir)
{
	struct arena arena = { 0 };
	struct names names = { 0 };

	sysfile_list(&arena, dir, &names);
	for (size_t i = 0; i < names.n; i++)
		event_near_try(s, names.at[i]);
	vec_free(&names);
	arena_free(&arena);
}

/* The events that PMUs name. */
static void look_at_pmus(struct near_search *s, const char *sysfs)
{
	struct arena arena = { 0 };
	struct names pmus = { 0 };
	char dir[600];

	pmu_all(&arena, sysfs, &pmus);
	for (size_t i = 0; i < pmus.n; i++) {
		snprintf(dir, sizeof(dir), "%s/bus/event_source/devices/%s/events", sysfs, pmus.at[i]);
		event_near_files(s, dir);
	}
	vec_free(&pmus);
	arena_free(&arena);
}

/* The tracepoints of one system; "enable" and "filter" lie beside them. */
static void look_into(struct near_search *s, const char *tracefs, const char *system)
{
	struct arena arena = { 0 };
	struct names points = { 0 };
	char dir[512];

	snprintf(dir, sizeof(dir), "%s/events/%s", tracefs, system);
	sysfile_list(&arena, dir, &points);
	for (size_t i = 0; i < points.n; i++)
		if (strcmp(points.at[i], "enable") != 0 && strcmp(points.at[i], "filter") != 0)
			look_at(s, system, points.at[i]);
	vec_free(&points);
	arena_free(&arena);
}

static bool is_one_of(const struct names *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->at[i], name))
			return true;
	return false;
}

static void look_everywhere(struct near_search *s, const char *tracefs, const struct names *systems)
{
	for (size_t i = 0; i < systems->n && s->distance > 0; i++)
		look_into(s, tracefs, systems->at[i]);
}

const char *event_near(const struct event_roots *roots, const char *system, const char *name, char *out, size_t size)
{
	struct near_search s = event_near_begin(name, out, size);
	const char *tracefs = roots->tracefs, *generic;
	struct arena arena = { 0 };
	struct names systems = { 0 };
	char dir[512];

	if (tracefs) {
		snprintf(dir, sizeof(dir), "%s/events", tracefs);
		sysfile_list(&arena, dir, &systems);
	}
	if (!system) {
		for (size_t i = 0; (generic = event_name_at(i)); i++)
			look_at(&s, NULL, generic);
		look_at_pmus(&s, roots->sysfs);
		if (is_one_of(&systems, name)) {
			s.distance = 0;
			snprintf(out, size, "%s:*", name);
		}
	} else if (is_one_of(&systems, system)) {
		look_into(&s, tracefs, system);
	}
	if (s.distance > 0)
		look_everywhere(&s, tracefs, &systems);
	/* sched_switch:u - the name of a tracepoint alone, and modifiers */
	if (s.distance > 0 && system && !is_one_of(&systems, system)) {
		s.name = system;
		look_everywhere(&s, tracefs, &systems);
	}
	vec_free(&systems);
	arena_free(&arena);
	return event_near_found(&s) ? out : NULL;
}
