/* SPDX-License-Identifier: MIT */
/* repair_find.c - parts of a trace.dat that nothing leads to */
#include <dirent.h>
#include <stdio.h>

#include "tracedat/blocks.h"
#include "tracedat/encode.h"
#include "tracedat/option.h"
#include "tracedat/repair.h"

#define MAX_CPUS 65536
#define CPUS_MAX_FOUND 4096

/* Whether n bytes are a list of options. */
static bool is_option_list(struct dat_file *f, uint64_t at, uint64_t n)
{
	uint64_t end = at + n;

	while (end - at >= 6) {
		const uint8_t *p = image_view(f->image, at, 6);
		uint16_t id = p ? load_u16(p, f->swap) : UINT16_MAX;
		uint32_t size = p ? load_u32(p + 2, f->swap) : UINT32_MAX;

		if (id > 64 || size > end - at - 6)
			return false;
		at += 6 + (uint64_t)size;
		if (id == OPTION_DONE)
			return size == 8 && at == end;
	}
	return false;
}

/* Whether the payload of a section is what its id says. */
static bool is_payload(struct dat_file *f, uint16_t id, bool packed, uint64_t at, uint64_t n)
{
	const uint8_t *p = image_view(f->image, at, 8);
	uint64_t whole;

	if (id == SECTION_BUFFER)
		return n >= f->header.page_size || n == 0;  /* what follows decides */
	if (!p)
		return false;
	if (packed)
		return load_u32(p, f->swap) == n - 8 && load_u32(p + 4, f->swap);
	if (id == SECTION_OPTIONS)
		return is_option_list(f, at, n);
	if (id >= SECTION_HEADER_INFO && id <= SECTION_CMDLINES)
		return dat_block_measure(f->image, at, id, f->swap, &whole) && whole == n;
	return at + n == f->image->size;  /* strings come last; of the others nothing can be told */
}

/* Whether a section begins there: one that ends with the file, or before another one. */
static bool is_section(struct dat_file *f, uint64_t at, int depth)
{
	const uint8_t *p = image_view(f->image, at, SECTION_HEADER_BYTES);
	uint16_t id = p ? load_u16(p, f->swap) : UINT16_MAX, flags = p ? load_u16(p + 2, f->swap) : UINT16_MAX;
	uint64_t size = p ? load_u64(p + 8, f->swap) : 0, left = f->image->size - at - SECTION_HEADER_BYTES;
	bool known = id == SECTION_OPTIONS || id == SECTION_BUFFER || (id >= SECTION_STRINGS && id <= SECTION_BTF) ||
		     id == SECTION_MODULES;

	if (!p || !known || flags > SECTION_FLAG_COMPRESSED || size > left)
		return false;
	if (!is_payload(f, id, flags, at + SECTION_HEADER_BYTES, size))
		return false;
	return size == left || depth == 0 || is_section(f, at + SECTION_HEADER_BYTES + size, depth - 1);
}

/* The end of the part that lies furthest behind, but for those that are cut. */
static size_t find_broken(struct dat_file *f)
{
	for (size_t i = 0; i < f->parts.n; i++)
		if (f->parts.at[i].cut || f->parts.at[i].kind == DAT_PART_RAW)
			return i;
	return DAT_NONE;
}

/* Version 7: behind a section whose size lies. */
static int find_sections(struct dat_rewrite *w, size_t broken)
{
	struct dat_file *f = &w->in;
	uint64_t from = f->parts.at[broken].at, at = from + 1;
	int r = 1;

	while (at < f->image->size && !is_section(f, at, 1))
		at++;
	if (at >= f->image->size)
		return 0;
	if (f->parts.at[broken].cut)
		f->parts.at[broken].bytes.n = at > f->parts.at[broken].bytes.at ? at - f->parts.at[broken].bytes.at : 0;
	dat_rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, from, -1, "sections whose size is wrong: those behind them were searched for");
	while (r > 0 && at < f->image->size) {
		if (u64map_get(&f->part_at, at) != U64MAP_NONE && at != from)
			break;
		r = dat_layout_take_section(f, at, NULL);
		if (r > 0)
			at = f->parts.at[f->parts.n - 1].bytes.at + f->parts.at[f->parts.n - 1].bytes.n;
	}
	return r < 0 ? err_nomem(&w->handle->err) : 0;
}

/* Version 6: behind a block that is cut, where the mark of the options or the data is. */
static int find_data(struct dat_rewrite *w, size_t broken)
{
	static const char *const marks[] = { "options  ", "flyrecord" };
	struct dat_file *f = &w->in;
	uint64_t from = f->parts.at[broken].at;

	for (uint64_t at = from; at < f->image->size;) {
		size_t n;
		const uint8_t *p = image_view_some(f->image, at, 65536, &n), *mark = NULL;

		for (size_t i = 0; p && i < ARRAY_SIZE(marks) && !mark; i++)
			mark = memmem(p, n, marks[i], 10);
		if (mark && at + (uint64_t)(mark - p) >= from + 4) {
			at += (uint64_t)(mark - p) - 4;
			f->parts.at[broken].bytes.n = at - from;
			dat_rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, from, -1,
					 "metadata that is damaged: what is behind it was searched for");
			return dat_layout_read_flat_data(f, at, NULL) < 0 ? err_nomem(&w->handle->err) : 0;
		}
		if (!p || n < 65536)
			break;
		at += n - 10;
	}
	return 0;
}

int repair_find_sections(struct dat_rewrite *w)
{
	size_t broken = find_broken(&w->in);

	if (broken == DAT_NONE)
		return 0;
	if (w->in.header.version == 7)
		return find_sections(w, broken);
	return w->in.parts.at[broken].kind == DAT_PART_SECTION ? find_data(w, broken) : 0;
}

/* Areas of pages that follow each other in time; where time goes back another CPU begins. */
struct search {
	struct dat_rewrite *w;
	struct dat_buffer b;
	uint64_t last_time, nr_pages;
};

static int add_area(struct search *s, uint64_t at, uint64_t n, bool next)
{
	struct dat_area a = { .cpu = (uint32_t)s->b.areas.n, .bytes = { NULL, at, 0 }, .stated = SONDE_NONE };

	if ((next || s->b.areas.n == 0) && s->b.areas.n < CPUS_MAX_FOUND && vec_push(&s->b.areas, a) < 0)
		return -SONDE_NOMEM;
	s->b.areas.at[s->b.areas.n - 1].bytes.n = at + n - s->b.areas.at[s->b.areas.n - 1].bytes.at;
	return 0;
}

static int search_plain(struct search *s, uint64_t from, uint64_t to)
{
	struct dat_file *f = &s->w->in;
	uint32_t size = s->b.page_size;

	for (uint64_t at = (from + size - 1) / size * size; at < to; at += size) {
		uint8_t *owned;
		struct dat_bytes bytes = { NULL, at, to - at < size ? to - at : size };
		const uint8_t *p = dat_bytes_get(f, &bytes, &owned, NULL);
		struct page_extent e;
		bool is_page;

		if (!p)
			return image_failed(f->image, NULL) < 0 ? 0 : -SONDE_NOMEM;
		is_page = page_measure(&f->layout, p, bytes.n, size, &e) == 0 && e.first && e.events && !e.damaged;
		free(owned);
		if (!is_page)
			continue;  /* padding, or damage in the middle of a CPU's pages */
		if (add_area(s, at, bytes.n, e.first < s->last_time) < 0)
			return -SONDE_NOMEM;
		s->last_time = e.first;
		s->nr_pages++;
	}
	return 0;
}

/* The end of a list of compressed pieces; 0 if there is none. */
static uint64_t end_of_list(struct search *s, uint64_t at, uint64_t to)
{
	struct dat_file *f = &s->w->in;
	const uint8_t *p = image_view(f->image, at, 4);
	uint32_t count = p ? load_u32(p, f->swap) : 0;

	at += 4;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t packed, size;

		p = at + 8 <= to ? image_view(f->image, at, 8) : NULL;
		packed = p ? load_u32(p, f->swap) : 0;
		size = p ? load_u32(p + 4, f->swap) : 0;
		if (!p)
			return i ? to : 0;
		if (packed == 0 || size == 0 || size % s->b.page_size)
			return 0;
		if (packed > to - at - 8)
			return to;
		at += 8 + (uint64_t)packed;
		s->nr_pages += size / s->b.page_size;
	}
	return count ? at : 0;
}

static int search_packed(struct search *s, uint64_t from, uint64_t to)
{
	uint32_t size = s->b.page_size;
	uint64_t at = (from + size - 1) / size * size, end;

	while (at < to) {
		end = end_of_list(s, at, to);
		if (end && add_area(s, at, end - at, true) < 0)
			return -SONDE_NOMEM;
		at = end ? (end + size - 1) / size * size : at + size;
	}
	return 0;
}

/* What is found between two offsets becomes the areas of buffer *into, or of a new one if it is DAT_NONE: its number then. */
static int search_pages(struct dat_rewrite *w, uint64_t from, uint64_t to, bool packed, size_t *into)
{
	struct search s = { .w = w, .b = { .page_size = w->in.header.page_size, .packed = packed, .name = "", .clock = "local" } };
	int r = packed ? search_packed(&s, from, to) : search_plain(&s, from, to);
	char name[32];

	if (r == 0 && s.b.areas.n) {
		dat_rewrite_lose(w, SONDE_LOSS_TRUNCATED, s.nr_pages, from, -1,
				 "pages were found without the table of whose they are: CPUs are numbered as they come");
		if (*into != DAT_NONE) {
			struct dat_buffer *b = &w->in.buffers.at[*into];

			vec_free(&b->areas);
			vec_free(&b->order);
			b->areas.at = s.b.areas.at;
			b->areas.n = s.b.areas.n;
			b->areas.cap = s.b.areas.cap;
			return 0;
		}
		if (w->in.buffers.n) {
			snprintf(name, sizeof(name), "found%zu", w->in.buffers.n);
			s.b.name = arena_strndup(&w->in.arena, name, strlen(name));
		}
		r = s.b.name ? dat_file_add_buffer(&w->in, s.b, into) : -SONDE_NOMEM;
		if (r == 0)
			return 0;
	}
	vec_free(&s.b.areas);
	return r < 0 ? err_nomem(&w->handle->err) : 0;
}

static bool is_empty(const struct dat_buffer *b)
{
	for (size_t i = 0; i < b->areas.n; i++)
		if (b->areas.at[i].bytes.n)
			return false;
	return true;
}

int repair_find_pages(struct dat_rewrite *w)
{
	struct dat_file *f = &w->in;
	size_t parts = f->parts.n;
	int r = 0;

	for (size_t i = 0; i < parts && r == 0; i++) {
		struct dat_part *part = &f->parts.at[i];
		size_t into = 0;

		if (part->kind == DAT_PART_BUFFER && part->buffer == DAT_NONE)
			r = search_pages(w, part->bytes.at, part->bytes.at + part->bytes.n, part->packed, &part->buffer);
		else if (part->kind == DAT_PART_RAW && f->header.version == 6 && f->buffers.n && is_empty(&f->buffers.at[0]))
			r = search_pages(w, part->bytes.at, part->bytes.at + part->bytes.n, false, &into);
	}
	return r;
}

/* "trace.dat.cpu3", or "trace.dat.INSTANCE.cpu3": the CPU, and the length of the instance's name. */
static bool parse_name(const char *name, const char *prefix, uint32_t *cpu, struct sonde_str *instance)
{
	size_t n = strlen(prefix);
	const char *dot = strrchr(name, '.');
	char *end;
	unsigned long v;

	if (strncmp(name, prefix, n) != 0 || name[n] != '.' || !dot || strncmp(dot, ".cpu", 4) != 0 || dot[4] < '0' || dot[4] > '9')
		return false;
	v = strtoul(dot + 4, &end, 10);
	*cpu = (uint32_t)v;
	*instance = (struct sonde_str){ name + n + 1, dot > name + n + 1 ? (size_t)(dot - name - n - 1) : 0 };
	return *end == 0 && v < MAX_CPUS;
}

/* The buffer of an instance, which is made if there is none. */
static int buffer_named(struct dat_file *f, struct sonde_str name, size_t *out)
{
	struct dat_buffer b = { .page_size = f->header.page_size, .clock = "local" };

	for (*out = 0; *out < f->buffers.n; ++*out)
		if (strlen(f->buffers.at[*out].name) == name.len && memcmp(f->buffers.at[*out].name, name.p, name.len) == 0)
			return 0;
	b.name = arena_strndup(&f->arena, name.p, name.len);
	return b.name ? dat_file_add_buffer(f, b, out) : -SONDE_NOMEM;
}

static int take_file(struct dat_rewrite *w, struct repair_files *others, int dir, const char *name, uint32_t cpu,
		     struct sonde_str instance)
{
	struct dat_area a = { .cpu = cpu, .stated = SONDE_NONE };
	struct dat_file *other = calloc(1, sizeof(*other));
	struct image *im = calloc(1, sizeof(*im));
	size_t buffer;

	if (!other || !im || image_open_at(im, dir, name, &w->handle->err) < 0) {
		free(other);
		free(im);
		return w->handle->err.code ? -(int)w->handle->err.code : err_nomem(&w->handle->err);
	}
	dat_file_init(other, im);
	if (vec_push(&others->at, other) < 0) {
		image_close(im);
		free(im);
		free(other);
		return err_nomem(&w->handle->err);
	}
	a.bytes.n = im->size;
	a.from = other;
	if (buffer_named(&w->in, instance, &buffer) < 0)
		return err_nomem(&w->handle->err);
	w->in.buffers.at[buffer].packed = false;
	return vec_push(&w->in.buffers.at[buffer].areas, a) < 0 ? err_nomem(&w->handle->err) : 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int take_files(struct dat_rewrite *w, struct repair_files *others, const char *folder, DIR *dir, const char *base)
{
	struct dirent **entries = NULL;
	struct sonde_str instance;
	uint32_t cpu;
	int n = scandir(folder, &entries, NULL, by_name), r = 0;

	for (int i = 0; i < n; i++) {
		if (r == 0 && parse_name(entries[i]->d_name, base, &cpu, &instance)) {
			for (size_t b = 0; others->at.n == 0 && b < w->in.buffers.n; b++) {
				vec_free(&w->in.buffers.at[b].areas);
				vec_free(&w->in.buffers.at[b].order);
			}
			r = take_file(w, others, dirfd(dir), entries[i]->d_name, cpu, instance);
		}
		free(entries[i]);
	}
	free(entries);
	return r;
}

int repair_find_files(struct dat_rewrite *w, struct repair_files *others)
{
	const char *path = w->image.path, *slash = path ? strrchr(path, '/') : NULL;
	char *folder = path ? strndup(path, slash ? (size_t)(slash - path) + 1 : 0) : NULL;
	const char *in = folder && *folder ? folder : ".";
	DIR *dir = folder ? opendir(in) : NULL;
	int r = 0;

	if (path && !folder)
		return err_nomem(&w->handle->err);
	if (dir) {
		r = take_files(w, others, in, dir, slash ? slash + 1 : path);
		closedir(dir);
	}
	free(folder);
	return r;
}

void repair_files_free(struct repair_files *others)
{
	for (size_t i = 0; i < others->at.n; i++) {
		image_close(others->at.at[i]->image);
		free(others->at.at[i]->image);
		dat_file_free(others->at.at[i]);
		free(others->at.at[i]);
	}
	vec_free(&others->at);
}
