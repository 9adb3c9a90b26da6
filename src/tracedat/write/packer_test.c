/* SPDX-License-Identifier: MIT */
#include "tracedat/write/packer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { PAGE_BYTES = 256, EVENTS = 200, EVENT_MAX = 200 };

struct pages {
	uint8_t bytes[EVENTS * PAGE_BYTES];
	size_t n;
};

static int keep(void *ctx, const uint8_t *page, size_t size)
{
	struct pages *all = ctx;

	assert_int_equal(size, PAGE_BYTES);
	assert_true(all->n + size <= sizeof(all->bytes));
	memcpy(all->bytes + all->n, page, size);
	all->n += size;
	return 0;
}

/* Times with short, long and very long distances; sizes on both sides of the limit for a length of its own. */
static uint64_t time_of(size_t i)
{
	return 1000 + i * 7 + (i > 50 ? UINT64_C(1) << 27 : 0) + (i > 100 ? UINT64_C(3) << 30 : 0) +
		(i > 150 ? UINT64_C(1) << 61 : 0);
}

static uint32_t size_of(size_t i)
{
	return (uint32_t)(i * 5 % EVENT_MAX);
}

static void fill(uint8_t *to, size_t i)
{
	for (size_t k = 0; k < EVENT_MAX; k++)
		to[k] = (uint8_t)(i + k);
}

static void check_layout(bool big_endian, uint8_t long_size)
{
	struct page_layout l = dat_page_layout_default(big_endian, long_size);
	struct pages *all = calloc(1, sizeof(*all));
	uint8_t data[EVENT_MAX];
	struct event_packer p;
	struct page page;
	struct page_event ev;
	size_t i = 0;
	int r;

	assert_non_null(all);
	assert_int_equal(dat_event_packer_start(&p, &l, PAGE_BYTES, keep, all), 0);
	for (size_t k = 0; k < EVENTS; k++) {
		fill(data, k);
		assert_int_equal(dat_event_packer_add(&p, time_of(k), data, size_of(k)), 0);
	}
	assert_int_equal(dat_event_packer_flush(&p), 0);
	dat_event_packer_end(&p);
	for (size_t at = 0; at < all->n; at += PAGE_BYTES) {
		assert_int_equal(dat_page_open(&page, &l, all->bytes + at, PAGE_BYTES, PAGE_BYTES), 0);
		assert_false(page.missed);
		while ((r = dat_page_next(&page, &ev)) > 0) {
			fill(data, i);
			assert_int_equal(page.time, time_of(i));
			assert_int_equal(ev.size,
					 size_of(i) == 0 || size_of(i) > 112 ? size_of(i) : (size_of(i) + 3) / 4 * 4);
			assert_memory_equal(ev.data, data, size_of(i));
			i++;
		}
		assert_int_equal(r, 0);
	}
	assert_int_equal(i, EVENTS);
	free(all);
}

static void what_is_packed_is_read_again(void **state)
{
	(void)state;
	check_layout(false, 8);
	check_layout(false, 4);
	check_layout(true, 8);
	check_layout(true, 4);
}

static void losses_stand_in_front_of_the_next_event(void **state)
{
	struct page_layout l = dat_page_layout_default(false, 8);
	struct pages *all = calloc(1, sizeof(*all));
	struct event_packer p;
	struct page page;

	(void)state;
	assert_int_equal(dat_event_packer_start(&p, &l, PAGE_BYTES, keep, all), 0);
	assert_int_equal(dat_event_packer_add(&p, 1, "abcd", 4), 0);
	assert_int_equal(dat_event_packer_miss(&p, 3), 0);
	assert_int_equal(dat_event_packer_miss(&p, 4), 0);
	assert_int_equal(dat_event_packer_add(&p, 2, "efgh", 4), 0);
	assert_int_equal(dat_event_packer_miss(&p, 3), 0);
	assert_int_equal(dat_event_packer_miss(&p, SONDE_NONE), 0);
	assert_int_equal(dat_event_packer_add(&p, 3, "ijkl", 4), 0);
	assert_int_equal(dat_event_packer_flush(&p), 0);
	assert_int_equal(dat_event_packer_flush(&p), 0);
	dat_event_packer_end(&p);
	assert_int_equal(all->n, 3 * PAGE_BYTES);
	assert_int_equal(dat_page_open(&page, &l, all->bytes, PAGE_BYTES, PAGE_BYTES), 0);
	assert_false(page.missed);
	assert_int_equal(dat_page_open(&page, &l, all->bytes + PAGE_BYTES, PAGE_BYTES, PAGE_BYTES), 0);
	assert_true(page.missed);
	assert_int_equal(page.nr_missed, 7);
	assert_int_equal(dat_page_open(&page, &l, all->bytes + 2 * PAGE_BYTES, PAGE_BYTES, PAGE_BYTES), 0);
	assert_true(page.missed && page.nr_missed == SONDE_NONE);
	free(all);
}

static void limits(void **state)
{
	struct page_layout l = dat_page_layout_default(false, 8);
	struct pages *all = calloc(1, sizeof(*all));
	uint8_t data[PAGE_BYTES] = { 0 };
	struct event_packer p;
	struct page page;
	struct page_event ev;
	uint32_t max;

	(void)state;
	assert_int_equal(dat_event_packer_start(&p, &l, PAGE_BYTES, keep, all), 0);
	max = dat_event_packer_max(&p);
	assert_int_equal(dat_event_packer_add(&p, 9, data, max + 1), -SONDE_USAGE);
	assert_int_equal(dat_event_packer_miss(&p, 1), 0);
	assert_int_equal(dat_event_packer_add(&p, 9, data, max), 0);
	assert_int_equal(dat_event_packer_add(&p, 5, data, 4), 0);  /* a clock that goes back begins a page */
	assert_int_equal(dat_event_packer_flush(&p), 0);
	dat_event_packer_end(&p);
	assert_int_equal(all->n, 2 * PAGE_BYTES);
	assert_int_equal(dat_page_open(&page, &l, all->bytes, PAGE_BYTES, PAGE_BYTES), 0);
	assert_true(page.missed && page.nr_missed == SONDE_NONE);  /* there was no room for the number */
	assert_int_equal(dat_page_next(&page, &ev), 1);
	assert_int_equal(ev.size, max);
	assert_int_equal(dat_page_open(&page, &l, all->bytes + PAGE_BYTES, PAGE_BYTES, PAGE_BYTES), 0);
	assert_int_equal(page.time, 5);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_packed_is_read_again),
		cmocka_unit_test(losses_stand_in_front_of_the_next_event),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
