/* SPDX-License-Identifier: MIT */
/*
 * page.h - pages of the kernel's ring buffer (sub-buffers), as trace_pipe_raw gives them
 *
 *	u64 timestamp; long commit; events
 *
 * The low 32 bits of commit: bits 0-26 bytes of events, bit 31 events were lost before this page, bit 30 how many
 * stands as a long after the events. An event begins with a u32: type_len in the low 5 bits, time_delta in the 27
 * above; on big-endian machines type_len is in the high bits.
 *	1-28  data of type_len * 4 bytes        0   u32 len, data of len - 4 bytes, rounded up to 4
 *	29    padding: u32 len, len - 4 bytes; with delta 0 the rest of the page
 *	30    time extend: u32 high part of the delta       31  time stamp: u32 high part of an absolute time
 * Layout: include/linux/ring_buffer.h, kernel/trace/ring_buffer.c.
 */
#ifndef TRACEDAT_FORMAT_PAGE_H
#define TRACEDAT_FORMAT_PAGE_H

#include <sonde/types.h>

#include "base/bytes.h"

/* The loss of a page whose size is wrong. */
#define DAT_PAGE_OVERFULL \
	"{page|pages} that {says|say} that {it|they} {holds|hold} more than a page can: what fits is kept"
#define DAT_PAGE_NONE "{page|pages} that {says|say} that {it|they} {holds|hold} more than a page can, or {is|are} cut"

struct page_layout {
	bool swap;
	uint8_t long_size;           /* bytes of commit: a long of the kernel */
	uint8_t commit_at;
	uint32_t data_at;            /* bytes of header */
};

struct page {
	uint64_t time;               /* of the last event; at first of the page */
	const uint8_t *p, *end;      /* the events that are left */
	bool swap;
	bool cut;                    /* it has more bytes of events than are there */
	bool overfull;               /* it says that it holds more than fits: its events end where they are none */
	bool missed;                 /* events were lost before it */
	uint64_t nr_missed;          /* how many; SONDE_NONE: not known */
};

struct page_event {
	const uint8_t *at;           /* its header */
	const uint8_t *data;
	uint32_t size;               /* of the data, rounded up to 4 */
};

/* The layout of a kernel of this byte order and size of long. */
struct page_layout dat_page_layout_default(bool big_endian, uint8_t long_size);

/* From the text of events/header_page; false if it is none. */
bool dat_page_layout_parse(struct page_layout *l, bool big_endian, struct sonde_str text);

/**
 * page_open - begin with the page at @p
 * @size: bytes that are there; less than @page_size in a file that was cut, more where other pages follow
 * A page that says that it holds more than fits costs what does not fit. The last event may reach as far into what
 * follows as a header is long: the tool of U-Boot counts the header of a page as room for events.
 * Returns 0, or -SONDE_CORRUPT if this is no page: its header is cut, or it holds more than fits, but no row of events.
 */
int dat_page_open(struct page *page, const struct page_layout *l, const uint8_t *p, size_t size, size_t page_size);

/* Steps to the next event with data: 1, 0 after the last, -SONDE_CORRUPT where no event can
 * be: the page ends there. */
int dat_page_next(struct page *page, struct page_event *out);

/* The content of a page, up to the last bytes that can be an event. */
struct page_content {
	uint32_t good;               /* bytes of events */
	uint64_t events;             /* with data */
	uint64_t first, last;        /* time of the page, of the last event */
	bool damaged;                /* bytes after those are no event */
	bool cut, overfull;
	bool missed, stored;         /* events were lost before it; how many is known */
};

/* As dat_page_open(): 0 or -SONDE_CORRUPT. */
int dat_page_measure(const struct page_layout *l, const uint8_t *p, size_t size, size_t page_size,
		     struct page_content *out);

/* Makes the page at @p, which is to be changed, end after @good bytes of events. */
void dat_page_set_commit(const struct page_layout *l, uint8_t *p, uint32_t good, bool missed);

/* Clears what is no part of an event in a whole page that dat_page_measure() finds nothing wrong with: the contents of
 * padding, the rounding of long events, and what lies behind the events and the number of those that were lost. */
void dat_page_clear_unused(const struct page_layout *l, uint8_t *p, size_t page_size);

/* An event that dat_page_next() has stepped to before. */
struct page_event dat_page_event_at(const struct page_layout *l, const uint8_t *at);

/* Whether there are nothing but zeros: a page that holds no event, and no time. */
static inline bool pages_are_empty(const uint8_t *p, size_t n)
{
	return n > 0 && !*p && !memcmp(p, p + 1, n - 1);
}

/* Pages lie at multiples of their size, which need not be a power of two in a damaged file. */
static inline uint64_t page_align(uint64_t at, uint64_t page_size)
{
	return (at + page_size - 1) / page_size * page_size;
}

#endif
