/* SPDX-License-Identifier: MIT */
/* pages_time_range.c - the pages of an extent that a time range is in */
#include "tracedat/format/pages.h"
#include "tracedat/format/pages_time_range.h"
#include "tracedat/format/time_range.h"

struct room {
	uint8_t *p;
	size_t cap;
};

struct page_search {
	struct page_reader *r;
	const struct dat_clock *clock;
	int32_t cpu;
	struct room packed, pages;   /* of a chunk */
};

static int time_of(void *ctx, const uint8_t *p, size_t n, uint64_t *time)
{
	const struct page_search *l = ctx;
	struct page page;

	if (dat_page_open(&page, &l->r->f->layout, p, n, l->r->buffer->page_size) < 0)
		return -1;
	*time = dat_clock_ns(l->clock, l->cpu, page.time);
	return page.cut || page.p < page.end;
}

/* Not through the window of the image, which would read all of it. */
static const uint8_t *header(void *ctx, uint64_t at, uint8_t *room, size_t n)
{
	const struct image *im = ((struct page_search *)ctx)->r->f->image;

	if (at > im->size || im->size - at < n)
		return NULL;
	if (im->fd < 0)
		return im->memory + at;
	return input_read(im->fd, at, room, n, NULL) == (int64_t)n ? room : NULL;
}

static uint64_t hole(void *ctx, uint64_t at, uint64_t end, uint32_t page_size)
{
	return at < end ? dat_pages_hole(((struct page_search *)ctx)->r->f->image->fd, at, end, page_size) : 0;
}

static bool chunk(void *ctx, uint64_t at, uint32_t *packed, uint32_t *size)
{
	const struct dat_file *f = ((struct page_search *)ctx)->r->f;
	uint8_t room[8];
	const uint8_t *p = header(ctx, at, room, sizeof(room));

	*packed = p ? load_u32(p, f->swap) : 0;
	*size = p ? load_u32(p + 4, f->swap) : 0;
	return p;
}

/* Room for n bytes, of which nothing is kept. */
static uint8_t *room_for(struct room *room, size_t n)
{
	if (n > room->cap) {
		free(room->p);
		room->p = malloc(n);
		room->cap = room->p ? n : 0;
	}
	return room->p;
}

static const uint8_t *unpack(void *ctx, uint64_t at, uint32_t packed, uint32_t size)
{
	struct page_search *l = ctx;
	struct dat_file *f = l->r->f;
	const uint8_t *p;

	if (size > f->budget || packed > f->image->size || !room_for(&l->packed, packed) || !room_for(&l->pages, size))
		return NULL;
	p = header(ctx, at + 8, l->packed.p, packed);
	if (!p)
		return NULL;
	f->budget -= size;
	return dat_unpack(f, p, packed, l->pages.p, size, NULL) < 0 ? NULL : l->pages.p;
}

int dat_pages_narrow(struct page_reader *r, const struct dat_clock *clock, int32_t cpu, uint64_t min, uint64_t max)
{
	static const struct time_range_ops ops = { time_of, header, hole, chunk, unpack };
	struct time_range_extent part = { .at = r->at,
					  .end = r->end,
					  .nr_chunks = r->nr_chunks,
					  .packed = r->buffer->packed,
					  .page_size = r->buffer->page_size,
					  .header_bytes = r->f->layout.data_at };
	struct page_search looking = { .r = r, .clock = clock, .cpu = cpu };
	int failed = dat_time_range_narrow(&part, &ops, &looking, min, max);

	free(looking.packed.p);
	free(looking.pages.p);
	r->at = part.at;
	r->end = part.end;
	r->nr_chunks = part.nr_chunks;
	return failed;
}
