/* SPDX-License-Identifier: MIT */
#include "order/deferred_callchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

#include "model/reader.h"

#define SAMPLE 9
#define CHAIN 22
#define KERNEL ((uint64_t)-128)
#define USER ((uint64_t)-512)
#define DEFERRED ((uint64_t)-640)

/* A reader whose records are the chains themselves; those of type CHAIN begin with their cookie. */
static struct u64s give_chain(const struct reader *r, const struct sonde_event *ev)
{
	(void)r;
	return (struct u64s){ .p = ev->raw, .nr = ev->raw_size / 8 };
}

static int give_body(const struct reader *r, const struct sonde_event *ev, enum event_body which, void *out)
{
	struct callchain_deferred *c = out;

	(void)r;
	assert_int_equal(which, BODY_CALLCHAIN_DEFERRED);
	memcpy(&c->cookie, ev->raw, 8);
	c->ips = (struct u64s){ .p = ev->raw + 8, .nr = ev->raw_size / 8 - 1 };
	return 0;
}

static const struct reader_ops ops = { .callchain = give_chain, .body = give_body };
static const struct reader reader = { .ops = &ops };
static const struct sonde_attr attr = { .flags = SONDE_ATTR_DEFER_CALLCHAIN };
static const struct sonde_evsel evsel = { .attr = &attr };

static int take(struct deferred_callchains *j, uint32_t type, int32_t tid, uint64_t time, const uint64_t *words,
		size_t n)
{
	struct loaded_event e = {
		.pub = { .type = type,
			 .kind = type == SAMPLE ? SONDE_KIND_SAMPLE : SONDE_KIND_OTHER,
			 .tid = tid,
			 .time = time,
			 .raw = (const uint8_t *)words,
			 .raw_size = (uint32_t)n * 8,
			 .evsel = type == SAMPLE ? &evsel : NULL },
		.reader = &reader,
	};

	assert_true(deferred_callchains_concern(&e.pub));
	return deferred_callchains_take(j, &e.pub);
}

#define TAKE(j, type, tid, time, ...) \
	take(j, type, tid, time, (uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)

static void expect(struct deferred_callchains *j, uint64_t time, const uint64_t *chain, size_t n)
{
	struct loaded_event e;

	assert_int_equal(deferred_callchains_next(j, &e), 1);
	assert_int_equal(e.pub.time, time);
	assert_int_equal(e.deferred_callchain.nr, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(u64s_at(&e.deferred_callchain, i), chain[i]);
}

#define EXPECT(j, time, ...) expect(j, time, (uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)

static void expect_nothing(struct deferred_callchains *j)
{
	struct loaded_event e;

	assert_int_equal(deferred_callchains_next(j, &e), 0);
}

static void completed_by_thread_and_cookie(void **state)
{
	struct deferred_callchains j = DEFERRED_CALLCHAINS_NONE;

	(void)state;
	assert_int_equal(TAKE(&j, SAMPLE, 7, 1, KERNEL, 0xf1, DEFERRED, 100), 1);
	assert_int_equal(TAKE(&j, SAMPLE, 8, 2, KERNEL, 0xf2, DEFERRED, 200), 1);
	assert_int_equal(TAKE(&j, SAMPLE, 7, 3, KERNEL, 0xf3, 0xf4, DEFERRED, 100), 1);
	assert_int_equal(TAKE(&j, SAMPLE, 7, 4, KERNEL, 0xf5, USER, 0x40), 0);  /* whole already */
	expect_nothing(&j);
	assert_int_equal(TAKE(&j, CHAIN, 7, 5, 100, 0x10, 0x20), 0);
	EXPECT(&j, 1, KERNEL, 0xf1, USER, 0x10, 0x20);
	EXPECT(&j, 3, KERNEL, 0xf3, 0xf4, USER, 0x10, 0x20);
	expect_nothing(&j);
	assert_int_equal(TAKE(&j, CHAIN, 8, 6, 200, 0x30), 0);
	EXPECT(&j, 2, KERNEL, 0xf2, USER, 0x30);
	expect_nothing(&j);
	assert_int_equal(j.bytes, 0);
	deferred_callchains_free(&j);
}

static void another_cookie_sets_free(void **state)
{
	struct deferred_callchains j = DEFERRED_CALLCHAINS_NONE;

	(void)state;
	assert_int_equal(TAKE(&j, SAMPLE, 7, 1, KERNEL, 0xf1, DEFERRED, 100), 1);
	assert_int_equal(TAKE(&j, SAMPLE, 7, 2, KERNEL, 0xf2, DEFERRED, 101), 1);
	assert_int_equal(TAKE(&j, CHAIN, 7, 3, 101, 0x10), 0);
	expect(&j, 1, NULL, 0);
	EXPECT(&j, 2, KERNEL, 0xf2, USER, 0x10);
	expect_nothing(&j);
	assert_int_equal(TAKE(&j, CHAIN, 9, 4, 101, 0x10), 0);  /* nobody waits in that thread */
	expect_nothing(&j);
	deferred_callchains_free(&j);
}

static void the_end_sets_free_in_order(void **state)
{
	struct deferred_callchains j = DEFERRED_CALLCHAINS_NONE;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(TAKE(&j, SAMPLE, i & 1, (uint64_t)i, DEFERRED, 5), 1);
	expect_nothing(&j);
	deferred_callchains_end(&j);
	for (uint64_t i = 0; i < 4; i++)
		expect(&j, i, NULL, 0);
	expect_nothing(&j);
	deferred_callchains_free(&j);
}

/* A thread that never comes back to user space does not cost more and more. */
static void what_waits_is_limited(void **state)
{
	uint64_t words[4096] = { 0 };
	struct deferred_callchains j = DEFERRED_CALLCHAINS_NONE;
	struct loaded_event e;
	uint64_t freed = 0;

	(void)state;
	words[4094] = DEFERRED;
	for (uint64_t i = 0; i < 2048; i++) {
		assert_int_equal(take(&j, SAMPLE, (int32_t)(i % 3), i, words, 4096), 1);
		while (deferred_callchains_next(&j, &e) == 1)
			assert_int_equal(e.pub.time, freed++);
		assert_true(j.bytes <= DEFERRED_CALLCHAINS_MAX_BYTES);
	}
	assert_true(freed > 1000);
	assert_int_equal(j.given_up, freed);
	deferred_callchains_free(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(completed_by_thread_and_cookie),
		cmocka_unit_test(another_cookie_sets_free),
		cmocka_unit_test(the_end_sets_free_in_order),
		cmocka_unit_test(what_waits_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
