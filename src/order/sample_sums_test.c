/* SPDX-License-Identifier: MIT */
#include "order/sample_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { USER = PERF_RECORD_MISC_USER, KERNEL = PERF_RECORD_MISC_KERNEL };

static const struct sonde_evsel evsel, other;

static struct sample_head head(uint64_t ip, int32_t pid, uint8_t cpumode, uint64_t time)
{
	return (struct sample_head){ .evsel = &evsel, .ip = ip, .time = time, .period = 10, .pid = pid, .tid = pid,
				     .cpumode = cpumode };
}

static void add(struct sample_sums *t, struct sample_head h)
{
	assert_true(sample_sums_takes(&h));
	sample_sums_add(t, &h);
}

/* The whole of the sums of an address, and their number. */
static struct sample_sum whole(const struct sample_sums *t, uint64_t ip, uint8_t cpumode, size_t *n)
{
	struct sample_sum all = { .first = SONDE_NONE };

	*n = 0;
	for (size_t i = 0; i < t->list.n; i++) {
		const struct sample_sum *c = &t->list.at[i];

		if (c->ip != ip || c->cpumode != cpumode)
			continue;
		all.samples += c->samples;
		all.period += c->period;
		all.first = c->first < all.first ? c->first : all.first;
		all.last = c->last > all.last ? c->last : all.last;
		++*n;
	}
	return all;
}

static void test_equal_samples_have_one_sum(void **state)
{
	struct sample_head of_other = head(0x1000, 7, USER, 4);
	struct sample_sums t;
	struct sample_sum c;
	size_t n;

	(void)state;
	of_other.evsel = &other;
	assert_int_equal(sample_sums_begin(&t, 0), 0);
	add(&t, head(0x1000, 7, USER, 5));
	add(&t, head(0x1000, 7, USER, 9));
	add(&t, head(0x1000, 7, USER, 3));
	add(&t, head(0x1000, 7, KERNEL, 2));
	add(&t, head(0x1000, 8, KERNEL, 6));    /* the kernel is that of every process */
	add(&t, of_other);
	assert_int_equal(sample_sums_end(&t), 0);
	assert_int_equal(t.samples, 6);
	c = whole(&t, 0x1000, KERNEL, &n);
	assert_true(n == 1 && c.samples == 2 && c.period == 20 && c.first == 2 && c.last == 6);
	c = whole(&t, 0x1000, USER, &n);
	assert_true(n == 2 && c.samples == 4 && c.first == 3 && c.last == 9);
	assert_false(t.given_up);
	sample_sums_free(&t);
}

/* More addresses than slots: no sample is lost. */
static void test_sums_stay_when_others_take_their_slots(void **state)
{
	enum { ADDRESSES = 3 * SAMPLE_SUMS_SLOTS, ROUNDS = 4 };
	struct sample_sums t;
	size_t n;

	(void)state;
	assert_int_equal(sample_sums_begin(&t, 0), 0);
	for (uint64_t i = 0; i < ADDRESSES * ROUNDS; i++)
		add(&t, head(0x1000 + i % ADDRESSES, 7, USER, 1 + i));
	assert_int_equal(sample_sums_end(&t), 0);
	/* some of them: each costs a walk through the list */
	for (uint64_t i = 0; i < ADDRESSES; i += 997) {
		struct sample_sum c = whole(&t, 0x1000 + i, USER, &n);

		assert_int_equal(c.samples, ROUNDS);
		assert_int_equal(c.last, 1 + i + (ROUNDS - 1) * ADDRESSES);
	}
	sample_sums_free(&t);
}

static void test_a_full_list_gives_up(void **state)
{
	struct sample_sums t;

	(void)state;
	assert_int_equal(sample_sums_begin(&t, 1 << 20), 0);
	for (uint64_t i = 0; i < 2 * SAMPLE_SUMS_SLOTS + (1 << 20) / 8 / sizeof(struct sample_sum); i++)
		add(&t, head(0x1000 + i, 7, USER, 1 + i));
	assert_true(t.given_up);
	sample_sums_free(&t);
}

static void test_what_is_not_added_up(void **state)
{
	struct sample_head h = head(0x1000, 7, USER, 0);

	(void)state;
	assert_false(sample_sums_takes(&h));
	h.time = SONDE_NONE;
	assert_false(sample_sums_takes(&h));
	h.time = 1;
	h.cpumode = PERF_RECORD_MISC_GUEST_KERNEL;
	assert_false(sample_sums_takes(&h));
	h.cpumode = 0;
	assert_false(sample_sums_takes(&h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_samples_have_one_sum),
		cmocka_unit_test(test_sums_stay_when_others_take_their_slots),
		cmocka_unit_test(test_a_full_list_gives_up),
		cmocka_unit_test(test_what_is_not_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
