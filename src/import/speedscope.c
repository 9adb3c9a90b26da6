/* SPDX-License-Identifier: MIT */
/*
 * speedscope.c - the file format of speedscope: profiles of stacks with weights, or of frames that open and close
 *
 * Schema: speedscope.app/file-format-schema.json. A profile is a thread here, a unit an event. Times are those of the
 * file, where its unit is one of time: they begin where its axis does.
 */
#include "import/speedscope.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/profile/profile_tasks.h"
#include "base/bytes.h"
#include "base/str.h"
#include "import/json_file.h"
#include "import/path.h"

enum { THOUSANDTHS = 1000 };         /* of weights with a fraction that are no times */

static const struct weight_unit { const char *name; const char *event; double ns; } units[] = {
	{ "none", "weight", 0 }, { "bytes", "bytes", 0 }, { "nanoseconds", "time", 1 }, { "microseconds", "time", 1e3 },
	{ "milliseconds", "time", 1e6 }, { "seconds", "time", 1e9 },
};

struct speedscope_import {
	struct import *im;
	struct buf text;
	bool by_sonde;               /* names of profiles are "comm tid" and "comm tid (event)" */
	VEC(uint32_t) frames;
	struct path path;
	/* of the profile at hand */
	const struct weight_unit *unit;
	double factor;               /* of its weights */
	uint32_t event, task;
	double start;
};

/* ---- frames ---- */

static int take_frame(struct speedscope_import *w, struct json_cursor *c)
{
	struct json_member_at m[] = { { .name = "name" }, { .name = "file" }, { .name = "line" } };
	struct named_frame frame = { .cpumode = CPUMODE_USER };
	struct buf name = BUF_MEMORY;
	struct sonde_str file = { "", 0 };
	double line = 0;
	uint32_t number;

	if (json_find_members(c, m, ARRAY_SIZE(m)) < 0)
		return -SONDE_CORRUPT;
	if (m[0].found && jcur_text(&m[0].at, &frame.name) >= 0)
		buf_put(&name, frame.name.p, frame.name.len);  /* the next text takes its place */
	frame.name = (struct sonde_str){ name.n ? name.p : "", name.n };
	if (m[1].found)
		jcur_text(&m[1].at, &file);
	if (m[2].found && jcur_peek(&m[2].at) != 'n')
		jcur_number(&m[2].at, &line);
	if (line > 0 && line <= UINT32_MAX)
		frame.line = (uint32_t)line;
	/* what sonde writes there without lines is the binary */
	if (w->by_sonde && file.len && !frame.line)
		frame.binary = import_binary(w->im, file, (struct sonde_str){ "", 0 });
	else
		frame.file = file;
	frame.cpumode = import_is_kernel(frame.binary) ? CPUMODE_KERNEL : CPUMODE_USER;
	number = name.failed ? HASH_INDEX_NONE : import_frame(w->im, &frame);
	buf_free(&name);
	return number == HASH_INDEX_NONE ? -SONDE_NOMEM : vec_push(&w->frames, number);
}

static int take_frames(struct speedscope_import *w, struct json_cursor shared)
{
	struct json_member_at m[] = { { .name = "frames" } };
	int r = json_find_members(&shared, m, 1);

	if (!m[0].found)
		return r < 0 ? r : import_bad(w->im, SONDE_CORRUPT, jcur_at(&shared), "shared has no member frames");
	for (r = jcur_first(&m[0].at, '['); r > 0; r = jcur_next(&m[0].at, ']')) {
		r = take_frame(w, &m[0].at);
		if (r < 0)
			return r;
	}
	return r;
}

/* The frame of that number, in the profile; HASH_INDEX_NONE after import_bad(). */
static uint32_t frame_of(struct speedscope_import *w, double number, uint64_t at)
{
	if (number >= 0 && number < (double)w->frames.n && number == floor(number))
		return w->frames.at[(size_t)number];
	import_bad(w->im, SONDE_CORRUPT, at, "frame %g: expected an integer less than %zu", number, w->frames.n);
	return HASH_INDEX_NONE;
}

/* ---- samples ---- */

/* A time of the file in ns; SONDE_NONE: it has none, or the time is none. */
static uint64_t time_of(const struct speedscope_import *w, double at)
{
	double ns = at * w->unit->ns;

	return w->unit->ns > 0 && ns >= 0 && ns < 0x1p63 ? (uint64_t)ns : SONDE_NONE;
}

static int add_sample(struct speedscope_import *w, double weight, double time, uint64_t at)
{
	struct imported_sample s = { .event = w->event, .task = w->task, .samples = 1, .time = time_of(w, time) };

	if (!import_weight(w->im, weight, w->factor, at, &s.period))
		return 0;
	if (path_stack(&w->path, w->im->profile, &s.stack) < 0)
		return -SONDE_NOMEM;
	return import_sample(w->im, &s, at);
}

/* Reads a stack, and builds the part of it that differs from the one before. */
static int take_stack(struct speedscope_import *w, struct json_cursor *c)
{
	size_t n = 0;
	double number;
	int r;

	for (r = jcur_first(c, '['); r > 0; r = jcur_next(c, ']')) {
		uint64_t at = jcur_at(c);
		uint32_t frame;

		if (jcur_number(c, &number) < 0)
			return -SONDE_CORRUPT;
		frame = frame_of(w, number, at);
		if (frame == HASH_INDEX_NONE)
			continue;
		if (n < w->path.steps.n && w->path.steps.at[n].frame != frame)
			path_cut(&w->path, n);
		if (n == w->path.steps.n && path_push(&w->path, w->im->profile, frame) < 0)
			return -SONDE_NOMEM;
		n++;
	}
	path_cut(&w->path, n);
	return r;
}

static int take_sampled(struct speedscope_import *w, struct json_cursor samples, struct json_cursor weights)
{
	int r = jcur_first(&samples, '['), more = jcur_first(&weights, '[');
	double weight, time = w->start;

	path_cut(&w->path, 0);
	while (r > 0 && more > 0) {
		uint64_t at = jcur_at(&samples);

		r = take_stack(w, &samples);
		if (r < 0 || jcur_number(&weights, &weight) < 0)
			return r < 0 ? r : -SONDE_CORRUPT;
		r = add_sample(w, weight, time, at);
		if (r < 0)
			return r;
		time += weight > 0 ? weight : 0;
		r = jcur_next(&samples, ']');
		more = jcur_next(&weights, ']');
	}
	if (r >= 0 && more >= 0 && r != more)
		import_bad(w->im, SONDE_CORRUPT, jcur_at(r ? &samples : &weights), "there are more %s than %s",
			   r ? "stacks" : "weights", r ? "weights" : "stacks");
	return r < 0 || more < 0 ? -SONDE_CORRUPT : 0;
}

struct frame_event { bool opens, closes; double frame, at; };

static int take_event(struct speedscope_import *w, struct json_cursor *c, struct frame_event *e)
{
	struct json_member_at m[] = { { .name = "type" }, { .name = "frame" }, { .name = "at" } };
	uint64_t at;
	struct sonde_str type;

	jcur_peek(c);
	at = jcur_at(c);
	*e = (struct frame_event){ .frame = -1 };
	if (json_find_members(c, m, ARRAY_SIZE(m)) < 0)
		return -SONDE_CORRUPT;
	if (!m[0].found || !m[1].found || !m[2].found || jcur_text(&m[0].at, &type) < 0 ||
	    jcur_number(&m[1].at, &e->frame) < 0 || jcur_number(&m[2].at, &e->at) < 0) {
		import_bad(w->im, SONDE_CORRUPT, at, "an event lacks its type, frame or at");
		return 0;
	}
	e->opens = str_is(type, "O");
	e->closes = str_is(type, "C");
	return 0;
}

/* Opens or closes a frame; a close that has no open frame of its own at the end is left out. */
static int apply_event(struct speedscope_import *w, const struct frame_event *e, uint64_t at)
{
	uint32_t frame = frame_of(w, e->frame, at);

	if (frame == HASH_INDEX_NONE)
		return 0;
	if (e->opens)
		return path_push(&w->path, w->im->profile, frame);
	if (w->path.steps.n && w->path.steps.at[w->path.steps.n - 1].frame == frame)
		path_cut(&w->path, w->path.steps.n - 1);
	else
		import_bad(w->im, SONDE_CORRUPT, at, "frame %g closes: expected the one that was opened last",
			   e->frame);
	return 0;
}

static int take_evented(struct speedscope_import *w, struct json_cursor events)
{
	double last = w->start;
	struct frame_event e;
	int r;

	path_cut(&w->path, 0);
	for (r = jcur_first(&events, '['); r > 0; r = jcur_next(&events, ']')) {
		uint64_t at = jcur_at(&events);

		r = take_event(w, &events, &e);
		if (r == 0 && e.at < last && (e.opens || e.closes))
			import_bad(w->im, SONDE_CORRUPT, at, "an event at %g: expected none before %g", e.at, last);
		else if (r == 0 && e.at > last && w->path.steps.n)
			r = add_sample(w, e.at - last, last, at);
		last = e.at > last ? e.at : last;
		if (r == 0 && (e.opens || e.closes))
			r = apply_event(w, &e, at);
		if (r < 0)
			return r;
	}
	return r;
}

/* ---- profiles ---- */

/* Whether a number of a list, or of a member `at` in a list of events, has a fraction. */
static bool has_fraction(struct json_cursor list)
{
	struct buf text = BUF_MEMORY;
	bool found = false;
	double v;

	list.err = NULL;
	list.text = &text;
	for (int r = jcur_first(&list, '['); r > 0 && !found; r = jcur_next(&list, ']')) {
		struct json_member_at m = { .name = "at" };
		bool is_event = jcur_peek(&list) == '{';

		if (is_event && (json_find_members(&list, &m, 1) < 0 || !m.found))
			break;
		if (jcur_number(is_event ? &m.at : &list, &v) < 0)
			break;
		found = v != floor(v);
	}
	buf_free(&text);
	return found;
}

static int find_event(struct speedscope_import *w, struct sonde_str name, struct json_cursor weights)
{
	bool thousandths = w->unit->ns == 0 && has_fraction(weights);
	struct buf text = BUF_MEMORY;

	w->factor = w->unit->ns > 0 ? w->unit->ns : thousandths ? THOUSANDTHS : 1;
	if (name.len)
		buf_put(&text, name.p, name.len);
	else
		buf_str(&text, w->unit->event);
	if (thousandths)
		buf_str(&text, " x1000");
	w->event = text.failed ? UINT32_MAX : imported_event(w->im->profile, (struct sonde_str){ text.p, text.n },
							     w->unit->ns > 0);
	buf_free(&text);
	return w->event == UINT32_MAX ? -SONDE_NOMEM : 0;
}

/* "comm tid (event)" of sonde. */
static void split_name(struct sonde_str *comm, int32_t *tid, struct sonde_str *event)
{
	const char *open = comm->len && comm->p[comm->len - 1] == ')' ? memrchr(comm->p, '(', comm->len) : NULL;

	if (open && open > comm->p && open[-1] == ' ') {
		*event = (struct sonde_str){ open + 1, (size_t)(comm->p + comm->len - open - 2) };
		comm->len = (size_t)(open - 1 - comm->p);
	}
	if (!import_take_id(comm, ' ', tid) && str_ends(*comm, " -1"))
		comm->len -= strlen(" -1");
}

static int take_unit(struct speedscope_import *w, struct json_cursor c)
{
	uint64_t at = jcur_at(&c);
	struct sonde_str unit;

	w->unit = &units[0];
	if (c.failed || jcur_text(&c, &unit) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (str_is(unit, units[i].name)) {
			w->unit = &units[i];
			return 0;
		}
	return import_bad(w->im, SONDE_CORRUPT, at, "unit '%.*s': expected none, bytes, nanoseconds, microseconds, "
			  "milliseconds or seconds", (int)(unit.len < 20 ? unit.len : 20), unit.p);
}

enum { TYPE, NAME, UNIT, START, SAMPLES, WEIGHTS, EVENTS, NR_MEMBERS };

static int name_profile(struct speedscope_import *w, const struct json_member_at *m, bool sampled)
{
	struct json_cursor c = m[NAME].at;
	struct sonde_str comm = { "", 0 }, event = { "", 0 };
	int32_t tid = -1;
	int r;

	if (m[NAME].found)
		jcur_text(&c, &comm);
	if (w->by_sonde)
		split_name(&comm, &tid, &event);
	w->task = profile_task_add(w->im->profile, comm.len ? comm : (struct sonde_str){ "[unknown]", 9 }, 0, -1, tid);
	r = find_event(w, event, m[sampled ? WEIGHTS : EVENTS].at);
	return w->task == NO_TASK ? -SONDE_NOMEM : r;
}

static int take_profile(struct speedscope_import *w, struct json_cursor *c)
{
	struct json_member_at m[NR_MEMBERS] = {
		[TYPE] = { .name = "type" }, [NAME] = { .name = "name" }, [UNIT] = { .name = "unit" },
		[START] = { .name = "startValue" }, [SAMPLES] = { .name = "samples" },
		[WEIGHTS] = { .name = "weights" }, [EVENTS] = { .name = "events" },
	};
	int all, r;
	bool sampled;

	jcur_peek(c);
	all = json_find_members(c, m, NR_MEMBERS);
	sampled = m[SAMPLES].found;
	w->start = 0;
	if (m[START].found)
		jcur_number(&m[START].at, &w->start);
	if (sampled ? !m[WEIGHTS].found : !m[EVENTS].found) {
		if (all == 0)
			import_bad(w->im, SONDE_CORRUPT, jcur_at(c),
				   "a profile lacks samples and weights, or events");
		return all;
	}
	r = take_unit(w, m[UNIT].at);
	if (r == 0)
		r = name_profile(w, m, sampled);
	if (r == 0)
		r = sampled ? take_sampled(w, m[SAMPLES].at, m[WEIGHTS].at) : take_evented(w, m[EVENTS].at);
	return r == -SONDE_NOMEM ? r : all;
}

static int take_profiles(struct speedscope_import *w, struct json_cursor *c)
{
	int r;

	for (r = jcur_first(c, '['); r > 0; r = jcur_next(c, ']')) {
		r = take_profile(w, c);
		if (r < 0)
			return r;
	}
	return r;
}

static int read_file(struct speedscope_import *w)
{
	struct json_cursor c = jcur_new(w->im->text, w->im->size, &w->text, w->im->err);
	struct json_member_at m[] = { { .name = "shared" }, { .name = "profiles" }, { .name = "exporter" } };
	struct sonde_str exporter = { "", 0 };
	int all = json_find_members(&c, m, ARRAY_SIZE(m)), r = 0;

	if (m[2].found)
		jcur_text(&m[2].at, &exporter);
	w->by_sonde = str_begins(exporter, "sonde@");
	if (all == 0 && !(m[0].found && m[1].found))
		return import_bad(w->im, SONDE_CORRUPT, SONDE_NONE, "has no member %s",
				  m[0].found ? "profiles" : "shared");
	if (m[0].found)
		r = take_frames(w, m[0].at);
	if (r != -SONDE_NOMEM && m[1].found)
		r = take_profiles(w, &m[1].at);
	return r ? r : all;
}

static int read_speedscope(struct import *im)
{
	struct speedscope_import w = { .im = im, .text = BUF_MEMORY };
	int r = read_file(&w);

	buf_free(&w.text);
	vec_free(&w.frames);
	path_free(&w.path);
	return r;
}

static bool is_speedscope(const char *text, size_t size, bool whole)
{
	static const char schema[] = "speedscope.app/file-format-schema.json";

	(void)whole;
	return (json_begins_with_member(text, size, "$schema") && memmem(text, size, schema, strlen(schema))) ||
	       (json_begins_with_member(text, size, "profiles") && memmem(text, size, "\"frames\"", 8));
}

const struct import_format import_speedscope = { .name = "speedscope", .recognise = is_speedscope,
						 .read = read_speedscope, .has_times = true };
