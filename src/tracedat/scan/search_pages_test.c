/* SPDX-License-Identifier: MIT */
#include "tracedat/scan/search_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define PAGE 4096
#define PAGES 8

struct page_bytes {
	uint8_t p[PAGES * PAGE];
	bool swap;
};

static void put(struct page_bytes *b, size_t at, uint32_t v)
{
	bool big = host_is_big_endian() != b->swap;

	for (size_t i = 0; i < 4; i++)
		b->p[at + i] = (uint8_t)(v >> 8 * (big ? 3 - i : i));
}

/* A list of n chunks of so many bytes, each of which becomes one page; returns its end. */
static size_t put_list(struct page_bytes *b, size_t at, uint32_t n, uint32_t packed)
{
	put(b, at, n);
	at += 4;
	for (uint32_t i = 0; i < n; i++) {
		put(b, at, packed);
		put(b, at + 4, PAGE);
		at += 8 + packed;
	}
	return at;
}

struct found_pages {
	struct image image;
	struct dat_file file;
	struct dat_buffer buffer;
	uint64_t nr_pages;
};

/* In an exact copy, so that a byte too many is seen by the address sanitizer. */
static uint8_t *search(struct found_pages *r, const struct page_bytes *b, uint64_t from, uint64_t to)
{
	uint8_t *copy = malloc(to ? to : 1);

	assert_non_null(copy);
	memcpy(copy, b->p, to);
	*r = (struct found_pages){ .buffer = { .page_size = PAGE, .packed = true } };
	image_memory(&r->image, copy, to);
	dat_file_init(&r->file, &r->image);
	r->file.swap = b->swap;
	assert_int_equal(dat_search_pages(&r->file, from, to, &r->buffer, &r->nr_pages), 0);
	return copy;
}

static void forget(struct found_pages *r, uint8_t *copy)
{
	vec_free(&r->buffer.extents);
	dat_file_free(&r->file);
	image_close(&r->image);
	free(copy);
}

static void each_list_is_a_cpu(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct page_bytes b = { .swap = swap };
		size_t first = put_list(&b, PAGE, 3, 100), second = put_list(&b, 2 * PAGE, 2, 5000);
		struct found_pages r;
		uint8_t *copy;

		assert_int_equal(first, PAGE + 4 + 3 * 108);
		copy = search(&r, &b, 1, sizeof(b.p));    /* from the next page on */
		assert_int_equal(r.buffer.extents.n, 2);
		assert_int_equal(r.nr_pages, 5);
		assert_int_equal(r.buffer.extents.at[0].bytes.at, PAGE);
		assert_int_equal(r.buffer.extents.at[0].bytes.n, first - PAGE);
		assert_int_equal(r.buffer.extents.at[1].cpu, 1);
		assert_int_equal(r.buffer.extents.at[1].bytes.at, 2 * PAGE);
		assert_int_equal(r.buffer.extents.at[1].bytes.n, second - 2 * PAGE);
		forget(&r, copy);
	}
}

/* A file that ends in the middle of a list has what was there of it; nothing is read beyond. */
static void a_list_may_be_cut(void **state)
{
	struct page_bytes b = { .swap = false };
	size_t end = put_list(&b, 0, 4, 300);

	(void)state;
	for (size_t n = 0; n <= end; n++) {
		struct found_pages r;
		uint8_t *copy = search(&r, &b, 0, n);
		bool is_there = n >= 4 + 8;

		assert_int_equal(r.buffer.extents.n, is_there);
		if (is_there)
			assert_int_equal(r.buffer.extents.at[0].bytes.n, n);
		forget(&r, copy);
	}
}

static void what_is_no_list(void **state)
{
	static const struct { uint32_t count, packed, size; } heads[] = {
		{ 0, 100, PAGE }, { 1, 0, PAGE }, { 1, 100, 0 }, { 1, 100, PAGE + 1 }, { UINT32_MAX, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct page_bytes b = { .swap = false };
		struct found_pages r;
		uint8_t *copy;

		put(&b, 0, heads[i].count);
		put(&b, 4, heads[i].packed);
		put(&b, 8, heads[i].size);
		copy = search(&r, &b, 0, sizeof(b.p));
		assert_int_equal(r.buffer.extents.n, 0);
		forget(&r, copy);
	}
}

/* A count and a size as large as they can be end with the bytes. */
static void the_largest_numbers(void **state)
{
	struct page_bytes b = { .swap = false };
	struct found_pages r;
	uint8_t *copy;

	(void)state;
	put(&b, 0, UINT32_MAX);
	put(&b, 4, UINT32_MAX);
	put(&b, 8, PAGE);
	copy = search(&r, &b, 0, sizeof(b.p));
	assert_int_equal(r.buffer.extents.n, 1);
	assert_int_equal(r.buffer.extents.at[0].bytes.n, sizeof(b.p));
	forget(&r, copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_list_is_a_cpu), cmocka_unit_test(a_list_may_be_cut),
		cmocka_unit_test(what_is_no_list), cmocka_unit_test(the_largest_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
