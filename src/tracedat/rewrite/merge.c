/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/merge.h"

#include <stdio.h>

#include "base/str.h"
#include "codec/zlib.h"
#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"
#include "tracedat/read/event.h"
#include "tracedat/read/tracedat.h"
#include "tracedat/read/walk.h"
#include "tracedat/rewrite/formats_union.h"
#include "tracedat/scan/layout.h"
#include "tracedat/write/writer.h"

/* One of the merged traces. */
struct merged_trace {
	struct tracedat *t;
	struct image image;
	struct dat_file file;        /* its parts, for the texts of formats */
	struct walk *walk;
	struct record_ref next;
	uint64_t key;                /* the time of the next event by the clock of the first input */
	bool has_next;
	int64_t offset;
	uint16_t *new_ids;           /* see formats_union.h; NULL: no number changes */
	VEC(uint32_t) buffers;       /* by index: the buffer in the new file */
};

struct dat_merge {
	struct sonde_rewrite *handle;
	struct dat_writer *w;
	struct merged_trace *parts;
	size_t nr;
	struct formats_union formats;
	struct arena arena;
	uint8_t *event;              /* an event with its new id */
	size_t cap;
};

static struct sonde_error *err_of(struct dat_merge *m)
{
	return &m->handle->err;
}

static void lose(struct dat_merge *m, uint64_t count, const char *what)
{
	ledger_add(&m->handle->ledger, SONDE_LOSS_UNSUPPORTED, count, SONDE_NONE, SONDE_NONE, -1, "%s", what);
}

/* ---- formats ---- */

static int take_formats(struct dat_merge *m, struct merged_trace *part)
{
	static const uint16_t ids[] = { SECTION_FTRACE_FORMATS, SECTION_EVENT_FORMATS };
	int r = 0;

	dat_formats_union_next(&m->formats, &part->new_ids);
	for (size_t i = 0; i < ARRAY_SIZE(ids) && r == 0; i++) {
		const struct dat_part *section = dat_file_section(&part->file, ids[i]);
		uint8_t *p = NULL;
		size_t n;

		if (!section)
			continue;
		r = dat_part_load(&part->file, section, &p, &n, err_of(m));
		if (r == 0)
			r = dat_metadata_formats(p, n, ids[i], part->file.swap, dat_formats_union_take, &m->formats);
		free(p);
	}
	return r == -SONDE_NOMEM ? err_nomem(err_of(m)) : r;
}

/* ---- texts and options ---- */

/* The text of the first input that has it. */
static int take_text(struct dat_merge *m, uint16_t id, enum sonde_dat_text which)
{
	bool taken = false;
	int r = 0;

	for (size_t i = 0; i < m->nr && r == 0 && !taken; i++) {
		const struct dat_part *section = dat_file_section(&m->parts[i].file, id);
		struct sonde_str text = { NULL, 0 };
		uint8_t *p = NULL;
		size_t n;

		if (!section)
			continue;
		r = dat_part_load(&m->parts[i].file, section, &p, &n, err_of(m));
		if (r == 0)
			text = dat_metadata_text(id, p, n);
		taken = text.len > 0;
		if (taken)
			r = dat_writer_set_text(m->w, which, text.p, text.len, err_of(m));
		free(p);
	}
	return r;
}

/* Names of threads of all inputs; the first input with a name for a thread wins. */
static int take_cmdlines(struct dat_merge *m)
{
	struct u64map seen = { 0 };
	struct buf all = BUF_MEMORY;
	int r = 0;

	for (size_t i = 0; i < m->nr; i++) {
		const struct tracedat *t = m->parts[i].t;
		const struct dat_block *block = t->cmdlines == BLOCK_NONE ? NULL : t->blocks.at[t->cmdlines];

		for (size_t at = 0; block && at < block->size && r == 0;) {
			const char *line = (const char *)block->data + at, *end = memchr(line, '\n', block->size - at);
			size_t n = end ? (size_t)(end - line) : block->size - at;
			struct sonde_str comm;
			int32_t pid;

			at += n + 1;
			if (!dat_cmdline((struct sonde_str){ line, n }, &pid, &comm) ||
			    u64map_get(&seen, (uint32_t)pid) != U64MAP_NONE)
				continue;
			r = u64map_set(&seen, (uint32_t)pid, 1);
			buf_put(&all, line, n);
			buf_char(&all, '\n');
		}
	}
	u64map_free(&seen);
	if (r == 0 && !all.failed)
		r = dat_writer_set_text(m->w, SONDE_DAT_CMDLINES, all.p ? all.p : "", all.n, err_of(m));
	else
		r = err_nomem(err_of(m));
	buf_free(&all);
	return r;
}

static int take_header_page(struct dat_merge *m)
{
	const struct dat_part *section = dat_file_section(&m->parts[0].file, SECTION_HEADER_INFO);
	struct sonde_str page, event;
	struct cursor c;
	uint8_t *p = NULL;
	size_t n;
	int r;

	if (!section)
		return err_set(err_of(m), SONDE_CORRUPT, SONDE_NONE, "has no header_page: 'sonde repair' comes first");
	r = dat_part_load(&m->parts[0].file, section, &p, &n, err_of(m));
	if (r < 0)
		return r;
	c = cur_new(p, n, 0, m->parts[0].file.swap, NULL);
	if (dat_metadata_header_info(&c, &page, &event) < 0)
		r = err_set(err_of(m), SONDE_CORRUPT, section->at, "header_page is cut: 'sonde repair' comes first");
	if (r == 0)
		r = dat_writer_set_text(m->w, SONDE_DAT_HEADER_PAGE, page.p, page.len, err_of(m));
	if (r == 0)
		r = dat_writer_set_text(m->w, SONDE_DAT_HEADER_EVENT, event.p, event.len, err_of(m));
	free(p);
	return r;
}

static bool is_of_clock(uint16_t id)
{
	return id == DAT_OPTION_DATE || id == DAT_OPTION_OFFSET || id == DAT_OPTION_TIME_SHIFT ||
		id == DAT_OPTION_TSC2NSEC;
}

/* The options of the first input, without those of its clock that its times contain already. */
static int take_options(struct dat_merge *m)
{
	struct dat_file *f = &m->parts[0].file;
	int r = 0;

	for (size_t i = 0; i < f->parts.n; i++)
		for (size_t k = 0; k < f->parts.at[i].items.n && r == 0; k++) {
			const struct dat_item *item = &f->parts.at[i].items.at[k];

			if (item->id == SECTION_BUFFER || dat_option_points(item->id) ||
			    item->id == DAT_OPTION_CPUCOUNT || is_of_clock(item->id))
				continue;
			/* stamps of the new file are nanoseconds */
			if (item->id == DAT_OPTION_TRACECLOCK && m->parts[0].t->clock.ticks)
				continue;
			r = dat_writer_add_option(m->w, item->id, item->data.p, item->data.len, err_of(m));
		}
	for (size_t i = 0; i < f->parts.n; i++)
		if (f->parts.at[i].kind == DAT_PART_SECTION && f->parts.at[i].id > SECTION_CMDLINES)
			lose(m, 1, "{section|sections} of BTF and modules, which {is|are} not merged");
	return r;
}

/* ---- buffers ---- */

/* "trace-guest" of "/tmp/trace-guest.dat" */
static char *name_of_file(struct dat_merge *m, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strstr(base, ".dat");

	return arena_strndup(&m->arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static int add_named(struct dat_merge *m, const char *base, const char *name, const char *clock)
{
	char full[512];
	int r = -SONDE_USAGE;

	for (int i = 1; r == -SONDE_USAGE && i < 1000; i++) {
		struct sonde_error why = { .file_offset = SONDE_NONE };

		snprintf(full, sizeof(full), i == 1 ? "%s%s%s" : "%s%s%s.%d", base, *base && *name ? "-" : "", name, i);
		r = dat_writer_add_buffer(m->w, full, clock, 0, &why);
	}
	return r;
}

/* The buffer of the new file with this name, from a file of the same session; -1 if there is none. */
static int find_of_session(const struct dat_merge *m, const struct merged_trace *part, const char *name)
{
	for (const struct merged_trace *p = m->parts; p < part; p++) {
		if (p->t->base.meta.trace_id != part->t->base.meta.trace_id || !part->t->base.meta.trace_id)
			continue;
		for (size_t i = 0; i < p->t->buffers.n; i++)
			if (strcmp(p->t->buffers.at[i].name, name) == 0)
				return (int)p->buffers.at[i];
	}
	return -1;
}

static int take_buffers(struct dat_merge *m, struct merged_trace *part)
{
	bool first = part == m->parts;
	const char *base = first ? "" : name_of_file(m, part->t->input.path ? part->t->input.path : "input");

	if (!base)
		return err_nomem(err_of(m));
	for (size_t i = 0; i < part->t->buffers.n; i++) {
		const struct meta_buffer *b = &part->t->buffers.at[i];
		int number = find_of_session(m, part, b->name);

		if (number < 0 && first && !*b->name)
			number = 0;
		if (number < 0)
			number = b->nr_cpus || first ? add_named(m, base, b->name, b->clock) : 0;
		if (number < 0)
			return err_set(err_of(m), SONDE_UNSUPPORTED, SONDE_NONE, "has too many buffers of one name");
		if (vec_push(&part->buffers, (uint32_t)number) < 0)
			return err_nomem(err_of(m));
	}
	return 0;
}

/* ---- events ---- */

static int advance(struct dat_merge *m, struct merged_trace *part)
{
	bool cut = false;
	int r;

	do
		r = dat_walk_next(part->walk, &part->next, err_of(m));
	while (r > 0 && part->next.kind != DAT_EVENT && part->next.kind != DAT_LOST);
	part->has_next = r > 0;
	if (r > 0)
		part->key = clocks_move(part->next.time, part->offset, &cut);
	if (cut)
		lose(m, 1, "{time|times} that the offset moves past the beginning or the end of the clock");
	return r < 0 ? r : 0;
}

static int write_lost(struct dat_merge *m, struct merged_trace *part, uint32_t buffer, uint32_t cpu)
{
	struct sonde_lost lost;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;

	dat_load(&part->t->base, &part->next, &e);
	if (dat_body(&part->t->base, ev, BODY_LOST, &lost) < 0)
		return dat_writer_lost(m->w, buffer, cpu, SONDE_NONE, err_of(m));
	return dat_writer_lost(m->w, buffer, cpu, lost.lost, err_of(m));
}

/* The event with its number in the new file. */
static const uint8_t *with_new_id(struct dat_merge *m, const struct merged_trace *part, const struct page_event *ev)
{
	uint32_t at = part->t->common.type_at;
	uint16_t id = ev->size >= at + 2 ? load_u16(ev->data + at, part->t->header.swap) : 0, fresh;

	if (!part->new_ids || !part->new_ids[id])
		return ev->data;
	if (ev->size > m->cap) {
		free(m->event);
		m->event = malloc(ev->size);
		m->cap = m->event ? ev->size : 0;
		if (!m->event)
			return NULL;
	}
	memcpy(m->event, ev->data, ev->size);
	fresh = part->t->header.swap ? bswap_16(part->new_ids[id]) : part->new_ids[id];
	memcpy(m->event + at, &fresh, sizeof(fresh));
	return m->event;
}

static void tell_progress(const struct dat_merge *m)
{
	uint64_t passed = 0, bytes = 0;

	for (size_t i = 0; i < m->nr; i++) {
		passed += dat_walk_passed(m->parts[i].walk);
		bytes += m->parts[i].t->base.nr_bytes;
	}
	if (bytes && passed < bytes)
		m->handle->progress.fn(m->handle->progress.ctx, (double)passed / (double)bytes);
}

static int write_next(struct dat_merge *m, struct merged_trace *part)
{
	const struct cpu_extent *extent = &part->t->extents.at[part->t->blocks.at[part->next.block]->extent];
	uint32_t buffer = part->buffers.at[extent->buffer], cpu = extent->cpu < 0 ? 0 : (uint32_t)extent->cpu;
	struct page_event ev;
	const uint8_t *data;
	int r;

	if (part->next.kind == DAT_LOST) {
		r = write_lost(m, part, buffer, cpu);
	} else {
		ev = dat_page_event_at(&part->t->layout, part->next.p);
		data = with_new_id(m, part, &ev);
		r = data ? dat_writer_write(m->w, buffer, cpu, part->key, data, ev.size, err_of(m)) :
			   err_nomem(err_of(m));
		m->handle->counts.read++;
		m->handle->counts.written++;
	}
	if (rewriting_tells(m->handle))
		tell_progress(m);
	return r < 0 ? r : advance(m, part);
}

static int write_events(struct dat_merge *m)
{
	int r = 0;

	for (size_t i = 0; i < m->nr && r == 0; i++) {
		r = dat_walk_new_by_time(&m->parts[i].t->base, &m->parts[i].walk, err_of(m));
		if (r == 0)
			r = advance(m, &m->parts[i]);
	}
	while (r == 0) {
		struct merged_trace *oldest = NULL;

		for (size_t i = 0; i < m->nr; i++) {
			struct merged_trace *p = &m->parts[i];

			if (p->has_next && (!oldest || p->key < oldest->key))
				oldest = p;
		}
		if (!oldest)
			break;
		r = write_next(m, oldest);
	}
	for (size_t i = 0; i < m->nr; i++) {
		const struct ledger *l = &m->parts[i].t->base.ledger;

		for (size_t k = 0; k < l->rows.n; k++)
			if (l->rows.at[k].kind != SONDE_LOSS_RECORDER)
				ledger_add(&m->handle->ledger, l->rows.at[k].kind, l->rows.at[k].count,
					   l->rows.at[k].file_offset, l->rows.at[k].time_first, l->rows.at[k].cpu, "%s",
					   l->rows.at[k].text);
	}
	return r;
}

/* ---- the whole file ---- */

static int open_part(struct dat_merge *m, struct merged_trace *part)
{
	const struct tracedat *first = m->parts[0].t, *t = part->t;
	const char *path = t->input.path ? t->input.path : "an input";
	struct sonde_error *err = err_of(m);
	int r;

	if (t->header.big_endian != first->header.big_endian || t->layout.long_size != first->layout.long_size ||
	    t->layout.data_at != first->layout.data_at)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%s differs from the first input in byte order, size of long or layout of pages: "
			       "their events cannot be in one file",
			       path);
	if (t->texts.n)
		return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "%s is the text of a latency tracer, which has no events", path);
	r = image_of_input(&part->image, &t->input, err);
	if (r == 0)
		r = dat_layout_read(&part->file, &part->image, NULL, DAT_DEEP, err);
	if (r == 0 && !part->file.sound)
		r = err_set(err, SONDE_CORRUPT, SONDE_NONE, "%s is cut or damaged; 'sonde repair' comes first", path);
	return r;
}

/* Adds a loss for each input whose times cannot be aligned with the first input's clock. */
static int align(struct dat_merge *m, struct reader *const *in, const struct sonde_merge_opts *opts)
{
	struct sonde_alignment *how = calloc(m->nr, sizeof(*how));

	if (!how)
		return err_nomem(err_of(m));
	clocks_align(in, m->nr, opts->offsets_ns, opts->nr_offsets, how);
	for (size_t i = 0; i < m->nr; i++) {
		m->parts[i].offset = how[i].offset_ns;
		if (!clocks_known(how[i].fact))
			lose(m, 1, "{input|inputs} of another session, or of none: {its|their} times are not aligned");
	}
	free(how);
	return 0;
}

static struct sonde_dat_writer_opts make_opts(const struct dat_merge *m)
{
	const struct tracedat *first = m->parts[0].t;
	struct sonde_dat_writer_opts o = { .version = first->header.version, .compression = SONDE_COMPRESSION_NONE,
					   .endian = first->header.big_endian ? SONDE_ENDIAN_BIG : SONDE_ENDIAN_LITTLE,
					   .long_size = first->layout.long_size, .page_size = 4096 };

	if (first->file.codec)
		o.compression = first->file.codec == &codec_zlib ? SONDE_COMPRESSION_ZLIB : SONDE_COMPRESSION_ZSTD;
	o.clock = first->clock.ticks || !first->base.meta.trace_clock ? "local" : first->base.meta.trace_clock;
	for (size_t i = 0; i < m->nr; i++)
		for (size_t b = 0; b < m->parts[i].t->buffers.n; b++)
			if (m->parts[i].t->buffers.at[b].page_size > o.page_size)
				o.page_size = m->parts[i].t->buffers.at[b].page_size;
	return o;
}

static int merge(struct dat_merge *m, const char *out)
{
	struct sonde_dat_writer_opts opts;
	struct output to = { .buf = { .fd = -1 } };
	int r;

	opts = make_opts(m);
	m->w = dat_writer_new(&opts);
	if (!m->w ||
	    dat_formats_union_begin(&m->formats, m->w, m->parts[0].t->formats, &m->handle->ledger, err_of(m)) < 0)
		return err_nomem(err_of(m));
	r = output_open(&to, out, NULL, err_of(m));
	if (r == 0)
		r = take_header_page(m);
	for (size_t i = 0; i < m->nr; i++)
		dat_formats_union_announce(&m->formats, m->parts[i].t->formats);
	for (size_t i = 0; i < m->nr && r == 0; i++) {
		r = take_formats(m, &m->parts[i]);
		if (r == 0)
			r = take_buffers(m, &m->parts[i]);
	}
	if (r == 0)
		r = take_text(m, SECTION_KALLSYMS, SONDE_DAT_KALLSYMS);
	if (r == 0)
		r = take_text(m, SECTION_PRINTK, SONDE_DAT_PRINTK);
	if (r == 0)
		r = take_cmdlines(m);
	if (r == 0)
		r = take_options(m);
	if (r == 0)
		r = write_events(m);
	for (size_t i = 0; r == 0 && i < m->nr; i++)
		r = input_shrunk(&m->parts[i].t->input, err_of(m));
	if (r == 0)
		r = dat_writer_finish(m->w, &to, err_of(m));
	if (r == 0)
		r = output_finish(&to, err_of(m));
	output_close(&to);
	return r;
}

int dat_merge(struct sonde_rewrite *handle, struct reader *const *in, size_t nr, const char *out,
		   const struct sonde_merge_opts *opts)
{
	struct dat_merge m = { .handle = handle, .parts = calloc(nr, sizeof(*m.parts)), .nr = nr };
	int r = 0;

	if (!m.parts)
		return err_nomem(&handle->err);
	for (size_t i = 0; i < nr; i++) {
		m.parts[i].t = dat_of(in[i]);
		m.parts[i].image = (struct image){ .fd = -1, .dir_fd = -1 };
	}
	for (size_t i = 0; i < nr && r == 0; i++)
		r = open_part(&m, &m.parts[i]);
	if (r == 0)
		r = align(&m, in, opts);
	if (r == 0)
		r = merge(&m, out);
	for (size_t i = 0; i < nr; i++) {
		dat_walk_free(m.parts[i].walk);
		vec_free(&m.parts[i].buffers);
		free(m.parts[i].new_ids);
		dat_file_free(&m.parts[i].file);
		image_close(&m.parts[i].image);
	}
	dat_writer_free(m.w);
	dat_formats_union_free(&m.formats);
	arena_free(&m.arena);
	free(m.event);
	free(m.parts);
	return r;
}
