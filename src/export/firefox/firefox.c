/* SPDX-License-Identifier: MIT */
/*
 * firefox.c - a processed profile of the Firefox Profiler, version 66: one event as samples, tracepoints as markers
 *
 * Times are milliseconds from the first sample on. Where the recording does not tell its date, that is the time 0.
 */
#include "export/firefox/firefox.h"

#include <inttypes.h>
#include <stdio.h>

#include "export/firefox/counters.h"
#include "export/firefox/marker_fields.h"
#include "export/firefox/tables.h"
#include "export/recording_notes.h"
#include "export/thread_samples.h"
#include "export/weights.h"

enum { VERSION = 66, GECKO_VERSION = 24, SHOWN_AT_FIRST = 10 };

#define NO_RUN UINT32_MAX

/* A thread under one name. */
struct firefox_thread {
	uint32_t task;
	uint32_t samples;            /* its run; NO_RUN: it has only markers */
	uint32_t markers;            /* its first run of another event, or NO_RUN */
	bool is_main;
};

struct firefox {
	struct export *x;
	const struct sonde_profile *p;
	struct json j;
	struct firefox_tables tables;
	struct thread_samples samples;
	VEC(struct firefox_thread) threads;
	struct u64map main_of;       /* host << 32 | process: its main thread */
	uint32_t *next_markers;      /* by run: the next one of its thread */
	uint32_t event;              /* whose samples are samples */
	VEC(uint32_t) marks;         /* samples of the thread at hand that are markers, by time */
};

/* ---- threads ---- */

static bool is_tracepoint(const struct firefox *w, uint32_t event)
{
	const struct sonde_attr *attr = w->p->events.at[event].attr;

	return !attr || attr->type == PERF_TYPE_TRACEPOINT;
}

/* The number of a task's thread; U64MAP_NONE when out of memory. */
static uint32_t thread_of(struct firefox *w, struct u64map *known, uint32_t task)
{
	uint32_t i = u64map_get(known, task);

	if (i != U64MAP_NONE)
		return i;
	i = (uint32_t)w->threads.n;
	if (vec_push(&w->threads,
		     ((struct firefox_thread){ .task = task, .samples = NO_RUN, .markers = NO_RUN })) < 0 ||
	    u64map_set(known, task, i) < 0)
		return U64MAP_NONE;
	return i;
}

/* Exactly one thread of a process is the main one: the one whose id is that of the process, if it is there. */
static int choose_main_threads(struct firefox *w)
{
	struct u64map *main_of = &w->main_of;
	int r = 0;

	for (uint32_t i = 0; i < w->threads.n && r == 0; i++) {
		const struct sonde_profile_task *task = &w->p->who.at[w->threads.at[i].task], *known;
		uint64_t process = (uint64_t)task->host << 32 | (uint32_t)task->pid;
		uint32_t before = u64map_get(main_of, process);

		known = before == U64MAP_NONE ? NULL : &w->p->who.at[w->threads.at[before].task];
		if (!known || (known->tid != known->pid && task->tid == task->pid))
			r = u64map_set(main_of, process, i);
	}
	for (size_t i = 0; i < main_of->entries.n; i++)
		w->threads.at[main_of->entries.at[i].value].is_main = true;
	return r;
}

static int find_threads(struct firefox *w)
{
	struct u64map known = { 0 };
	int r = 0;

	w->next_markers = malloc((w->samples.runs.n + 1) * sizeof(*w->next_markers));
	if (!w->next_markers)
		return -SONDE_NOMEM;
	for (uint32_t i = 0; i < w->samples.runs.n && r == 0; i++) {
		const struct sampled_thread *run = &w->samples.runs.at[i];
		bool is_sample = run->event == w->event;
		uint32_t number;

		if (!is_sample && !is_tracepoint(w, run->event))
			continue;
		number = thread_of(w, &known, run->task);
		if (number == U64MAP_NONE) {
			r = -SONDE_NOMEM;
		} else if (is_sample) {
			w->threads.at[number].samples = i;
		} else {
			w->next_markers[i] = w->threads.at[number].markers;
			w->threads.at[number].markers = i;
		}
	}
	u64map_free(&known);
	return r < 0 ? r : choose_main_threads(w);
}

/* ---- samples and markers ---- */

static const struct sonde_profile_sample *sample_of(const struct firefox *w, const struct sampled_thread *run, size_t i)
{
	return &w->p->timed.list.at[w->samples.order[run->first + i]];
}

/* Samples without a time are at 0. */
static void put_time(struct firefox *w, const struct sonde_profile_sample *s)
{
	json_millis(&w->j, s->time == SONDE_NONE ? 0 : s->time - w->samples.zero);
}

static int put_stack(struct firefox *w, const struct sonde_profile_sample *s)
{
	uint32_t stack = firefox_tables_stack(&w->tables, &w->p->cells.at[s->cell]);

	json_u64(&w->j, stack);
	return stack == UINT32_MAX ? -SONDE_NOMEM : 0;
}

static void put_periods(struct firefox *w, const char *name, const struct sampled_thread *run)
{
	json_key(&w->j, name);
	json_array(&w->j);
	for (size_t i = 0; i < run->n; i++)
		json_u64(&w->j, sample_of(w, run, i)->period);
	json_end(&w->j);
}

static int put_samples(struct firefox *w, const struct sampled_thread *run)
{
	int r = 0;

	json_key(&w->j, "samples");
	json_object(&w->j);
	json_key(&w->j, "stack");
	json_array(&w->j);
	for (size_t i = 0; i < run->n && r == 0; i++)
		r = put_stack(w, sample_of(w, run, i));
	json_end(&w->j);
	json_key(&w->j, "time");
	json_array(&w->j);
	for (size_t i = 0; i < run->n; i++)
		put_time(w, sample_of(w, run, i));
	json_end(&w->j);
	if (w->x->opts.weight == SONDE_WEIGHT_SAMPLES) {
		json_key(&w->j, "weight");
		json_null(&w->j);
	} else {
		put_periods(w, "weight", run);
	}
	json_member_text(&w->j, "weightType", "samples");
	if (attr_counts_ns(w->p->events.at[w->event].attr))
		put_periods(w, "threadCPUDelta", run);
	json_member_u64(&w->j, "length", run->n);
	json_end(&w->j);
	return r;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Samples are numbered by time. */
static int gather_marks(struct firefox *w, const struct firefox_thread *t)
{
	w->marks.n = 0;
	for (uint32_t run = t->markers; run != NO_RUN; run = w->next_markers[run]) {
		const struct sampled_thread *r = &w->samples.runs.at[run];

		for (size_t i = 0; i < r->n; i++)
			if (vec_push(&w->marks, w->samples.order[r->first + i]) < 0)
				return -SONDE_NOMEM;
	}
	if (w->marks.n)
		qsort(w->marks.at, w->marks.n, sizeof(*w->marks.at), compare_numbers);
	return 0;
}

static const struct sonde_profile_sample *mark_at(const struct firefox *w, size_t i)
{
	return &w->p->timed.list.at[w->marks.at[i]];
}

/* The schema's name, the fields, and the stack at the tracepoint. */
static int put_mark_data(struct firefox *w, const struct sonde_profile_sample *s)
{
	int r;

	json_object(&w->j);
	json_member_text(&w->j, "type", w->p->events.at[w->p->cells.at[s->cell].event].name);
	r = firefox_marker_fields(&w->j, &w->tables, s);
	if (r == 0 && w->p->cells.at[s->cell].stack) {
		json_key(&w->j, "cause");
		json_object(&w->j);
		json_key(&w->j, "stack");
		r = put_stack(w, s);
		json_end(&w->j);
	}
	json_end(&w->j);
	return r;
}

static int put_markers(struct firefox *w, const struct firefox_thread *t)
{
	static const char *const constant[] = { "phase", "category" };  /* an instant; FIREFOX_OTHER */
	int r = gather_marks(w, t);

	json_key(&w->j, "markers");
	json_object(&w->j);
	json_key(&w->j, "data");
	json_array(&w->j);
	for (size_t i = 0; i < w->marks.n && r == 0; i++)
		r = put_mark_data(w, mark_at(w, i));
	json_end(&w->j);
	json_key(&w->j, "name");
	json_array(&w->j);
	for (size_t i = 0; i < w->marks.n && r == 0; i++) {
		uint32_t event = w->p->cells.at[mark_at(w, i)->cell].event;
		uint32_t name = firefox_tables_string(&w->tables, w->p->events.at[event].name);

		json_u64(&w->j, name);
		r = name == UINT32_MAX ? -SONDE_NOMEM : 0;
	}
	json_end(&w->j);
	json_key(&w->j, "startTime");
	json_array(&w->j);
	for (size_t i = 0; i < w->marks.n; i++)
		put_time(w, mark_at(w, i));
	json_end(&w->j);
	json_key(&w->j, "endTime");
	json_array(&w->j);
	for (size_t i = 0; i < w->marks.n; i++)
		json_null(&w->j);
	json_end(&w->j);
	for (size_t k = 0; k < sizeof(constant) / sizeof(constant[0]); k++) {
		json_key(&w->j, constant[k]);
		json_array(&w->j);
		for (size_t i = 0; i < w->marks.n; i++)
			json_u64(&w->j, 0);
		json_end(&w->j);
	}
	json_member_u64(&w->j, "length", w->marks.n);
	json_end(&w->j);
	return r;
}

static int put_thread(struct firefox *w, const struct firefox_thread *t)
{
	static const struct sampled_thread none;
	const struct sonde_profile_task *task = &w->p->who.at[t->task];
	struct buf process = BUF_MEMORY;
	char pid[32];
	int r;

	/* of another machine: a number with a prefix, which is another text */
	if (task->host)
		snprintf(pid, sizeof(pid), "%" PRIu32 "-%" PRId32, task->host, task->pid);
	else
		snprintf(pid, sizeof(pid), "%" PRId32, task->pid);
	buf_printf(&process, task->host_name ? "%s (%s)" : "%s", task->comm, task->host_name);
	buf_take_failure(w->x->out, &process);
	json_object(&w->j);
	json_member_text(&w->j, "name", task->comm);
	json_key(&w->j, "isMainThread");
	json_bool(&w->j, t->is_main);
	json_member_text(&w->j, "processType", "default");
	json_key(&w->j, "processName");
	json_text_n(&w->j, process.p, process.n);
	buf_free(&process);
	json_member_text(&w->j, "pid", pid);
	json_key(&w->j, "tid");
	json_i64(&w->j, task->tid);
	json_member_u64(&w->j, "registerTime", 0);
	json_key(&w->j, "unregisterTime");
	json_null(&w->j);
	json_member_u64(&w->j, "processStartupTime", 0);
	json_key(&w->j, "processShutdownTime");
	json_null(&w->j);
	json_key(&w->j, "pausedRanges");
	json_array(&w->j);
	json_end(&w->j);
	json_key(&w->j, "showMarkersInTimeline");
	json_bool(&w->j, t->markers != NO_RUN);
	r = put_samples(w, t->samples == NO_RUN ? &none : &w->samples.runs.at[t->samples]);
	r = r < 0 ? r : put_markers(w, t);
	json_end(&w->j);
	return r;
}

/* ---- the head ---- */

static void put_categories(struct firefox *w)
{
	static const char *const categories[][2] = {
		[FIREFOX_OTHER] = { "Other", "grey" },
		[FIREFOX_USER] = { "User", "yellow" },
		[FIREFOX_KERNEL] = { "Kernel", "orange" },
	};

	json_key(&w->j, "categories");
	json_array(&w->j);
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
		json_object(&w->j);
		json_member_text(&w->j, "name", categories[i][0]);
		json_member_text(&w->j, "color", categories[i][1]);
		json_key(&w->j, "subcategories");
		json_array(&w->j);
		json_text(&w->j, "Other");
		json_end(&w->j);
		json_end(&w->j);
	}
	json_end(&w->j);
}

static void put_marker_schema(struct firefox *w)
{
	json_key(&w->j, "markerSchema");
	json_array(&w->j);
	for (uint32_t i = 0; i < w->p->events.n; i++)
		if (i != w->event && is_tracepoint(w, i))
			firefox_marker_schema(&w->j, w->p, i);
	json_end(&w->j);
}

static void put_fact(struct firefox *w, const char *label, const char *text)
{
	json_object(&w->j);
	json_member_text(&w->j, "label", label);
	json_member_text(&w->j, "format", "string");
	json_member_text(&w->j, "value", text);
	json_end(&w->j);
}

static void put_note(void *ctx, const char *text)
{
	put_fact(ctx, "Recording", text);
}

/* Milliseconds between samples, as far as the event says. */
static void put_interval(struct firefox *w)
{
	const struct sonde_profile_event *e = w->p->events.n ? &w->p->events.at[w->event] : NULL;
	uint64_t period = e && e->attr ? e->attr->sample_period : 0;

	json_key(&w->j, "interval");
	if (period && e->attr->flags & SONDE_ATTR_FREQ)
		json_millis(&w->j, UINT64_C(1000000000) / period);
	else
		json_millis(&w->j, period && weight_is_ns(e) ? period : 1000000);
}

static void put_word(struct buf *b, const char *word)
{
	if (!word)
		return;
	buf_char(b, ' ');
	buf_str(b, word);
}

/* Of several recordings the first one's, as the clock. */
static int put_machine(struct firefox *w)
{
	const struct meta *meta = w->x->recorded.meta;
	const char *clock = recording_clock(w->x);
	struct buf os = BUF_MEMORY;
	bool failed;

	if (clock && (strcmp(clock, "monotonic") == 0 || strcmp(clock, "mono") == 0))
		json_member_u64(&w->j, "startTimeAsClockMonotonicNanosecondsSinceBoot", w->p->times.first);
	if (meta && meta->cpudesc)
		json_member_text(&w->j, "CPUName", meta->cpudesc);
	if (!meta || (!meta->osrelease && !meta->arch))
		return 0;
	buf_str(&os, "Linux");
	put_word(&os, meta->osrelease);
	put_word(&os, meta->arch);
	buf_char(&os, '\0');
	failed = os.failed;
	if (!failed)
		json_member_text(&w->j, "oscpu", os.p);
	buf_free(&os);
	return failed ? -SONDE_NOMEM : 0;
}

static int put_meta(struct firefox *w)
{
	int r;

	json_key(&w->j, "meta");
	json_object(&w->j);
	json_member_u64(&w->j, "version", GECKO_VERSION);
	json_member_u64(&w->j, "preprocessedProfileVersion", VERSION);
	put_interval(w);
	json_key(&w->j, "startTime");
	json_millis(&w->j, recording_wall_ns(w->x));
	r = put_machine(w);
	if (r < 0)
		return r;
	json_member_u64(&w->j, "processType", 0);
	json_member_text(&w->j, "product", "sonde");
	json_member_text(&w->j, "importedFrom", "sonde " SONDE_VERSION);
	json_member_u64(&w->j, "stackwalk", 1);
	json_key(&w->j, "symbolicated");
	json_bool(&w->j, true);
	json_key(&w->j, "usesOnlyOneStackType");
	json_bool(&w->j, true);
	json_key(&w->j, "sourceCodeIsNotOnSearchfox");
	json_bool(&w->j, true);
	json_key(&w->j, "keepProfileThreadOrder");
	json_bool(&w->j, true);
	json_key(&w->j, "sampleUnits");
	json_object(&w->j);
	json_member_text(&w->j, "time", "ms");
	json_member_text(&w->j, "eventDelay", "ms");
	json_member_text(&w->j, "threadCPUDelta", "ns");
	json_end(&w->j);
	json_key(&w->j, "initialVisibleThreads");
	json_array(&w->j);
	for (size_t i = 0; i < w->threads.n && i < SHOWN_AT_FIRST; i++)
		json_u64(&w->j, i);
	json_end(&w->j);
	put_categories(w);
	put_marker_schema(w);
	json_key(&w->j, "extra");
	json_array(&w->j);
	json_object(&w->j);
	json_member_text(&w->j, "label", "Recording");
	json_key(&w->j, "entries");
	json_array(&w->j);
	if (w->p->events.n)
		put_fact(w, "Event", w->p->events.at[w->event].name);
	r = recording_notes(w->x, put_note, w);
	json_end(&w->j);
	json_end(&w->j);
	json_end(&w->j);
	json_end(&w->j);
	return r;
}

static int put_all(struct firefox *w)
{
	int r = thread_samples_make(&w->samples, w->x);

	if (r == 0)
		r = firefox_tables_make(&w->tables, w->p);
	if (r == 0)
		r = find_threads(w);
	if (r < 0)
		return r;
	json_object(&w->j);
	r = put_meta(w);
	json_key(&w->j, "threads");
	json_array(&w->j);
	for (size_t i = 0; i < w->threads.n && r == 0; i++)
		r = put_thread(w, &w->threads.at[i]);
	json_end(&w->j);
	if (r == 0)
		r = firefox_counters_put(&w->j, &w->p->tracks, &w->main_of, w->samples.zero);
	firefox_tables_put(&w->tables, &w->j);
	json_end(&w->j);
	buf_char(w->x->out, '\n');
	return r < 0 ? r : w->threads.n > 0;
}

int export_firefox(struct export *x)
{
	struct firefox w = { .x = x, .p = x->profile, .j = json_new(x->out) };
	int event = export_event(x), r = event;

	if (r >= 0) {
		w.event = (uint32_t)event;
		r = put_all(&w);
	}
	firefox_tables_free(&w.tables);
	thread_samples_free(&w.samples);
	vec_free(&w.threads);
	vec_free(&w.marks);
	u64map_free(&w.main_of);
	free(w.next_markers);
	return r;
}
