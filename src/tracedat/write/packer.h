/* SPDX-License-Identifier: MIT */
/*
 * packer.h - events become pages of the ring buffer
 *
 * The events of one CPU come in the order of their time and are laid out as the kernel does: the first of a page has
 * its time, each further one the time since the one before, behind a time extend where that is too long.
 */
#ifndef TRACEDAT_WRITE_PACKER_H
#define TRACEDAT_WRITE_PACKER_H

#include <sonde/types.h>

#include "tracedat/format/page.h"

/* Takes a whole page: 0 or negative, which ends the packing. */
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
	bool missed;                 /* events were lost before the next one */
	uint64_t nr_missed;          /* SONDE_NONE: not known how many */
	uint32_t reserved;           /* of the page's end, for the number of those that were lost before it */
};

/* 0 or -SONDE_NOMEM; packer_end() in any case. */
int dat_event_packer_start(struct event_packer *p, const struct page_layout *l, uint32_t page_size, page_put_fn put,
			   void *ctx);

/* The largest event that a page can hold. */
uint32_t dat_event_packer_max(const struct event_packer *p);

/* One more event of n bytes: 0, what put() returned, -SONDE_USAGE when it is larger than a page can hold. */
int dat_event_packer_add(struct event_packer *p, uint64_t time, const void *data, uint32_t n);

/* @count events were lost here, SONDE_NONE when it is not known how many. The page ends. */
int dat_event_packer_miss(struct event_packer *p, uint64_t count);

/* Puts the last page, if there is anything in it. */
int dat_event_packer_flush(struct event_packer *p);

void dat_event_packer_end(struct event_packer *p);

#endif
