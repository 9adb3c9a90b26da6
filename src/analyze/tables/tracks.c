/* SPDX-License-Identifier: MIT */
#include "analyze/tables/tracks.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "model/event.h"
#include "tracefmt/field.h"
#include "tracefmt/print.h"

enum { MARK_TEXT_MOST = 300, FREQUENCIES_MOST = 1000000 };

static uint64_t number(const struct track_source *s, size_t field, struct sonde_bytes raw)
{
	uint64_t v = 0;

	if (s->fields[field])
		tracefmt_u64(s->format, s->fields[field], raw, &v);
	return v;
}

/* The thread that an event is of. UINT32_MAX: none, or out of memory, which is told by *failed. */
static uint32_t current_thread(struct tracks *t, const struct sonde_event *ev, int *failed)
{
	uint32_t thread;

	*failed = 0;
	if (ev->tid <= 0)
		return UINT32_MAX;
	thread = sched_states_task(&t->sched.states, ev->pid, ev->tid, (struct sonde_str){ "", 0 });
	*failed = thread == UINT32_MAX ? -SONDE_NOMEM : 0;
	return thread;
}

static int take_frequency(struct tracks *t, const struct sonde_event *ev, const struct track_source *s,
			  struct sonde_bytes raw)
{
	if (t->frequencies.n >= FREQUENCIES_MOST)
		return 0;
	return vec_push(&t->frequencies, ((struct track_frequency){ ev->time, number(s, 0, raw),
								    (int32_t)number(s, 1, raw) }));
}

/* The text of a record, shortened, as a number of t->texts; 0 if there is no more room. UINT32_MAX: out of memory. */
static uint32_t text_of(struct tracks *t, const struct track_source *s, struct sonde_bytes raw)
{
	if (t->texts.text.bytes > TRACKS_TEXT_MOST)
		return 0;
	t->text.n = 0;
	tracefmt_print(s->format, raw, &(struct tracefmt_context){ 0 }, &t->text);
	if (t->text.failed)
		return UINT32_MAX;
	return strpool_add(&t->texts, t->text.n ? t->text.p : "",
			   t->text.n < MARK_TEXT_MOST ? t->text.n : MARK_TEXT_MOST);
}

static int take_mark(struct tracks *t, const struct sonde_event *ev, const struct track_source *s,
		     struct sonde_bytes raw)
{
	uint32_t thread, text;
	int failed;

	thread = current_thread(t, ev, &failed);
	text = failed ? UINT32_MAX : text_of(t, s, raw);
	if (text == UINT32_MAX)
		return -SONDE_NOMEM;
	return vec_push(&t->marks, ((struct track_mark){ ev->time, thread, ev->cpu, s->name, text }));
}

static bool has_each(const struct sonde_attr *attr)
{
	return !(attr->flags & SONDE_ATTR_FREQ) && attr->sample_period <= 1;
}

static int find_source(struct tracks *t, struct track_source *s, const struct tracefmt_event *format,
		       const struct sonde_evsel *evsel)
{
	*s = (struct track_source){ .known = true, .take = take_mark, .format = format,
				    .tells_states = sched_expects(evsel, format) };
	if (strcmp(format->full_name, "power:cpu_frequency") == 0 && has_each(evsel->attr)) {
		s->fields[0] = tracefmt_field(format, "state");
		s->fields[1] = tracefmt_field(format, "cpu_id");
		s->take = s->fields[0] ? take_frequency : take_mark;
	}
	s->name = strpool_add(&t->texts, format->full_name, strlen(format->full_name));
	return s->name == UINT32_MAX ? -SONDE_NOMEM : 0;
}

bool tracks_expect(const struct tracks *t, const struct sonde_evsel *evsel)
{
	return t->on && evsel->attr && evsel->attr->type == PERF_TYPE_TRACEPOINT;
}

/* Applies an event to the states. @format, @raw: see sched_decode(). */
static int take_states(struct tracks *t, const struct sonde_event *ev, const struct tracefmt_event *format,
		       struct sonde_bytes raw, enum sched_event_kind *kind)
{
	struct sched_event e;

	if (sched_decode(&t->decoder, ev, format, raw, &e) < 0)
		return -SONDE_NOMEM;
	*kind = e.kind;
	return track_states_take(&t->sched, &e);
}

/* Whether an event is drawn as states and arrows already. */
static bool is_drawn(enum sched_event_kind kind)
{
	return kind == SCHED_NOTHING || kind == SCHED_SWITCH || kind == SCHED_WAKING || kind == SCHED_WAKEUP ||
	       kind == SCHED_NEW;
}

static int take_tracepoint(struct tracks *t, const struct sonde_event *ev, const struct tracefmt *formats)
{
	const struct tracefmt_event *format;
	struct track_source *s;
	enum sched_event_kind kind;
	struct sample sample;
	bool wanted;

	while (t->sources.n <= ev->evsel->index)
		if (vec_push(&t->sources, (struct track_source){ 0 }) < 0)
			return -SONDE_NOMEM;
	s = &t->sources.at[ev->evsel->index];
	if (!s->known) {
		format = formats ? tracefmt_event(formats, ev->evsel->attr->config) : NULL;
		if (!format)
			return take_states(t, ev, NULL, (struct sonde_bytes){ 0 }, &kind);
		if (find_source(t, s, format, ev->evsel) < 0)
			return -SONDE_NOMEM;
	}
	wanted = s->tells_states || s->take != take_mark || t->nr_marks < TRACKS_MARKS_MOST;
	sample.raw = (struct sonde_bytes){ 0 };
	if (wanted && event_sample(ev, &sample) == -SONDE_USAGE)
		return 0;
	if (take_states(t, ev, s->format, sample.raw, &kind) < 0)
		return -SONDE_NOMEM;
	if ((s->tells_states && is_drawn(kind)) || (wanted && !sample.raw.len))
		return 0;
	if (s->take == take_mark && t->nr_marks++ >= TRACKS_MARKS_MOST)
		return 0;
	return s->take(t, ev, s, sample.raw);
}

static int take_count(struct tracks *t, const struct sonde_event *ev)
{
	int failed;
	uint32_t thread = current_thread(t, ev, &failed);

	return failed ? failed : track_counts_take(&t->counts, ev, thread, &t->texts);
}

static int take_sample(struct tracks *t, const struct sonde_event *ev, const struct tracefmt *formats)
{
	enum sched_event_kind kind;
	int r = ev->evsel->attr->type == PERF_TYPE_TRACEPOINT ? take_tracepoint(t, ev, formats) :
		take_states(t, ev, NULL, (struct sonde_bytes){ 0 }, &kind);

	return r == 0 && track_counts_concern(ev) ? take_count(t, ev) : r;
}

static int take_loss(struct tracks *t, const struct sonde_event *ev)
{
	struct sonde_lost lost;

	if (t->losses.n >= TRACKS_LOSSES_MOST || event_lost(ev, &lost) < 0 || lost.lost == 0)
		return 0;
	return vec_push(&t->losses, ((struct track_loss){ ev->time, lost.lost, ev->cpu }));
}

int tracks_begin_trace(struct tracks *t, struct reader *r, const struct tracefmt *formats, struct sonde_error *err)
{
	int n = t->on ? sched_scope_of(r, formats, &t->sched.scope, err) : 0;

	t->sched.states.scope = &t->sched.scope;
	return n;
}

int tracks_take(struct tracks *t, const struct sonde_event *ev, const struct tracefmt *formats)
{
	enum sched_event_kind kind;

	if (!t->on || ev->time == SONDE_NONE || ev->machine_pid)
		return 0;
	if (ev->kind == SONDE_KIND_SAMPLE)
		return ev->evsel && ev->evsel->attr ? take_sample(t, ev, formats) : 0;
	if (take_states(t, ev, NULL, (struct sonde_bytes){ 0 }, &kind) < 0)
		return -SONDE_NOMEM;
	return kind == SCHED_LOSS ? take_loss(t, ev) : 0;
}

static int compare_times(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* Puts structs that begin with their time in order. Those of one trace are in order already. */
static void sort_by_time(void *list, size_t n, size_t size)
{
	const char *at = list;
	size_t ordered = 1;

	while (ordered < n && compare_times(at + (ordered - 1) * size, at + ordered * size) <= 0)
		ordered++;
	if (ordered < n)
		qsort(list, n, size, compare_times);
}

int tracks_end_trace(struct tracks *t, const struct tasks *tasks)
{
	struct sched_states *states = &t->sched.states;

	t->sources.n = 0;
	sched_decoder_free(&t->decoder);
	t->decoder = (struct sched_decoder){ 0 };
	track_states_end_trace(&t->sched);
	sort_by_time(t->marks.at, t->marks.n, sizeof(*t->marks.at));
	sort_by_time(t->counts.list.at, t->counts.list.n, sizeof(*t->counts.list.at));
	sort_by_time(t->frequencies.at, t->frequencies.n, sizeof(*t->frequencies.at));
	sort_by_time(t->losses.at, t->losses.n, sizeof(*t->losses.at));
	for (size_t i = 0; t->on && i < states->tasks.n; i++) {
		const struct sched_task *task = &states->tasks.at[i];
		const char *comm = task->comm ? NULL : tasks_comm(tasks, 0, task->pid, task->tid);

		if (comm && sched_states_name(states, (uint32_t)i, (struct sonde_str){ comm, strlen(comm) }) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

void tracks_free(struct tracks *t)
{
	track_states_free(&t->sched);
	sched_decoder_free(&t->decoder);
	vec_free(&t->marks);
	track_counts_free(&t->counts);
	vec_free(&t->frequencies);
	vec_free(&t->losses);
	vec_free(&t->sources);
	strpool_free(&t->texts);
	buf_free(&t->text);
}
