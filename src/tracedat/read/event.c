/* SPDX-License-Identifier: MIT */
/* event.c - from a record to an event. */
#include <linux/perf_event.h>

#include "base/ascii.h"
#include "tracedat/read/event.h"
#include "tracedat/read/tracedat.h"

static const struct tracedat *file_of(const struct reader *r)
{
	return (const struct tracedat *)r;
}

bool dat_cmdline(struct sonde_str line, int32_t *pid, struct sonde_str *comm)
{
	uint32_t v = 0;
	size_t i = 0, digits = 0;

	while (i < line.len && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	for (; i < line.len && is_digit(line.p[i]) && digits < 9; i++, digits++)
		v = v * 10 + (uint32_t)(line.p[i] - '0');
	if (digits == 0 || i == line.len || line.p[i] != ' ')
		return false;
	*pid = (int32_t)v;
	*comm = (struct sonde_str){ line.p + i + 1, line.len - i - 1 };
	return true;
}

static struct sonde_str line_of(const struct dat_block *block, const uint8_t *p)
{
	size_t left = (size_t)(block->data + block->size - p);
	const uint8_t *nl = memchr(p, '\n', left);

	return (struct sonde_str){ (const char *)p, nl ? (size_t)(nl - p) : left };
}

static void set_raw(struct sonde_event *ev, const struct dat_block *block, const uint8_t *p, size_t n)
{
	ev->raw = p;
	ev->raw_size = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	ev->file_offset = block->packed ? block->file_offset : block->file_offset + (uint64_t)(p - block->data);
}

static void load_event(const struct tracedat *f, const struct cpu_extent *extent, const uint8_t *at,
		       const struct dat_block *block, struct sonde_event *ev)
{
	struct page_event e = dat_page_event_at(&f->layout, at);
	bool swap = f->header.swap;
	uint32_t format, first;

	set_raw(ev, block, e.data, e.size);
	ev->type = PERF_RECORD_SAMPLE;
	ev->kind = SONDE_KIND_SAMPLE;
	ev->cpumode = PERF_RECORD_MISC_KERNEL;
	ev->period = 1;
	if (e.size >= f->common.pid_at + 4)
		ev->pid = ev->tid = (int32_t)load_u32(e.data + f->common.pid_at, swap);
	if (e.size < f->common.type_at + 2)
		return;
	ev->id = load_u16(e.data + f->common.type_at, swap);
	format = f->format_by_id[ev->id];
	first = f->first_evsel.at[extent->buffer];
	if (format && first != UINT32_MAX)
		ev->evsel = f->base.evsels.at[first + format - 1];
}

static void load_line(const struct dat_block *block, const struct record_ref *ref, struct sonde_event *ev)
{
	struct sonde_str line = line_of(block, ref->p), comm;

	set_raw(ev, block, ref->p, line.len);
	if (ref->kind == DAT_TEXT) {
		ev->type = SONDE_TYPE_TEXT;
		ev->kind = SONDE_KIND_META;
		ev->time = SONDE_NONE;
		return;
	}
	ev->type = PERF_RECORD_COMM;
	ev->kind = SONDE_KIND_SIDEBAND;
	ev->time = 0;
	dat_cmdline(line, &ev->pid, &comm);
	ev->tid = ev->pid;
}

static const struct sonde_event no_event = { .pid = -1, .tid = -1, .cpu = -1, .id = SONDE_NONE };

void dat_load(struct reader *r, const struct record_ref *ref, struct loaded_event *to)
{
	const struct tracedat *f = file_of(r);
	const struct dat_block *block = f->blocks.at[ref->block];
	const struct cpu_extent *extent = ref->kind <= DAT_LOST ? &f->extents.at[block->extent] : NULL;
	struct sonde_event *out = &to->pub;
	size_t left;

	memcpy(out, &no_event, sizeof(*out));  /* half the time of setting it to zero */
	out->time = ref->time;
	out->cpu = extent ? extent->cpu : -1;
	to->reader = r;
	to->block = block;
	to->deferred_callchain.nr = 0;
	to->read_by = NULL;
	if (!extent) {
		load_line(block, ref, out);
		return;
	}
	if (ref->kind == DAT_EVENT) {
		load_event(f, extent, ref->p, block, out);
		return;
	}
	left = (size_t)(block->data + block->size - ref->p);
	set_raw(out, block, ref->p, left < extent->page_size ? left : extent->page_size);
	out->type = PERF_RECORD_LOST;
	out->kind = SONDE_KIND_LOSS;
}

/* The page that a record lies in, from its first event on; false if the record is a copy that lies in none. */
static bool page_of(const struct tracedat *f, const struct sonde_event *ev, struct page *page)
{
	const struct dat_block *block = event_of(ev)->block;
	size_t page_size, at;

	if (!block || !block->data || ev->raw < block->data || (size_t)(ev->raw - block->data) >= block->size)
		return false;
	page_size = f->extents.at[block->extent].page_size;
	at = (size_t)(ev->raw - block->data) / page_size * page_size;
	return dat_page_open(page, &f->layout, block->data + at, block->size - at, page_size) == 0;
}

/* The return addresses of a stack, as many as there is room for, up to a mark of their end. */
static struct u64s addresses_at(const struct tracedat *f, const uint8_t *p, size_t size, uint32_t at, uint64_t most)
{
	struct u64s ips = { .swap = f->header.swap };

	if (size < at)
		return ips;
	ips.p = p + at;
	while (ips.nr < most && (ips.nr + 1) * 8 <= size - at && load_u64(ips.p + 8 * ips.nr, ips.swap) != UINT64_MAX)
		ips.nr++;
	return ips;
}

static struct u64s kernel_stack_of(const struct tracedat *f, const uint8_t *p, size_t size)
{
	if (size < f->stack_size_at + 4)
		return (struct u64s){ 0 };
	return addresses_at(f, p, size, f->stack_at, load_u32(p + f->stack_size_at, f->header.swap));
}

/* A user_stack has room for more addresses than it may have: the others are 0. */
static struct u64s user_stack_of(const struct tracedat *f, const uint8_t *p, size_t size)
{
	struct u64s ips = addresses_at(f, p, size, f->user_stack_at, UINT64_MAX);
	uint64_t nr = 0;

	while (nr < ips.nr && load_u64(ips.p + 8 * nr, ips.swap))
		nr++;
	ips.nr = nr;
	return ips;
}

/* The next record of a page, if it is one of that event and of the same task. */
static bool take_stack(const struct tracedat *f, const struct sonde_event *ev, struct page *page, uint64_t id,
		       struct page_event *out)
{
	struct page after = *page;

	if (dat_page_next(&after, out) <= 0 || out->size < f->common.type_at + 2 || out->size < f->common.pid_at + 4 ||
	    load_u16(out->data + f->common.type_at, f->header.swap) != id ||
	    (int32_t)load_u32(out->data + f->common.pid_at, f->header.swap) != ev->pid)
		return false;
	*page = after;
	return true;
}

static bool is_stack(const struct tracedat *f, const struct sonde_event *ev)
{
	return (f->stack_at && ev->id == f->stack_id) || (f->user_stack_at && ev->id == f->user_stack_id);
}

/*
 * The stacks of an event are events of their own, the next ones of its CPU on the same page: kernel_stack, then
 * user_stack. A stack itself has none.
 */
static void stacks_behind(const struct tracedat *f, const struct sonde_event *ev, struct u64s *kernel,
			  struct u64s *user)
{
	struct page_event e;
	struct page page;

	*kernel = *user = (struct u64s){ 0 };
	if ((!f->stack_at && !f->user_stack_at) || ev->kind != SONDE_KIND_SAMPLE)
		return;
	if (is_stack(f, ev)) {
		if (f->stack_at && ev->id == f->stack_id)
			*kernel = kernel_stack_of(f, ev->raw, ev->raw_size);
		else
			*user = user_stack_of(f, ev->raw, ev->raw_size);
		return;
	}
	if (!page_of(f, ev, &page) || ev->raw < page.p || ev->raw + ev->raw_size > page.end)
		return;
	page.p = ev->raw + ev->raw_size;
	if (f->stack_at && take_stack(f, ev, &page, f->stack_id, &e))
		*kernel = kernel_stack_of(f, e.data, e.size);
	if (f->user_stack_at && take_stack(f, ev, &page, f->user_stack_id, &e))
		*user = user_stack_of(f, e.data, e.size);
}

struct u64s dat_callchain(const struct reader *r, const struct sonde_event *ev)
{
	struct u64s kernel, user;

	stacks_behind(file_of(r), ev, &kernel, &user);
	return kernel;
}

struct u64s dat_user_callchain(const struct reader *r, const struct sonde_event *ev)
{
	struct u64s kernel, user;

	stacks_behind(file_of(r), ev, &kernel, &user);
	return user;
}

bool dat_is_lone_stack(const struct reader *r, const struct sonde_event *ev)
{
	const struct tracedat *f = file_of(r);
	struct page_event first;
	struct page page;

	return ev->kind == SONDE_KIND_SAMPLE && is_stack(f, ev) && page_of(f, ev, &page) &&
	       dat_page_next(&page, &first) > 0 && first.data == ev->raw;
}

int dat_sample(const struct reader *r, const struct sonde_event *ev, struct sample *out)
{
	if (ev->kind != SONDE_KIND_SAMPLE)
		return -SONDE_USAGE;
	*out = (struct sample){
		.present = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.id = SONDE_NONE,
		.stream_id = SONDE_NONE,
		.time = ev->time,
		.pid = ev->pid,
		.tid = ev->tid,
		.cpu = ev->cpu,
		.raw = { ev->raw, ev->raw_size },
		.branches = { .hw_idx = SONDE_NONE },
		.callchain = dat_callchain(r, ev),
	};
	if (out->callchain.nr)
		out->present |= PERF_SAMPLE_CALLCHAIN;
	return 0;
}

static int body_comm(const struct sonde_event *ev, struct sonde_comm *out)
{
	struct sonde_str line = { (const char *)ev->raw, ev->raw_size }, comm;
	int32_t pid;

	if (!dat_cmdline(line, &pid, &comm))
		return -SONDE_CORRUPT;
	*out = (struct sonde_comm){ .pid = pid, .tid = pid, .comm = comm };
	return 0;
}

static int body_lost(const struct tracedat *f, const struct sonde_event *ev, struct sonde_lost *out)
{
	struct page page;

	if (dat_page_open(&page, &f->layout, ev->raw, ev->raw_size, ev->raw_size) < 0)
		return -SONDE_CORRUPT;
	*out = (struct sonde_lost){ .id = SONDE_NONE, .lost = page.nr_missed };
	return 0;
}

int dat_body(const struct reader *r, const struct sonde_event *ev, enum event_body body, void *out)
{
	if (ev->type == PERF_RECORD_COMM && body == BODY_COMM)
		return body_comm(ev, out);
	if (ev->type == PERF_RECORD_LOST && body == BODY_LOST)
		return body_lost(file_of(r), ev, out);
	return -SONDE_USAGE;
}

static int show_text(const char *name, struct sonde_str text, sonde_field_fn fn, void *ctx)
{
	const struct sonde_field field = { .name = name, .index = SONDE_NONE, .kind = SONDE_FIELD_TEXT, .text = text };

	return fn(ctx, &field);
}

static int show_number(const char *name, uint64_t v, sonde_field_fn fn, void *ctx)
{
	const struct sonde_field field = { .name = name, .index = SONDE_NONE, .kind = SONDE_FIELD_U64, .u = v };

	return fn(ctx, &field);
}

int dat_fields(const struct reader *r, const struct sonde_event *ev, sonde_field_fn fn, void *ctx)
{
	struct sonde_comm comm;
	struct sonde_lost lost;
	int ret;

	switch (ev->type) {
	case PERF_RECORD_COMM:
		ret = body_comm(ev, &comm);
		return ret < 0 ? ret : show_text("comm", comm.comm, fn, ctx);
	case PERF_RECORD_LOST:
		ret = body_lost(file_of(r), ev, &lost);
		if (ret < 0)
			return ret;
		return lost.lost == SONDE_NONE ? show_text("lost", (struct sonde_str){ "?", 1 }, fn, ctx) :
						 show_number("lost", lost.lost, fn, ctx);
	case SONDE_TYPE_TEXT:
		return show_text("text", (struct sonde_str){ (const char *)ev->raw, ev->raw_size }, fn, ctx);
	}
	return -SONDE_USAGE;
}
