/* SPDX-License-Identifier: MIT */
/*
 * packer.h - packs events into pages of the ring buffer
 *
 * The events of one CPU come in time order. The layout is the kernel's: the first event of a page has the page's time;
 * each further event has the time since the previous one, with a time extend before it if that is too long.
 */
#ifndef TRACEDAT_WRITE_PACKER_H
#define TRACEDAT_WRITE_PACKER_H

#include <sonde/types.h>

#include "tracedat/format/page.h"

/* Takes a whole page. Returns 0, or negative to end the packing. */
typedef int (*page_put_fn)(void *ctx, const uint8_t *page, size_t size);

struct event_packer {
	struct page_layout layout;
	uint32_t page_size;
	bool big_endian;
	page_put_fn put;
	void *ctx;
	uint8_t *page;
	uint32_t used;               /* bytes of events in the page */
	bool has_events;
	uint64_t last;               /* time of the last event */
	bool missed;                 /* events were lost before the next event */
	uint64_t nr_missed;          /* SONDE_NONE: unknown number */
	uint32_t reserved;           /* bytes at the end of the page for the number of events lost before it */
};

/* 0 or -SONDE_NOMEM; call packer_end() in any case. */
int dat_event_packer_start(struct event_packer *p, const struct page_layout *l, uint32_t page_size, page_put_fn put,
			   void *ctx);

/* The largest event that a page can hold. */
uint32_t dat_event_packer_max(const struct event_packer *p);

/* Adds an event of n bytes: 0, the result of put(), -SONDE_USAGE if it is larger than a page can hold. */
int dat_event_packer_add(struct event_packer *p, uint64_t time, const void *data, uint32_t n);

/* Notes that @count events were lost here, SONDE_NONE: an unknown number. The page ends. */
int dat_event_packer_miss(struct event_packer *p, uint64_t count);

/* Puts the last page, if it has events. */
int dat_event_packer_flush(struct event_packer *p);

void dat_event_packer_end(struct event_packer *p);

#endif
