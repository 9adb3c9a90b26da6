/* SPDX-License-Identifier: MIT */
#include "tracedat/format/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#define LITTLE false
#define BIG true

/* Two events, between them a time extend; a time stamp; an event that was discarded. */
static const uint8_t little[] = {
	0x00, 0x10, 0, 0, 0, 0, 0, 0, 0x4c, 0, 0, 0, 0, 0, 0, 0,
	0x05, 0, 0, 0, 0x05, 0, 0, 0, 0xc8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'h', 'i', '\n', 0,
	0xbe, 0, 0, 0, 0x02, 0, 0, 0,
	0xe5, 0, 0, 0, 0x05, 0, 0, 0, 0xc8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'y', 'o', '\n', 0,
	0x5f, 0x13, 0xcf, 0x8a, 0x46, 0x02, 0, 0,
	0x7d, 0, 0, 0, 0x08, 0, 0, 0, 0xaa, 0xaa, 0xaa, 0xaa,
	0x41, 0, 0, 0, 'e', 'n', 'd', 0,
};
static const uint8_t big[] = {
	0, 0, 0, 0, 0, 0, 0x10, 0x00, 0, 0, 0, 0, 0, 0, 0, 0x4c,
	0x28, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0xc8, 0, 0, 0, 0, 0, 0, 0, 0, 'h', 'i', '\n', 0,
	0xf0, 0, 0, 0x05, 0, 0, 0, 0x02,
	0x28, 0, 0, 0x07, 0, 0, 0, 5, 0, 0, 0, 0xc8, 0, 0, 0, 0, 0, 0, 0, 0, 'y', 'o', '\n', 0,
	0xfc, 0x56, 0x78, 0x9a, 0, 0, 0x02, 0x46,
	0xe8, 0, 0, 0x03, 0, 0, 0, 0x08, 0xaa, 0xaa, 0xaa, 0xaa,
	0x08, 0, 0, 0x02, 'e', 'n', 'd', 0,
};

static void expect_event(struct page *page, uint64_t time, uint32_t size, const char *data, size_t at)
{
	struct page_event ev;

	assert_int_equal(dat_page_next(page, &ev), 1);
	assert_int_equal(page->time, time);
	assert_int_equal(ev.size, size);
	assert_memory_equal(ev.data + at, data, strlen(data));
}

static void expect_end(struct page *page, int how)
{
	struct page_event ev;

	assert_int_equal(dat_page_next(page, &ev), how);
	assert_int_equal(dat_page_next(page, &ev), 0);
}

static void check_page(const uint8_t *p, size_t n, bool big_endian)
{
	struct page_layout l = dat_page_layout_default(big_endian, 8);
	struct page page;

	assert_int_equal(dat_page_open(&page, &l, p, n, n), 0);
	assert_false(page.missed || page.cut);
	assert_int_equal(page.time, 0x1000);
	expect_event(&page, 0x1000, 20, "hi", 16);
	expect_event(&page, 0x1000 + 5 + (UINT64_C(2) << 27) + 7, 20, "yo", 16);
	expect_event(&page, 0x123456789a + 3 + 2, 4, "end", 0);
	expect_end(&page, 0);
}

static void test_events_of_either_byte_order(void **state)
{
	uint8_t page[sizeof(little)];

	(void)state;
	/* the header counts what follows it */
	memcpy(page, little, sizeof(page));
	page[8] = sizeof(page) - 16;
	check_page(page, sizeof(page), LITTLE);
	memcpy(page, big, sizeof(page));
	page[15] = sizeof(page) - 16;
	check_page(page, sizeof(page), BIG);
}

static void test_a_page_ends_where_commit_says(void **state)
{
	struct page_layout l = dat_page_layout_default(LITTLE, 8);
	struct page page;

	(void)state;
	assert_int_equal(dat_page_open(&page, &l, little, sizeof(little), sizeof(little)), 0);
	expect_event(&page, 0x1000, 20, "hi", 16);
	expect_event(&page, 0x1000 + 5 + (UINT64_C(2) << 27) + 7, 20, "yo", 16);
	expect_end(&page, 0);  /* 0x4c bytes: up to the discarded event */
	assert_int_equal(page.time, 0x123456789a + 3);
}

static void test_a_32_bit_kernel_has_12_bytes_of_header(void **state)
{
	static const uint8_t p[] = { 7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0x21, 0, 0, 0, 'a', 'b', 'c', 'd' };
	struct page_layout l = dat_page_layout_default(LITTLE, 4);
	struct page page;

	(void)state;
	assert_int_equal(dat_page_open(&page, &l, p, sizeof(p), sizeof(p)), 0);
	expect_event(&page, 8, 4, "abcd", 0);
	expect_end(&page, 0);
}

static void test_missed_events(void **state)
{
	/* as 64-bit kernels write it: the flags are an int, extended by its sign */
	uint8_t p[] = { 7,    0, 0, 0, 0,   0,   0,   0,   8,    0,    0, 0xc0, 0xff, 0xff, 0xff, 0xff,
			0x21, 0, 0, 0, 'a', 'b', 'c', 'd', 0x19, 0x4e, 0, 0,    0,    0,    0,    0 };
	struct page_layout l = dat_page_layout_default(LITTLE, 8);
	struct page page;

	(void)state;
	assert_int_equal(dat_page_open(&page, &l, p, sizeof(p), sizeof(p)), 0);
	assert_true(page.missed);
	assert_int_equal(page.nr_missed, 19993);
	expect_event(&page, 8, 4, "abcd", 0);
	expect_end(&page, 0);
	p[11] = 0x80;  /* lost, and no room for how many */
	assert_int_equal(dat_page_open(&page, &l, p, sizeof(p), sizeof(p)), 0);
	assert_true(page.missed);
	assert_true(page.nr_missed == SONDE_NONE);
	p[11] = 0xc0;  /* the number is beyond what is there */
	assert_int_equal(dat_page_open(&page, &l, p, sizeof(p) - 1, sizeof(p) - 1), 0);
	assert_true(page.nr_missed == SONDE_NONE);
}

static void test_long_events_and_padding(void **state)
{
	static const uint8_t p[] = {
		7, 0, 0, 0, 0, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0,
		0x20, 0, 0, 0, 9, 0, 0, 0, 'l', 'o', 'n', 'g', '!', 0, 0, 0,  /* 5 bytes, rounded up */
		0x21, 0, 0, 0, 'a', 'b', 'c', 'd',
		0x1d, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,                         /* no delta: the rest of the page */
		0x21, 0, 0, 0,
	};
	struct page_layout l = dat_page_layout_default(LITTLE, 8);
	struct page page;

	(void)state;
	assert_int_equal(dat_page_open(&page, &l, p, sizeof(p), sizeof(p)), 0);
	expect_event(&page, 8, 5, "long!", 0);
	expect_event(&page, 9, 4, "abcd", 0);
	expect_end(&page, 0);
}

/* One page of `words` after its header. */
static int walk_words(const uint32_t *words, size_t n, size_t *events)
{
	struct page_layout l = dat_page_layout_default(host_is_big_endian(), 8);
	uint8_t p[16 + 64] = { 0 };
	struct page_event ev;
	struct page page;
	uint64_t commit = n * 4;
	int r;

	memcpy(p + 8, &commit, 8);
	memcpy(p + 16, words, n * 4);
	assert_int_equal(dat_page_open(&page, &l, p, 16 + n * 4, 16 + n * 4), 0);
	for (*events = 0; (r = dat_page_next(&page, &ev)) > 0; ++*events)
		;
	return r;
}

static uint32_t word(uint32_t type, uint32_t delta)
{
	return host_is_big_endian() ? type << 27 | delta : delta << 5 | type;
}

static void test_damage_ends_the_page(void **state)
{
	const uint32_t beyond[] = { word(1, 1), 0, word(2, 1), 0 };
	const uint32_t long_of_3[] = { word(1, 1), 0, word(0, 1), 3, 0 };
	const uint32_t long_beyond[] = { word(1, 1), 0, word(0, 1), 9, 0 };
	const uint32_t long_of_all[] = { word(1, 1), 0, word(0, 1), 0xffffffff, 0 };
	const uint32_t padding_of_0[] = { word(1, 1), 0, word(29, 1), 0, 0 };
	const uint32_t half_extend[] = { word(1, 1), 0, word(30, 1) };
	const uint32_t half_stamp[] = { word(1, 1), 0, word(31, 1) };
	size_t n;

	(void)state;
#define CHECK_DAMAGED(words) do { \
		assert_int_equal(walk_words(words, ARRAY_SIZE(words), &n), -SONDE_CORRUPT); \
		assert_int_equal(n, 1); \
	} while (0)
	CHECK_DAMAGED(beyond);
	CHECK_DAMAGED(long_of_3);
	CHECK_DAMAGED(long_beyond);
	CHECK_DAMAGED(long_of_all);
	CHECK_DAMAGED(padding_of_0);
	CHECK_DAMAGED(half_extend);
	CHECK_DAMAGED(half_stamp);
}

static void test_pages_that_are_none(void **state)
{
	struct page_layout l = dat_page_layout_default(LITTLE, 8);
	uint8_t p[sizeof(little)];
	struct page page;

	(void)state;
	memcpy(p, little, sizeof(p));
	assert_int_equal(dat_page_open(&page, &l, p, 15, 4096), -SONDE_CORRUPT);
	assert_int_equal(dat_page_open(&page, &l, p, sizeof(p), 15), -SONDE_CORRUPT);
	assert_int_equal(dat_page_open(&page, &l, p, 60, 4096), 0);  /* cut: what is there can be had */
	assert_true(page.cut);
	expect_event(&page, 0x1000, 20, "hi", 16);
	expect_end(&page, -SONDE_CORRUPT);
	memset(p, 0, sizeof(p));  /* recorders pad with empty pages */
	assert_int_equal(dat_page_open(&page, &l, p, sizeof(p), sizeof(p)), 0);
	expect_end(&page, 0);
}

/* A page of one event, then of zeros, that says that it holds @commit bytes; the event has 12 bytes with its header. */
static void make_page(uint8_t p[64], uint8_t commit, size_t event_at)
{
	static const uint8_t event[] = { 0x42, 0, 0, 0, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' };

	memset(p, 0, 64);
	p[8] = commit;
	for (size_t at = 16; at < event_at; at += 8)
		p[at] = 1;           /* events of 4 bytes fill the page up to there */
	memcpy(p + event_at, event, sizeof(event));
}

static void test_a_size_that_is_wrong_costs_what_does_not_fit_handmade(void **state)
{
	struct page_layout l = dat_page_layout_default(LITTLE, 8);
	struct page_content e;
	struct page page;
	uint8_t p[64];

	(void)state;
	make_page(p, 200, 16);
	assert_int_equal(dat_page_open(&page, &l, p, 48, 48), 0);
	assert_true(page.overfull);
	expect_event(&page, 2, 8, "abcdefgh", 0);
	expect_end(&page, 0);
	assert_int_equal(dat_page_measure(&l, p, 48, 48, &e), 0);
	assert_true(e.overfull && !e.damaged && e.events == 1 && e.good == 12);

	p[40] = 0xff;  /* behind it something else than zeros: nobody knows where the events end */
	assert_int_equal(dat_page_open(&page, &l, p, 48, 48), -SONDE_CORRUPT);

	/* the last event reaches 4 bytes into what follows: it is there if that is */
	make_page(p, 36, 40);
	assert_int_equal(dat_page_measure(&l, p, 64, 48, &e), 0);
	assert_true(e.overfull && e.events == 4 && e.good == 36);
	assert_int_equal(dat_page_measure(&l, p, 48, 48, &e), 0);
	assert_true(e.overfull && e.events == 3 && e.good == 24);

	/* an event that would begin behind the page is none of it */
	make_page(p, 44, 48);
	assert_int_equal(dat_page_measure(&l, p, 64, 48, &e), 0);
	assert_true(e.overfull && e.events == 4 && e.good == 32);
}

static void test_a_stamp_keeps_the_upper_bits(void **state)
{
	static const uint8_t p[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x17, 16, 0, 0, 0, 0, 0, 0, 0,
		0x5f, 0, 0, 0, 0, 0, 0, 0,               /* 2: one time around since the page began */
		0x21, 0, 0, 0, 'a', 'b', 'c', 'd',
	};
	struct page_layout l = dat_page_layout_default(LITTLE, 8);
	struct page page;

	(void)state;
	assert_int_equal(dat_page_open(&page, &l, p, sizeof(p), sizeof(p)), 0);
	expect_event(&page, UINT64_C(0x1800000000000003), 4, "abcd", 0);
}

static void test_the_text_of_header_page(void **state)
{
	static const char text[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";
	struct page_layout l;
	char bad[sizeof(text)];

	(void)state;
	assert_true(dat_page_layout_parse(&l, BIG, (struct sonde_str){ text, sizeof(text) - 1 }));
	assert_int_equal(l.long_size, 4);
	assert_int_equal(l.commit_at, 8);
	assert_int_equal(l.data_at, 12);
	assert_int_equal(l.swap, !host_is_big_endian());
	for (size_t n = 0; n < sizeof(text) - 30; n++)
		assert_false(dat_page_layout_parse(&l, BIG, (struct sonde_str){ text, n }));
	memcpy(bad, text, sizeof(text));
	memcpy(strstr(bad, "size:4;"), "size:3;", 7);  /* a long of 3 bytes */
	assert_false(dat_page_layout_parse(&l, BIG, (struct sonde_str){ bad, sizeof(bad) - 1 }));
}

static void test_an_event_can_be_looked_at_again(void **state)
{
	struct page_layout l = dat_page_layout_default(BIG, 8);
	struct page_event ev, again;
	struct page page;

	(void)state;
	assert_int_equal(dat_page_open(&page, &l, big, sizeof(big), sizeof(big)), 0);
	while (dat_page_next(&page, &ev) > 0) {
		again = dat_page_event_at(&l, ev.at);
		assert_ptr_equal(again.data, ev.data);
		assert_int_equal(again.size, ev.size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_of_either_byte_order),
		cmocka_unit_test(test_a_page_ends_where_commit_says),
		cmocka_unit_test(test_a_32_bit_kernel_has_12_bytes_of_header),
		cmocka_unit_test(test_missed_events),
		cmocka_unit_test(test_long_events_and_padding),
		cmocka_unit_test(test_damage_ends_the_page),
		cmocka_unit_test(test_pages_that_are_none),
		cmocka_unit_test(test_a_size_that_is_wrong_costs_what_does_not_fit_handmade),
		cmocka_unit_test(test_a_stamp_keeps_the_upper_bits),
		cmocka_unit_test(test_the_text_of_header_page),
		cmocka_unit_test(test_an_event_can_be_looked_at_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
