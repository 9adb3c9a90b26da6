/* SPDX-License-Identifier: MIT */
/*
 * search_pages.c - pages that no table points to
 *
 * Recorders write the table of which CPU wrote which pages last, so it is what a file that was cut lacks. Pages have no
 * number of their CPU, but those of one CPU follow each other in time, and the next one begins earlier than its
 * neighbour ended.
 */
#include "tracedat/scan/search_pages.h"

#define CPUS_MAX_FOUND 4096

struct page_lookup {
	struct dat_file *f;
	struct dat_buffer *b;
	uint64_t last_time, nr_pages;
};

static int add_extent(struct page_lookup *s, uint64_t at, uint64_t n, bool next)
{
	struct dat_extent a = { .cpu = (uint32_t)s->b->extents.n, .bytes = { NULL, at, 0 }, .stated = SONDE_NONE };

	if ((next || s->b->extents.n == 0) && s->b->extents.n < CPUS_MAX_FOUND && vec_push(&s->b->extents, a) < 0)
		return -SONDE_NOMEM;
	s->b->extents.at[s->b->extents.n - 1].bytes.n = at + n - s->b->extents.at[s->b->extents.n - 1].bytes.at;
	return 0;
}

static int search_plain(struct page_lookup *s, uint64_t from, uint64_t to)
{
	struct dat_file *f = s->f;
	uint32_t size = s->b->page_size;

	for (uint64_t at = page_align(from, size); at < to; at += size) {
		uint8_t *owned;
		struct dat_bytes bytes = { NULL, at, to - at < size ? to - at : size };
		const uint8_t *p = dat_bytes_get(f, &bytes, &owned, NULL);
		struct page_content e;
		bool is_page;

		if (!p)
			return image_failed(f->image, NULL) < 0 ? 0 : -SONDE_NOMEM;
		is_page = dat_page_measure(&f->layout, p, bytes.n, size, &e) == 0 && e.first && e.events && !e.damaged;
		free(owned);
		if (!is_page)
			continue;  /* padding, or damage in the middle of a CPU's pages */
		if (add_extent(s, at, bytes.n, e.first < s->last_time) < 0)
			return -SONDE_NOMEM;
		s->last_time = e.first;
		s->nr_pages++;
	}
	return 0;
}

/* The end of a list of chunks; 0 if there is none. */
static uint64_t end_of_list(struct page_lookup *s, uint64_t at, uint64_t to)
{
	struct dat_file *f = s->f;
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
		if (packed == 0 || size == 0 || size % s->b->page_size)
			return 0;
		if (packed > to - at - 8)
			return to;
		at += 8 + (uint64_t)packed;
		s->nr_pages += size / s->b->page_size;
	}
	return count ? at : 0;
}

static int search_packed(struct page_lookup *s, uint64_t from, uint64_t to)
{
	uint32_t size = s->b->page_size;
	uint64_t at = page_align(from, size), end;

	while (at < to) {
		end = end_of_list(s, at, to);
		if (end && add_extent(s, at, end - at, true) < 0)
			return -SONDE_NOMEM;
		at = end ? page_align(end, size) : at + size;
	}
	return 0;
}

int dat_search_pages(struct dat_file *f, uint64_t from, uint64_t to, struct dat_buffer *b, uint64_t *nr_pages)
{
	struct page_lookup s = { .f = f, .b = b };
	int r = b->packed ? search_packed(&s, from, to) : search_plain(&s, from, to);

	*nr_pages = s.nr_pages;
	return r;
}
