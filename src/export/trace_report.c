/* SPDX-License-Identifier: MIT */
#include "export/trace_report.h"

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "model/selection.h"

#define OPTION_TSC2NSEC 14
#define HELD_MAX 1024  /* lines that one entry of a function can hold up when there are several buffers */

/* Clocks that count nanoseconds, or that trace-cmd takes for such. The stamps of others are printed as they are. */
static bool has_integer_time(const struct sonde_meta *meta)
{
	static const char *const ns[] = { "local", "global", "uptime", "perf", "mono", "mono_raw", "tai", "tsc2nsec" };

	for (size_t i = 0; i < meta->nr_options; i++)
		if (meta->options[i].id == OPTION_TSC2NSEC)
			return false;
	for (size_t i = 0; meta->trace_clock && i < sizeof(ns) / sizeof(*ns); i++)
		if (strcmp(meta->trace_clock, ns[i]) == 0)
			return false;
	return meta->trace_clock;
}

int trace_report_init(struct trace_report *t, const struct sonde_script_opts *opts, const struct sonde_meta *meta,
		      const struct tracefmt *formats, struct buf *out, struct sonde_error *err)
{
	const struct sonde_query *query = OPT(opts, query, NULL);
	enum sonde_script_clock clock = OPT(opts, clock, SONDE_CLOCK_TRACE);

	*t = (struct trace_report){ .meta = meta, .formats = formats, .first_time = SONDE_NONE, .last_time = SONDE_NONE, .out = out, .err = err };
	t->cpus = OPT(query, cpus, NULL);
	t->nr_cpus = OPT(query, nr_cpus, 0);
	t->time_min = OPT(query, time_min, 0);
	t->time_max = OPT(query, time_max, 0);
	t->times = OPT(query, times, NULL);
	t->nr_times = OPT(query, nr_times, 0);
	if (!t->time_max)
		t->time_max = UINT64_MAX;
	t->comms = OPT(opts, comms, NULL);
	t->nr_comms = OPT(opts, nr_comms, 0);
	t->style = (struct report_style){
		.old = OPT(opts, layout, SONDE_LAYOUT_AUTO) == SONDE_LAYOUT_TRACE_CMD_3_1,
		.latency = OPT(opts, latency, false), .raw = OPT(opts, raw, false), .ns = OPT(opts, ns, false),
		.ts_diff = clock == SONDE_CLOCK_DELTA, .integer_time = has_integer_time(meta),
		.no_prefix = { "", 0 },
	};
	report_style_set_flags(&t->style);
	t->relative = clock == SONDE_CLOCK_RELATIVE;
	t->names.latency = t->style.latency;
	return 0;
}

void trace_report_free(struct trace_report *t)
{
	relay_free(t->relay);
	for (size_t i = 0; t->held && i < HELD_MAX; i++)
		buf_free(&t->held[i].record);
	free(t->held);
	free(t->looks);
	vec_free(&t->gaps);
	report_names_free(&t->names);
	report_depths_free(&t->depths);
	arena_free(&t->arena);
}

static void format_line(const void *ctx, const void *line, const uint8_t *record, struct buf *out)
{
	const struct trace_report *t = ctx;

	report_line_put(&t->style, line, record, out);
}

/* "  one: ", right-aligned to the longest name; nothing if there is only the top buffer. */
static int make_prefix(struct trace_report *t, const char *name, struct sonde_str *out)
{
	struct buf text = BUF_MEMORY;
	size_t width = 0;

	for (size_t i = 0; i < t->meta->nr_buffers; i++)
		if (strlen(t->meta->buffers[i].name) > width)
			width = strlen(t->meta->buffers[i].name);
	if (width) {
		buf_pad(&text, ' ', width - strlen(name));
		buf_text(&text, name, strlen(name));
		buf_str(&text, *name ? ": " : "  ");
	}
	out->p = text.failed ? NULL : arena_strndup(&t->arena, text.p ? text.p : "", text.n);
	out->len = text.n;
	buf_free(&text);
	return out->p ? 0 : err_nomem(t->err);
}

static int make_looks(struct trace_report *t, const struct sonde_source *const *list, size_t n)
{
	int r = make_prefix(t, "", &t->style.no_prefix);

	t->looks = calloc(n ? n : 1, sizeof(*t->looks));
	if (r < 0 || !t->looks)
		return err_nomem(t->err);
	for (size_t i = 0; i < n && r == 0; i++)
		if (i == 0 || list[i]->buffer != list[i - 1]->buffer)
			r = make_prefix(t, list[i]->buffer, &t->looks[i].prefix);
		else
			t->looks[i].prefix = t->looks[i - 1].prefix;
	return r;
}

static struct sonde_str name_column(struct trace_report *t, const char *name)
{
	struct buf text = BUF_MEMORY;
	struct sonde_str column = { 0 };

	buf_char(&text, ' ');
	buf_text(&text, name, strlen(name));
	buf_str(&text, ": ");
	if (strlen(name) < 20)
		buf_pad(&text, ' ', 20 - strlen(name));
	column.len = text.n;
	if (text.n < REPORT_COPY)
		buf_pad(&text, ' ', REPORT_COPY - text.n);
	if (!text.failed)
		column.p = arena_strndup(&t->arena, text.p, text.n);
	buf_free(&text);
	return column;
}

static bool is_ftrace(const struct tracefmt_event *e, const char *name)
{
	return strcmp(e->system, "ftrace") == 0 && strcmp(e->name, name) == 0;
}

static uint32_t byte_field(const struct tracefmt_event *e, const char *name)
{
	const struct sonde_tracepoint_field *f = tracefmt_field(e, name);

	return f && f->size == 1 ? f->offset : REPORT_NOWHERE;
}

/* How the lines of a source look; NULL when out of memory. */
static struct report_look *look_of(struct trace_report *t, const struct sonde_source *source)
{
	struct report_look *look = &t->looks[source->index];
	const struct tracefmt_event *e;

	if (look->ready)
		return look;
	e = tracefmt_event(t->formats, source->attr->config);
	look->format = e;
	look->boot = tracefmt_boot(t->formats, source->buffer);
	look->flags_at = byte_field(e, "common_flags");
	look->count_at = byte_field(e, "common_preempt_count");
	look->migrate_disable = tracefmt_field(e, "common_migrate_disable");
	look->lock_depth = tracefmt_field(e, "common_lock_depth");
	look->naming = report_naming_of(e);
	look->names = look->naming.pid[0] && !t->style.raw;
	if (!t->style.raw && (is_ftrace(e, "funcgraph_entry") || (!t->style.old && is_ftrace(e, "fgraph_retaddr_entry"))))
		look->entry = tracefmt_field(e, "func");
	if (is_ftrace(e, "funcgraph_exit"))
		look->exit = tracefmt_field(e, "func");
	if (is_ftrace(e, "function") || is_ftrace(e, "func_repeats")) {
		look->ip = tracefmt_field(e, "ip");
		look->parent_ip = tracefmt_field(e, "parent_ip");
	}
	look->name = name_column(t, e->name);
	look->tied = look->entry || look->exit || look->ip;
	look->ready = look->name.p;
	return look->ready ? look : NULL;
}

/* ---- lines that wait ---- */

static int put_line(struct trace_report *t, const struct report_line *line, const uint8_t *record)
{
	struct report_line *next = relay_next(t->relay, record, (size_t)line->size + line->leaf_size);

	if (!next)
		return err_nomem(t->err);
	*next = *line;
	return 0;
}

/* Hands on what does not wait any more. */
static int hand_on(struct trace_report *t)
{
	size_t done = 0;
	int r = 0;

	for (; r == 0 && done < t->nr_held && !t->held[done].waits; done++)
		r = put_line(t, &t->held[done].line, (const uint8_t *)t->held[done].record.p);
	if (!done)
		return r;
	t->nr_held -= done;
	for (size_t i = 0; i < t->nr_held; i++) {
		struct report_held spare = t->held[i];

		t->held[i] = t->held[i + done];
		t->held[i + done] = spare;
	}
	return r;
}

static int hold(struct trace_report *t, const struct report_line *line, const uint8_t *record, int32_t pid, bool waits)
{
	struct report_held *h;
	int r = 0;

	if (!t->held) {
		t->held = calloc(HELD_MAX, sizeof(*t->held));
		if (!t->held)
			return err_nomem(t->err);
		for (size_t i = 0; i < HELD_MAX; i++)
			t->held[i].record = BUF_MEMORY;
	}
	if (t->nr_held == HELD_MAX) {
		t->held[0].waits = false;  /* has waited long enough */
		r = hand_on(t);
		if (r < 0)
			return r;
	}
	h = &t->held[t->nr_held++];
	h->line = *line;
	h->pid = pid;
	h->waits = waits;
	h->record.n = 0;
	buf_put(&h->record, record, line->size);
	return h->record.failed ? err_nomem(t->err) : 0;
}

static bool leaves(const struct report_held *entry, const struct report_look *look, const struct sonde_event *ev)
{
	const struct report_look *from = entry->line.look;
	uint64_t entered, left;

	return look->exit && entry->pid == ev->pid &&
	       tracefmt_u64(from->format, from->entry, (struct sonde_bytes){ (const uint8_t *)entry->record.p, entry->line.size }, &entered) &&
	       tracefmt_u64(look->format, look->exit, (struct sonde_bytes){ ev->raw, ev->raw_size }, &left) && entered == left;
}

/* The next event of a buffer has come: was the entry before it that of a leaf? Then the event is part of its line. */
static int end_wait(struct trace_report *t, const struct report_look *look, const struct sonde_event *ev, bool *swallowed)
{
	for (size_t i = 0; i < t->nr_held; i++) {
		struct report_held *h = &t->held[i];

		if (!h->waits || h->line.look->prefix.p != look->prefix.p)
			continue;
		h->waits = false;
		*swallowed = leaves(h, look, ev);
		if (*swallowed) {
			buf_put(&h->record, ev->raw, ev->raw_size);
			h->line.leaf_size = ev->raw_size;
		}
		if (h->record.failed)
			return err_nomem(t->err);
		break;
	}
	return hand_on(t);
}

static int take_line(struct trace_report *t, const struct report_line *line, const uint8_t *record, int32_t pid)
{
	bool waits = line->look && line->look->entry;

	if (t->nr_held || waits)
		return hold(t, line, record, pid, waits);
	return put_line(t, line, record);
}

/* ---- lost events ---- */

static int take_loss(struct trace_report *t, const struct sonde_event *ev)
{
	struct report_gap gap = { .page = ev->raw, .size = ev->raw_size, .time = ev->time, .cpu = ev->cpu };
	struct sonde_lost lost;
	bool wanted = t->nr_cpus == 0 && ev->time >= t->time_min && ev->time <= t->time_max && selects_time(t->times, t->nr_times, ev->time);

	for (size_t i = 0; i < t->nr_cpus; i++)
		wanted |= t->cpus[i] == ev->cpu;
	if (!wanted || sonde_event_lost(ev, &lost) < 0)
		return 0;
	gap.lost = lost.lost;
	return vec_push(&t->gaps, gap) < 0 ? err_nomem(t->err) : 0;
}

/* A page of which no event is printed: the loss has a line all the same. */
static int put_gap_alone(struct trace_report *t, const struct report_gap *gap)
{
	const struct report_line line = { .kind = REPORT_GAP, .gap = true, .lost = gap->lost, .cpu = gap->cpu };

	return take_line(t, &line, NULL, -1);
}

/* The event that lies in a page before which others were lost has their count; losses that are older have no such event. */
static int end_gaps(struct trace_report *t, const struct sonde_event *ev, struct report_line *line)
{
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < t->gaps.n && r == 0; i++) {
		struct report_gap gap = t->gaps.at[i];

		if (!line->gap && gap.cpu == ev->cpu && ev->raw >= gap.page && ev->raw < gap.page + gap.size) {
			line->gap = true;
			line->lost = gap.lost;
		} else if (ev->time > gap.time) {
			r = put_gap_alone(t, &gap);
		} else {
			t->gaps.at[kept++] = gap;
		}
	}
	t->gaps.n = kept;
	return r;
}

/* ---- events ---- */

static bool is_wanted(const struct trace_report *t, const char *comm)
{
	for (size_t i = 0; i < t->nr_comms; i++)
		if (strcmp(t->comms[i], comm) == 0)
			return true;
	return t->nr_comms == 0;
}

static int set_depth(struct trace_report *t, const struct sonde_event *ev, struct report_line *line)
{
	const struct report_look *look = line->look;
	struct sonde_bytes record = { ev->raw, ev->raw_size };
	uint64_t ip, parent_ip;
	int r;

	if (!tracefmt_u64(look->format, look->ip, record, &ip) || !tracefmt_u64(look->format, look->parent_ip, record, &parent_ip))
		return 0;
	r = report_depth(&t->depths, t->formats, look->boot, ev->cpu, ip, parent_ip);
	if (r < 0)
		return err_nomem(t->err);
	line->depth = (uint32_t)r;
	return 0;
}

/* The time that is shown, and since the line before. */
static void set_time(struct trace_report *t, const struct sonde_event *ev, struct report_line *line)
{
	line->time = ev->time;
	line->since = t->style.ts_diff && t->last_time != SONDE_NONE ? ev->time - t->last_time : SONDE_NONE;
	t->last_time = ev->time;
	if (!t->relative)
		return;
	if (t->first_time == SONDE_NONE)
		t->first_time = ev->time;
	line->time -= t->first_time;
}

/* A line that has to do with others. */
static int take_tied(struct trace_report *t, const struct sonde_event *ev, struct report_line *line)
{
	const struct report_look *look = line->look;
	bool swallowed = false;
	int r = 0;

	if (!is_wanted(t, line->task->comm))
		return 0;
	if (t->gaps.n)
		r = end_gaps(t, ev, line);
	if (r == 0 && t->nr_held && look)
		r = end_wait(t, look, ev, &swallowed);
	if (r < 0 || swallowed)
		return r;
	set_time(t, ev, line);
	if (look && look->ip && look->parent_ip && !t->style.raw)
		r = set_depth(t, ev, line);
	if (r == 0)
		r = take_line(t, line, ev->raw, ev->pid);
	return r;
}

static int take_event(struct trace_report *t, const struct sonde_event *ev)
{
	const struct report_look *look = ev->source ? look_of(t, ev->source) : NULL;
	bool tied = !look || look->tied || t->gaps.n || t->nr_held || t->nr_comms;
	const struct report_task *task;
	struct report_line other, *line;

	if (look && look->names &&
	    report_names_learn(&t->names, &look->naming, look->format, (struct sonde_bytes){ ev->raw, ev->raw_size }) < 0)
		return err_nomem(t->err);
	task = report_task(&t->names, ev->pid);
	if (!task || (ev->source && !look))
		return err_nomem(t->err);
	/* most lines are made where they will be formatted */
	line = tied ? &other : relay_next(t->relay, ev->raw, ev->raw_size);
	if (!line)
		return err_nomem(t->err);
	line->kind = look ? REPORT_EVENT : REPORT_UNKNOWN;
	line->gap = false;
	line->lost = 0;
	line->cpu = ev->cpu;
	line->size = ev->raw_size;
	line->leaf_size = 0;
	line->depth = 0;
	line->look = look;
	line->task = task;
	if (tied)
		return take_tied(t, ev, line);
	set_time(t, ev, line);
	return 0;
}

static int take_name(struct trace_report *t, const struct sonde_event *ev)
{
	struct sonde_comm comm;

	if (sonde_event_comm(ev, &comm) < 0)
		return 0;
	return report_name_task(&t->names, comm.tid, comm.comm) < 0 ? err_nomem(t->err) : 0;
}

static int take(struct trace_report *t, const struct sonde_event *ev)
{
	if (ev->kind == SONDE_KIND_SAMPLE)
		return take_event(t, ev);
	if (ev->type == PERF_RECORD_LOST)
		return take_loss(t, ev);
	if (ev->type == PERF_RECORD_COMM)
		return take_name(t, ev);
	if (ev->type == SONDE_TYPE_TEXT)
		return take_line(t, &(struct report_line){ .kind = REPORT_TEXT, .size = ev->raw_size }, ev->raw, -1);
	return 0;
}

/* What waited for events that did not come. */
static int take_rest(struct trace_report *t)
{
	int r = 0;

	for (size_t i = 0; i < t->gaps.n && r == 0; i++)
		r = put_gap_alone(t, &t->gaps.at[i]);
	for (size_t i = 0; i < t->nr_held; i++)
		t->held[i].waits = false;
	return r == 0 ? hand_on(t) : r;
}

static int read_lines(void *ctx)
{
	struct trace_report *t = ctx;
	struct sonde_event ev;
	int r, rest;

	do {
		r = t->next(t->next_ctx, &ev);
		if (r <= 0) {
			rest = take_rest(t);
			return r < 0 ? r : rest;
		}
		r = take(t, &ev);
	} while (r == 0 && !relay_is_full(t->relay));
	return r < 0 ? r : 1;
}

int trace_report_run(struct trace_report *t, const struct sonde_source *const *list, size_t n,
		     int (*next)(void *ctx, struct sonde_event *ev), void *next_ctx, unsigned threads)
{
	const struct relay_work work = { .ctx = t, .item_bytes = sizeof(struct report_line), .read = read_lines, .format = format_line };
	int r = make_looks(t, list, n);

	if (r == 0 && relay_new(&t->relay, &work, t->out) < 0)
		r = err_nomem(t->err);
	if (r < 0)
		return r;
	t->next = next;
	t->next_ctx = next_ctx;
	buf_str(t->out, "cpus=");
	buf_u64(t->out, t->meta->nr_cpus_available);
	buf_char(t->out, '\n');
	return relay_run(t->relay, threads);
}
