/* SPDX-License-Identifier: MIT */
#include "record/perf/off_cpu.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"

#define ID             7
#define THRESHOLD      1000
#define CALLER         0x401000u
#define FINISHED_ROUND 68

static const uint16_t OUT = PERF_RECORD_MISC_SWITCH_OUT, IN = 0;

/* Words of records as the kernel writes them, one after the other. */
struct record_stream {
	uint64_t words[256];
	size_t n;
};

static void put(struct record_stream *s, uint32_t type, uint16_t misc, const uint64_t *body, size_t n)
{
	const struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)(8 + 8 * n) };

	memcpy(&s->words[s->n++], &h, sizeof(h));
	for (size_t i = 0; i < n; i++)
		s->words[s->n++] = body[i];
}

static uint64_t task(uint32_t tid)
{
	uint32_t pair[2] = { tid, tid };
	uint64_t word;

	memcpy(&word, pair, sizeof(word));
	return word;
}

/* id, ip, pid and tid, time, cpu, period, call chain */
static void sleeps(struct record_stream *s, uint32_t tid, uint64_t time, uint64_t caller)
{
	const uint64_t body[] = { ID, UINT64_C(0xffffffff81000000), task(tid), time, 0, 1, 2, PERF_CONTEXT_USER,
				  caller };

	put(s, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, body, ARRAY_SIZE(body));
}

/* pid and tid, time, cpu, id */
static void switches(struct record_stream *s, uint16_t misc, uint32_t tid, uint64_t time, uint64_t id)
{
	put(s, PERF_RECORD_SWITCH, misc, (uint64_t[]){ task(tid), time, 0, id }, 4);
}

static void mark(struct record_stream *s)
{
	put(s, FINISHED_ROUND, 0, NULL, 0);
}

static struct off_cpu start(void)
{
	struct off_cpu o = { .threshold_ns = THRESHOLD, .sample_time_at = 32, .trailer_bytes = 32 };

	assert_int_equal(u64map_set(&o.ids, ID, 0), 0);
	return o;
}

/* Takes @s, and the end of the file with @end; how many records come out in @out. */
static size_t take(struct off_cpu *o, struct record_stream *s, bool end, struct buf *out)
{
	size_t n = 0, size;

	out->n = 0;
	assert_int_equal(off_cpu_take(o, (const uint8_t *)s->words, 8 * s->n, out), 0);
	s->n = 0;
	if (end)
		assert_int_equal(off_cpu_end(o, out), 0);
	for (size_t at = 0; at < out->n; at += size, n++)
		size = load_u16(out->p + at + 6, false);
	return n;
}

static uint64_t word(const struct buf *out, size_t i)
{
	return load_u64(out->p + 8 * i, false);
}

/* The first record of @out is a sample of @tid. */
static void want_sample(const struct buf *out, uint32_t tid, uint64_t time, uint64_t ns, uint64_t caller)
{
	assert_int_equal(load_u32(out->p, false), PERF_RECORD_SAMPLE);
	assert_int_equal(load_u16(out->p + 4, false), PERF_RECORD_MISC_USER);
	assert_int_equal(word(out, 1), ID);
	assert_int_equal(word(out, 2), caller);
	assert_int_equal(word(out, 3), task(tid));
	assert_int_equal(word(out, 4), time);
	assert_int_equal(word(out, 6), ns);
	assert_int_equal(word(out, 7), 2);
	assert_int_equal(word(out, 9), caller);
}

static void a_long_sleep_is_a_sample_at_its_end(void **state)
{
	struct buf out = BUF_MEMORY;
	struct off_cpu o = start();
	struct record_stream s = { 0 };

	(void)state;
	sleeps(&s, 5, 100, CALLER);
	switches(&s, OUT, 5, 101, ID);
	switches(&s, IN, 5, 1100, ID);
	mark(&s);
	/* its end may be followed by an older record until the next mark */
	assert_int_equal(take(&o, &s, false, &out), 1);
	mark(&s);
	assert_int_equal(take(&o, &s, false, &out), 2);
	want_sample(&out, 5, 1100, 1000, CALLER);
	assert_int_equal(take(&o, &s, true, &out), 0);
	off_cpu_free(&o);
	buf_free(&out);
}

static void a_copied_stack_stands_in_place_of_the_chain(void **state)
{
	const uint64_t body[] = { ID, UINT64_C(0xffffffff81000000), task(5), 100, 0, 1, 2, PERF_CONTEXT_USER, CALLER,
				  111, 222 };
	struct buf out = BUF_MEMORY;
	struct off_cpu o = start();
	struct record_stream s = { 0 };

	(void)state;
	o.copies_stacks = o.drops_chains = true;
	put(&s, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, body, ARRAY_SIZE(body));
	switches(&s, IN, 5, 107, ID);   /* short, but a sample of its own */
	assert_int_equal(take(&o, &s, true, &out), 1);
	assert_int_equal(word(&out, 2), CALLER);
	assert_int_equal(word(&out, 6), 7);
	assert_int_equal(word(&out, 7), 0);
	assert_int_equal(word(&out, 8), 111);
	assert_int_equal(word(&out, 9), 222);
	assert_int_equal(out.n, 10 * sizeof(uint64_t));
	off_cpu_free(&o);
	buf_free(&out);
}

static void short_sleeps_are_summed_up_by_thread_and_stack(void **state)
{
	struct buf out = BUF_MEMORY;
	struct off_cpu o = start();
	struct record_stream s = { 0 };

	(void)state;
	for (uint64_t t = 0; t < 3; t++) {
		sleeps(&s, 5, 10000 * t, CALLER);
		switches(&s, IN, 5, 10000 * t + 300, ID);
	}
	sleeps(&s, 5, 50000, CALLER + 1);
	switches(&s, IN, 5, 50007, ID);
	sleeps(&s, 6, 60000, CALLER);
	switches(&s, IN, 6, 60008, ID);
	assert_int_equal(take(&o, &s, true, &out), 3);
	want_sample(&out, 5, 60008, 900, CALLER);
	out.p += 80;
	want_sample(&out, 5, 60008, 7, CALLER + 1);
	out.p += 80;
	want_sample(&out, 6, 60008, 8, CALLER);
	out.p -= 160;
	off_cpu_free(&o);
	buf_free(&out);
}

/* The rings of the CPUs are emptied one after the other. */
static void the_end_of_a_sleep_may_come_before_its_start(void **state)
{
	struct buf out = BUF_MEMORY;
	struct off_cpu o = start();
	struct record_stream s = { 0 };

	(void)state;
	switches(&s, IN, 5, 3000, ID);
	sleeps(&s, 5, 1000, CALLER);
	assert_int_equal(take(&o, &s, true, &out), 1);
	want_sample(&out, 5, 3000, 2000, CALLER);
	off_cpu_free(&o);
	buf_free(&out);
}

static void a_task_that_lost_its_cpu_did_not_sleep(void **state)
{
	struct buf out = BUF_MEMORY;
	struct off_cpu o = start();
	struct record_stream s = { 0 };

	(void)state;
	switches(&s, OUT, 5, 1000, ID);
	switches(&s, IN, 5, 9000, ID);
	assert_int_equal(take(&o, &s, true, &out), 0);
	/* the record of the first waking was lost: nobody knows how long that sleep was */
	sleeps(&s, 5, 10000, CALLER);
	sleeps(&s, 5, 20000, CALLER);
	switches(&s, IN, 5, 22000, ID);
	/* still asleep at the end */
	sleeps(&s, 6, 23000, CALLER);
	assert_int_equal(take(&o, &s, true, &out), 1);
	want_sample(&out, 5, 22000, 2000, CALLER);
	off_cpu_free(&o);
	buf_free(&out);
}

static void other_records_stay_as_they_are(void **state)
{
	static const uint64_t sample[] = { ID + 1, 1, 2, 3, 4, 5, 0 };
	struct buf out = BUF_MEMORY;
	struct off_cpu o = start();
	struct record_stream s = { 0 }, before;
	size_t bytes;

	(void)state;
	switches(&s, IN, 5, 3000, ID + 1);
	put(&s, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sample, ARRAY_SIZE(sample));
	put(&s, PERF_RECORD_LOST_SAMPLES, 0, NULL, 0);
	put(&s, 82, 0, (uint64_t[]){ 1 }, 1);
	before = s;
	bytes = 8 * s.n;
	assert_int_equal(take(&o, &s, true, &out), 4);
	assert_int_equal(out.n, bytes);
	assert_memory_equal(out.p, before.words, bytes);
	off_cpu_free(&o);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_sleep_is_a_sample_at_its_end),
		cmocka_unit_test(a_copied_stack_stands_in_place_of_the_chain),
		cmocka_unit_test(short_sleeps_are_summed_up_by_thread_and_stack),
		cmocka_unit_test(the_end_of_a_sleep_may_come_before_its_start),
		cmocka_unit_test(a_task_that_lost_its_cpu_did_not_sleep),
		cmocka_unit_test(other_records_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
