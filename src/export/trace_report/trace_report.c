/* SPDX-License-Identifier: MIT */
#include "export/trace_report/trace_report.h"

#include <linux/perf_event.h>

#include "base/bytes.h"
#include "export/trace_report/event_look.h"
#include "export/trace_report/held_lines.h"
#include "model/event.h"
#include "model/selection.h"
#include "tracefmt/field.h"

static int check_filters(struct trace_report *t)
{
	const struct tracefmt **sets = calloc(t->nr_parts, sizeof(*sets));
	int r;

	if (!sets)
		return err_nomem(t->err);
	for (size_t i = 0; i < t->nr_parts; i++)
		sets[i] = t->parts[i].in.formats;
	r = report_choice_check(&t->choice, sets, t->nr_parts, t->err);
	free(sets);
	return r;
}

static int copy_inputs(struct trace_report *t, const struct report_input *in, size_t nr)
{
	t->parts = calloc(nr, sizeof(*t->parts));
	if (!t->parts)
		return err_nomem(t->err);
	t->nr_parts = nr;
	t->part = t->parts;
	for (size_t i = 0; i < nr; i++) {
		t->parts[i].in = in[i];
		t->parts[i].names = REPORT_NAMES;
		t->parts[i].names.latency = t->style.latency;
	}
	return check_filters(t);
}

int trace_report_init(struct trace_report *t, const struct sonde_script_opts *opts, const struct report_input *in,
		      size_t nr, struct buf *out, struct sonde_error *err)
{
	const struct sonde_query *query = OPT(opts, query, NULL);
	enum sonde_script_clock clock = OPT(opts, clock, SONDE_CLOCK_TRACE);
	int r;

	*t = (struct trace_report){ .first_time = SONDE_NONE, .out = out, .err = err };
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
		.ts_diff = clock == SONDE_CLOCK_DELTA || OPT(opts, ts_diff, false),
	};
	report_style_set_flags(&t->style);
	t->relative = clock == SONDE_CLOCK_RELATIVE;
	r = report_choice_init(&t->choice, opts, err);
	if (r == 0)
		r = copy_inputs(t, in, nr);
	return r < 0 ? r : report_make_prefixes(t);
}

void trace_report_free(struct trace_report *t)
{
	ordered_pool_free(t->pool);
	report_free_waits(t);
	report_choice_free(&t->choice);
	for (size_t i = 0; i < t->nr_parts; i++) {
		free(t->parts[i].looks);
		report_names_free(&t->parts[i].names);
	}
	free(t->parts);
	vec_free(&t->gaps);
	report_depths_free(&t->depths);
	arena_free(&t->arena);
}

static void format_line(void *ctx, void *line, const uint8_t *record, struct buf *out)
{
	const struct trace_report *t = ctx;

	report_line_put(&t->style, line, record, out);
}

/* ---- lost events ---- */

static int take_loss(struct trace_report *t, const struct sonde_event *ev)
{
	struct report_gap gap = {
		.part = t->part, .page = ev->raw, .size = ev->raw_size, .time = ev->time, .cpu = ev->cpu
	};
	struct sonde_lost lost;
	bool wanted = t->nr_cpus == 0 && ev->time >= t->time_min && ev->time <= t->time_max &&
		selects_time(t->times, t->nr_times, ev->time);

	for (size_t i = 0; i < t->nr_cpus; i++)
		wanted |= t->cpus[i] == ev->cpu;
	if (!wanted || event_lost(ev, &lost) < 0)
		return 0;
	gap.lost = lost.lost;
	return vec_push(&t->gaps, gap) < 0 ? err_nomem(t->err) : 0;
}

/* Prints the loss before a page even if no event of the page is printed. */
static int put_gap_alone(struct trace_report *t, const struct report_gap *gap)
{
	const struct report_line line = { .kind = REPORT_GAP, .gap = true, .lost = gap->lost, .cpu = gap->cpu,
					 .look = &gap->part->blank };

	return report_put_line(t, &line, NULL, -1);
}

/* The first event of a page after a loss carries the number of lost events; earlier losses have no such event. */
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

static bool is_listed(const struct trace_report *t, const char *comm)
{
	for (size_t i = 0; i < t->nr_comms; i++)
		if (strcmp(t->comms[i], comm) == 0)
			return true;
	return t->nr_comms == 0;
}

/* Whether to print an event: 1, 0 or negative. */
static int is_wanted(struct trace_report *t, const struct report_look *look, const struct report_task *task,
		     const struct sonde_event *ev)
{
	const struct report_candidate candidate = {
		.record = { .event = look->format,
			    .raw = { ev->raw, ev->raw_size },
			    .boot = look->boot,
			    .comm = task->comm,
			    .cpu = ev->cpu },
		.flags_at = look->flags_at,
		.buffer = look->prefix.p,
	};
	int r;

	if (!is_listed(t, task->comm))
		return 0;
	if (!ev->evsel)
		return !t->choice.any_positive;
	if (look->concern.always)
		return 1;
	r = report_choice_takes(&t->choice, &look->concern, &candidate);
	return r < 0 ? err_nomem(t->err) : r;
}

static int set_depth(struct trace_report *t, const struct sonde_event *ev, struct report_line *line)
{
	const struct report_look *look = line->look;
	struct sonde_bytes record = { ev->raw, ev->raw_size };
	uint64_t ip, parent_ip;
	int r;

	if (!tracefmt_u64(look->format, look->ip, record, &ip) ||
	    !tracefmt_u64(look->format, look->parent_ip, record, &parent_ip))
		return 0;
	r = report_depth(&t->depths, t->part->in.formats, look->boot, ev->cpu, ip, parent_ip);
	if (r < 0)
		return err_nomem(t->err);
	line->depth = (uint32_t)r;
	return 0;
}

/* Sets the shown time, and that of the previous line. */
static void set_time(struct trace_report *t, const struct sonde_event *ev, struct report_line *line)
{
	line->time = ev->time;
	if (t->relative && t->first_time == SONDE_NONE)
		t->first_time = ev->time;
	if (t->relative)
		line->time -= t->first_time;
	line->before = t->last_time;
	t->last_time = line->time;
}

/* Prints a line that depends on others. */
static int take_tied(struct trace_report *t, const struct sonde_event *ev, struct report_line *line)
{
	const struct report_look *look = line->look;
	bool swallowed = false;
	int r = 0;

	/* an exit that no filter matches still ends the line of its leaf */
	if (t->nr_held && line->kind == REPORT_EVENT)
		r = report_end_wait(t, look, ev, &swallowed);
	if (r == 0 && !swallowed)
		r = is_wanted(t, look, line->task, ev);
	if (r <= 0)
		return r;
	r = t->gaps.n ? end_gaps(t, ev, line) : 0;
	if (r < 0)
		return r;
	set_time(t, ev, line);
	if (look->ip && look->parent_ip && !t->style.raw)
		r = set_depth(t, ev, line);
	if (r == 0)
		r = report_put_line(t, line, ev->raw, ev->pid);
	return r;
}

static int take_event(struct trace_report *t, const struct sonde_event *ev)
{
	const struct report_look *look = ev->evsel ? report_look_of(t, ev->evsel) : &t->part->blank;
	bool tied = !ev->evsel || !look || look->tied || t->gaps.n || t->nr_held || t->nr_comms;
	const struct report_task *task;
	struct report_line other, *line;

	if (look && look->names &&
	    report_names_learn(&t->part->names, &look->naming, look->format,
			       (struct sonde_bytes){ ev->raw, ev->raw_size }) < 0)
		return err_nomem(t->err);
	task = report_task(&t->part->names, ev->pid);
	if (!task || !look)
		return err_nomem(t->err);
	if (!tied && !look->concern.always) {
		int r = is_wanted(t, look, task, ev);

		if (r <= 0)
			return r;
	}
	/* most lines are formatted by the thread that takes them */
	line = tied ? &other : ordered_pool_item(t->pool);
	if (!line)
		return err_nomem(t->err);
	line->kind = ev->evsel ? REPORT_EVENT : REPORT_UNKNOWN;
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
	return ordered_pool_put(t->pool, ev->raw, ev->raw_size) < 0 ? err_nomem(t->err) : 0;
}

static int take_name(struct trace_report *t, const struct sonde_event *ev)
{
	struct sonde_comm comm;

	if (event_comm(ev, &comm) < 0)
		return 0;
	return report_name_task(&t->part->names, comm.tid, comm.comm) < 0 ? err_nomem(t->err) : 0;
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
		return report_put_line(
			t, &(struct report_line){ .kind = REPORT_TEXT, .size = ev->raw_size, .look = &t->part->blank },
			ev->raw, -1);
	return 0;
}

/* Prints lines that still wait: their next events never come. */
static int take_rest(struct trace_report *t)
{
	int r = 0;

	for (size_t i = 0; i < t->gaps.n && r == 0; i++)
		r = put_gap_alone(t, &t->gaps.at[i]);
	return r == 0 ? report_end_all_waits(t) : r;
}

static int read_lines(void *ctx)
{
	struct trace_report *t = ctx;
	const struct sonde_event *ev;
	size_t part = 0;
	int r, rest;

	do {
		r = t->next(t->next_ctx, &ev, &part);
		if (r <= 0) {
			rest = take_rest(t);
			return r < 0 ? r : rest < 0 ? rest : ORDERED_POOL_END;
		}
		t->part = &t->parts[part];
		r = take(t, ev);
	} while (r == 0 && !ordered_pool_is_full(t->pool));
	return r < 0 ? r : ORDERED_POOL_MORE;
}

/* The number of CPUs of each trace. */
static void put_heads(struct trace_report *t)
{
	for (size_t i = 0; i < t->nr_parts; i++) {
		if (t->nr_parts > 1)
			buf_put(t->out, t->parts[i].blank.prefix.p, t->parts[i].blank.prefix.len);
		buf_str(t->out, "cpus=");
		buf_u64(t->out, t->parts[i].in.meta->nr_cpus_available);
		buf_char(t->out, '\n');
	}
}

int trace_report_run(struct trace_report *t, int (*next)(void *ctx, const struct sonde_event **ev, size_t *part),
		     void *next_ctx, unsigned threads)
{
	const struct ordered_pool_work work = { .ctx = t, .item_bytes = sizeof(struct report_line), .read = read_lines,
						.format = format_line };

	if (ordered_pool_new(&t->pool, &work, t->out) < 0)
		return err_nomem(t->err);
	t->next = next;
	t->next_ctx = next_ctx;
	put_heads(t);
	t->head_bytes = t->out->n + t->out->written;
	return ordered_pool_run(t->pool, threads);
}
