/* SPDX-License-Identifier: MIT */
/* clocks_test.c - which fact relates two clocks, and by how much */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "model/clocks.h"
#include "model/reader.h"

struct clocked {
	struct reader reader;
	struct clock_facts facts;
};

static void tell(const struct reader *r, struct clock_facts *out)
{
	*out = ((const struct clocked *)r)->facts;
}

static const struct reader_ops ops = { .clock = tell };

static void expect(struct clock_facts a, struct clock_facts b, enum sonde_alignment_fact fact, int64_t shift)
{
	struct clocked first = { .reader.ops = &ops, .facts = a }, other = { .reader.ops = &ops, .facts = b };
	struct reader *const both[] = { &first.reader, &other.reader };
	struct sonde_alignment got[2];

	clocks_align(both, 2, NULL, 0, got);
	assert_int_equal(got[0].fact, SONDE_ALIGNED_FIRST);
	assert_int_equal(got[0].offset_ns, 0);
	assert_int_equal(got[1].fact, fact);
	assert_int_equal(got[1].offset_ns, shift);
	assert_true(*got[1].text);
	assert_int_equal(clocks_known(fact), fact != SONDE_ALIGNED_NOT);
}

static void test_facts(void **state)
{
	const struct clock_facts mono = { .name = "mono", .hostname = "a" }, local = { .name = "local" },
				 perf = { .name = "perf" }, elsewhere = { .name = "mono", .hostname = "b" },
				 unnamed = { 0 };

	(void)state;
	expect(mono, mono, SONDE_ALIGNED_SAME_CLOCK, 0);
	expect(mono, elsewhere, SONDE_ALIGNED_NOT, 0);
	expect(mono, local, SONDE_ALIGNED_NOT, 0);
	expect(local, perf, SONDE_ALIGNED_SCHEDULER, 0);
	expect(unnamed, unnamed, SONDE_ALIGNED_NOT, 0);
}

static void test_sessions(void **state)
{
	const struct clock_facts host = { .name = "local", .hostname = "h", .session = 5 },
				 other = { .name = "x86-tsc", .hostname = "h", .session = 6 },
				 guest = { .name = "local", .hostname = "h", .session = 5, .is_guest = true },
				 stranger = { .name = "local", .hostname = "h", .session = 6, .is_guest = true },
				 unrelated = { .session = 9 };

	(void)state;
	expect(host, host, SONDE_ALIGNED_SESSION, 0);
	expect(host, other, SONDE_ALIGNED_NOT, 0);
	expect(host, guest, SONDE_ALIGNED_GUEST, 0);
	expect(host, stranger, SONDE_ALIGNED_NOT, 0);  /* its times are by the clock of another host */
	expect(host, unrelated, SONDE_ALIGNED_NOT, 0);
}

static void test_offsets(void **state)
{
	struct clocked mono = { .reader.ops = &ops, .facts = { .name = "mono", .hostname = "a" } }, same = mono,
		       moved = mono,
		       other = { .reader.ops = &ops, .facts = { .name = "counter" } };
	struct reader *const all[] = { &mono.reader, &same.reader, &moved.reader, NULL, &other.reader };
	const int64_t offsets[] = { 100, SONDE_OFFSET_BY_CLOCK, 7, 8, -9, 10 };
	struct sonde_alignment got[5];

	(void)state;
	moved.reader.given_shift = 1000;
	clocks_align(all, 5, NULL, 0, got);
	assert_int_equal(got[1].offset_ns, 0);
	assert_int_equal(got[2].offset_ns, 1000);
	assert_int_equal(got[2].fact, SONDE_ALIGNED_GIVEN);
	assert_int_equal(got[3].fact, SONDE_ALIGNED_FIRST);
	clocks_align(all, 5, offsets, 1, got);
	assert_int_equal(got[0].offset_ns, 100);
	assert_int_equal(got[0].fact, SONDE_ALIGNED_GIVEN);
	assert_int_equal(got[1].offset_ns, 100);  /* the first one takes it along */
	assert_int_equal(got[1].fact, SONDE_ALIGNED_SAME_CLOCK);
	assert_int_equal(got[2].offset_ns, 1000);
	assert_int_equal(got[4].offset_ns, 100);
	assert_int_equal(got[4].fact, SONDE_ALIGNED_NOT);
	clocks_align(all, 5, offsets, 6, got);
	assert_int_equal(got[1].offset_ns, 100);
	assert_int_equal(got[2].offset_ns, 1007);
	assert_int_equal(got[4].offset_ns, -9);
	mono.reader.given_shift = 5;
	clocks_align(all, 5, NULL, 0, got);
	assert_int_equal(got[0].offset_ns, 5);
	assert_int_equal(got[4].offset_ns, 0);
	assert_int_equal(got[4].fact, SONDE_ALIGNED_GIVEN);  /* who moves the first one at open moves each */
}

static void test_wall_clocks(void **state)
{
	const struct clock_facts early = { .name = "mono", .hostname = "a", .has_wall = true, .to_wall = 1000 },
				 late = { .name = "mono", .hostname = "b", .has_wall = true, .to_wall = 5000 },
				 set = { .name = "mono", .hostname = "a", .has_wall = true, .to_wall = 5000 },
				 booted = { .name = "mono", .hostname = "a", .has_wall = true,
					    .to_wall = 2000000000 },
				 least = { .has_wall = true, .to_wall = INT64_MIN },
				 most = { .has_wall = true, .to_wall = INT64_MAX };

	(void)state;
	expect(early, late, SONDE_ALIGNED_WALL, 4000);
	expect(late, early, SONDE_ALIGNED_WALL, -4000);
	expect(early, set, SONDE_ALIGNED_SAME_CLOCK, 0);
	expect(early, booted, SONDE_ALIGNED_WALL, 1999999000);
	expect(most, least, SONDE_ALIGNED_WALL, 1);  /* wraps, and stays defined */
}

static void test_moves(void **state)
{
	bool cut = false;

	(void)state;
	assert_int_equal(clocks_move(10, 5, &cut), 15);
	assert_int_equal(clocks_move(10, -9, &cut), 1);
	assert_int_equal(clocks_move(0, 5, &cut), 0);
	assert_int_equal(clocks_move(SONDE_NONE, 5, &cut), SONDE_NONE);
	assert_int_equal(clocks_move_back(15, 5), 10);
	assert_false(cut);
	assert_int_equal(clocks_move(10, -10, &cut), 1);
	assert_true(cut);
	cut = false;
	assert_int_equal(clocks_move(SONDE_NONE - 3, 5, &cut), SONDE_NONE - 1);
	assert_true(cut);
	assert_int_equal(clocks_move(7, INT64_MIN, &cut), 1);
	assert_int_equal(clocks_move_back(7, INT64_MIN), (uint64_t)INT64_MAX + 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_sessions),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_wall_clocks),
		cmocka_unit_test(test_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
