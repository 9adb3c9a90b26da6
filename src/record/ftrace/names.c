/* SPDX-License-Identifier: MIT */
#include "record/ftrace/names.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"

#define RING_PAGES 8
#define FILES_OPEN 32 /* at most, besides rings: standard files, the recording, eventfds, the child's pipes */

/* Sets a name that holds from @time on; an older one is not put over a newer one. */
static int set_name(struct thread_names *n, int32_t tid, const char *comm, size_t len, uint64_t time)
{
	uint32_t i = u64map_get(&n->index, (uint32_t)tid);
	struct thread_name name = { .tid = tid, .time = time };

	memcpy(name.comm, comm, len < 15 ? len : 15);
	if (tid <= 0 || !name.comm[0])
		return 0;
	if (i == U64MAP_NONE) {
		if (vec_push(&n->all, name) < 0 || u64map_set(&n->index, (uint32_t)tid, (uint32_t)n->all.n - 1) < 0)
			return -SONDE_NOMEM;
	} else {
		if (time < n->all.at[i].time || !strcmp(n->all.at[i].comm, name.comm))
			return 0;
		n->all.at[i] = name;
	}
	buf_printf(&n->fresh, "%d %s\n", tid, name.comm);
	return n->fresh.failed;
}

/* ---- the side band ---- */

/* Records are header, body, and the time after it. */
int names_record(struct thread_names *n, const uint8_t *p, size_t size)
{
	struct perf_event_header h;
	uint32_t words[4];
	uint64_t time;

	memcpy(&h, p, sizeof(h));
	if (h.type == PERF_RECORD_COMM && size >= 8 + 8 + 8 + 8) {
		memcpy(words, p + 8, 8);
		memcpy(&time, p + size - 8, 8);
		return set_name(n, (int32_t)words[1], (const char *)p + 16, strnlen((const char *)p + 16, size - 24),
				time);
	}
	if (h.type == PERF_RECORD_FORK && size >= 8 + 16 + 8) {
		uint32_t parent;

		memcpy(words, p + 8, 16);    /* pid, parent's pid, tid, parent's tid */
		memcpy(&time, p + 24, 8);
		parent = u64map_get(&n->index, words[3]);
		if (parent != U64MAP_NONE) {
			struct thread_name from = n->all.at[parent];

			return set_name(n, (int32_t)words[2], from.comm, strlen(from.comm), time);
		}
	}
	return 0;
}

static int drain(struct thread_names *n, struct name_ring *r)
{
	struct perf_event_mmap_page *page = r->map;
	const uint8_t *data = (const uint8_t *)page + sysconf(_SC_PAGESIZE);
	size_t mask = n->ring_bytes - 1;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	uint8_t record[512];
	int e = 0;

	while (tail < head && e == 0) {
		struct perf_event_header h;

		/* records are aligned to 8 bytes: a header is in one piece */
		memcpy(&h, data + (tail & mask), sizeof(h));
		if (h.size < sizeof(h))
			break;
		if (h.size <= sizeof(record)) {
			size_t first = n->ring_bytes - (tail & mask) < h.size ? n->ring_bytes - (tail & mask) : h.size;

			memcpy(record, data + (tail & mask), first);
			memcpy(record + first, data, h.size - first);
			e = names_record(n, record, h.size);
		}
		tail += h.size;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return e;
}

static bool open_ring(struct thread_names *n, struct name_ring *r, int32_t cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.comm = 1,
		.task = 1,
		.sample_period = 1,
	};

	r->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return false;
	r->map = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + n->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		      0);
	if (r->map != MAP_FAILED)
		return true;
	close(r->fd);
	return false;
}

/* Files that are open already are not counted: there are few. */
static bool may_be_open(size_t files)
{
	struct rlimit rl;

	return getrlimit(RLIMIT_NOFILE, &rl) < 0 || rl.rlim_cur == RLIM_INFINITY || files <= rl.rlim_cur;
}

static void open_side_band(struct thread_names *n, const char *sysfs, size_t spare)
{
	struct cpus online = { 0 };

	n->ring_bytes = RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	if (cpus_online(&online, sysfs) < 0)
		online.n = 0;
	if (!may_be_open(online.n + spare + FILES_OPEN))
		n->too_many = online.n + spare + FILES_OPEN;
	else if (online.n)
		n->rings = calloc(online.n, sizeof(*n->rings));
	for (size_t i = 0; n->rings && i < online.n; i++)
		n->nr_rings += open_ring(n, &n->rings[n->nr_rings], online.at[i]);
	vec_free(&online);
}

int names_poll(struct thread_names *n)
{
	int e = 0;

	for (size_t i = 0; i < n->nr_rings && e == 0; i++)
		e = drain(n, &n->rings[i]);
	return e;
}

/* ---- /proc and saved_cmdlines ---- */

static bool known(const struct thread_names *n, int32_t tid)
{
	return u64map_get(&n->index, (uint32_t)tid) != U64MAP_NONE;
}

static int ask_task(struct thread_names *n, const char *pid)
{
	char path[64], comm[64];
	struct dirent *e;
	DIR *d;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/task", pid);
	d = opendir(path);
	if (!d)
		return 0;
	while (r == 0 && (e = readdir(d))) {
		int32_t tid = (int32_t)strtol(e->d_name, NULL, 10);

		if (tid <= 0 || known(n, tid))
			continue;
		if (sysfile_read(comm, sizeof(comm), "/proc/%.20s/task/%d/comm", pid, tid) > 0)
			r = set_name(n, tid, comm, strlen(comm), 0);
	}
	closedir(d);
	return r;
}

static int ask_proc(struct thread_names *n)
{
	struct dirent *e;
	DIR *d = opendir("/proc");
	int r = 0;

	while (d && r == 0 && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			r = ask_task(n, e->d_name);
	if (d)
		closedir(d);
	return r;
}

int names_start(struct thread_names *n, const char *sysfs, size_t spare)
{
	open_side_band(n, sysfs, spare);  /* first: between the two a task could have come */
	return ask_proc(n);
}

int names_fill(struct thread_names *n, struct sonde_str saved)
{
	const char *p = saved.p, *end = p + saved.len;
	int e = 0;

	while (e == 0 && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end, *blank;
		int32_t tid = (int32_t)strtol(p, NULL, 10);

		blank = memchr(p, ' ', (size_t)(stop - p));
		if (blank && !known(n, tid) && stop[-1] != '>')  /* "<...>": not known there either */
			e = set_name(n, tid, blank + 1, (size_t)(stop - blank - 1), 0);
		p = stop + 1;
	}
	return e;
}

int names_complete(struct thread_names *n, struct sonde_str saved)
{
	int e = names_poll(n);

	if (e == 0 && !n->nr_rings)
		e = ask_proc(n);
	return e < 0 ? e : names_fill(n, saved);
}

void names_text(const struct thread_names *n, struct buf *out)
{
	for (size_t i = 0; i < n->all.n; i++)
		buf_printf(out, "%d %s\n", n->all.at[i].tid, n->all.at[i].comm);
}

void names_free(struct thread_names *n)
{
	for (size_t i = 0; i < n->nr_rings; i++) {
		munmap(n->rings[i].map, (size_t)sysconf(_SC_PAGESIZE) + n->ring_bytes);
		close(n->rings[i].fd);
	}
	free(n->rings);
	vec_free(&n->all);
	u64map_free(&n->index);
	buf_free(&n->fresh);
}
