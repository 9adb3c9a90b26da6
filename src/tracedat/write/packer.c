/* SPDX-License-Identifier: MIT */
#include "tracedat/write/packer.h"

#include <stdlib.h>

#include "tracedat/format/encode.h"

#define TYPE_MAX 28                  /* the largest event, in words, whose length is in its header */
#define TYPE_TIME_EXTEND 30
#define DELTA_BITS 27
#define MISSED 0x80000000u
#define STORED 0x40000000u

int dat_event_packer_start(struct event_packer *p, const struct page_layout *l, uint32_t page_size, page_put_fn put,
			   void *ctx)
{
	*p = (struct event_packer){ .layout = *l, .page_size = page_size, .put = put, .ctx = ctx,
				    .big_endian = host_is_big_endian() != l->swap };
	p->page = calloc(1, page_size);
	return p->page ? 0 : -SONDE_NOMEM;
}

void dat_event_packer_end(struct event_packer *p)
{
	free(p->page);
	p->page = NULL;
}

static uint32_t room(const struct event_packer *p)
{
	return p->page_size - p->layout.data_at - p->reserved;
}

uint32_t dat_event_packer_max(const struct event_packer *p)
{
	return (p->page_size - p->layout.data_at - 8) & ~3u;  /* without the header and the length of an event */
}

static void store_long(const struct event_packer *p, uint8_t *to, uint64_t v)
{
	if (p->layout.long_size == 8)
		store_u64(to, v, p->layout.swap);
	else
		store_u32(to, (uint32_t)v, p->layout.swap);
}

int dat_event_packer_flush(struct event_packer *p)
{
	uint32_t commit = p->used;
	int r;

	if (!p->has_events)
		return 0;
	if (p->reserved) {
		store_long(p, p->page + p->layout.data_at + p->used, p->nr_missed);
		commit |= MISSED | STORED;
	} else if (p->missed) {
		commit |= MISSED;
	}
	store_long(p, p->page + p->layout.commit_at, commit);
	r = p->put(p->ctx, p->page, p->page_size);
	memset(p->page, 0, p->page_size);
	p->used = p->reserved = 0;
	p->missed = p->has_events = false;
	p->nr_missed = 0;
	return r;
}

int dat_event_packer_miss(struct event_packer *p, uint64_t count)
{
	int r = dat_event_packer_flush(p);

	/* several losses before one event become one */
	p->nr_missed = (p->missed && p->nr_missed == SONDE_NONE) || count == SONDE_NONE ? SONDE_NONE :
											  p->nr_missed + count;
	p->missed = true;
	return r;
}

static void begin_page(struct event_packer *p, uint64_t time)
{
	store_u64(p->page, time, p->layout.swap);
	p->last = time;
	p->has_events = true;
	p->reserved = p->missed && p->nr_missed != SONDE_NONE ? p->layout.long_size : 0;
}

static void put_word(struct event_packer *p, uint32_t v)
{
	store_u32(p->page + p->layout.data_at + p->used, v, p->layout.swap);
	p->used += 4;
}

int dat_event_packer_add(struct event_packer *p, uint64_t time, const void *data, uint32_t n)
{
	bool is_long = n == 0 || n > TYPE_MAX * 4;
	uint32_t bytes = ALIGN_UP(n, 4) + (is_long ? 8 : 4);
	uint64_t delta = time - p->last;
	bool extend = delta >> DELTA_BITS;
	int r;

	if (n > dat_event_packer_max(p))
		return -SONDE_USAGE;
	/* a time before the last one, or far after it, has to begin a page */
	if (p->has_events &&
	    (time < p->last || delta >> DELTA_BITS > UINT32_MAX || bytes + (extend ? 8 : 0) > room(p) - p->used)) {
		r = dat_event_packer_flush(p);
		if (r < 0)
			return r;
	}
	if (!p->has_events) {
		/* the number of lost events does not fit beside an event that fills the page */
		if (p->missed && bytes > room(p) - p->layout.long_size)
			p->nr_missed = SONDE_NONE;
		begin_page(p, time);
		delta = 0;
		extend = false;
	}
	if (extend) {
		put_word(p, event_header(p->big_endian, TYPE_TIME_EXTEND, (uint32_t)delta & ((1u << DELTA_BITS) - 1)));
		put_word(p, (uint32_t)(delta >> DELTA_BITS));
		delta = 0;
	}
	put_word(p, event_header(p->big_endian, is_long ? 0 : ALIGN_UP(n, 4) / 4, (uint32_t)delta));
	if (is_long)
		put_word(p, n + 4);
	if (n)
		memcpy(p->page + p->layout.data_at + p->used, data, n);
	p->used += ALIGN_UP(n, 4);
	p->last = time;
	return 0;
}
