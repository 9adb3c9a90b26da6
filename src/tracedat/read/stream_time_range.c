/* SPDX-License-Identifier: MIT */
/* stream_time_range.c - the part of a stream that a time range is in */
#include "tracedat/format/pages.h"
#include "tracedat/format/time_range.h"
#include "tracedat/read/stream.h"
#include "tracedat/read/stream_time_range.h"

struct looking {
	struct stream *s;
	uint8_t *room;               /* to decompress in */
	size_t cap;
};

static int time_of(void *ctx, const uint8_t *p, size_t n, uint64_t *time)
{
	const struct stream *s = ((struct looking *)ctx)->s;
	const struct cpu_extent *extent = &s->f->extents.at[s->extent];
	struct page page;

	if (dat_page_open(&page, &s->f->layout, p, n, extent->page_size) < 0)
		return -1;
	*time = dat_clock_ns(&s->f->clock, extent->cpu, page.time);
	return page.cut || page.p < page.end;
}

static const uint8_t *header(void *ctx, uint64_t at, uint8_t *room, size_t n)
{
	const struct stream *s = ((struct looking *)ctx)->s;

	if (s->f->input.fd < 0)
		return s->f->input.map.data + at;
	return input_read(s->f->input.fd, at, room, n, NULL) == (int64_t)n ? room : NULL;
}

static uint64_t hole(void *ctx, uint64_t at, uint64_t end, uint32_t page_size)
{
	return at < end ? dat_pages_hole(((struct looking *)ctx)->s->f->input.fd, at, end, page_size) : 0;
}

static bool chunk(void *ctx, uint64_t at, uint32_t *packed, uint32_t *size)
{
	struct looking *l = ctx;
	struct cursor c;

	if (dat_stream_look(l->s, at, 8, &c, NULL) < 0)
		return false;
	*packed = cur_u32(&c);
	*size = cur_u32(&c);
	return cur_ok(&c);
}

static const uint8_t *unpack(void *ctx, uint64_t at, uint32_t packed, uint32_t size)
{
	struct looking *l = ctx;
	struct stream_shared *shared = l->s->shared;
	const uint8_t *p;
	struct cursor c;

	if (size > AHEAD_BYTES || size > shared->budget ||
	    dat_stream_look(l->s, at, 8 + (uint64_t)packed, &c, NULL) < 0)
		return NULL;
	cur_take(&c, 8);
	p = cur_take(&c, packed);
	if (size > l->cap) {
		free(l->room);
		l->room = malloc(size);
		l->cap = l->room ? size : 0;
	}
	if (!p || !l->room)
		return NULL;
	shared->budget -= size;
	return dat_unpack(&l->s->f->file, p, packed, l->room, size, NULL) < 0 ? NULL : l->room;
}

int dat_stream_narrow(struct stream *s, uint64_t min, uint64_t max, struct sonde_error *err)
{
	static const struct time_range_ops ops = { time_of, header, hole, chunk, unpack };
	const struct cpu_extent *extent = &s->f->extents.at[s->extent];
	struct time_range_extent part = { .at = s->at,
					  .end = s->end,
					  .nr_chunks = s->nr_chunks,
					  .packed = extent->compressed,
					  .page_size = extent->page_size,
					  .header_bytes = s->f->layout.data_at };
	struct looking looking = { .s = s };
	int r = dat_time_range_narrow(&part, &ops, &looking, min, max);

	free(looking.room);
	s->time_min = min;
	s->time_max = max;
	s->at = part.at;
	s->end = part.end;
	s->nr_chunks = part.nr_chunks;
	return r < 0 ? err_nomem(err) : 0;
}
