/* SPDX-License-Identifier: MIT */
#include "record/perf/event_near.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "record/perf/event_name.h"
#include "record/host/sysfile.h"

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

struct search {
	const char *name;
	size_t nearest;
	char *out;
	size_t size;
};

/* The first of equally near names wins. In short words two wrong letters make another word. */
static void look_at(struct search *s, const char *system, const char *candidate)
{
	size_t d = distance(s->name, candidate, FAR - 1);

	if (d >= s->nearest || (d > 0 && d >= strlen(s->name) / 2))
		return;
	s->nearest = d;
	snprintf(s->out, s->size, "%s%s%s", system ? system : "", system ? ":" : "", candidate);
}

/* The tracepoints of one system; "enable" and "filter" lie beside them. */
static void look_into(struct search *s, const char *tracefs, const char *system)
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

static void look_everywhere(struct search *s, const char *tracefs, const struct names *systems)
{
	for (size_t i = 0; i < systems->n && s->nearest > 0; i++)
		look_into(s, tracefs, systems->at[i]);
}

const char *event_near(const char *tracefs, const char *system, const char *name, char *out, size_t size)
{
	struct search s = { .name = name, .nearest = FAR, .out = out, .size = size };
	struct arena arena = { 0 };
	struct names systems = { 0 };
	const char *generic;
	char dir[512];

	if (tracefs) {
		snprintf(dir, sizeof(dir), "%s/events", tracefs);
		sysfile_list(&arena, dir, &systems);
	}
	if (!system) {
		for (size_t i = 0; (generic = event_name_at(i)); i++)
			look_at(&s, NULL, generic);
		if (is_one_of(&systems, name)) {
			s.nearest = 0;
			snprintf(out, size, "%s:*", name);
		}
	} else if (is_one_of(&systems, system)) {
		look_into(&s, tracefs, system);
	}
	if (s.nearest > 0)
		look_everywhere(&s, tracefs, &systems);
	/* sched_switch:u - the name of a tracepoint alone, and modifiers */
	if (s.nearest > 0 && system && !is_one_of(&systems, system)) {
		s.name = system;
		look_everywhere(&s, tracefs, &systems);
	}
	vec_free(&systems);
	arena_free(&arena);
	return s.nearest < FAR ? out : NULL;
}
