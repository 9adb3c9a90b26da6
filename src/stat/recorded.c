/* SPDX-License-Identifier: MIT */
#include "stat/recorded.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "model/event.h"
#include "stat/keys.h"
#include "stat/records.h"

#define THREADS_MAX 65536
#define CELLS_MAX 65536        /* counts of a round: a recording may ask for any number of CPUs and rounds */
#define TASK_CLOCK PERF_COUNT_SW_TASK_CLOCK

/* The fields of a STAT or STAT_ROUND. */
struct recorded_counts {
	uint64_t id, val, ena, run, time;
	int32_t cpu, thread;
};

static int take_field(void *ctx, const struct sonde_field *f)
{
	struct recorded_counts *to = ctx;
	const struct {
		const char *name;
		uint64_t *to;
	} fields[] = {
		{ "id", &to->id }, { "val", &to->val }, { "ena", &to->ena }, { "run", &to->run }, { "time", &to->time },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(f->name, fields[i].name))
			*fields[i].to = f->u;
	if (!strcmp(f->name, "cpu"))
		to->cpu = (int32_t)f->u;
	if (!strcmp(f->name, "thread"))
		to->thread = (int32_t)f->u;
	return 0;
}

/* Tags with their values. */
struct config_walk {
	struct stat_recorded *recorded;
	uint64_t tag;
};

static int take_config(void *ctx, const struct sonde_field *f)
{
	struct config_walk *w = ctx;

	if (!strcmp(f->name, "tag"))
		w->tag = f->u;
	if (strcmp(f->name, "val") != 0)
		return 0;
	if (w->tag == STAT_TAG_AGGREGATION)
		w->recorded->mode = f->u;
	else if (w->tag == STAT_TAG_INTERVAL)
		w->recorded->interval = f->u;
	else if (w->tag == STAT_TAG_CACHE_LEVEL)
		w->recorded->has_level = true;
	return 0;
}

static int take_thread(void *ctx, const struct sonde_field *f)
{
	struct stat_recorded *r = ctx;

	if (strcmp(f->name, "pid") != 0 || r->tids.n >= THREADS_MAX)
		return 0;
	return vec_push(&r->tids, (int32_t)f->u);
}

/* Which CPUs share a row: by the program's choice, or as it was recorded. */
static void choose_rows(struct stat_recorded *r)
{
	struct stat_table *t = r->table;

	if (r->cells.n > 0)
		return;              /* keys of one kind only */
	t->recorded = &r->reader->meta;
	if (r->wanted != SONDE_STAT_BY_EVENT)
		t->by = r->wanted;
	else if (!stat_mode_by(r->mode, r->has_level, &t->by))
		t->by = SONDE_STAT_BY_EVENT;
	if (t->by < SONDE_STAT_BY_CORE || stat_keys_are_recorded(t->recorded, t->by))
		return;
	r->note = "the recording does not say which CPUs belong together: one line for each CPU";
	t->by = SONDE_STAT_BY_CPU;
}

/* ---- rows, keys and cells ---- */

static int add_row(struct stat_table *t, const struct sonde_evsel *evsel)
{
	struct stat_row row = { .event = evsel->index };

	row.is_clock = evsel->attr && evsel->attr->type == PERF_TYPE_SOFTWARE && evsel->attr->config <= TASK_CLOCK;
	row.scale = row.is_clock && evsel->scale == 1.0 ? 1e-6 : evsel->scale;
	row.name = strdup(evsel->name ? evsel->name : "");
	row.unit = strdup(evsel->unit ? evsel->unit : row.is_clock ? "msec" : "");
	row.cells = calloc(t->keys_cap, sizeof(*row.cells));
	if (row.name && row.unit && row.cells && vec_push(&t->rows, row) == 0)
		return 0;
	free(row.name);
	free(row.unit);
	free(row.cells);
	return -SONDE_NOMEM;
}

static int row_of(struct stat_recorded *r, const struct sonde_evsel *evsel, size_t *out)
{
	const uint32_t row = u64map_get(&r->rows, evsel->index);

	*out = row == U64MAP_NONE ? r->table->rows.n : row;
	if (row != U64MAP_NONE)
		return 0;
	return add_row(r->table, evsel) < 0 ? -SONDE_NOMEM : u64map_set(&r->rows, evsel->index, (uint32_t)*out);
}

static int key_of(struct stat_recorded *r, const struct recorded_counts *f, size_t *out)
{
	struct stat_table *t = r->table;
	int32_t tid = f->thread >= 0 && (size_t)f->thread < r->tids.n ? r->tids.at[f->thread] : f->thread;
	struct sonde_counter_value v = { .cpu = f->cpu, .tid = tid };
	size_t before = t->keys_cap;
	int key = stat_key_of(t, t->by, &v);

	if (key < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; t->keys_cap > before && i < t->rows.n; i++) {
		struct stat_cell *more = realloc(t->rows.at[i].cells, t->keys_cap * sizeof(*more));

		if (!more)
			return -SONDE_NOMEM;
		memset(&more[before], 0, (t->keys_cap - before) * sizeof(*more));
		t->rows.at[i].cells = more;
	}
	*out = (size_t)key;
	return 0;
}

static void set_now(struct recorded_cell *c, const struct recorded_counts *f)
{
	c->now.raw = f->val;
	c->now.time_enabled = f->ena;
	c->now.time_running = f->run;
}

static uint64_t place_hash(struct stat_recorded *r, const struct recorded_counts *f)
{
	const uint64_t place = (uint64_t)(uint32_t)f->cpu << 32 | (uint32_t)f->thread;

	return hash_u64(hash_u64(hash_index_seed(&r->places) ^ f->id) ^ place);
}

static int add_cell(struct stat_recorded *r, uint64_t hash, const struct recorded_counts *f,
		    const struct sonde_evsel *evsel)
{
	struct recorded_cell c = { .id = f->id, .cpu = f->cpu, .thread = f->thread };

	if (key_of(r, f, &c.key) < 0 || row_of(r, evsel, &c.row) < 0)
		return -SONDE_NOMEM;
	set_now(&c, f);
	if (vec_push(&r->cells, c) < 0 || hash_index_add(&r->places, hash, (uint32_t)r->cells.n - 1) < 0)
		return -SONDE_NOMEM;
	if (r->cells.n > CELLS_MAX || r->table->rows.n * r->table->nr_keys > CELLS_MAX)
		return -SONDE_UNSUPPORTED;
	r->table->rows.at[c.row].cells[c.key].nr++;
	return 0;
}

/* A stream tells its events as it goes. The first event with an id is the one. */
static int learn_ids(struct stat_recorded *r)
{
	for (; r->nr_known < r->reader->evsels.n; r->nr_known++) {
		const struct sonde_evsel *e = r->reader->evsels.at[r->nr_known];

		for (size_t k = 0; k < e->nr_ids; k++)
			if (u64map_get(&r->ids, e->ids[k]) == U64MAP_NONE &&
			    u64map_set(&r->ids, e->ids[k], (uint32_t)r->nr_known) < 0)
				return -SONDE_NOMEM;
	}
	return 0;
}

static int take_counts(struct stat_recorded *r, const struct recorded_counts *f)
{
	const uint64_t hash = place_hash(r, f);
	uint32_t event, i;

	hash_index_each(&r->places, hash, i) {
		struct recorded_cell *c = &r->cells.at[i];

		if (c->id != f->id || c->cpu != f->cpu || c->thread != f->thread)
			continue;
		set_now(c, f);
		return 0;
	}
	if (learn_ids(r) < 0)
		return -SONDE_NOMEM;
	event = u64map_get(&r->ids, f->id);
	if (event == U64MAP_NONE)
		return 0;
	r->any = true;
	return add_cell(r, hash, f, r->reader->evsels.at[event]);
}

/* ---- rounds ---- */

static void set_cell(struct stat_cell *cell, const struct sonde_counter_value *sum)
{
	double value = (double)sum->raw;

	if (sum->time_running && sum->time_running < sum->time_enabled)
		value = value * (double)sum->time_enabled / (double)sum->time_running;
	cell->value = cell->enabled = cell->running = (struct stat_mean){ .n = 0 };
	stat_mean_add(&cell->value, value);
	stat_mean_add(&cell->enabled, (double)sum->time_enabled);
	stat_mean_add(&cell->running, (double)sum->time_running);
}

static int end_round(struct stat_recorded *r, uint64_t time)
{
	struct stat_table *t = r->table;
	struct sonde_counter_value *sums = calloc(t->rows.n * t->nr_keys + 1, sizeof(*sums));

	if (!sums)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < r->cells.n; i++) {
		struct recorded_cell *c = &r->cells.at[i];
		struct sonde_counter_value *sum = &sums[c->row * t->nr_keys + c->key];

		sum->raw += c->now.raw - c->before.raw;
		sum->time_enabled += c->now.time_enabled - c->before.time_enabled;
		sum->time_running += c->now.time_running - c->before.time_running;
		c->before = c->now;
	}
	for (size_t i = 0; i < t->rows.n; i++)
		for (size_t k = 0; k < t->nr_keys; k++)
			set_cell(&t->rows.at[i].cells[k], &sums[i * t->nr_keys + k]);
	free(sums);
	r->time = time;
	t->seconds = (double)(time - (r->interval ? r->last_round : 0)) * 1e-9;
	r->last_round = time;
	return 1;
}

void stat_recorded_begin(struct stat_recorded *r, struct stat_table *t, const struct reader *reader,
			 enum sonde_stat_by wanted)
{
	*r = (struct stat_recorded){ .table = t, .reader = reader, .wanted = wanted };
	t->runs = 1;
}

/* A record that is cut counts for nothing. */
static int take(struct stat_recorded *r, const struct sonde_event *ev)
{
	struct config_walk config = { r, UINT64_MAX };
	struct recorded_counts f = { 0 };

	switch (ev->type) {
	case STAT_CONFIG:
		event_fields(ev, take_config, &config);
		choose_rows(r);
		return 0;
	case STAT_THREAD_MAP:
		return event_fields(ev, take_thread, r) == -SONDE_NOMEM ? -SONDE_NOMEM : 0;
	case STAT_COUNT:
		return event_fields(ev, take_field, &f) < 0 ? 0 : take_counts(r, &f);
	case STAT_ROUND:
		return event_fields(ev, take_field, &f) < 0 ? 0 : end_round(r, f.time);
	default:
		return 0;
	}
}

int stat_recorded_take(struct stat_recorded *r, const struct sonde_event *ev, struct sonde_error *err)
{
	int status = take(r, ev);

	if (status == -SONDE_UNSUPPORTED)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "the recording has more than %d counts in a round",
			       CELLS_MAX);
	return status == -SONDE_NOMEM ? err_nomem(err) : status;
}

void stat_recorded_free(struct stat_recorded *r)
{
	u64map_free(&r->ids);
	u64map_free(&r->rows);
	vec_free(&r->cells);
	hash_index_free(&r->places);
	vec_free(&r->tids);
}
