/* SPDX-License-Identifier: MIT */
#include "export/summary/threads.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/u64map.h"
#include "base/vec.h"
#include "model/event.h"

struct thread_row {
	int32_t pid, tid;
	VEC(uint64_t) values;        /* by column */
};

struct threads {
	struct summary summary;
	VEC(const struct sonde_evsel *) columns;
	VEC(struct thread_row) lines;
	struct u64map by_tid, by_evsel;
};

/* The fields of a READ record with one value. */
struct read_fields {
	int32_t pid, tid;
	uint64_t value;
};

static int take_field(void *ctx, const struct sonde_field *field)
{
	struct read_fields *r = ctx;

	if (strcmp(field->name, "pid") == 0)
		r->pid = (int32_t)field->u;
	else if (strcmp(field->name, "tid") == 0)
		r->tid = (int32_t)field->u;
	else if (strcmp(field->name, "value") == 0)
		r->value = field->u;
	return 0;
}

static size_t column_of(struct threads *t, const struct sonde_evsel *evsel)
{
	uint32_t i = u64map_get(&t->by_evsel, evsel->index);

	if (i != U64MAP_NONE)
		return i;
	i = (uint32_t)t->columns.n;
	return vec_push(&t->columns, evsel) < 0 || u64map_set(&t->by_evsel, evsel->index, i) < 0 ? SIZE_MAX : i;
}

static struct thread_row *line_of(struct threads *t, const struct read_fields *r)
{
	uint64_t key = (uint64_t)(uint32_t)r->pid << 32 | (uint32_t)r->tid;
	uint32_t i = u64map_get(&t->by_tid, key);

	if (i != U64MAP_NONE)
		return &t->lines.at[i];
	i = (uint32_t)t->lines.n;
	if (vec_push(&t->lines, ((struct thread_row){ .pid = r->pid, .tid = r->tid })) < 0 ||
	    u64map_set(&t->by_tid, key, i) < 0)
		return NULL;
	return &t->lines.at[i];
}

static int threads_event(struct summary *summary, const struct sonde_event *ev)
{
	struct threads *t = (struct threads *)summary;
	struct read_fields r = { -1, -1, 0 };
	struct thread_row *line;
	size_t column;

	if (ev->type != PERF_RECORD_READ || !ev->evsel || event_fields(ev, take_field, &r) < 0)
		return 0;
	column = column_of(t, ev->evsel);
	line = column == SIZE_MAX ? NULL : line_of(t, &r);
	if (!line)
		return -SONDE_NOMEM;
	while (line->values.n <= column)
		if (vec_push(&line->values, 0) < 0)
			return -SONDE_NOMEM;
	line->values.at[column] += r.value;
	return 0;
}

static uint64_t value_at(const struct thread_row *line, size_t column)
{
	return column < line->values.n ? line->values.at[column] : 0;
}

static int digits(uint64_t v)
{
	int n = 1;

	for (; v > 9; v /= 10)
		n++;
	return n;
}

static int width_of_numbers(const struct threads *t, bool pid)
{
	int width = 3;               /* of the title */

	for (size_t i = 0; i < t->lines.n; i++) {
		int n = snprintf(NULL, 0, "%d", pid ? t->lines.at[i].pid : t->lines.at[i].tid);

		width = n > width ? n : width;
	}
	return width;
}

static int width_of_column(const struct threads *t, size_t column)
{
	int width = (int)strlen(t->columns.at[column]->name);

	for (size_t i = 0; i < t->lines.n; i++) {
		int n = digits(value_at(&t->lines.at[i], column));

		width = n > width ? n : width;
	}
	return width;
}

static int threads_put(struct summary *summary, struct buf *out)
{
	struct threads *t = (struct threads *)summary;
	int pids = width_of_numbers(t, true), tids = width_of_numbers(t, false);

	buf_printf(out, "# %*s  %*s", pids, "PID", tids, "TID");
	for (size_t c = 0; c < t->columns.n; c++) {
		buf_str(out, "  ");
		buf_str_right(out, t->columns.at[c]->name, strlen(t->columns.at[c]->name), width_of_column(t, c));
	}
	buf_char(out, '\n');
	for (size_t i = 0; i < t->lines.n; i++) {
		buf_printf(out, "  %*d  %*d", pids, t->lines.at[i].pid, tids, t->lines.at[i].tid);
		for (size_t c = 0; c < t->columns.n; c++) {
			buf_str(out, "  ");
			buf_u64_width(out, value_at(&t->lines.at[i], c), width_of_column(t, c));
		}
		buf_char(out, '\n');
	}
	return 0;
}

static void threads_free(struct summary *summary)
{
	struct threads *t = (struct threads *)summary;

	for (size_t i = 0; i < t->lines.n; i++)
		vec_free(&t->lines.at[i].values);
	vec_free(&t->lines);
	vec_free(&t->columns);
	u64map_free(&t->by_tid);
	u64map_free(&t->by_evsel);
	free(t);
}

struct summary *summary_threads_new(void)
{
	struct threads *t = calloc(1, sizeof(*t));

	if (t)
		t->summary = (struct summary){ threads_event, threads_put, threads_free };
	return t ? &t->summary : NULL;
}
