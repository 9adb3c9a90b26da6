/* SPDX-License-Identifier: MIT */
/*
 * Three ways. Splice: full pages move through a pipe without being looked at; the last one has to be read. Read: a copy
 * of each page. Mapped: the ioctl hands over page after page of a buffer that is in our address space already; the page
 * that the kernel is still writing to can be taken too, and is written again, to the same place, when it has more. It
 * needs the most time, because the kernel steps over every event that it hands over (docs/decisions/ftrace-reading.md),
 * and so is only used when it is asked for.
 */
#include "record/ftrace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd_io.h"
#include "record/ftrace/instance.h"

#define BLOCK_BYTES (256u << 10)
#define PIPE_BYTES (64u << 10)       /* what fits into the cache of a core is faster than what does not */
#define GET_READER _IO('R', 0x20)

/* <linux/trace_mmap.h>, which not every system that we are built on has. */
struct ring_meta {
	uint32_t meta_page_size, meta_struct_len, subbuf_size, nr_subbufs;
	uint64_t lost_events;
	uint32_t reader_id, reader_read;
	uint64_t flags, entries, overrun, read;
};

static int map_ring(struct buffer_reader *r)
{
	long page = sysconf(_SC_PAGESIZE);
	struct ring_meta *meta = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, r->fd, 0);
	void *pages;

	if (meta == MAP_FAILED)
		return -errno;
	r->meta = meta;
	r->meta_bytes = (size_t)page;
	r->pages_bytes = (size_t)meta->subbuf_size * meta->nr_subbufs;
	if (meta->subbuf_size != r->page_size)
		return -EINVAL;
	pages = mmap(NULL, r->pages_bytes, PROT_READ, MAP_SHARED, r->fd, (off_t)meta->meta_page_size);
	if (pages == MAP_FAILED)
		return -errno;
	r->pages = pages;
	return 0;
}

static void unmap_ring(struct buffer_reader *r)
{
	if (r->pages)
		munmap((void *)r->pages, r->pages_bytes);
	if (r->meta)
		munmap((void *)r->meta, r->meta_bytes);
	r->pages = NULL;
	r->meta = NULL;
}

static void make_pipe(struct page_carrier *c, uint32_t max_page)
{
	int n;

	if (pipe2(c->pipe, O_CLOEXEC | O_NONBLOCK) < 0) {
		c->pipe[0] = c->pipe[1] = -1;
		return;
	}
	if (max_page > PIPE_BYTES)
		fcntl(c->pipe[1], F_SETPIPE_SZ, (int)max_page);
	n = fcntl(c->pipe[1], F_GETPIPE_SZ);
	c->pipe_bytes = n > 0 ? (size_t)n : PIPE_BYTES;
}

int page_carrier_open(struct page_carrier *c, uint32_t max_page, bool splice)
{
	c->block_bytes = BLOCK_BYTES > max_page ? BLOCK_BYTES : max_page;
	c->block = malloc(c->block_bytes);
	if (!c->block)
		return -SONDE_NOMEM;
	if (splice)
		make_pipe(c, max_page);
	return 0;
}

void page_carrier_close(struct page_carrier *c)
{
	for (int i = 0; i < 2; i++)
		if (c->pipe[i] >= 0)
			close(c->pipe[i]);
	free(c->block);
	*c = PAGE_CARRIER_NONE;
}

int page_reader_open(struct buffer_reader *r, const char *dir, int32_t cpu, enum sonde_ftrace_reader how)
{
	char path[TRACEFS_PATH];

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", dir, cpu);
	r->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	r->how = how == SONDE_FTRACE_AUTO ? SONDE_FTRACE_SPLICE : how;
	return how == SONDE_FTRACE_MAPPED ? map_ring(r) : 0;
}

/* Room for so many bytes, at most @want but at least a page, in the extent: how many. */
static ssize_t get_room(struct buffer_reader *r, size_t want, struct sonde_error *err)
{
	uint64_t left = r->has_extent ? r->extent.size - r->used : 0;

	if (left < r->page_size) {
		int e = r->sink->ops->extent(r->sink, r->buffer, r->cpu_index, &r->extent, err);

		if (e < 0)
			return e;
		r->has_extent = true;
		r->used = 0;
		r->page_id = UINT32_MAX;
		left = r->extent.size;
	}
	left -= left % r->page_size;
	return (ssize_t)(want < left ? want : left);
}

static int write_block(struct buffer_reader *r, struct sonde_error *err)
{
	uint64_t at = r->extent.at + r->used - r->filled;
	int bad = fd_write_at(r->extent.fd, r->by->block, r->filled, at);

	if (bad)
		return err_sys(err, bad, "cannot write the recording");
	r->filled = 0;
	return r->sink->ops->publish(r->sink, r->buffer, r->cpu_index, r->used, err);
}

/* A place for one more page in the block. */
static uint8_t *next_page(struct buffer_reader *r, struct sonde_error *err)
{
	uint8_t *p;

	if ((r->filled + r->page_size > r->by->block_bytes && r->filled) ||
	    (r->has_extent && r->used + r->page_size > r->extent.size)) {
		if (r->filled && write_block(r, err) < 0)
			return NULL;
	}
	if (get_room(r, r->page_size, err) < 0)
		return NULL;
	p = r->by->block + r->filled;
	r->filled += r->page_size;
	r->used += r->page_size;
	return p;
}

/* The page that was taken last has more now: its place, in the block or in the file. */
static uint8_t *same_page(struct buffer_reader *r)
{
	if (r->filled == 0)
		r->filled = r->page_size;
	return r->by->block + r->filled - r->page_size;
}

/* ---- mapped ---- */

#define COMMIT_AT 8
#define COMMIT_BYTES 0x07ffffffu
#define COMMIT_MISSED 0x80000000u

/* Behind what is committed lies what was there before, except for the number of lost events. */
static void clean_page(const struct buffer_reader *r, uint8_t *page, uint64_t lost)
{
	unsigned long commit;
	size_t end;

	memcpy(&commit, page + COMMIT_AT, sizeof(commit));
	end = COMMIT_AT + sizeof(long) + (commit & COMMIT_BYTES);
	if (commit & COMMIT_MISSED || end > r->page_size)
		return;
	memset(page + end, 0, r->page_size - end);
	if (lost) {                  /* by kernels that do not write it into the page */
		commit |= COMMIT_MISSED;
		memcpy(page + COMMIT_AT, &commit, sizeof(commit));
	}
}

static ssize_t take_mapped(struct buffer_reader *r, uint64_t max_bytes, struct sonde_error *err)
{
	uint64_t taken = 0;

	while (taken < max_bytes) {
		uint32_t id = r->meta->reader_id, read = r->meta->reader_read;
		uint64_t lost;
		uint8_t *to;

		if (ioctl(r->fd, GET_READER) < 0 && errno != EAGAIN && errno != EINTR)
			return err_sys(err, errno, "cannot read the ring buffer");
		if (r->meta->reader_id == id && r->meta->reader_read == read)
			break;
		id = r->meta->reader_id;
		lost = r->meta->lost_events;
		if (id >= r->meta->nr_subbufs)
			return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE,
				       "the kernel names a page that the ring buffer does not have");
		to = id == r->page_id ? same_page(r) : next_page(r, err);
		if (!to)
			return -SONDE_SYSTEM;
		r->page_id = id;
		memcpy(to, r->pages + (size_t)id * r->page_size, r->page_size);
		clean_page(r, to, lost);
		taken += r->page_size;
	}
	if (r->filled && write_block(r, err) < 0)
		return -SONDE_SYSTEM;
	return (ssize_t)taken;
}

/* ---- read ---- */

/* One page; what is there of it if @tail. */
static ssize_t read_page(struct buffer_reader *r, struct sonde_error *err)
{
	uint8_t *to = next_page(r, err);
	ssize_t n;

	if (!to)
		return -SONDE_SYSTEM;
	do
		n = read(r->fd, to, r->page_size);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		memset(to + n, 0, r->page_size - (size_t)n);
		return n;
	}
	r->filled -= r->page_size;
	r->used -= r->page_size;
	if (n < 0 && errno != EAGAIN && errno != EBUSY)
		return err_sys(err, errno, "cannot read the ring buffer");
	return 0;
}

static ssize_t take_by_read(struct buffer_reader *r, uint64_t max_bytes, struct sonde_error *err)
{
	uint64_t taken = 0;
	ssize_t n = 0;

	while (taken < max_bytes && (n = read_page(r, err)) > 0)
		taken += r->page_size;
	if (r->filled && write_block(r, err) < 0)
		return -SONDE_SYSTEM;
	return n < 0 ? n : (ssize_t)taken;
}

/* ---- splice ---- */

/* The file cannot be spliced to: what is in the pipe is read out, and no more goes there. */
static int give_up_splice(struct buffer_reader *r, size_t n, struct sonde_error *err)
{
	r->how = SONDE_FTRACE_READ;
	while (n > 0) {
		uint8_t *to = next_page(r, err);
		size_t got = 0;

		if (!to)
			return -SONDE_SYSTEM;
		while (got < r->page_size) {
			ssize_t k = read(r->by->pipe[0], to + got, r->page_size - got);

			if (k < 0 && errno == EINTR)
				continue;
			if (k <= 0)
				return err_sys(err, k < 0 ? errno : EIO, "cannot read the ring buffer");
			got += (size_t)k;
		}
		n -= r->page_size;
	}
	return r->filled ? write_block(r, err) : 0;
}

static int splice_to_file(struct buffer_reader *r, size_t n, struct sonde_error *err)
{
	loff_t at = (loff_t)(r->extent.at + r->used);
	size_t left = n;

	while (left > 0) {
		ssize_t k = splice(r->by->pipe[0], NULL, r->extent.fd, &at, left, SPLICE_F_MOVE);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0 && left == n && (errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS))
			return give_up_splice(r, n, err);
		if (k <= 0)
			return err_sys(err, k < 0 ? errno : EIO, "cannot write the recording");
		left -= (size_t)k;
	}
	r->used += n;
	return r->sink->ops->publish(r->sink, r->buffer, r->cpu_index, r->used, err);
}

static ssize_t take_by_splice(struct buffer_reader *r, bool tail, uint64_t max_bytes, struct sonde_error *err)
{
	uint64_t taken = 0;

	if (r->by->pipe_bytes < r->page_size)
		r->how = SONDE_FTRACE_READ;
	while (taken < max_bytes && r->how == SONDE_FTRACE_SPLICE) {
		ssize_t room = get_room(r, r->by->pipe_bytes - r->by->pipe_bytes % r->page_size, err), n;

		if (room < 0)
			return room;
		n = splice(r->fd, NULL, r->by->pipe[1], NULL, (size_t)room, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EINVAL || errno == ENOSYS)) {
			r->how = SONDE_FTRACE_READ;
			break;
		}
		if (n < 0 && errno != EAGAIN)
			return err_sys(err, errno, "cannot read the ring buffer");
		if (n <= 0)
			break;
		if (splice_to_file(r, (size_t)n, err) < 0)
			return -SONDE_SYSTEM;
		taken += (uint64_t)n;
	}
	if (r->how == SONDE_FTRACE_READ || (tail && taken < max_bytes)) {
		ssize_t n = take_by_read(r, max_bytes - taken, err);

		return n < 0 ? n : (ssize_t)taken + n;
	}
	return (ssize_t)taken;
}

ssize_t page_reader_take(struct buffer_reader *r, bool tail, uint64_t max_bytes, struct sonde_error *err)
{
	switch (r->how) {
	case SONDE_FTRACE_MAPPED:
		return take_mapped(r, max_bytes, err);
	case SONDE_FTRACE_SPLICE:
		return take_by_splice(r, tail, max_bytes, err);
	default:
		return take_by_read(r, max_bytes, err);
	}
}

void page_reader_close(struct buffer_reader *r)
{
	unmap_ring(r);
	if (r->fd >= 0)
		close(r->fd);
	*r = PAGE_READER_NONE;
}
