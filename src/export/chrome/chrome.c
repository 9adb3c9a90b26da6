/* SPDX-License-Identifier: MIT */
/*
 * chrome.c - {"traceEvents": [...], "stackFrames": {...}}
 *
 * Samples are "P" events and tracepoints instants of their thread; the times of threads on CPUs are complete events of
 * a process "CPUs" whose threads are the CPUs. Frequencies and idle states of CPUs, and counts of groups, are counters.
 * Other machines, and guests, have processes with numbers of their own; all processes then have the names of their
 * machines. A stack is named by its number: stackFrames is the tree of them.
 */
#include "export/chrome/chrome.h"

#include <stdio.h>

#include "export/events/row_threads.h"
#include "export/events/runs.h"
#include "export/events/thread_counts.h"
#include "export/events/values.h"

/* Pids of the kernel are below 2^22. Other machines have ranges of their own. */
#define CPUS_PID 4194304
#define PIDS_OF_SPACE (2 * (int64_t)CPUS_PID)

struct chrome {
	struct event_rows *e;
	struct row_threads threads;
	struct runs runs;
	struct thread_counts counts;
	struct u64map cpus;          /* that have a slice or a state: space << 32 | CPU */
	struct buf name;             /* of a process */
	bool any;
};

/* Begins an event; the caller ends it with '}'. */
static void begin(struct chrome *c, const char *ph)
{
	struct buf *out = c->e->out;

	buf_str(out, c->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	buf_str(out, ph);
	buf_char(out, '"');
	c->any = true;
}

/* Nanoseconds as microseconds with three digits. */
static void put_microseconds(struct buf *out, const char *key, int64_t ns)
{
	uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	buf_str(out, key);
	if (ns < 0)
		buf_char(out, '-');
	buf_u64(out, v / 1000);
	buf_char(out, '.');
	buf_u64_zero(out, v % 1000, 3);
}

static void put_text(struct buf *out, const char *key, const char *s, size_t len)
{
	buf_str(out, key);
	buf_json(out, s, len);
}

static void put_number(struct buf *out, const char *key, int64_t v)
{
	buf_str(out, key);
	buf_i64(out, v);
}

static int64_t number_in(uint32_t space, int64_t number)
{
	return number + space * PIDS_OF_SPACE;
}

static void put_task(struct buf *out, const struct event_row *row)
{
	const struct sonde_event *ev = row->ev;

	put_number(out, ",\"pid\":", number_in(row->space, ev->pid >= 0 ? ev->pid : ev->tid >= 0 ? ev->tid : 0));
	put_number(out, ",\"tid\":", number_in(row->space, ev->tid >= 0 ? ev->tid : 0));
}

static void put_sample_args(struct buf *out, const struct event_row *row)
{
	buf_str(out, ",\"args\":{\"period\":");
	buf_u64(out, row->ev->period);
	if (row->ev->cpu >= 0)
		put_number(out, ",\"cpu\":", row->ev->cpu);
	buf_char(out, '}');
}

static int put_sample(struct chrome *c, const struct event_row *row)
{
	struct buf *out = c->e->out;
	uint32_t stack = event_rows_stack(c->e, row);

	if (stack == UINT32_MAX)
		return err_nomem(c->e->err);
	begin(c, row->source->is_tracepoint ? "i\",\"s\":\"t" : "P");
	put_text(out, ",\"name\":", row->source->name, strlen(row->source->name));
	buf_str(out, row->source->is_tracepoint ? ",\"cat\":\"tracepoint\"" : ",\"cat\":\"sample\"");
	put_task(out, row);
	put_microseconds(out, ",\"ts\":", row->time == SONDE_NONE ? 0 : event_rows_since(c->e, row->time));
	if (stack) {
		buf_str(out, ",\"sf\":");
		buf_u64(out, stack);
	}
	if (row->source->is_tracepoint) {
		buf_str(out, ",\"args\":");
		event_values_json(row, out);
	} else {
		put_sample_args(out, row);
	}
	buf_char(out, '}');
	return 0;
}

static int note_cpu(struct chrome *c, uint32_t space, int32_t cpu)
{
	uint64_t key = (uint64_t)space << 32 | (uint32_t)cpu;

	if (u64map_get(&c->cpus, key) != U64MAP_NONE)
		return 0;
	return u64map_set(&c->cpus, key, 0) < 0 ? err_nomem(c->e->err) : 0;
}

/* Values over time: the state of a CPU, by a tracepoint with the fields "state" and "cpu_id". */
struct cpu_state {
	uint64_t cpu, state;
	bool has_cpu, has_state;
};

static int find_state(void *ctx, const struct event_value *v)
{
	struct cpu_state *s = ctx;

	if (v->kind <= EVENT_VALUE_ADDRESS && strcmp(v->name, "cpu_id") == 0) {
		s->cpu = v->u;
		s->has_cpu = true;
	} else if (v->kind <= EVENT_VALUE_ADDRESS && strcmp(v->name, "state") == 0) {
		s->state = v->u;
		s->has_state = true;
	}
	return 0;
}

static void begin_counter(struct chrome *c, const struct event_row *row, int64_t pid, int64_t id)
{
	struct buf *out = c->e->out;

	begin(c, "C");
	put_text(out, ",\"name\":", row->source->name, strlen(row->source->name));
	put_number(out, ",\"pid\":", number_in(row->space, pid));
	put_number(out, ",\"id\":", id);
	put_microseconds(out, ",\"ts\":", event_rows_since(c->e, row->time));
	buf_str(out, ",\"args\":");
}

static int put_state(struct chrome *c, const struct event_row *row)
{
	struct cpu_state s = { 0 };

	event_values(row, find_state, &s);
	if (!s.has_cpu || !s.has_state || s.cpu > INT32_MAX)
		return 0;
	begin_counter(c, row, CPUS_PID, (int64_t)s.cpu);
	put_number(c->e->out, "{\"state\":", s.state == UINT32_MAX ? -1 : (int64_t)s.state);  /* -1: idle ends */
	buf_str(c->e->out, "}}");
	return note_cpu(c, row->space, (int32_t)s.cpu);
}

static void put_count(struct chrome *c, const struct thread_count *count)
{
	const struct event_row *row = count->row;

	begin_counter(c, row, row->ev->pid >= 0 ? row->ev->pid : 0, row->ev->tid);
	put_text(c->e->out, "{", row->source->name, strlen(row->source->name));
	buf_char(c->e->out, ':');
	buf_u64(c->e->out, count->sum);
	buf_str(c->e->out, "}}");
}

/* A counter for each CPU with such states, and for each thread and event with the counts of a group. */
static int put_counter(struct chrome *c, const struct event_row *row)
{
	const char *name = row->source->name;
	struct thread_count count;
	int r;

	if (row->time == SONDE_NONE)
		return 0;
	if (strcmp(name, "power:cpu_frequency") == 0 || strcmp(name, "power:cpu_idle") == 0)
		return put_state(c, row);
	r = thread_counts_take(&c->counts, row, &count);
	if (r > 0)
		put_count(c, &count);
	if (r < 0)
		return err_nomem(c->e->err);
	return 0;
}

static int put_run(struct chrome *c, const struct event_row *row)
{
	struct buf *out = c->e->out;
	struct thread_run run;
	int r = runs_take(&c->runs, c->e, row, &run);

	if (r < 0)
		return err_nomem(c->e->err);
	if (r == 0 || run.cpu < 0)
		return 0;
	begin(c, "X");
	put_text(out, ",\"name\":", run.comm, strlen(run.comm));
	put_number(out, ",\"cat\":\"sched\",\"pid\":", number_in(row->space, CPUS_PID));
	put_number(out, ",\"tid\":", run.cpu);
	put_microseconds(out, ",\"ts\":", event_rows_since(c->e, run.begin));
	put_microseconds(out, ",\"dur\":", (int64_t)(run.end - run.begin));
	put_number(out, ",\"args\":{\"tid\":", run.tid);
	put_number(out, ",\"prio\":", run.prio);
	put_text(out, ",\"end_state\":", run.end_state, strlen(run.end_state));
	buf_str(out, "}}");
	return note_cpu(c, row->space, run.cpu);
}

/* Losses are marks across the whole picture. */
static void put_loss(struct chrome *c, const struct event_row *row)
{
	struct buf *out = c->e->out;

	begin(c, "i\",\"s\":\"g\",\"name\":\"lost\",\"cat\":\"loss");
	put_task(out, row);
	put_microseconds(out, ",\"ts\":", row->time == SONDE_NONE ? 0 : event_rows_since(c->e, row->time));
	buf_str(out, ",\"args\":");
	event_values_json(row, out);
	buf_char(out, '}');
}

static int put_rows(struct chrome *c)
{
	const struct event_row *row;
	int r;

	while ((r = event_rows_next(c->e, &row)) > 0 && !c->e->out->failed) {
		if (row->is_sample && row_threads_of(&c->threads, row) == UINT32_MAX)
			return err_nomem(c->e->err);
		if (row->is_sample)
			r = put_sample(c, row);
		else if (event_row_is_loss(row))
			put_loss(c, row);
		if (r >= 0)
			r = put_run(c, row);
		if (r >= 0 && row->is_sample)
			r = put_counter(c, row);
		if (r < 0)
			return r;
	}
	return r;
}

static void put_name(struct chrome *c, const char *kind, int64_t pid, int64_t tid, const char *name)
{
	struct buf *out = c->e->out;

	begin(c, "M");
	put_text(out, ",\"name\":", kind, strlen(kind));
	put_number(out, ",\"pid\":", pid);
	put_number(out, ",\"tid\":", tid);
	put_text(out, ",\"args\":{\"name\":", name, strlen(name));
	buf_str(out, "}}");
}

static void put_process_name(struct chrome *c, uint32_t space, int64_t pid, int64_t tid, const char *name)
{
	c->name.n = 0;
	buf_str(&c->name, name);
	if (c->e->spaces.n > 1) {
		buf_str(&c->name, " (");
		event_rows_space_name(c->e, space, &c->name);
		buf_char(&c->name, ')');
	}
	buf_char(&c->name, '\0');
	buf_take_failure(c->e->out, &c->name);
	put_name(c, "process_name", number_in(space, pid), number_in(space, tid), c->name.failed ? name : c->name.p);
}

static void put_cpu_names(struct chrome *c)
{
	char name[32];

	for (size_t i = 0; i < c->cpus.entries.n; i++) {
		uint32_t space = (uint32_t)(c->cpus.entries.at[i].key >> 32), cpu = (uint32_t)c->cpus.entries.at[i].key;

		snprintf(name, sizeof(name), "CPU %u", cpu);
		put_process_name(c, space, CPUS_PID, cpu, "CPUs");
		put_name(c, "thread_name", number_in(space, CPUS_PID), cpu, name);
	}
}

/* The last name of a thread is the one that counts. */
static void put_names(struct chrome *c)
{
	for (size_t i = 0; i < c->threads.list.n; i++) {
		const struct row_thread *t = &c->threads.list.at[i];
		int32_t pid = t->pid >= 0 ? t->pid : t->tid;

		if (!t->comm)
			continue;
		put_name(c, "thread_name", number_in(t->space, pid), number_in(t->space, t->tid), t->comm);
		if (t->pid == t->tid)
			put_process_name(c, t->space, pid, t->tid, t->comm);
	}
	put_cpu_names(c);
}

static void put_stacks(const struct event_rows *e)
{
	const struct stacks *s = &e->stacks;

	buf_str(e->out, "\n],\n\"stackFrames\":{");
	for (size_t i = 1; i < s->list.n; i++) {
		const struct place_frame *f = &e->places.frames.at[s->list.at[i].frame];
		const char *name = f->symbol ? f->symbol : "[unknown]", *module = f->module ? f->module : "";

		buf_str(e->out, i > 1 ? ",\n\"" : "\n\"");
		buf_u64(e->out, i);
		put_text(e->out, "\":{\"name\":", name, strlen(name));
		put_text(e->out, ",\"category\":", module, strlen(module));
		if (s->list.at[i].parent) {
			buf_str(e->out, ",\"parent\":\"");
			buf_u64(e->out, s->list.at[i].parent);
			buf_char(e->out, '"');
		}
		buf_char(e->out, '}');
	}
	buf_char(e->out, '}');
}

static void put_other(const struct event_rows *e)
{
	buf_str(e->out, ",\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"tool\":\"sonde " SONDE_VERSION "\",");
	event_rows_clock_json(e, e->out);
	for (size_t i = 0; i < e->nr_inputs && e->nr_inputs > 1; i++) {
		buf_str(e->out, i ? ",{" : ",\"inputs\":[{");
		event_rows_input_json(e, i, e->out);
		buf_str(e->out, i + 1 < e->nr_inputs ? "}" : "}]");
	}
	buf_str(e->out, ",\"samples\":");
	buf_u64(e->out, e->nr_samples);
	buf_str(e->out, ",\"lost\":");
	buf_u64(e->out, event_rows_lost(e));
	event_rows_gaps_json(e, e->out);
	buf_str(e->out, "}}\n");
}

int export_chrome(struct event_rows *e)
{
	struct chrome c = { .e = e, .name = BUF_MEMORY };
	int r;

	buf_str(e->out, "{\"traceEvents\":[");
	r = put_rows(&c);
	if (r >= 0) {
		put_names(&c);
		put_stacks(e);
		put_other(e);
	}
	row_threads_free(&c.threads);
	runs_free(&c.runs);
	thread_counts_free(&c.counts);
	u64map_free(&c.cpus);
	buf_free(&c.name);
	return r;
}
