/* SPDX-License-Identifier: MIT */
#include "base/paged_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Files that stay open at once, so that many tables leave descriptors for others; the rest is read whole, as a small
 * file is, of which most pages are needed.
 */
enum { OPEN_MOST = 64, WHOLE_BYTES = 64 * 1024 };

static int nr_open;

struct paged_file_reader {
	pthread_mutex_t lock;
	int fd;                      /* -1: every page has been read */
};

static size_t nr_pages(const struct paged_file *f)
{
	return (f->size + PAGED_FILE_PAGE - 1) / PAGED_FILE_PAGE;
}

/* Bytes that cannot be read stay zeros. */
static void read_bytes(const struct paged_file *f, size_t at, size_t end)
{
	uint8_t *to = (uint8_t *)(uintptr_t)f->data;
	ssize_t r;

	end = end < f->size ? end : f->size;
	while (at < end) {
		r = pread(f->reader->fd, to + at, end - at, (off_t)at);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			break;
		at += (size_t)r;
	}
}

void paged_file_read(const struct paged_file *f, size_t first, size_t last)
{
	size_t end;

	pthread_mutex_lock(&f->reader->lock);
	for (; first <= last; first = end + 1) {
		for (end = first; end <= last && !f->read[end]; end++)
			;
		if (end > first)
			read_bytes(f, first * PAGED_FILE_PAGE, end * PAGED_FILE_PAGE);
		for (size_t i = first; i < end; i++)
			__atomic_store_n(&f->read[i], 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&f->reader->lock);
}

static struct paged_file *new_file(size_t size)
{
	struct paged_file *f = calloc(1, sizeof(*f));
	void *p;

	if (!f)
		return NULL;
	f->size = size;
	f->read = calloc(nr_pages(f), 1);
	f->reader = calloc(1, sizeof(*f->reader));
	p = f->read && f->reader ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) :
				   MAP_FAILED;
	if (p == MAP_FAILED) {
		free(f->read);
		free(f->reader);
		free(f);
		return NULL;
	}
	madvise(p, size, MADV_NOHUGEPAGE);  /* one page would take the memory of 512 */
	f->data = p;
	pthread_mutex_init(&f->reader->lock, NULL);
	return f;
}

static void drop_fd(struct paged_file *f)
{
	close(f->reader->fd);
	f->reader->fd = -1;
	__atomic_fetch_sub(&nr_open, 1, __ATOMIC_RELAXED);
}

struct paged_file *paged_file_open(int fd)
{
	struct paged_file *f = NULL;
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_size > 0 && (uint64_t)st.st_size <= SIZE_MAX)
		f = new_file((size_t)st.st_size);
	if (!f) {
		close(fd);
		return NULL;
	}
	f->reader->fd = fd;
	if (__atomic_add_fetch(&nr_open, 1, __ATOMIC_RELAXED) > OPEN_MOST || f->size <= WHOLE_BYTES) {
		paged_file_read(f, 0, nr_pages(f) - 1);
		drop_fd(f);
	}
	return f;
}

void paged_file_close(struct paged_file *f)
{
	if (!f)
		return;
	if (f->reader->fd >= 0)
		drop_fd(f);
	munmap((void *)(uintptr_t)f->data, f->size);
	pthread_mutex_destroy(&f->reader->lock);
	free(f->reader);
	free(f->read);
	free(f);
}

const char *paged_file_string(const struct paged_file *f, const char *p)
{
	const char *end = (const char *)f->data + f->size, *at = p;
	size_t n;

	while (at < end) {
		n = PAGED_FILE_PAGE - (size_t)(at - (const char *)f->data) % PAGED_FILE_PAGE;
		n = n < (size_t)(end - at) ? n : (size_t)(end - at);
		if (memchr(paged_file_need(f, at, n), 0, n))
			break;
		at += n;
	}
	return p;
}
