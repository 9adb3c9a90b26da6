/* SPDX-License-Identifier: MIT */
#include "record/perf/aux_area.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define AUXTRACE 71
#define NEWEST_WORDS 512             /* at the end of an area that has not wrapped, these are 0 */

struct auxtrace_record {
	struct perf_event_header header;
	uint64_t size, offset, reference;
	uint32_t idx;
	int32_t tid, cpu;
	uint32_t reserved;
};

int aux_area_map(struct aux_area *a, const struct ring *r)
{
	struct perf_event_mmap_page *page = r->map;
	uint64_t at = (uint64_t)sysconf(_SC_PAGESIZE) + r->bytes;
	void *map;

	page->aux_offset = at;
	page->aux_size = a->bytes;
	map = mmap(NULL, a->bytes, PROT_READ | (a->snapshot ? 0 : PROT_WRITE), MAP_SHARED, r->fd, (off_t)at);
	if (map == MAP_FAILED)
		return -errno;
	a->map = map;
	return 0;
}

/* A number that no other record of the file has. */
static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Bytes of the trace from a place of the area to its end. */
static size_t rest_of_area(const struct aux_area *a, size_t at)
{
	size_t end = a->bytes - (a->record_bytes ? a->bytes % a->record_bytes : 0);

	return at < end ? end - at : 0;
}

/* Records of the bytes [from, to) of the trace, which wrap in the area; @offset: of the first one in the stream. */
static int put_trace(const struct aux_area *a, struct write_queue *queue, uint64_t from, uint64_t to, uint64_t offset)
{
	size_t most = write_queue_aux_max(queue) - sizeof(struct auxtrace_record);

	if (a->record_bytes)
		most -= most % a->record_bytes;
	while (from < to) {
		size_t n = to - from < most ? (size_t)(to - from) : most, at = (size_t)from & (a->bytes - 1);
		size_t rest = rest_of_area(a, at);

		if (a->record_bytes && n > rest)
			n = rest;
		if (!n) {
			offset += a->bytes - at;
			from += a->bytes - at;
			continue;
		}
		size_t first = n < a->bytes - at ? n : a->bytes - at, pad = -n & 7;
		const struct auxtrace_record record = {
			.header = { .type = AUXTRACE, .size = sizeof(record) },
			.size = n + pad, .offset = offset, .reference = now_ns(),
			.idx = a->ring, .tid = a->tid, .cpu = a->cpu,
		};
		uint8_t *room = write_queue_aux_room(queue, sizeof(record) + n + pad);

		if (!room)
			return -SONDE_SYSTEM;
		memcpy(room, &record, sizeof(record));
		memcpy(room + sizeof(record), (const uint8_t *)a->map + at, first);
		memcpy(room + sizeof(record) + first, a->map, n - first);
		memset(room + sizeof(record) + n, 0, pad);
		if (write_queue_aux_done(queue, sizeof(record) + n + pad) < 0)
			return -SONDE_SYSTEM;
		from += n;
		offset += n;
	}
	return 0;
}

ssize_t aux_area_drain(const struct aux_area *a, const struct ring *r, struct write_queue *queue)
{
	struct perf_event_mmap_page *page = r->map;
	uint64_t head, tail = page->aux_tail;  /* written by us alone */

	if (!a->map || a->snapshot)
		return 0;
	head = __atomic_load_n(&page->aux_head, __ATOMIC_ACQUIRE);
	if (head == tail)
		return 0;
	if (put_trace(a, queue, tail, head, tail) < 0)
		return -SONDE_SYSTEM;
	__atomic_store_n(&page->aux_tail, head, __ATOMIC_RELEASE);
	/* an area that was full has turned its event off without a word */
	if (a->stays_on)
		ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0);
	return (ssize_t)(head - tail);
}

/* The head of a snapshot area is a place in it, or counts on: the last words tell whether the trace has come there. */
static bool has_wrapped(const struct aux_area *a, uint64_t head)
{
	const uint64_t *words = a->map;
	size_t n = a->bytes / sizeof(*words);

	if (head > a->bytes)
		return true;
	for (size_t i = n > NEWEST_WORDS ? n - NEWEST_WORDS : 0; i < n; i++)
		if (words[i])
			return true;
	return false;
}

ssize_t aux_area_dump(struct aux_area *a, const struct ring *r, struct write_queue *queue)
{
	struct perf_event_mmap_page *page = r->map;
	uint64_t head, n;
	int e = 0;

	if (!a->map || !a->snapshot)
		return 0;
	if (ioctl(r->fd, PERF_EVENT_IOC_DISABLE, 0) < 0)
		return -errno;
	head = __atomic_load_n(&page->aux_head, __ATOMIC_ACQUIRE);
	n = has_wrapped(a, head) ? a->bytes : head;
	if (put_trace(a, queue, head + a->bytes - n, head + a->bytes, a->stream_at) < 0)
		return -SONDE_SYSTEM;
	a->stream_at += n;
	e = a->stays_on && ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
	return e < 0 ? e : (ssize_t)n;
}

void aux_area_unmap(struct aux_area *a)
{
	if (a->map)
		munmap(a->map, a->bytes);
	a->map = NULL;
}
