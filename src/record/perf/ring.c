/* SPDX-License-Identifier: MIT */
#include "record/perf/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_map(struct ring *r, int fd, size_t bytes, bool backward)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	/* A ring that nobody can mark as read is overwritten. */
	void *map = mmap(NULL, page + bytes, PROT_READ | (backward ? 0 : PROT_WRITE), MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*r = (struct ring){ .map = map, .bytes = bytes, .fd = fd, .backward = backward };
	return 0;
}

/* Layout: struct perf_event_mmap_page. Positions count bytes and never wrap; records from tail to head are whole. */
ssize_t ring_drain(struct ring *r, struct write_queue *queue)
{
	struct perf_event_mmap_page *page = r->map;
	const uint8_t *data = (const uint8_t *)r->map + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);  /* pairs with the kernel's release */
	uint64_t tail = page->data_tail;                                      /* written by us alone */
	size_t n = (size_t)(head - tail), at = (size_t)tail & (r->bytes - 1);
	size_t first = n < r->bytes - at ? n : r->bytes - at;
	uint8_t *to;

	if (n == 0)
		return 0;
	to = write_queue_room(queue, n);
	if (!to)
		return -SONDE_SYSTEM;
	memcpy(to, data + at, first);
	memcpy(to + first, data, n - first);
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);           /* after all reads */
	write_queue_advance(queue, n);
	return (ssize_t)n;
}

bool ring_skip(struct ring *r)
{
	struct perf_event_mmap_page *page = r->map;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	bool any = head != page->data_tail;

	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return any;
}

/* n bytes from position @at of the ring, which wraps. */
static void copy_out(const struct ring *r, uint8_t *to, uint64_t at, size_t n)
{
	const uint8_t *data = (const uint8_t *)r->map + sysconf(_SC_PAGESIZE);
	size_t from = (size_t)at & (r->bytes - 1), first = n < r->bytes - from ? n : r->bytes - from;

	memcpy(to, data + from, first);
	memcpy(to + first, data, n - first);
}

/*
 * Positions count down from 0, and the newest record lies at data_head. The walk ends at a record that the newest one
 * has cut, or at the last dump.
 */
ssize_t ring_dump(struct ring *r, struct write_queue *queue)
{
	struct perf_event_mmap_page *page = r->map;
	uint64_t head, span, n = 0;
	struct perf_event_header h;
	uint8_t *to;
	int e;

	if (ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1) < 0)
		return -errno;
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	span = r->dumped - head < r->bytes ? r->dumped - head : r->bytes;
	for (; n + sizeof(h) <= span; n += h.size) {
		copy_out(r, (uint8_t *)&h, head + n, sizeof(h));
		if (h.size < sizeof(h) || h.size > span - n)
			break;
	}
	to = n ? write_queue_room(queue, (size_t)n) : NULL;
	if (to) {
		for (uint64_t at = 0; at < n; at += h.size) {
			copy_out(r, (uint8_t *)&h, head + at, sizeof(h));
			copy_out(r, to + (n - at - h.size), head + at, h.size);
		}
		write_queue_advance(queue, (size_t)n);
	}
	r->dumped = head;
	e = ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0) < 0 ? -errno : 0;
	return n && !to ? -SONDE_SYSTEM : e < 0 ? e : (ssize_t)n;
}

void ring_unmap(struct ring *r)
{
	if (r->map)
		munmap(r->map, (size_t)sysconf(_SC_PAGESIZE) + r->bytes);
	r->map = NULL;
}
