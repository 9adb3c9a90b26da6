/* SPDX-License-Identifier: MIT */
#include "tracedat/write/writer.h"

#include <stdio.h>
#include <unistd.h>

#include "base/fd_io.h"
#include "codec/zlib.h"
#include "codec/zstd.h"
#include "tracedat/format/encode.h"
#include "tracedat/format/metadata.h"
#include "tracedat/format/option.h"
#include "tracedat/write/compose.h"
#include "tracedat/write/packer.h"
#include "tracedat/write/version_convert.h"

/* The pages of one CPU in one buffer. */
struct cpu_writer {
	struct dat_writer *w;
	uint32_t buffer, cpu;
	struct event_packer packer;
	VEC(uint64_t) pages;         /* their offsets in the file of pages */
};

struct dat_writer {
	struct sonde_dat_writer_opts opts;
	bool swap;
	struct dat_file f;           /* its buffers, the arena, and the data of options */
	struct buf texts[SONDE_DAT_CMDLINES + 1];
	bool has_text[SONDE_DAT_CMDLINES + 1];
	struct format_lists formats; /* texts in the arena of f */
	VEC(struct dat_item) items;
	VEC(struct cpu_writer *) writers;
	struct u64map writer_of;       /* by buffer and CPU */
	int pages_fd;                   /* -1: none yet */
	uint64_t pages_end;
	struct sonde_error *err;     /* of the current call */
};

static int text_copy(struct dat_writer *w, const char *text, const char **out, struct sonde_error *err)
{
	*out = arena_strndup(&w->f.arena, text, strlen(text));
	return *out ? 0 : err_nomem(err);
}

struct dat_writer *dat_writer_new(const struct sonde_dat_writer_opts *opts)
{
	struct dat_writer *w = calloc(1, sizeof(*w));
	bool big = opts->endian == SONDE_ENDIAN_SAME ? host_is_big_endian() : opts->endian == SONDE_ENDIAN_BIG;
	const char *clock;

	if (!w)
		return NULL;
	dat_file_init(&w->f, NULL);
	w->opts = *opts;
	w->pages_fd = -1;
	w->f.swap = w->swap = big != host_is_big_endian();
	w->f.layout = dat_page_layout_default(big, opts->long_size);
	w->f.header = (struct dat_header){ .version = opts->version,
					   .big_endian = big,
					   .swap = w->swap,
					   .long_size = opts->long_size,
					   .page_size = opts->page_size };
	for (size_t i = 0; i < ARRAY_SIZE(w->texts); i++)
		w->texts[i] = BUF_MEMORY;
	if (text_copy(w, opts->clock, &clock, NULL) < 0 || dat_writer_add_buffer(w, "", clock, 0, NULL) < 0) {
		dat_writer_free(w);
		return NULL;
	}
	w->opts.clock = clock;
	return w;
}

void dat_writer_free(struct dat_writer *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->writers.n; i++) {
		dat_event_packer_end(&w->writers.at[i]->packer);
		vec_free(&w->writers.at[i]->pages);
		free(w->writers.at[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(w->texts); i++)
		buf_free(&w->texts[i]);
	vec_free(&w->writers);
	format_lists_free(&w->formats);
	vec_free(&w->items);
	u64map_free(&w->writer_of);
	if (w->pages_fd >= 0)
		close(w->pages_fd);
	dat_file_free(&w->f);
	free(w);
}

int dat_writer_set_text(struct dat_writer *w, enum sonde_dat_text which, const char *text, size_t n,
			struct sonde_error *err)
{
	struct page_layout l;

	if ((unsigned)which >= ARRAY_SIZE(w->texts) || (which != SONDE_DAT_CMDLINES && n > UINT32_MAX))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no such text");
	if (which == SONDE_DAT_HEADER_PAGE) {
		if (!dat_page_layout_parse(&l, w->f.header.big_endian, (struct sonde_str){ text, n }))
			return err_set(err, SONDE_USAGE, SONDE_NONE, "the text does not describe a page");
		if (w->writers.n)
			return err_set(err, SONDE_USAGE, SONDE_NONE,
				       "header_page is set before the first event, because it describes the pages");
		w->f.layout = l;
	}
	w->texts[which].n = 0;
	buf_put(&w->texts[which], text, n);
	w->has_text[which] = true;
	return w->texts[which].failed ? err_nomem(err) : 0;
}

int dat_writer_add_format(struct dat_writer *w, const char *system, const char *text, size_t n, struct sonde_error *err)
{
	const struct sonde_str kept = { arena_memdup(&w->f.arena, n ? text : "", n ? n : 1), n };

	return !kept.p || format_lists_add(&w->formats, system, kept) < 0 ? err_nomem(err) : 0;
}

int dat_writer_add_option(struct dat_writer *w, uint16_t id, const void *data, size_t n, struct sonde_error *err)
{
	struct dat_item item = dat_item_new(id, NULL, n);

	if (dat_section_is_known(id) || n > UINT32_MAX)
		return err_set(err, SONDE_USAGE, SONDE_NONE,
			       "option %u has an offset in the file, which only the writer knows", id);
	item.data.p = arena_memdup(&w->f.arena, n ? data : "", n ? n : 1);
	return item.data.p && vec_push(&w->items, item) == 0 ? 0 : err_nomem(err);
}

int dat_writer_add_buffer(struct dat_writer *w, const char *name, const char *clock, uint32_t page_size,
			  struct sonde_error *err)
{
	struct dat_buffer b = { .page_size = page_size ? page_size : w->opts.page_size };
	size_t number;
	int r;

	if (b.page_size < PAGE_SIZE_MIN * 2 || b.page_size > PAGE_SIZE_MAX || b.page_size & (b.page_size - 1))
		return err_set(err, SONDE_USAGE, SONDE_NONE, "a page cannot have %u bytes", b.page_size);
	if (w->opts.version == 6 && b.page_size != w->opts.page_size)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "version 6 has one page size for all buffers");
	for (size_t i = 0; i < w->f.buffers.n; i++)
		if (strcmp(w->f.buffers.at[i].name, name) == 0)
			return err_set(err, SONDE_USAGE, SONDE_NONE, "there is a buffer \"%s\" already", name);
	r = text_copy(w, name, &b.name, err);
	if (r == 0)
		r = text_copy(w, clock ? clock : w->opts.clock, &b.clock, err);
	if (r == 0 && dat_file_add_buffer(&w->f, b, &number) < 0)
		r = err_nomem(err);
	return r < 0 ? r : (int)number;
}

/* Takes a whole page of a CPU. */
static int keep_page(void *ctx, const uint8_t *page, size_t size)
{
	struct cpu_writer *writer = ctx;
	struct dat_writer *w = writer->w;
	int bad;

	if (w->pages_fd < 0) {
		w->pages_fd = image_nameless(w->err);
		if (w->pages_fd < 0)
			return w->pages_fd;
	}
	if (vec_push(&writer->pages, w->pages_end) < 0)
		return err_nomem(w->err);
	bad = fd_write_at(w->pages_fd, page, size, w->pages_end);
	if (bad)
		return err_sys(w->err, bad, "cannot keep pages until the end");
	w->pages_end += size;
	return 0;
}

static struct cpu_writer *find_writer(struct dat_writer *w, uint32_t buffer, uint32_t cpu, struct sonde_error *err)
{
	uint64_t key = (uint64_t)buffer << 32 | cpu;
	uint32_t number = u64map_get(&w->writer_of, key);
	struct cpu_writer *writer;

	if (number != U64MAP_NONE)
		return w->writers.at[number];
	if (buffer >= w->f.buffers.n || cpu >= DAT_CPUS_MAX) {
		err_set(err, SONDE_USAGE, SONDE_NONE, "there is no CPU %u of buffer %u", cpu, buffer);
		return NULL;
	}
	writer = calloc(1, sizeof(*writer));
	if (!writer ||
	    dat_event_packer_start(&writer->packer, &w->f.layout, w->f.buffers.at[buffer].page_size, keep_page,
				   writer) < 0 ||
	    vec_push(&w->writers, writer) < 0) {
		if (writer)
			dat_event_packer_end(&writer->packer);
		free(writer);
		err_nomem(err);
		return NULL;
	}
	writer->w = w;
	writer->buffer = buffer;
	writer->cpu = cpu;
	if (u64map_set(&w->writer_of, key, (uint32_t)(w->writers.n - 1)) < 0) {
		err_nomem(err);
		return NULL;
	}
	return writer;
}

int dat_writer_write(struct dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t time, const void *event, size_t n,
		     struct sonde_error *err)
{
	struct cpu_writer *writer = find_writer(w, buffer, cpu, err);
	int r;

	if (!writer)
		return -(int)err->code;
	w->err = err;
	r = n <= UINT32_MAX ? dat_event_packer_add(&writer->packer, time, event, (uint32_t)n) : -SONDE_USAGE;
	return r == -SONDE_USAGE ?
		err_set(err, SONDE_USAGE, SONDE_NONE, "an event of %zu bytes does not fit into a page of %u", n,
			w->f.buffers.at[buffer].page_size) :
		r;
}

int dat_writer_lost(struct dat_writer *w, uint32_t buffer, uint32_t cpu, uint64_t count, struct sonde_error *err)
{
	struct cpu_writer *writer = find_writer(w, buffer, cpu, err);

	if (!writer)
		return -(int)err->code;
	w->err = err;
	return dat_event_packer_miss(&writer->packer, count);
}

size_t dat_writer_max_event(const struct dat_writer *w, uint32_t buffer)
{
	const struct event_packer p = { .layout = w->f.layout,
					.page_size = buffer < w->f.buffers.n ? w->f.buffers.at[buffer].page_size : 0 };

	return p.page_size ? dat_event_packer_max(&p) : 0;
}

static int add_section(struct dat_writer *w, uint16_t id, struct buf *b, struct sonde_error *err)
{
	size_t number;
	int r = b->failed ? -SONDE_NOMEM : dat_file_add_bytes(&w->f, id, b->p ? b->p : "", b->n, &number);

	buf_free(b);
	return r < 0 ? err_nomem(err) : 0;
}

static int add_formats(struct dat_writer *w, struct sonde_error *err)
{
	struct buf ftrace = BUF_MEMORY, systems = BUF_MEMORY;
	int r;

	format_lists_put(&w->formats, FTRACE_SYSTEM, w->swap, &ftrace);
	format_lists_put_systems(&w->formats, FTRACE_SYSTEM, w->swap, &systems);
	r = add_section(w, SECTION_FTRACE_FORMATS, &ftrace, err);
	if (r == 0)
		return add_section(w, SECTION_EVENT_FORMATS, &systems, err);
	buf_free(&systems);
	return r;
}

static int add_text(struct dat_writer *w, uint16_t id, enum sonde_dat_text which, struct sonde_error *err)
{
	struct buf b = BUF_MEMORY;

	dat_metadata_put_text(&b, id, w->swap, (struct sonde_str){ w->texts[which].p, w->texts[which].n });
	return add_section(w, id, &b, err);
}

static struct sonde_str text_of(const struct dat_writer *w, enum sonde_dat_text which)
{
	return (struct sonde_str){ w->texts[which].p, w->has_text[which] ? w->texts[which].n : 0 };
}

static int add_metadata(struct dat_writer *w, struct sonde_error *err)
{
	struct buf info = BUF_MEMORY;
	int r;

	dat_metadata_make_header_info(&info, w->swap, text_of(w, SONDE_DAT_HEADER_PAGE),
				      text_of(w, SONDE_DAT_HEADER_EVENT), w->opts.long_size, w->opts.page_size);
	r = add_section(w, SECTION_HEADER_INFO, &info, err);
	if (r == 0)
		r = add_formats(w, err);
	if (r == 0)
		r = add_text(w, SECTION_KALLSYMS, SONDE_DAT_KALLSYMS, err);
	if (r == 0)
		r = add_text(w, SECTION_PRINTK, SONDE_DAT_PRINTK, err);
	return r < 0 ? r : add_text(w, SECTION_CMDLINES, SONDE_DAT_CMDLINES, err);
}

static int add_clock(struct dat_writer *w, struct sonde_error *err)
{
	char text[128];
	int n;

	for (size_t i = 0; i < w->items.n; i++)
		if (w->items.at[i].id == DAT_OPTION_TRACECLOCK)
			return 0;
	n = snprintf(text, sizeof(text), "[%s]", w->opts.clock);
	return n < (int)sizeof(text) ? dat_writer_add_option(w, DAT_OPTION_TRACECLOCK, text, (size_t)n + 1, err) :
	       err_set(err, SONDE_USAGE, SONDE_NONE, "the name of the clock is too long");
}

static int add_options(struct dat_writer *w, struct sonde_error *err)
{
	struct dat_part options = dat_part_new(DAT_PART_OPTIONS, SECTION_OPTIONS, SONDE_NONE);
	size_t number;
	int r = add_clock(w, err);

	for (size_t i = 0; i < w->items.n && r == 0; i++)
		r = vec_push(&options.items, w->items.at[i]) < 0 ? err_nomem(err) : 0;
	if (r == 0 && dat_file_add(&w->f, options, &number) < 0)
		r = err_nomem(err);
	if (r < 0)
		vec_free(&options.items);
	return r;
}

/* The pages of a CPU, from the file of pages. */
static int fill(void *ctx, struct dat_file *f, size_t buffer, const struct dat_extent *extent, struct page_writer *to)
{
	struct dat_writer *w = ctx;
	uint32_t number = u64map_get(&w->writer_of, (uint64_t)buffer << 32 | extent->cpu),
		 size = f->buffers.at[buffer].page_size;
	const struct cpu_writer *writer = number == U64MAP_NONE ? NULL : w->writers.at[number];
	uint8_t *page = malloc(size);
	int r = page ? 0 : err_nomem(w->err);

	for (size_t i = 0; writer && i < writer->pages.n && r == 0; i++) {
		int64_t got = input_read(w->pages_fd, writer->pages.at[i], page, size, w->err);

		r = got == (int64_t)size ?
			dat_page_writer_put(to, page, size, w->err) :
			got < 0 ?
			(int)got :
			err_set(w->err, SONDE_SYSTEM, SONDE_NONE, "pages that were kept until the end are gone");
	}
	free(page);
	return r;
}

static int by_cpu(const void *a, const void *b)
{
	const struct dat_extent *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int add_extents(struct dat_writer *w, struct sonde_error *err)
{
	int r = 0;

	for (size_t i = 0; i < w->writers.n && r == 0; i++) {
		struct cpu_writer *writer = w->writers.at[i];
		struct dat_buffer *b = &w->f.buffers.at[writer->buffer];
		struct dat_extent a = { .cpu = writer->cpu, .stated = SONDE_NONE };

		r = dat_event_packer_flush(&writer->packer);
		a.bytes.n = writer->pages.n * (uint64_t)b->page_size;
		if (r == 0 && a.bytes.n && vec_push(&b->extents, a) < 0)
			r = err_nomem(err);
	}
	for (size_t i = 0; i < w->f.buffers.n && r == 0; i++) {
		struct dat_buffer *b = &w->f.buffers.at[i];

		b->fill = fill;
		b->ctx = w;
		if (b->extents.n)
			qsort(b->extents.at, b->extents.n, sizeof(*b->extents.at), by_cpu);
		for (size_t k = 0; k < b->extents.n; k++)
			if (b->extents.at[k].cpu >= w->f.nr_cpus)
				w->f.nr_cpus = b->extents.at[k].cpu + 1;
	}
	return r;
}

int dat_writer_finish(struct dat_writer *w, struct output *to, struct sonde_error *err)
{
	static const struct codec *const codecs[] = {
		[SONDE_COMPRESSION_ZLIB] = &codec_zlib, [SONDE_COMPRESSION_ZSTD] = &codec_zstd
	};
	struct compose_how how = { .codec = codecs[w->opts.compression], .level = w->opts.level, .repack = true };
	int r;

	w->err = err;
	r = add_metadata(w, err);
	if (r == 0)
		r = add_options(w, err);
	if (r == 0)
		r = add_extents(w, err);
	if (r == 0)
		r = dat_version_convert(&w->f, w->opts.version, NULL, err);
	return r < 0 ? r : dat_compose(&w->f, to, &how, err);
}
