/* SPDX-License-Identifier: MIT */
#include "export/summary/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/u64map.h"
#include "base/vec.h"
#include "order/read_samples.h"

struct type_stats {
	uint32_t type;
	uint64_t n;
};

struct evsel_stats {
	const struct sonde_evsel *evsel;  /* NULL: has no samples */
	uint64_t samples;
};

struct stats {
	struct summary summary;
	uint64_t n;
	VEC(struct type_stats) types;
	struct u64map index;         /* of types */
	VEC(struct evsel_stats) evsels;
	struct read_samples reads;
};

static int count_evsel(struct stats *s, const struct sonde_evsel *evsel)
{
	while (s->evsels.n <= evsel->index)
		if (vec_push(&s->evsels, ((struct evsel_stats){ 0 })) < 0)
			return -SONDE_NOMEM;
	s->evsels.at[evsel->index].evsel = evsel;
	s->evsels.at[evsel->index].samples++;
	return 0;
}

/* A record that has read counts is one record, and a sample of each event whose count has grown. */
static int count_samples(struct stats *s, const struct sonde_event *ev)
{
	struct loaded_event one;
	int r;

	if (ev->kind != SONDE_KIND_SAMPLE || !ev->evsel)
		return 0;
	if (!read_samples_take(&s->reads, ev))
		return count_evsel(s, ev->evsel);
	while ((r = read_samples_next(&s->reads, &one)) > 0)
		if (count_evsel(s, one.pub.evsel) < 0)
			return -SONDE_NOMEM;
	return r;
}

static int stats_event(struct summary *summary, const struct sonde_event *ev)
{
	struct stats *s = (struct stats *)summary;
	uint32_t i = u64map_get(&s->index, ev->type);

	if (i == U64MAP_NONE) {
		i = (uint32_t)s->types.n;
		if (vec_push(&s->types, ((struct type_stats){ .type = ev->type })) < 0 ||
		    u64map_set(&s->index, ev->type, i) < 0)
			return -SONDE_NOMEM;
	}
	s->types.at[i].n++;
	s->n++;
	return count_samples(s, ev);
}

static int compare_types(const void *x, const void *y)
{
	const struct type_stats *a = x, *b = y;

	return (a->type > b->type) - (a->type < b->type);
}

static void put_count(struct buf *out, const char *type, uint64_t n)
{
	buf_printf(out, "%20s events: %10llu", type, (unsigned long long)n);
}

static int stats_put(struct summary *summary, struct buf *out)
{
	struct stats *s = (struct stats *)summary;

	buf_str(out, "\nAggregated stats:\n");
	put_count(out, "TOTAL", s->n);
	buf_char(out, '\n');
	if (s->types.n)
		qsort(s->types.at, s->types.n, sizeof(*s->types.at), compare_types);
	for (size_t i = 0; i < s->types.n; i++) {
		const char *name = sonde_event_type_name(s->types.at[i].type);
		char number[16];

		snprintf(number, sizeof(number), "%u", s->types.at[i].type);
		put_count(out, name ? name : number, s->types.at[i].n);
		buf_printf(out, "  (%4.1f%%)\n", 100.0 * (double)s->types.at[i].n / (double)s->n);
	}
	for (size_t i = 0; i < s->evsels.n; i++) {
		const struct evsel_stats *e = &s->evsels.at[i];

		if (!e->evsel)
			continue;
		buf_text(out, e->evsel->name, strlen(e->evsel->name));
		buf_str(out, " stats:\n");
		put_count(out, "SAMPLE", e->samples);
		buf_char(out, '\n');
	}
	return 0;
}

static void stats_free(struct summary *summary)
{
	struct stats *s = (struct stats *)summary;

	vec_free(&s->types);
	vec_free(&s->evsels);
	u64map_free(&s->index);
	read_samples_free(&s->reads);
	free(s);
}

struct summary *summary_stats_new(void)
{
	struct stats *s = calloc(1, sizeof(*s));

	if (s)
		s->summary = (struct summary){ stats_event, stats_put, stats_free };
	return s ? &s->summary : NULL;
}
