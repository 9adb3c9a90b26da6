/* SPDX-License-Identifier: MIT */
#include "order/read_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { TID = 50, LEADER_ID = 7, MEMBER_ID = 8, UNKNOWN_ID = 9 };

static const struct sonde_attr attr = { .sample_type = PERF_SAMPLE_READ,
					.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID };
static const uint64_t leader_ids[] = { LEADER_ID }, member_ids[] = { MEMBER_ID };
static struct sonde_evsel leader = { .index = 0, .attr = &attr, .ids = leader_ids, .nr_ids = 1 };
static struct sonde_evsel member = { .index = 1, .attr = &attr, .ids = member_ids, .nr_ids = 1 };

/* The counts that the reader at hand decodes of every sample. */
static struct sample decoded;

static int decode(const struct reader *r, const struct sonde_event *ev, struct sample *out)
{
	(void)r;
	(void)ev;
	*out = decoded;
	return 0;
}

static const struct reader_ops ops = { .sample = decode };

static struct reader reader_of_two(struct sonde_evsel *list[2])
{
	struct reader r = { .ops = &ops, .nr_ids = 2 };

	list[0] = &leader;
	list[1] = &member;
	r.evsels.at = list;
	r.evsels.n = 2;
	return r;
}

static struct loaded_event sample_of_leader(const struct reader *r)
{
	return (struct loaded_event){ .pub = { .kind = SONDE_KIND_SAMPLE, .tid = TID, .evsel = &leader, .id = LEADER_ID,
					       .period = 4000, .time = 100 },
				      .reader = r };
}

/* Pairs of value and id. */
static void read_counts(const uint64_t *pairs, uint64_t nr)
{
	decoded = (struct sample){ .present = PERF_SAMPLE_READ, .period = 4000, .id = LEADER_ID,
				   .raw = { .p = (const uint8_t *)"raw", .len = 3 },
				   .read = { .nr = nr, .read_format = attr.read_format,
					     .values = (const uint8_t *)pairs } };
}

static void test_each_count_that_has_grown_is_a_sample(void **state)
{
	struct sonde_evsel *list[2];
	struct reader r = reader_of_two(list);
	struct loaded_event ev = sample_of_leader(&r), out;
	struct read_samples s = { 0 };
	struct sample fields;

	(void)state;
	read_counts((uint64_t[]){ 1000, LEADER_ID, 30, MEMBER_ID, 5, UNKNOWN_ID }, 3);
	assert_true(read_samples_take(&s, &ev.pub));
	assert_int_equal(read_samples_next(&s, &out), 1);
	assert_true(out.pub.evsel == &leader && out.pub.id == LEADER_ID && out.pub.period == 1000);
	assert_int_equal(event_sample(&out.pub, &fields), 0);
	assert_true(fields.period == 1000 && fields.raw.len == 3);
	assert_int_equal(read_samples_next(&s, &out), 1);
	assert_true(out.pub.evsel == &member && out.pub.id == MEMBER_ID && out.pub.period == 30);
	assert_true(event_layout(&out.pub) == &leader && out.pub.time == 100);
	assert_int_equal(event_sample(&out.pub, &fields), 0);
	assert_true(fields.period == 30 && fields.id == MEMBER_ID && fields.raw.len == 0);
	assert_int_equal(read_samples_next(&s, &out), 0);
	assert_int_equal(s.unknown, 1);

	read_counts((uint64_t[]){ 1000, LEADER_ID, 37, MEMBER_ID }, 2);
	assert_true(read_samples_take(&s, &ev.pub));
	assert_int_equal(read_samples_next(&s, &out), 1);
	assert_true(out.pub.evsel == &member && out.pub.period == 7);
	assert_int_equal(read_samples_next(&s, &out), 0);
	read_samples_free(&s);
}

/* A sample that is cut before its counts is the leader's, as are samples of events that read none. */
static void test_other_samples_go_on_their_way(void **state)
{
	const struct sonde_attr plain = { 0 };
	struct sonde_evsel *list[2], other = { .attr = &plain };
	struct reader r = reader_of_two(list);
	struct loaded_event ev = sample_of_leader(&r);
	struct read_samples s = { 0 };

	(void)state;
	decoded = (struct sample){ 0 };
	assert_false(read_samples_take(&s, &ev.pub));
	ev.pub.evsel = &other;
	assert_false(read_samples_take(&s, &ev.pub));
	read_samples_free(&s);
}

static void test_a_single_count_without_an_id_is_of_the_sample(void **state)
{
	struct sonde_evsel *list[2];
	struct reader r = reader_of_two(list);
	struct loaded_event ev = sample_of_leader(&r), out;
	struct read_samples s = { 0 };
	const uint64_t value = 12;

	(void)state;
	decoded = (struct sample){ .present = PERF_SAMPLE_READ,
				   .read = { .nr = 1, .values = (const uint8_t *)&value } };
	assert_true(read_samples_take(&s, &ev.pub));
	assert_int_equal(read_samples_next(&s, &out), 1);
	assert_true(out.pub.evsel == &leader && out.pub.period == 12);
	assert_int_equal(read_samples_next(&s, &out), 0);
	read_samples_free(&s);
}

/* A record of 64 kB may be repeated 16 times, a small one for each event of the largest group. */
static void test_what_the_samples_of_a_record_repeat_is_limited(void **state)
{
	enum { COUNTS = 200 };
	static uint64_t ids[COUNTS], pairs[2 * COUNTS];
	struct sonde_evsel many = { .index = 0, .attr = &attr, .ids = ids, .nr_ids = COUNTS }, *list[] = { &many };
	struct reader r = { .ops = &ops, .nr_ids = COUNTS, .evsels = { .at = list, .n = 1 } };
	struct loaded_event ev = sample_of_leader(&r), out;
	static const struct { uint32_t bytes; uint64_t samples; } records[] = {
		{ 65528, READ_SAMPLES_BYTES / (65528 - 16 * COUNTS) }, { 16 * COUNTS + 2048, COUNTS }, { 16, COUNTS },
	};

	(void)state;
	for (size_t i = 0; i < COUNTS; i++)
		ids[i] = pairs[2 * i + 1] = 1 + i;
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		struct read_samples s = { 0 };
		uint64_t nr = 0;

		for (size_t k = 0; k < COUNTS; k++)
			pairs[2 * k] = 5;
		ev.pub.raw_size = records[i].bytes;
		read_counts(pairs, COUNTS);
		assert_true(read_samples_take(&s, &ev.pub));
		while (read_samples_next(&s, &out) > 0)
			nr++;
		assert_int_equal(nr, records[i].samples);
		assert_int_equal(s.crowded, COUNTS - nr);
		/* what was left out has been counted: the next record has only what came since */
		for (size_t k = 0; k < COUNTS; k++)
			pairs[2 * k] = k == COUNTS - 1 ? 8 : 5;
		assert_true(read_samples_take(&s, &ev.pub));
		assert_int_equal(read_samples_next(&s, &out), 1);
		assert_int_equal(out.pub.period, 3);
		assert_int_equal(read_samples_next(&s, &out), 0);
		read_samples_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_count_that_has_grown_is_a_sample),
		cmocka_unit_test(test_other_samples_go_on_their_way),
		cmocka_unit_test(test_a_single_count_without_an_id_is_of_the_sample),
		cmocka_unit_test(test_what_the_samples_of_a_record_repeat_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
