/* SPDX-License-Identifier: MIT */
/*
 * metadata.c - what both versions say about the kernel that was traced
 *
 *	"header_page\0", u64 size, text; "header_event\0", u64 size, text
 *	formats of system "ftrace", formats by system: see tracefmt/format_list.h
 *	kallsyms, printk_formats: u32 size, text;  saved_cmdlines: u64 size, text
 */
#include <linux/perf_event.h>

#include "tracedat/format/metadata.h"
#include "tracedat/read/metadata.h"
#include "tracedat/read/tracedat.h"
#include "tracedat/read/view.h"
#include "tracefmt/field.h"
#include "tracefmt/format_list.h"

#define MAX_ID 65535                 /* common_type is a u16 */
#define MAX_EVSELS 1000000

static const char *const names[] = {
	[SECTION_HEADER_INFO] = "header_page",     [SECTION_FTRACE_FORMATS] = "formats of ftrace",
	[SECTION_EVENT_FORMATS] = "event formats", [SECTION_KALLSYMS] = "kallsyms",
	[SECTION_PRINTK] = "printk formats",       [SECTION_CMDLINES] = "command lines",
	[SECTION_MODULES] = "list of modules",
};

static struct sonde_str take_text(struct cursor *c, uint64_t size)
{
	const uint8_t *p = cur_take(c, size);

	return (struct sonde_str){ p ? (const char *)p : "", p ? size : 0 };
}

static int read_header_info(struct tracedat *f, struct cursor *c)
{
	struct sonde_str page = { NULL, 0 }, event;  /* header_event says what page.c knows */
	uint64_t begin = c->at;
	int r = dat_metadata_header_info(c, &page, &event);

	if (r < 0)
		return r;
	if (page.len == 0)
		return err_set(c->err, SONDE_UNSUPPORTED, begin,
			       "comes from a kernel before 2.6.31, whose ring buffer is another one");
	if (!dat_page_layout_parse(&f->layout, f->header.big_endian, page))
		return err_set(c->err, SONDE_CORRUPT, begin, "the text of header_page describes no page");
	return 0;
}

/* A format that cannot be parsed costs itself only. */
static int take_format(void *ctx, const char *system, struct sonde_str text, uint64_t at)
{
	struct tracedat *f = ctx;
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	int r = tracefmt_add_format(f->formats, system, text, &failure);

	if (r == -SONDE_NOMEM)
		return r;
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_FEATURE, 1, at - FORMAT_SIZE_BYTES, SONDE_NONE, -1,
			   "event formats of system %s not read: %s", system, failure.text);
	return 0;
}

/* The text stays: its lines become records. */
static int read_cmdlines(struct tracedat *f, struct cursor *c, const struct view *b)
{
	uint64_t n = cur_u64(c), at = c->at;
	struct sonde_str text = take_text(c, n < cur_left(c) ? n : cur_left(c));
	struct dat_block p = { .data = (const uint8_t *)text.p, .size = text.len, .file_offset = b->packed ? b->at : at,
			   .packed = b->packed, .held = true };

	if (tracefmt_add_cmdlines(f->formats, text) < 0)
		return -SONDE_NOMEM;
	if (!b->stays && text.len) {
		p.owned = malloc(text.len);
		if (!p.owned)
			return -SONDE_NOMEM;
		memcpy(p.owned, text.p, text.len);
		p.data = p.owned;
	}
	f->cmdlines = dat_block_new(f, p);
	if (f->cmdlines == BLOCK_NONE)
		return -SONDE_NOMEM;
	if (text.len < n)
		cur_short(c, n);
	return cur_ok(c) ? 0 : -SONDE_TRUNCATED;
}

static int read_texts(struct tracedat *f, enum section_id id, struct cursor *c, const struct view *b)
{
	int r = 0;

	switch (id) {
	case SECTION_HEADER_INFO:
		return read_header_info(f, c);
	case SECTION_FTRACE_FORMATS:
		r = format_list_read(c, FTRACE_SYSTEM, take_format, f);
		break;
	case SECTION_EVENT_FORMATS:
		r = format_list_read_systems(c, take_format, f);
		break;
	case SECTION_KALLSYMS:
		take_text(c, cur_u32(c));
		break;
	case SECTION_PRINTK:
		r = tracefmt_add_printk(f->formats, take_text(c, cur_u32(c)));
		break;
	case SECTION_CMDLINES:
		return read_cmdlines(f, c, b);
	case SECTION_MODULES:
		r = tracefmt_add_modules(f->formats, take_text(c, cur_u32(c)));
		break;
	default:
		break;
	}
	if (r < 0)
		return -SONDE_NOMEM;
	return cur_ok(c) ? 0 : -SONDE_TRUNCATED;
}

int dat_metadata_read(struct tracedat *f, enum section_id id, const struct view *b, struct cursor *c,
		      struct sonde_error *err)
{
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	uint64_t at = c->at;
	int r;

	c->err = &failure;
	r = read_texts(f, id, c, b);
	c->err = NULL;
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r == -SONDE_UNSUPPORTED)
		return err_set(err, SONDE_UNSUPPORTED, failure.file_offset, "%s", failure.text);
	if (r < 0)
		ledger_add(&f->base.ledger, r == -SONDE_TRUNCATED ? SONDE_LOSS_TRUNCATED : SONDE_LOSS_FEATURE, 1, at,
			   SONDE_NONE, -1, "%s not read: %s", names[id], failure.text);
	return 0;
}

static void find_user_stacks(struct tracedat *f)
{
	const struct tracefmt_event *e = tracefmt_event_named(f->formats, "ftrace:user_stack");
	const struct sonde_tracepoint_field *caller = e ? tracefmt_field(e, "caller") : NULL;

	if (!caller)
		return;
	f->user_stack_id = e->id;
	f->user_stack_at = caller->offset;
}

/* Only of kernels whose addresses are those of perf's call chains: of 64 bits. */
static void find_stacks(struct tracedat *f)
{
	const struct tracefmt_event *e = tracefmt_event_named(f->formats, "ftrace:kernel_stack");
	const struct sonde_tracepoint_field *size = e ? tracefmt_field(e, "size") : NULL;
	const struct sonde_tracepoint_field *caller = e ? tracefmt_field(e, "caller") : NULL;

	if (f->header.long_size != 8)
		return;
	find_user_stacks(f);
	if (!size || !caller || size->size != 4)
		return;
	f->stack_id = e->id;
	f->stack_size_at = size->offset;
	f->stack_at = caller->offset;
}

static int index_formats(struct tracedat *f, size_t nr)
{
	f->format_by_id = calloc(MAX_ID + 1, sizeof(*f->format_by_id));
	f->attrs = arena_calloc(&f->base.arena, nr ? nr : 1, sizeof(*f->attrs));
	if (!f->format_by_id || !f->attrs)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct tracefmt_event *e = tracefmt_event_at(f->formats, i);

		f->attrs[i] = (struct sonde_attr){
			.type = PERF_TYPE_TRACEPOINT, .size = 136, .config = e->id, .sample_period = 1,
			.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_CPU,
		};
		if (e->id <= MAX_ID)
			f->format_by_id[e->id] = (uint32_t)i + 1;
	}
	return 0;
}

static int add_evsels_of(struct tracedat *f, const struct meta_buffer *b, size_t nr)
{
	struct sonde_evsel *all = arena_calloc(&f->base.arena, nr ? nr : 1, sizeof(*all));
	uint32_t first = (uint32_t)f->base.evsels.n;

	if (!all || vec_reserve(&f->base.evsels, nr) < 0 || vec_push(&f->first_evsel, first) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < nr; i++) {
		all[i] = (struct sonde_evsel){ .index = first + (uint32_t)i,
						.leader = first + (uint32_t)i,
						.scale = 1.0,
						.name = tracefmt_event_at(f->formats, i)->full_name,
						.ids = &f->attrs[i].config,
						.nr_ids = 1,
						.attr = &f->attrs[i],
						.buffer = b->name };
		f->base.evsels.at[f->base.evsels.n++] = &all[i];
	}
	return 0;
}

/* One evsel for each event of each buffer that has pages. */
int dat_metadata_make_evsels(struct tracedat *f, struct sonde_error *err)
{
	size_t nr = tracefmt_nr_events(f->formats);
	int r = index_formats(f, nr);

	f->common = tracefmt_common_fields(f->formats);
	find_stacks(f);
	for (size_t b = 0; b < f->buffers.n && r == 0; b++) {
		if (f->buffers.at[b].nr_cpus && f->base.evsels.n + nr <= MAX_EVSELS) {
			r = add_evsels_of(f, &f->buffers.at[b], nr);
			continue;
		}
		if (f->buffers.at[b].nr_cpus)
			ledger_add(&f->base.ledger, SONDE_LOSS_UNSUPPORTED, 1, SONDE_NONE, SONDE_NONE, -1,
				   "{buffer|buffers} whose events have no names: there are too many of both");
		r = vec_push(&f->first_evsel, UINT32_MAX);
	}
	return r < 0 ? err_nomem(err) : 0;
}
