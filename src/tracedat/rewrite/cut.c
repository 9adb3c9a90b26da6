/* SPDX-License-Identifier: MIT */
/*
 * cut.c - a part of a trace.dat: by time, CPU, task, event or buffer, or its first events
 *
 * Pages whose events are all chosen are copied. The chosen events of other pages are packed into new pages. Pages
 * outside the time range are not read, if pages have times (time_range.c).
 */
#include "model/selection.h"
#include "tracedat/format/clock.h"
#include "tracedat/format/join.h"
#include "tracedat/format/option.h"
#include "tracedat/format/pages_time_range.h"
#include "tracedat/rewrite/cut.h"
#include "tracedat/rewrite/formats.h"
#include "tracedat/rewrite/repair_metadata.h"
#include "tracedat/rewrite/repair_pages.h"
#include "tracedat/rewrite/rewrite.h"
#include "tracedat/write/packer.h"
#include "tracefmt/field.h"
#include "tracefmt/tracefmt.h"

#define MAX_ID 65535

struct dat_cut {
	struct dat_rewrite w;
	const struct sonde_cut_opts *opts;
	const struct sonde_query *query;
	struct tracefmt *formats;
	struct dat_clock clock;
	uint8_t ids[(MAX_ID + 1) / 8];  /* bits of the chosen event ids */
	struct tracefmt_common common;
	bool narrows;                /* the choice depends on fields of events */
	uint64_t *times;             /* times of the first events: a heap with the latest on top */
	size_t nr_times;
	uint64_t last;               /* events after this time are left out */
	struct page_writer *to;      /* of the current extent */
};

/* ---- formats of events ---- */

/* "sched_switch" or "sched:sched_switch" */
static int choose_events(struct dat_cut *c)
{
	const struct sonde_query *q = c->query;
	bool any = q->nr_events == 0;

	for (size_t i = 0; i < tracefmt_nr_events(c->formats); i++) {
		const struct tracefmt_event *e = tracefmt_event_at(c->formats, i);

		if (e->id <= MAX_ID && q->nr_events && (selects_name(q->events, q->nr_events, e->full_name) ||
							selects_name(q->events, q->nr_events, e->name))) {
			c->ids[e->id / 8] = (uint8_t)(c->ids[e->id / 8] | 1u << e->id % 8);
			any = true;
		}
	}
	return any ? 0 : err_set(&c->w.handle->err, SONDE_MISSING, SONDE_NONE, "has no such event");
}

/* Options that turn stamps into times. */
static int read_clock(struct dat_cut *c)
{
	static const uint16_t ids[] = { DAT_OPTION_DATE, DAT_OPTION_OFFSET, DAT_OPTION_TIME_SHIFT,
					DAT_OPTION_TSC2NSEC };

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		const struct dat_item *item = dat_file_option(&c->w.in, ids[i]);
		struct sonde_error why = { .file_offset = SONDE_NONE };
		struct cursor cur = cur_new(item ? item->data.p : NULL, item ? item->data.len : 0, 0, c->w.in.swap,
					    &why);

		if (item && dat_clock_take_option(&c->clock, ids[i], &cur, &c->w.in.arena) == -SONDE_NOMEM)
			return err_nomem(&c->w.handle->err);
	}
	return 0;
}

static int prepare(struct dat_cut *c)
{
	int r = dat_rewrite_formats(&c->w, &c->formats);

	if (r < 0)
		return r;
	c->common = tracefmt_common_fields(c->formats);
	c->narrows = c->query->nr_events || c->query->nr_pids || c->query->nr_tids || c->opts->nr_comms;
	r = choose_events(c);
	return r < 0 ? r : read_clock(c);
}

/* ---- the choice ---- */

static bool is_in_time(const struct dat_cut *c, int32_t cpu, uint64_t stamp)
{
	uint64_t time = dat_clock_ns(&c->clock, cpu, stamp);

	return time >= c->query->time_min && time <= c->last && selects_time(c->query->times, c->query->nr_times, time);
}

static bool is_wanted(const struct dat_cut *c, int32_t cpu, uint64_t stamp, const struct page_event *ev)
{
	const struct sonde_query *q = c->query;
	bool swap = c->w.in.swap;
	int32_t pid;
	uint32_t id;

	if (!is_in_time(c, cpu, stamp))
		return false;
	if (!c->narrows)
		return true;
	id = ev->size >= c->common.type_at + 2 ? load_u16(ev->data + c->common.type_at, swap) : 0;
	pid = ev->size >= c->common.pid_at + 4 ? (int32_t)load_u32(ev->data + c->common.pid_at, swap) : -1;
	if (q->nr_events && !(c->ids[id / 8] >> id % 8 & 1))
		return false;
	return selects_number(q->pids, q->nr_pids, pid) && selects_number(q->tids, q->nr_tids, pid) &&
	       selects_name(c->opts->comms, c->opts->nr_comms, pid ? tracefmt_comm(c->formats, pid) : "swapper");
}

/* Finds the first page of an extent that may be in range, if its pages have times. */
static int start_pages(struct dat_cut *c, struct page_reader *from, struct dat_file *f, const struct dat_buffer *b,
		       const struct dat_extent *a)
{
	const struct sonde_query *q = c->query;
	uint64_t min = q->time_min, max = c->last, first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < q->nr_times; i++) {
		first = q->times[i].from < first ? q->times[i].from : first;
		last = q->times[i].to > last ? q->times[i].to : last;
	}
	min = q->nr_times && first > min ? first : min;
	max = q->nr_times && last < max ? last : max;
	dat_pages_start(from, f, b, a);
	if (a->nr_more || (min == 0 && max == UINT64_MAX) ||
	    dat_pages_narrow(from, &c->clock, (int32_t)a->cpu, min, max) == 0)
		return 0;
	dat_pages_end(from);
	return err_nomem(&c->w.handle->err);
}

/* Keeps the first opts->max_events times; the latest of them is on top. */
static void note_time(struct dat_cut *c, uint64_t time)
{
	size_t at, child;

	if (c->nr_times < c->opts->max_events) {
		for (at = c->nr_times++; at > 0 && c->times[(at - 1) / 2] < time; at = (at - 1) / 2)
			c->times[at] = c->times[(at - 1) / 2];
		c->times[at] = time;
		return;
	}
	if (time >= c->times[0])
		return;
	for (at = 0; (child = 2 * at + 1) < c->nr_times; at = child) {
		if (child + 1 < c->nr_times && c->times[child + 1] > c->times[child])
			child++;
		if (c->times[child] <= time)
			break;
		c->times[at] = c->times[child];
	}
	c->times[at] = time;
}

static int note_extent(struct dat_cut *c, const struct dat_buffer *b, const struct dat_extent *a)
{
	struct page_reader from;
	struct page_run run;
	struct page_event ev;
	struct page page;
	int r;

	r = start_pages(c, &from, &c->w.in, b, a);
	if (r < 0)
		return r;
	while ((r = dat_pages_next(&from, &run, &c->w.handle->err)) > 0)
		for (size_t at = 0; at < run.n; at += b->page_size) {
			size_t n = run.n - at < b->page_size ? run.n - at : b->page_size;

			if (dat_page_open(&page, &c->w.in.layout, run.p + at, n, b->page_size) < 0)
				continue;
			while (dat_page_next(&page, &ev) > 0)
				if (is_wanted(c, (int32_t)a->cpu, page.time, &ev))
					note_time(c, dat_clock_ns(&c->clock, (int32_t)a->cpu, page.time));
		}
	dat_pages_end(&from);
	return r;
}

/* The time of the last of that many events. */
static int find_last(struct dat_cut *c)
{
	uint64_t most = c->opts->max_events;
	int r = 0;

	c->last = c->query->time_max ? c->query->time_max : UINT64_MAX;
	if (!most)
		return 0;
	if (most > c->w.image.size * 16)  /* no file can have more */
		return 0;
	c->times = calloc((size_t)most, sizeof(*c->times));
	if (!c->times)
		return err_nomem(&c->w.handle->err);
	for (size_t i = 0; i < c->w.in.buffers.n && r == 0; i++)
		for (size_t k = 0; k < c->w.in.buffers.at[i].extents.n && r == 0; k++)
			r = note_extent(c, &c->w.in.buffers.at[i], &c->w.in.buffers.at[i].extents.at[k]);
	if (r == 0 && c->nr_times == most)
		c->last = c->times[0];
	return r;
}

/* ---- the new pages ---- */

static int put_page(void *ctx, const uint8_t *page, size_t size)
{
	struct dat_cut *c = ctx;

	return dat_page_writer_put(c->to, page, size, &c->w.handle->err);
}

/* Whether all events of a page are chosen. */
static bool is_whole(const struct dat_cut *c, int32_t cpu, const struct page_content *e)
{
	return !c->narrows && !e->damaged && !e->cut && !e->overfull && e->events && is_in_time(c, cpu, e->first) &&
		is_in_time(c, cpu, e->last);
}

static int cut_page(struct dat_cut *c, struct event_packer *packer, const struct dat_extent *a, const uint8_t *p,
		    size_t n, uint32_t page_size)
{
	const struct page_layout *l = &c->w.in.layout;
	struct page_content e;
	struct page_event ev;
	struct page page;
	int r = 0;

	if (dat_page_measure(l, p, n, page_size, &e) < 0) {
		dat_rewrite_lose(&c->w, SONDE_LOSS_CORRUPT, 1, a->bytes.at, (int32_t)a->cpu, DAT_PAGE_NONE);
		return 0;
	}
	if (e.overfull)
		dat_rewrite_lose(&c->w, SONDE_LOSS_CORRUPT, 1, a->bytes.at, (int32_t)a->cpu, DAT_PAGE_OVERFULL);
	c->w.handle->counts.read += e.events;
	if (n == page_size && !packer->missed && is_whole(c, (int32_t)a->cpu, &e)) {
		c->w.handle->counts.written += e.events;
		r = dat_event_packer_flush(packer);
		return r < 0 ? r : put_page(c, p, n);
	}
	dat_page_open(&page, l, p, n, page_size);
	while (r == 0 && dat_page_next(&page, &ev) > 0) {
		bool wanted = is_wanted(c, (int32_t)a->cpu, page.time, &ev);

		if (page.missed && (wanted || is_in_time(c, (int32_t)a->cpu, page.time)))
			r = dat_event_packer_miss(packer, page.nr_missed);
		page.missed = false;
		if (r == 0 && wanted) {
			c->w.handle->counts.written++;
			r = dat_event_packer_add(packer, page.time, ev.data, ev.size);
		}
	}
	return r;
}

static int fill_cut(void *ctx, struct dat_file *f, size_t buffer, const struct dat_extent *extent,
		    struct page_writer *to)
{
	struct dat_cut *c = ctx;
	const struct dat_buffer *b = &f->buffers.at[buffer];
	uint64_t nr_pages = 0, most = c->opts->max_pages;
	struct event_packer packer;
	struct page_reader from;
	struct page_run run;
	int r = 1;

	c->to = to;
	if (start_pages(c, &from, f, b, extent) < 0)
		return -SONDE_NOMEM;
	if (dat_event_packer_start(&packer, &f->layout, b->page_size, put_page, c) < 0) {
		dat_pages_end(&from);
		return err_nomem(&c->w.handle->err);
	}
	while (r > 0 && (!most || nr_pages < most) && (r = dat_pages_next(&from, &run, &c->w.handle->err)) > 0)
		for (size_t at = 0; at < run.n && r > 0 && (!most || nr_pages < most); at += b->page_size) {
			size_t n = run.n - at < b->page_size ? run.n - at : b->page_size;
			int failed = cut_page(c, &packer, extent, run.p + at, n, b->page_size);

			nr_pages = to->bytes / b->page_size + packer.has_events;
			r = failed < 0 ? failed : 1;
		}
	if (r >= 0)
		r = dat_event_packer_flush(&packer);
	if (from.nr_damaged)
		dat_rewrite_lose(&c->w, SONDE_LOSS_CORRUPT, from.nr_damaged, from.damaged_at, (int32_t)extent->cpu,
				 "compressed {chunk|chunks} of pages that cannot be read");
	dat_pages_end(&from);
	dat_event_packer_end(&packer);
	return r;
}

/* Leaves out buffers and CPUs that are not chosen. */
static int drop_others(struct dat_cut *c)
{
	struct dat_file *f = &c->w.in;
	size_t kept = 0;
	bool found = c->opts->nr_buffers == 0;

	for (size_t i = 0; i < f->buffers.n; i++) {
		struct dat_buffer *b = &f->buffers.at[i];
		bool wanted = selects_name(c->opts->buffers, c->opts->nr_buffers, b->name);
		size_t n = 0;

		found = found || wanted;
		for (size_t k = 0; k < b->extents.n; k++)
			if (wanted && b->extents.at[k].bytes.n &&
			    selects_number(c->query->cpus, c->query->nr_cpus, (int32_t)b->extents.at[k].cpu))
				b->extents.at[n++] = b->extents.at[k];
		b->extents.n = n;
		b->order.n = 0;
		b->fill = fill_cut;
		b->ctx = c;
		b->tail = (struct sonde_bytes){ NULL, 0 };
		if (!wanted && *b->name) {
			vec_free(&b->extents);
			vec_free(&b->order);
		} else {
			f->buffers.at[kept++] = *b;
		}
	}
	f->buffers.n = kept;
	return found ? 0 : err_set(&c->w.handle->err, SONDE_MISSING, SONDE_NONE, "has no such buffer");
}

static int refuse(struct dat_cut *c)
{
	struct sonde_error *err = &c->w.handle->err;

	if (c->opts->drop)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "parts of events can be left out of a perf.data only");
	if (!c->w.in.sound)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "is cut or damaged; 'sonde repair' comes first");
	for (size_t i = 0; i < c->w.in.parts.n; i++)
		if (c->w.in.parts.at[i].kind == DAT_PART_TEXT)
			return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "is the text of a latency tracer, which has no events");
	return 0;
}

static int cut(struct dat_cut *c)
{
	struct sonde_error *err = &c->w.handle->err;
	struct compose_how how;
	int r = dat_layout_read(&c->w.in, &c->w.image, NULL, DAT_DEEP, err);

	if (r == 0)
		r = refuse(c);
	if (r == 0)
		r = dat_mend_sections(&c->w);
	if (r == 0)
		r = prepare(c);
	if (r == 0)
		r = drop_others(c);
	if (r == 0 && c->w.in.scattered)
		r = dat_repair_drop_overlaps(&c->w);
	if (r == 0 && dat_join_extents(&c->w.in) < 0)
		r = err_nomem(err);
	if (r == 0)
		r = find_last(c);
	if (r == 0)
		r = dat_version_convert(&c->w.in, c->w.in.header.version, &c->w.handle->ledger, err);
	how = dat_compose_same(&c->w.in);
	return r < 0 ? r : dat_rewrite_finish(&c->w, &c->w.in, &how);
}

int dat_cut(struct sonde_rewrite *handle, struct image *im, const char *out, const struct sonde_cut_opts *opts)
{
	struct dat_cut *c = calloc(1, sizeof(*c));
	int r;

	if (!c) {
		image_close(im);
		return err_nomem(&handle->err);
	}
	c->opts = opts;
	c->query = opts->query;
	r = dat_rewrite_open(&c->w, handle, im, out);
	if (r == 0)
		r = cut(c);
	dat_rewrite_close(&c->w);
	tracefmt_free(c->formats);
	free(c->times);
	free(c);
	return r;
}
