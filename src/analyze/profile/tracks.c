/* SPDX-License-Identifier: MIT */
#include "analyze/profile/tracks.h"

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

static struct sonde_str name(const struct track_source *s, size_t field, struct sonde_bytes raw)
{
	struct sonde_str text = { "", 0 };

	if (s->fields[field])
		tracefmt_string(s->format, s->fields[field], raw, &text);
	return text;
}

/* The thread that an event is of. UINT32_MAX: none, or out of memory, which is told by *failed. */
static uint32_t current_thread(struct tracks *t, const struct sonde_event *ev, int *failed)
{
	uint32_t thread;

	*failed = 0;
	if (ev->tid <= 0)
		return UINT32_MAX;
	thread = sched_states_thread(&t->sched, ev->pid, ev->tid, (struct sonde_str){ "", 0 });
	*failed = thread == UINT32_MAX ? -SONDE_NOMEM : 0;
	return thread;
}

/* The bits of prev_state that the kernel reports: TASK_INTERRUPTIBLE, TASK_UNINTERRUPTIBLE; higher ones: pre-empted. */
static enum sched_state left_state(uint64_t bits)
{
	enum { INTERRUPTIBLE = 1, UNINTERRUPTIBLE = 2, ASLEEP = 0xff };

	if (bits & INTERRUPTIBLE)
		return SCHED_SLEEPING;
	if (bits & UNINTERRUPTIBLE)
		return SCHED_BLOCKED;
	return bits & ASLEEP ? SCHED_SLEEPING : SCHED_RUNNABLE;
}

static const char *const switch_fields[] = { "prev_pid", "prev_comm", "prev_state", "next_pid", "next_comm" };

static int take_switch(struct tracks *t, const struct sonde_event *ev, const struct track_source *s,
		       struct sonde_bytes raw)
{
	const int32_t prev = (int32_t)number(s, 0, raw), next = (int32_t)number(s, 3, raw);
	uint32_t thread;
	int r = 0;

	t->sched.some |= (ev->evsel->attr->flags & SONDE_ATTR_INHERIT) != 0;
	if (prev > 0) {
		thread = sched_states_thread(&t->sched, -1, prev, name(s, 1, raw));
		r = thread == UINT32_MAX ? -SONDE_NOMEM :
		    sched_states_leave(&t->sched, ev->time, ev->cpu, thread, left_state(number(s, 2, raw)));
	}
	if (next > 0 && r == 0) {
		thread = sched_states_thread(&t->sched, -1, next, name(s, 4, raw));
		r = thread == UINT32_MAX ? -SONDE_NOMEM : sched_states_run(&t->sched, ev->time, ev->cpu, thread);
	}
	return r;
}

static const char *const wakeup_fields[] = { "pid", "comm" };

static int take_wakeup(struct tracks *t, const struct sonde_event *ev, const struct track_source *s,
		       struct sonde_bytes raw)
{
	const int32_t woken = (int32_t)number(s, 0, raw);
	uint32_t waker, wakee;
	int failed;

	if (woken <= 0)
		return 0;
	waker = current_thread(t, ev, &failed);
	wakee = failed ? UINT32_MAX : sched_states_thread(&t->sched, -1, woken, name(s, 1, raw));
	return wakee == UINT32_MAX ? -SONDE_NOMEM : sched_states_wake(&t->sched, ev->time, waker, wakee);
}

static const char *const frequency_fields[] = { "state", "cpu_id" };

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

static const struct {
	const char *event;
	int (*take)(struct tracks *t, const struct sonde_event *ev, const struct track_source *s,
		    struct sonde_bytes raw);
	const char *const *fields;
	size_t nr_fields;
} kinds[] = {
	{ "sched:sched_switch", take_switch, switch_fields, ARRAY_SIZE(switch_fields) },
	{ "sched:sched_waking", take_wakeup, wakeup_fields, ARRAY_SIZE(wakeup_fields) },
	{ "sched:sched_wakeup", take_wakeup, wakeup_fields, ARRAY_SIZE(wakeup_fields) },
	{ "sched:sched_wakeup_new", take_wakeup, wakeup_fields, ARRAY_SIZE(wakeup_fields) },
	{ "power:cpu_frequency", take_frequency, frequency_fields, ARRAY_SIZE(frequency_fields) },
};

/* Whether each event has a sample. A part of the switches would tell of states that were others. */
static bool has_each(const struct sonde_attr *attr)
{
	return !(attr->flags & SONDE_ATTR_FREQ) && attr->sample_period <= 1;
}

static int find_source(struct tracks *t, struct track_source *s, const struct tracefmt_event *format,
		       const struct sonde_attr *attr)
{
	*s = (struct track_source){ .known = true, .take = take_mark, .format = format };
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(format->full_name, kinds[i].event) != 0 || !has_each(attr))
			continue;
		s->take = kinds[i].take;
		for (size_t k = 0; k < kinds[i].nr_fields; k++)
			s->fields[k] = tracefmt_field(format, kinds[i].fields[k]);
		if (!s->fields[0])
			s->take = take_mark;
	}
	s->name = strpool_add(&t->texts, format->full_name, strlen(format->full_name));
	return s->name == UINT32_MAX ? -SONDE_NOMEM : 0;
}

bool tracks_expect(const struct tracks *t, const struct sonde_evsel *evsel)
{
	return t->on && evsel->attr && evsel->attr->type == PERF_TYPE_TRACEPOINT;
}

static int take_tracepoint(struct tracks *t, const struct sonde_event *ev, const struct tracefmt *formats)
{
	const struct tracefmt_event *format;
	struct track_source *s;
	struct sample sample;

	while (t->sources.n <= ev->evsel->index)
		if (vec_push(&t->sources, (struct track_source){ 0 }) < 0)
			return -SONDE_NOMEM;
	s = &t->sources.at[ev->evsel->index];
	if (!s->known) {
		format = formats ? tracefmt_event(formats, ev->evsel->attr->config) : NULL;
		if (!format)
			return 0;
		if (find_source(t, s, format, ev->evsel->attr) < 0)
			return -SONDE_NOMEM;
	}
	if (s->take == take_mark && t->nr_marks++ >= TRACKS_MARKS_MOST)
		return 0;
	return event_sample(ev, &sample) == -SONDE_USAGE ? 0 : s->take(t, ev, s, sample.raw);
}

static int take_count(struct tracks *t, const struct sonde_event *ev)
{
	int failed;
	uint32_t thread = current_thread(t, ev, &failed);

	return failed ? failed : track_counts_take(&t->counts, ev, thread, &t->texts);
}

static int take_sample(struct tracks *t, const struct sonde_event *ev, const struct tracefmt *formats)
{
	int r = 0;

	if (ev->evsel->attr->type == PERF_TYPE_TRACEPOINT)
		r = take_tracepoint(t, ev, formats);
	/* a switch to a recorded thread from another one is an event of that one, and not recorded */
	else if (t->sched.some && !t->has_switch_records)
		r = sched_states_seen(&t->sched, ev->time, ev->cpu, ev->tid);
	return r == 0 && track_counts_concern(ev) ? take_count(t, ev) : r;
}

/*
 * A context switch of the side band: the thread of the record leaves its CPU, or comes to it. A tracepoint may have
 * told already that it leaves, and why.
 */
static int take_switch_record(struct tracks *t, const struct sonde_event *ev)
{
	int failed;
	const uint32_t thread = current_thread(t, ev, &failed);
	const bool preempted = ev->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	struct sched_thread *of;

	if (thread == UINT32_MAX)
		return failed;
	of = &t->sched.threads.at[thread];
	t->has_switch_records |= ev->type == PERF_RECORD_SWITCH;
	t->sched.some |= ev->type == PERF_RECORD_SWITCH;
	if (ev->misc & PERF_RECORD_MISC_SWITCH_OUT) {
		if (of->state != SCHED_RUNNING && of->state != SCHED_UNKNOWN)
			return 0;
		return sched_states_leave(&t->sched, ev->time, ev->cpu, thread,
					  preempted ? SCHED_RUNNABLE : SCHED_SLEEPING);
	}
	of->followed = true;
	return sched_states_run(&t->sched, ev->time, ev->cpu, thread);
}

static int take_loss(struct tracks *t, const struct sonde_event *ev)
{
	struct sonde_lost lost;

	if (t->losses.n >= TRACKS_LOSSES_MOST || event_lost(ev, &lost) < 0 || lost.lost == 0)
		return 0;
	return vec_push(&t->losses, ((struct track_loss){ ev->time, lost.lost, ev->cpu }));
}

int tracks_take(struct tracks *t, const struct sonde_event *ev, const struct tracefmt *formats)
{
	if (!t->on || ev->time == SONDE_NONE || ev->machine_pid)
		return 0;
	if (ev->kind == SONDE_KIND_SAMPLE)
		return ev->evsel && ev->evsel->attr ? take_sample(t, ev, formats) : 0;
	if (ev->type == PERF_RECORD_SWITCH || ev->type == PERF_RECORD_SWITCH_CPU_WIDE)
		return take_switch_record(t, ev);
	if (ev->type == PERF_RECORD_LOST || ev->type == PERF_RECORD_LOST_SAMPLES)
		return take_loss(t, ev);
	return 0;
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
	t->sources.n = 0;
	t->has_switch_records = false;
	sched_states_end_trace(&t->sched);
	sort_by_time(t->marks.at, t->marks.n, sizeof(*t->marks.at));
	sort_by_time(t->counts.list.at, t->counts.list.n, sizeof(*t->counts.list.at));
	sort_by_time(t->frequencies.at, t->frequencies.n, sizeof(*t->frequencies.at));
	sort_by_time(t->losses.at, t->losses.n, sizeof(*t->losses.at));
	for (size_t i = 0; t->on && i < t->sched.threads.n; i++) {
		struct sched_thread *thread = &t->sched.threads.at[i];
		const char *comm = thread->comm ? NULL : tasks_comm(tasks, 0, thread->pid, thread->tid);

		if (!comm)
			continue;
		thread->comm = strpool_add(&t->sched.comms, comm, strlen(comm));
		if (thread->comm == UINT32_MAX)
			return -SONDE_NOMEM;
	}
	return 0;
}

void tracks_free(struct tracks *t)
{
	sched_states_free(&t->sched);
	vec_free(&t->marks);
	track_counts_free(&t->counts);
	vec_free(&t->frequencies);
	vec_free(&t->losses);
	vec_free(&t->sources);
	strpool_free(&t->texts);
	buf_free(&t->text);
}
