/* SPDX-License-Identifier: MIT */
/* extents.c - what the layouts of both versions have in common: where the pages of a buffer
 * lie, and how a page begins */
#include "tracedat/format/metadata.h"
#include "tracedat/scan/extents.h"
#include "tracedat/scan/layout.h"

static int by_offset(const void *a, const void *b)
{
	const struct dat_extent *x = *(const struct dat_extent *const *)a, *y = *(const struct dat_extent *const *)b;

	if (x->bytes.at != y->bytes.at)
		return x->bytes.at < y->bytes.at ? -1 : 1;
	return x->bytes.n != y->bytes.n ? (x->bytes.n < y->bytes.n ? -1 : 1) : (x > y) - (x < y);
}

static bool is_zero(struct dat_file *f, uint64_t at, uint64_t n)
{
	while (n) {
		size_t got;
		const uint8_t *p = image_view_some(f->image, at, n, &got);

		if (!p || !got)
			return false;
		for (size_t i = 0; i < got; i++)
			if (p[i])
				return false;
		at += got;
		n -= got;
	}
	return true;
}

static void place_extent(struct dat_file *f, const struct dat_buffer *b, struct dat_extent *a, uint64_t *end,
			 struct findings *found)
{
	uint64_t want = page_align(*end, b->page_size);

	if (a->bytes.n == 0) {  /* where nothing is does not matter, but it is kept */
		a->stated = a->bytes.at == want ? SONDE_NONE : a->bytes.at;
		return;
	}
	if (a->bytes.at < *end) {
		dat_found(found, DAT_CHECK_EXTENT_OVERLAP, a->bytes.at, "pages", "to begin after those before them",
			  "CPU %u: 0x%" PRIx64 " bytes earlier", a->cpu, *end - a->bytes.at);
		f->sound = false;
		return;
	}
	if (a->bytes.at % b->page_size)
		dat_found(found, DAT_CHECK_EXTENT_ALIGN, a->bytes.at, "pages", "a multiple of the page size",
			  "CPU %u: not of %u", a->cpu, b->page_size);
	if (a->bytes.at != want || !is_zero(f, *end, want - *end))
		a->gap = (struct dat_bytes){ NULL, *end, a->bytes.at - *end };
	*end = a->bytes.at + a->bytes.n;
}

struct dat_extent *dat_layout_add_extent(struct dat_file *f, struct dat_buffer *b, uint32_t cpu, uint64_t at,
					 uint64_t n, struct findings *found)
{
	struct dat_extent a = {
		.cpu = cpu, .bytes = { NULL, at, n }, .table_at = at, .table_n = n, .stated = SONDE_NONE
	};
	uint64_t there = f->image->size;

	if (n && (at >= there || n > there - at)) {
		dat_found(found, DAT_CHECK_EXTENT_OUTSIDE, at, "pages", "to lie in the file",
			  "CPU %u: %" PRIu64 " bytes", cpu, n);
		f->sound = false;
		a.bytes.at = at < there ? at : there;
		a.bytes.n = there - a.bytes.at;
	}
	return vec_push(&b->extents, a) < 0 ? NULL : &b->extents.at[b->extents.n - 1];
}

int dat_layout_order_extents(struct dat_file *f, struct dat_buffer *b, uint64_t from, uint64_t *end,
			     struct findings *found)
{
	size_t n = b->extents.n;
	const struct dat_extent **sorted = calloc(n ? n : 1, sizeof(*sorted));

	*end = from;
	if (!sorted || vec_reserve(&b->order, n) < 0) {
		free(sorted);
		return -SONDE_NOMEM;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = &b->extents.at[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_offset);
	b->order.n = n;
	for (size_t i = 0; i < n; i++) {
		b->order.at[i] = (size_t)(sorted[i] - b->extents.at);
		place_extent(f, b, &b->extents.at[b->order.at[i]], end, found);
	}
	free(sorted);
	return 0;
}

void dat_layout_take_header_page(struct dat_file *f, const uint8_t *p, size_t n)
{
	struct cursor c = cur_new(p, n, 0, f->swap, NULL);
	struct sonde_str page = { NULL, 0 }, event;

	dat_metadata_header_info(&c, &page, &event);
	f->has_layout = page.p && dat_page_layout_parse(&f->layout, f->header.big_endian, page);
}
