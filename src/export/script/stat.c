/* SPDX-License-Identifier: MIT */
#include "export/script/stat.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "model/event.h"

#define RECORD_THREAD_MAP 73
#define RECORD_STAT 76
#define RECORD_STAT_ROUND 77

/* The fields of a STAT. */
struct stat_fields {
	uint64_t id;
	struct stat_count count;
};

static int take_stat_field(void *ctx, const struct sonde_field *f)
{
	struct stat_fields *s = ctx;

	if (strcmp(f->name, "id") == 0)
		s->id = f->u;
	else if (strcmp(f->name, "cpu") == 0)
		s->count.cpu = (int32_t)f->u;
	else if (strcmp(f->name, "thread") == 0)
		s->count.thread = (uint32_t)f->u;
	else if (strcmp(f->name, "val") == 0)
		s->count.val = f->u;
	else if (strcmp(f->name, "ena") == 0)
		s->count.ena = f->u;
	else if (strcmp(f->name, "run") == 0)
		s->count.run = f->u;
	return 0;
}

static int take_stat(struct script_stat *s, const struct sonde_event *ev, const struct u64map *by_id)
{
	struct stat_fields f = { .id = SONDE_NONE };
	uint64_t key;
	uint32_t i;

	if (event_fields(ev, take_stat_field, &f) < 0)
		return 0;
	f.count.evsel = u64map_get(by_id, f.id);
	if (f.count.evsel == U64MAP_NONE)
		return 0;
	key = hash_two((uint64_t)f.count.evsel << 32 | f.count.thread, (uint32_t)f.count.cpu);
	i = u64map_get(&s->count_of, key);
	if (i != U64MAP_NONE) {
		s->counts.at[i] = f.count;
		return 0;
	}
	if (vec_push(&s->counts, f.count) < 0 || u64map_set(&s->count_of, key, (uint32_t)s->counts.n - 1) < 0)
		return -SONDE_NOMEM;
	return 0;
}

static int take_thread_field(void *ctx, const struct sonde_field *f)
{
	struct script_stat *s = ctx;

	return strcmp(f->name, "pid") == 0 ? vec_push(&s->threads, (int64_t)f->u) : 0;
}

static int take_time(void *ctx, const struct sonde_field *f)
{
	if (strcmp(f->name, "time") == 0)
		*(uint64_t *)ctx = f->u;
	return 0;
}

static int by_evsel(const void *a, const void *b)
{
	const struct stat_count *x = a, *y = b;

	if (x->evsel != y->evsel)
		return x->evsel < y->evsel ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Sorts the counts for good, so their index is made anew. */
static int sort_counts(struct script_stat *s)
{
	if (s->counts.n == 0)
		return 0;
	qsort(s->counts.at, s->counts.n, sizeof(*s->counts.at), by_evsel);
	for (size_t i = 0; i < s->counts.n; i++) {
		const struct stat_count *c = &s->counts.at[i];

		if (u64map_set(&s->count_of, hash_two((uint64_t)c->evsel << 32 | c->thread, (uint32_t)c->cpu),
			       (uint32_t)i) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static int print_round(struct script_stat *s, const struct sonde_event *ev, const struct sonde_evsel *const *evsels,
		       struct sonde_str name, struct buf *out)
{
	uint64_t time = 0;

	if (event_fields(ev, take_time, &time) < 0)
		return 0;
	if (sort_counts(s) < 0)
		return -SONDE_NOMEM;
	if (!s->begun)
		buf_put(out, name.p, name.len);
	if (!s->begun)
		buf_printf(out, "%3s %8s %15s %15s %15s %15s %s\n", "CPU", "THREAD", "VAL", "ENA", "RUN", "TIME",
			   "EVENT");
	s->begun = true;
	for (size_t i = 0; i < s->counts.n; i++) {
		const struct stat_count *c = &s->counts.at[i];
		int64_t thread = c->thread < s->threads.n ? s->threads.at[c->thread] : -1;

		buf_put(out, name.p, name.len);
		buf_printf(out, "%3d %8lld ", c->cpu, (long long)thread);
		buf_u64_width(out, c->val, 15);
		buf_char(out, ' ');
		buf_u64_width(out, c->ena, 15);
		buf_char(out, ' ');
		buf_u64_width(out, c->run, 15);
		buf_char(out, ' ');
		buf_u64_width(out, time, 15);
		buf_char(out, ' ');
		buf_text(out, evsels[c->evsel]->name, strlen(evsels[c->evsel]->name));
		buf_char(out, '\n');
	}
	return 0;
}

int script_stat_event(struct script_stat *s, const struct sonde_event *ev, const struct u64map *by_id,
		      const struct sonde_evsel *const *evsels, struct sonde_str name, struct buf *out)
{
	switch (ev->type) {
	case RECORD_THREAD_MAP:
		s->threads.n = 0;
		return event_fields(ev, take_thread_field, s) == -SONDE_NOMEM ? -SONDE_NOMEM : 0;
	case RECORD_STAT:
		return take_stat(s, ev, by_id);
	case RECORD_STAT_ROUND:
		return print_round(s, ev, evsels, name, out);
	}
	return 0;
}

void script_stat_free(struct script_stat *s)
{
	vec_free(&s->counts);
	vec_free(&s->threads);
	u64map_free(&s->count_of);
}
