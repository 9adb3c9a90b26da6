/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/resync.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perfdata/format/attr.h"

/* One event with the evlist that holds it, and records that are put one after another. */
struct record_bytes {
	struct reader holder;
	struct evlist evlist;
	bool swap;
	uint8_t p[1024];
	size_t n;
};

static void set_up(struct record_bytes *b, bool swap)
{
	const struct sonde_attr attr = { .size = 128, .sample_type = SAMPLE_TID | SAMPLE_TIME,
					 .flags = SONDE_ATTR_SAMPLE_ID_ALL };

	*b = (struct record_bytes){ .swap = swap };
	b->evlist.reader = &b->holder;
	assert_non_null(evlist_add(&b->evlist, &attr));
}

static void tear_down(struct record_bytes *b)
{
	evlist_free(&b->evlist);
	arena_free(&b->holder.arena);
}

static void put(struct record_bytes *b, uint64_t v, size_t width)
{
	bool big = host_is_big_endian() != b->swap;

	for (size_t i = 0; i < width; i++)
		b->p[b->n++] = (uint8_t)(v >> 8 * (big ? width - 1 - i : i));
}

static void put_header(struct record_bytes *b, uint32_t type, uint16_t size)
{
	put(b, type, 4);
	put(b, 0, 2);
	put(b, size, 2);
}

/* 40 bytes */
static void put_comm(struct record_bytes *b)
{
	put_header(b, RECORD_COMM, 40);
	put(b, 7, 4);
	put(b, 7, 4);
	for (const char *c = "sh\0\0\0\0\0"; b->n % 40 != 24; c++)
		b->p[b->n++] = (uint8_t)*c;
	put(b, 7, 4);
	put(b, 7, 4);
	put(b, 12345, 8);
}

/* An exact copy, so that a byte too many is seen by the address sanitizer. */
static bool begin(struct record_bytes *b, size_t n, int at_end)
{
	uint8_t *copy = malloc(n ? n : 1);
	bool r;

	assert_non_null(copy);
	memcpy(copy, b->p, n);
	r = records_begin(&b->evlist, b->swap, copy, n, at_end);
	free(copy);
	return r;
}

static void three_in_a_row_are_a_proof(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct record_bytes b;

		set_up(&b, swap);
		for (int i = 0; i < 3; i++)
			put_comm(&b);
		put(&b, UINT64_MAX, 8);
		assert_true(begin(&b, b.n, RESYNC_RECORDS));
		b.n = 80;
		put(&b, UINT64_MAX, 8);
		assert_false(begin(&b, b.n, 1));
		/* as bytes of the other order they are nothing */
		b.swap = !b.swap;
		assert_false(begin(&b, 120, 1));
		tear_down(&b);
	}
}

static void fewer_are_one_at_the_very_end(void **state)
{
	struct record_bytes b;

	(void)state;
	set_up(&b, false);
	put_comm(&b);
	put_comm(&b);
	assert_true(begin(&b, 40, resync_at_end(16)));
	assert_false(begin(&b, 40, resync_at_end(17)));
	assert_true(begin(&b, 80, resync_at_end(17)));
	assert_false(begin(&b, 80, RESYNC_RECORDS));
	for (size_t n = 0; n < 80; n++)
		assert_int_equal(begin(&b, n, 1), n == 40);
	tear_down(&b);
}

/* Each of these rules alone refutes the second of four records. */
static void one_broken_rule_is_enough(void **state)
{
	static const struct { size_t at, width; uint64_t value; const char *what; } breaks[] = {
		{ 40, 4, 0, "type 0" }, { 40, 4, 1000, "an unknown type" },
		{ 40, 4, 32768 + 64, "a type beyond simpleperf's" },
		{ 46, 2, 7, "a size below the header" }, { 46, 2, 0, "no size" }, { 46, 2, 41, "an odd size" },
		{ 46, 2, 16, "no room for its fields" }, { 46, 2, 65535, "a size beyond the bytes" },
		{ 56, 8, UINT64_MAX, "a name without an end" },
	};

	(void)state;
	for (int swap = 0; swap < 2; swap++)
		for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
			struct record_bytes b;

			set_up(&b, swap);
			for (int k = 0; k < 4; k++)
				put_comm(&b);
			assert_true(begin(&b, b.n, RESYNC_RECORDS));
			b.n = breaks[i].at;
			put(&b, breaks[i].value, breaks[i].width);
			if (begin(&b, 160, 1))
				fail_msg("%s is taken for a record", breaks[i].what);
			tear_down(&b);
		}
}

/* AUX data belongs to the record before it; a payload beyond the bytes does not prove the first record. */
static void a_payload_is_passed_over(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct record_bytes b;

		set_up(&b, swap);
		put_comm(&b);
		put_header(&b, RECORD_AUXTRACE, 48);
		put(&b, 16, 8);
		for (int i = 0; i < 4; i++)
			put(&b, 0, 8);
		put(&b, UINT64_MAX, 8);
		put(&b, UINT64_MAX, 8);
		put_header(&b, RECORD_FINISHED_ROUND, 8);
		assert_true(begin(&b, b.n, RESYNC_RECORDS));
		/* a size near the largest number: nothing wraps around */
		b.n = 48;
		put(&b, UINT64_MAX - 8, 8);
		assert_true(begin(&b, 112, RESYNC_RECORDS));
		memmove(b.p, b.p + 40, 72);
		assert_false(begin(&b, 72, 1));
		tear_down(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_in_a_row_are_a_proof), cmocka_unit_test(fewer_are_one_at_the_very_end),
		cmocka_unit_test(one_broken_rule_is_enough), cmocka_unit_test(a_payload_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
