/* SPDX-License-Identifier: MIT */
#include "record/perf/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_map(struct ring *r, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	*r = (struct ring){ .map = map, .bytes = bytes, .fd = fd };
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

void ring_unmap(struct ring *r)
{
	if (r->map)
		munmap(r->map, (size_t)sysconf(_SC_PAGESIZE) + r->bytes);
	r->map = NULL;
}
