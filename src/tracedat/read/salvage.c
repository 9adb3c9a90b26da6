/* SPDX-License-Identifier: MIT */
/*
 * salvage.c - pages that nothing points to
 *
 * Recorders write the table of which CPU wrote which pages last, so it is what a file that was cut lacks. Pages have no
 * number of their CPU, but those of one CPU follow each other in time, and the next one begins earlier than its neighbour
 * ended.
 */
#include "tracedat/read/tracedat.h"

#define BLOCK_BYTES (UINT64_C(1) << 20)

struct found {
	VEC(struct sonde_cpu_pages) cpus;
	uint64_t nr_pages, last_time;
};

static uint64_t align(uint64_t at, uint64_t size)
{
	return (at + size - 1) / size * size;
}

/* Whether the events of the page fill it as its header says, and the time of its beginning. */
static bool is_page(const struct tracedat *f, const uint8_t *p, size_t left, uint64_t *time)
{
	size_t size = f->header.page_size;
	struct page_event ev;
	struct page page;
	int r;

	if (page_open(&page, &f->layout, p, left < size ? left : size, size) < 0 || page.time == 0)
		return false;
	*time = page.time;
	while ((r = page_next(&page, &ev)) > 0)
		;
	return r == 0 || page.cut;
}

static int add(struct found *found, uint64_t at, uint64_t size, bool next_cpu)
{
	struct sonde_cpu_pages fresh = { .cpu = (uint32_t)found->cpus.n, .file_offset = at };

	if ((next_cpu || found->cpus.n == 0) && vec_push(&found->cpus, fresh) < 0)
		return -SONDE_NOMEM;
	found->cpus.at[found->cpus.n - 1].size = at + size - found->cpus.at[found->cpus.n - 1].file_offset;
	return 0;
}

/* The pages in a block of the file. */
static int find_in_block(const struct tracedat *f, const struct bytes *b, struct found *found)
{
	size_t size = f->header.page_size, n;
	uint64_t time;

	for (size_t at = 0; at < b->n; at += n) {
		n = b->n - at < size ? b->n - at : size;
		if (!is_page(f, b->p + at, n, &time))
			continue;  /* padding, or damage in the middle of a CPU's pages */
		if (add(found, b->at + at, n, time < found->last_time) < 0)
			return -SONDE_NOMEM;
		found->nr_pages++;
		found->last_time = time;
	}
	return 0;
}

static int find_pages(const struct tracedat *f, uint64_t from, uint64_t to, struct found *found)
{
	uint64_t size = f->header.page_size, block = align(BLOCK_BYTES, size);
	struct bytes b;
	int r = 0;

	for (uint64_t at = align(from, size); at < to && r == 0; at += block) {
		r = bytes_read(f, at, to - at < block ? to - at : block, &b, NULL);
		if (r == 0)
			r = find_in_block(f, &b, found);
		bytes_free(&b);
	}
	return r;
}

static int read_two(const struct tracedat *f, uint64_t at, uint32_t *a, uint32_t *b)
{
	struct bytes bytes;
	struct cursor c;
	int r = bytes_read(f, at, 8, &bytes, NULL);

	if (r < 0)
		return r;
	c = bytes_cursor(f, &bytes, NULL);
	*a = cur_u32(&c);
	*b = cur_u32(&c);
	bytes_free(&bytes);
	return cur_ok(&c) ? 0 : -SONDE_TRUNCATED;
}

/* The end of the list of compressed pieces at @at; 0 if there is none. */
static uint64_t end_of_list(const struct tracedat *f, uint64_t at, uint64_t to, uint64_t *nr_pages)
{
	uint32_t count, packed, size;

	if (read_two(f, at, &count, &packed) < 0 || count == 0)
		return 0;
	at += 4;
	for (uint32_t i = 0; i < count; i++) {
		if (at >= to || read_two(f, at, &packed, &size) < 0 || packed > to - at)
			return to;
		if (packed == 0 || size == 0 || size % f->header.page_size)
			return 0;
		at += 8 + (uint64_t)packed;
		*nr_pages += size / f->header.page_size;
	}
	return at < to ? at : to;
}

static int find_lists(const struct tracedat *f, uint64_t from, uint64_t to, struct found *found)
{
	uint64_t at = align(from, f->header.page_size), end;

	while (at < to && (end = end_of_list(f, at, to, &found->nr_pages)) != 0) {
		if (add(found, at, end - at, true) < 0)
			return -SONDE_NOMEM;
		at = align(end, f->header.page_size);
	}
	return 0;
}

static int make_buffer(struct tracedat *f, uint64_t from, bool compressed, const struct found *found, struct sonde_error *err)
{
	struct sonde_buffer b = { .name = "", .page_size = f->header.page_size, .compressed = compressed,
				  .nr_cpus = found->cpus.n };

	b.cpus = arena_memdup(&f->base.arena, found->cpus.at, found->cpus.n * sizeof(*b.cpus));
	if (!b.cpus)
		return err_nomem(err);
	ledger_add(&f->base.ledger, SONDE_LOSS_TRUNCATED, found->nr_pages, from, SONDE_NONE, -1,
		   "pages were found without the table of whose they are: CPUs are numbered as they come");
	return buffer_add(f, &b, err);
}

int salvage_pages(struct tracedat *f, uint64_t from, uint64_t to, bool compressed, struct sonde_error *err)
{
	struct found found = { 0 };
	int r = compressed ? find_lists(f, from, to, &found) : find_pages(f, from, to, &found);

	if (r < 0)
		r = err_nomem(err);
	else if (found.cpus.n)
		r = make_buffer(f, from, compressed, &found, err);
	vec_free(&found.cpus);
	return r;
}
