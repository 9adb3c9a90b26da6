/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/page/timed.h"

enum { SAMPLES = 10000 };

static void fill(struct html_sample *samples)
{
	for (uint32_t i = 0; i < SAMPLES; i++)
		samples[i] = (struct html_sample){ 500 + i * UINT64_C(100000), 7, i % 3, i % 2, 1 };
}

static void test_few_samples_stay_as_they_are(void **state)
{
	static struct html_sample samples[SAMPLES];
	uint64_t span_ns;

	(void)state;
	fill(samples);
	assert_int_equal(html_timed_merge(samples, SAMPLES, SAMPLES, &span_ns), SAMPLES);
	assert_int_equal(span_ns, 0);
	assert_int_equal(html_timed_merge(samples, 0, 1, &span_ns), 0);
}

static void test_merged_samples_keep_sums_and_order(void **state)
{
	static struct html_sample samples[SAMPLES];
	uint64_t weights[6] = { 0 }, counts[6] = { 0 }, span_ns;
	size_t left;

	(void)state;
	fill(samples);
	left = html_timed_merge(samples, SAMPLES, 1000, &span_ns);
	assert_in_range(left, 100, 1000);
	assert_in_range(span_ns, SAMPLES * UINT64_C(100000) / 1000, SAMPLES * UINT64_C(100000) / 10);
	for (size_t i = 0; i < left; i++) {
		weights[samples[i].cell * 2 + samples[i].cpu] += samples[i].weight;
		counts[samples[i].cell * 2 + samples[i].cpu] += samples[i].count;
		if (i > 0)
			assert_true(samples[i].time >= samples[i - 1].time);
	}
	for (uint32_t i = 0; i < 6; i++) {
		assert_in_range(counts[i], SAMPLES / 6, SAMPLES / 6 + 1);
		assert_int_equal(weights[i], 7 * counts[i]);
	}
}

static void test_as_many_cells_as_samples_cannot_be_merged(void **state)
{
	static struct html_sample samples[SAMPLES];
	uint64_t span_ns;

	(void)state;
	fill(samples);
	for (uint32_t i = 0; i < SAMPLES; i++)
		samples[i].cell = i;
	assert_int_equal(html_timed_merge(samples, SAMPLES, 10, &span_ns), SAMPLES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_samples_stay_as_they_are),
		cmocka_unit_test(test_merged_samples_keep_sums_and_order),
		cmocka_unit_test(test_as_many_cells_as_samples_cannot_be_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
