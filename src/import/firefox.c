/* SPDX-License-Identifier: MIT */
/*
 * firefox.c - processed profiles of the Firefox Profiler: threads with samples by time
 *
 * The format has no schema but its readers' upgrades (src/profile-logic/process-profile.js of firefox-devtools). Its
 * columns tell the version: tables belong to a thread or, from 60 on, to all of them.
 */
#include "import/firefox.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/profile_tasks.h"
#include "base/bytes.h"
#include "base/str.h"
#include "import/firefox_stacks.h"

static const uint8_t binary_magic[] = { 0xdc, 0xdf, 0x4a, 0x53, 0x4c, 0x42, 0x01, 0x00 };

enum { MS_TO_NS = 1000000 };

struct firefox_import {
	struct import *im;
	struct buf text;
	bool by_sonde;               /* a CPU delta is the period of the event */
	struct buf event;            /* its name, as sonde writes it */
	double cpu_ns;               /* of a unit of threadCPUDelta; 0: not known */
	double zero_ns;              /* of the clock, at time 0 */
	bool has_shared;
	struct firefox_stacks shared;
	VEC(const struct binary *) libs;
	VEC(bool) is_kernel;         /* by category */
	struct firefox_context context;
	/* of the thread at hand */
	struct firefox_stacks *tables;
	uint32_t task;
};

/* ---- the head ---- */

static int take_categories(struct firefox_import *w, struct json_cursor list)
{
	int r;

	for (r = jcur_first(&list, '['); r > 0; r = jcur_next(&list, ']')) {
		struct json_member_at m[] = { { .name = "name" } };
		struct sonde_str name = { "", 0 };

		if (json_find_members(&list, m, 1) < 0)
			return -SONDE_CORRUPT;
		if (m[0].found)
			jcur_text(&m[0].at, &name);
		if (vec_push(&w->is_kernel, str_is(name, "Kernel")) < 0)
			return -SONDE_NOMEM;
	}
	return r;
}

static void take_units(struct firefox_import *w, struct json_cursor units)
{
	struct json_member_at m[] = { { .name = "threadCPUDelta" } };
	struct sonde_str unit;

	json_find_members(&units, m, 1);
	if (!m[0].found || jcur_text(&m[0].at, &unit) <= 0)
		return;
	if (str_is(unit, "ns"))
		w->cpu_ns = 1;
	else if (str_is(unit, "\xc2\xb5s") || str_is(unit, "us"))
		w->cpu_ns = 1000;
}

/* "Event" of the entries of a section. */
static void take_event_name(struct firefox_import *w, struct json_cursor entries)
{
	struct sonde_str text;

	for (int r = jcur_first(&entries, '['); r > 0; r = jcur_next(&entries, ']')) {
		struct json_member_at m[] = { { .name = "label" }, { .name = "value" } };

		json_find_members(&entries, m, 2);
		if (!m[0].found || !m[1].found || jcur_text(&m[0].at, &text) < 0 || !str_is(text, "Event"))
			continue;
		w->event.n = 0;
		if (jcur_text(&m[1].at, &text) > 0)
			buf_put(&w->event, text.p, text.len);
	}
}

static void take_extra(struct firefox_import *w, struct json_cursor sections)
{
	for (int r = jcur_first(&sections, '['); r > 0; r = jcur_next(&sections, ']')) {
		struct json_member_at entries = { .name = "entries" };

		json_find_members(&sections, &entries, 1);
		if (entries.found)
			take_event_name(w, entries.at);
	}
}

static int take_meta(struct firefox_import *w, struct json_cursor meta)
{
	enum { VERSION, CATEGORIES, UNITS, FROM, ZERO, EXTRA, NR };
	struct json_member_at m[NR] = {
		[VERSION] = { .name = "preprocessedProfileVersion" }, [CATEGORIES] = { .name = "categories" },
		[UNITS] = { .name = "sampleUnits" }, [FROM] = { .name = "importedFrom" },
		[ZERO] = { .name = "startTimeAsClockMonotonicNanosecondsSinceBoot" }, [EXTRA] = { .name = "extra" },
	};
	struct sonde_str from = { "", 0 };
	int r = json_find_members(&meta, m, NR);

	if (r == 0 && !m[VERSION].found)
		return err_set(
			w->im->err, SONDE_UNSUPPORTED, SONDE_NONE,
			"is a raw profile of Gecko: open it in profiler.firefox.com and save it there");
	if (m[FROM].found)
		jcur_text(&m[FROM].at, &from);
	w->by_sonde = str_begins(from, "sonde ");
	if (w->by_sonde && m[EXTRA].found)
		take_extra(w, m[EXTRA].at);
	if (m[ZERO].found && jcur_peek(&m[ZERO].at) != '"')
		jcur_number(&m[ZERO].at, &w->zero_ns);
	if (m[UNITS].found && jcur_peek(&m[UNITS].at) == '{')
		take_units(w, m[UNITS].at);
	return r == 0 && m[CATEGORIES].found ? take_categories(w, m[CATEGORIES].at) : r;
}

static int take_lib(struct firefox_import *w, struct json_cursor *c)
{
	struct json_member_at m[] = { { .name = "path" }, { .name = "name" }, { .name = "codeId" } };
	struct sonde_str name = { "", 0 }, build_id = { "", 0 };
	struct buf path = BUF_MEMORY;
	const struct binary *b;

	if (json_find_members(c, m, 3) < 0)
		return -SONDE_CORRUPT;
	for (size_t i = 0; i < 2 && !name.len; i++)
		if (m[i].found)
			jcur_text(&m[i].at, &name);
	if (!name.len)
		name = (struct sonde_str){ "[unknown]", 9 };
	buf_put(&path, name.p, name.len);  /* the next text takes its place */
	if (m[2].found && jcur_peek(&m[2].at) == '"')
		jcur_text(&m[2].at, &build_id);
	b = path.failed ? NULL : import_binary(w->im, (struct sonde_str){ path.p, path.n }, build_id);
	buf_free(&path);
	return b ? vec_push(&w->libs, b) : -SONDE_NOMEM;
}

static int take_libs(struct firefox_import *w, struct json_cursor list)
{
	int r;

	for (r = jcur_first(&list, '['); r > 0; r = jcur_next(&list, ']')) {
		r = take_lib(w, &list);
		if (r < 0)
			return r;
	}
	return r;
}

/* ---- samples ---- */

enum { STACK, TIME, DELTAS, WEIGHT, WEIGHT_TYPE, CPU, NR_COLUMNS };

/* A column of samples, read row by row; one that is null or not there has no rows. */
struct sample_column {
	struct json_cursor c;
	int more;                    /* as jcur_next() */
};

static struct sample_column column_of(const struct json_member_at *m)
{
	struct sample_column col = { .c = m->at };

	if (m->found && jcur_peek(&col.c) == '[')
		col.more = jcur_first(&col.c, '[');
	return col;
}

/* 1; 0 for null, or behind the last row; negative on failure. */
static int column_next(struct sample_column *col, double *out)
{
	int r = col->more;

	*out = 0;
	if (r <= 0)
		return r;
	r = jcur_number(&col->c, out);
	col->more = r < 0 ? r : jcur_next(&col->c, ']');
	return col->more < 0 ? col->more : r;
}

struct sample_columns {
	struct sample_column at[NR_COLUMNS];
	bool has_weights, has_cpu;
	uint32_t event, cpu_event;   /* cpu_event: UINT32_MAX if there is none */
	double factor;               /* of weights */
};

static const struct { const char *type; const char *event; double factor; bool is_ns; } weight_types[] = {
	{ "samples", "samples", 1, false }, { "tracing-ms", "time", MS_TO_NS, true }, { "bytes", "bytes", 1, false },
};

static int find_events(struct firefox_import *w, struct sample_columns *s, const struct json_member_at *type)
{
	struct json_cursor c = type->at;
	struct sonde_str text = { "samples", 7 }, name;
	size_t kind = 0;
	bool is_ns;

	if (type->found && jcur_text(&c, &text) < 0)
		return -SONDE_CORRUPT;
	for (size_t i = 0; i < ARRAY_SIZE(weight_types); i++)
		if (str_is(text, weight_types[i].type))
			kind = i;
	is_ns = weight_types[kind].is_ns || (w->by_sonde && s->has_cpu && w->cpu_ns == 1);
	name = (struct sonde_str){ weight_types[kind].event, strlen(weight_types[kind].event) };
	if (is_ns && !weight_types[kind].is_ns)
		name = (struct sonde_str){ "cpu", 3 };
	if (w->event.n)
		name = (struct sonde_str){ w->event.p, w->event.n };
	s->factor = weight_types[kind].factor;
	s->event = imported_event(w->im->profile, name, is_ns);
	s->cpu_event = UINT32_MAX;
	if (s->event == UINT32_MAX || w->event.failed)
		return -SONDE_NOMEM;
	if (!s->has_cpu || w->by_sonde || w->cpu_ns <= 0)
		return 0;
	s->cpu_event = imported_event(w->im->profile, (struct sonde_str){ "cpu", 3 }, true);
	return s->cpu_event == UINT32_MAX ? -SONDE_NOMEM : 0;
}

/* A row: the stack, and the time and weights that there are. */
struct firefox_row { double stack, time, delta, weight, cpu; bool has_stack, has_time, has_cpu; };

static int next_row(struct sample_columns *s, struct firefox_row *row)
{
	int stack = column_next(&s->at[STACK], &row->stack), time = column_next(&s->at[TIME], &row->time), deltas, cpu,
	    weight;

	deltas = column_next(&s->at[DELTAS], &row->delta);
	weight = column_next(&s->at[WEIGHT], &row->weight);
	cpu = column_next(&s->at[CPU], &row->cpu);
	if (stack < 0 || time < 0 || deltas < 0 || weight < 0 || cpu < 0)
		return -SONDE_CORRUPT;
	row->has_stack = stack > 0;
	row->has_time = time > 0 || deltas > 0;
	row->has_cpu = cpu > 0;
	if (!s->has_weights)
		row->weight = 1;
	return 0;
}

static uint64_t time_of(const struct firefox_import *w, double ms)
{
	double ns = round(w->zero_ns + ms * MS_TO_NS);

	return ns >= 0 && ns < 0x1p63 ? (uint64_t)ns : SONDE_NONE;
}

static int add_row(struct firefox_import *w, const struct sample_columns *s, const struct firefox_row *row, double time,
		   uint64_t at)
{
	struct imported_sample sample = { .event = s->event, .task = w->task, .samples = 1, .time = SONDE_NONE };
	int r;

	if (!row->has_stack)     /* the thread was idle */
		return 0;
	if (row->has_time)
		sample.time = time_of(w, time);
	r = firefox_stacks_at(w->tables, row->stack, at, &sample.stack);
	if (r < 0)
		return r;
	if (import_weight(w->im, row->weight, s->factor, at, &sample.period))
		r = import_sample(w->im, &sample, at);
	if (r < 0 || s->cpu_event == UINT32_MAX || !row->has_cpu)
		return r;
	sample.event = s->cpu_event;
	return import_weight(w->im, row->cpu, w->cpu_ns, at, &sample.period) ? import_sample(w->im, &sample, at) : 0;
}

static int take_samples(struct firefox_import *w, struct json_cursor c)
{
	struct json_member_at m[NR_COLUMNS] = {
		[STACK] = { .name = "stack" }, [TIME] = { .name = "time" }, [DELTAS] = { .name = "timeDeltas" },
		[WEIGHT] = { .name = "weight" }, [WEIGHT_TYPE] = { .name = "weightType" },
		[CPU] = { .name = "threadCPUDelta" },
	};
	struct sample_columns s = { 0 };
	double sum = 0;
	int all = json_find_members(&c, m, NR_COLUMNS), r;

	for (size_t i = 0; i < NR_COLUMNS; i++)
		if (i != WEIGHT_TYPE)
			s.at[i] = column_of(&m[i]);
	s.has_cpu = s.at[CPU].more > 0;
	if (w->by_sonde && m[CPU].found) {
		s.at[WEIGHT] = s.at[CPU];
		s.has_cpu = true;        /* also without rows: the event is the same in each thread */
	}
	s.has_weights = s.at[WEIGHT].more > 0;
	r = find_events(w, &s, &m[WEIGHT_TYPE]);
	while (r == 0 && s.at[STACK].more > 0) {
		uint64_t at = jcur_at(&s.at[STACK].c);
		bool is_delta = s.at[TIME].more <= 0 && s.at[DELTAS].more > 0;
		struct firefox_row row = { 0 };

		r = next_row(&s, &row);
		if (is_delta)
			sum += row.delta;
		if (r == 0)
			r = add_row(w, &s, &row, is_delta ? sum : row.time, at);
	}
	return r == 0 && s.at[STACK].more < 0 ? -SONDE_CORRUPT : r < 0 ? r : all;
}

/* ---- threads ---- */

/* An id: a number, or a text that begins with one; -1 if it is neither. */
static int32_t take_id(struct json_member_at *m)
{
	struct sonde_str text;
	double v = -1;
	int64_t n = 0;

	if (!m->found)
		return -1;
	if (jcur_peek(&m->at) != '"')
		return jcur_number(&m->at, &v) > 0 && v >= 0 && v <= INT32_MAX ? (int32_t)v : -1;
	if (jcur_text(&m->at, &text) < 0 || !text.len || text.p[0] < '0' || text.p[0] > '9')
		return -1;
	for (size_t i = 0; i < text.len && text.p[i] >= '0' && text.p[i] <= '9' && n <= INT32_MAX; i++)
		n = n * 10 + (text.p[i] - '0');
	return n <= INT32_MAX ? (int32_t)n : -1;
}

static int add_thread(struct firefox_import *w, struct json_member_at *name, int32_t pid, int32_t tid)
{
	struct sonde_str comm = { "", 0 };

	if (name->found)
		jcur_text(&name->at, &comm);
	if (!comm.len)
		comm = (struct sonde_str){ "[unknown]", 9 };
	w->task = profile_task_add(w->im->profile, comm, 0, pid, tid);
	return w->task == NO_TASK ? -SONDE_NOMEM : 0;
}

static int take_thread(struct firefox_import *w, struct json_cursor *c)
{
	enum { NAME, PID, TID, SAMPLES, NR };
	struct json_member_at m[NR] = { [NAME] = { .name = "name" }, [PID] = { .name = "pid" },
					[TID] = { .name = "tid" }, [SAMPLES] = { .name = "samples" } };
	struct firefox_stacks own = { 0 };
	struct json_cursor tables;
	int all, r;

	jcur_peek(c);
	tables = *c;
	all = json_find_members(c, m, NR);
	if (!m[SAMPLES].found)
		return all;
	r = add_thread(w, &m[NAME], take_id(&m[PID]), take_id(&m[TID]));
	w->tables = w->has_shared ? &w->shared : &own;
	if (r == 0 && !w->has_shared)
		r = firefox_stacks_read(&own, w->im, tables, &w->context);
	if (r == 0)
		r = take_samples(w, m[SAMPLES].at);
	firefox_stacks_free(&own);
	return r == 0 ? all : r;
}

static int take_threads(struct firefox_import *w, struct json_cursor list)
{
	int r;

	for (r = jcur_first(&list, '['); r > 0; r = jcur_next(&list, ']')) {
		r = take_thread(w, &list);
		if (r < 0)
			return r;
	}
	return r;
}

/* ---- the file ---- */

/* Versions 56 to 59 have only the strings there. */
static int take_shared(struct firefox_import *w, struct json_cursor shared)
{
	int r = firefox_stacks_read(&w->shared, w->im, shared, &w->context);

	w->has_shared = firefox_stacks_are_in(shared);
	w->context.shared = &w->shared;
	return r;
}

static int read_members(struct firefox_import *w)
{
	enum { META, LIBS, SHARED, THREADS, NR };
	struct json_member_at m[NR] = { [META] = { .name = "meta" }, [LIBS] = { .name = "libs" },
					[SHARED] = { .name = "shared" }, [THREADS] = { .name = "threads" } };
	struct json_cursor c = jcur_new(w->im->text, w->im->size, &w->text, w->im->err);
	int all = json_find_members(&c, m, NR), r = 0;

	if (m[META].found)
		r = take_meta(w, m[META].at);
	if (r == 0 && m[LIBS].found)
		r = take_libs(w, m[LIBS].at);
	if (r == 0 && all == 0 && !(m[META].found && m[THREADS].found))
		r = import_bad(w->im, SONDE_CORRUPT, SONDE_NONE, "has no member %s",
			       m[META].found ? "threads" : "meta");
	w->context = (struct firefox_context){ w->libs.at, w->libs.n, w->is_kernel.at, w->is_kernel.n, NULL };
	if (r == 0 && m[SHARED].found)
		r = take_shared(w, m[SHARED].at);
	if (r == 0 && m[THREADS].found)
		r = take_threads(w, m[THREADS].at);
	return r ? r : all;
}

static int read_firefox(struct import *im)
{
	struct firefox_import w = { .im = im, .text = BUF_MEMORY, .event = BUF_MEMORY };
	int r;

	if (im->size >= sizeof(binary_magic) && memcmp(im->text, binary_magic, sizeof(binary_magic)) == 0)
		return err_set(im->err, SONDE_UNSUPPORTED, 0, "is a profile in the binary form JSLB: expected JSON");
	r = read_members(&w);
	buf_free(&w.text);
	buf_free(&w.event);
	firefox_stacks_free(&w.shared);
	vec_free(&w.libs);
	vec_free(&w.is_kernel);
	return r;
}

static bool is_firefox(const char *text, size_t size, bool whole)
{
	static const char *const marks[] = { "\"preprocessedProfileVersion\"", "\"stackTable\"", "\"stackwalk\"" };
	bool marked = false;

	(void)whole;
	if (size >= sizeof(binary_magic) && memcmp(text, binary_magic, sizeof(binary_magic)) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		marked |= memmem(text, size, marks[i], strlen(marks[i])) != NULL;
	return marked && (json_begins_with_member(text, size, "meta") ||
			  json_begins_with_member(text, size, "threads") ||
			  json_begins_with_member(text, size, "shared"));
}

const struct import_format import_firefox = {
	.name = "firefox", .recognise = is_firefox, .read = read_firefox, .has_times = true
};
