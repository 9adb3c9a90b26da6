/* SPDX-License-Identifier: MIT */
#include "base/ordered_pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 40000, SETTLE_EVERY = 9973 };

/* A reader that counts, and what it is to do on the way. */
struct counting_reader {
	struct ordered_pool *pool;
	int next, end;
	int result;                  /* of read() at the end */
	int settle_every;            /* 0: never */
	int generation;              /* changed by the reader only when everything is written */
	int seen;                    /* items that were formatted in the generation at hand; atomic */
	int readers;                 /* at a time; atomic */
	int workers, workers_max;    /* that are there, and that may be; atomic */
	bool overlapped;
};

struct item {
	int number, generation;
	char pad[500];
};

/* As many bytes as nobody expects: some items have none, some many. */
static size_t raw_size(int number)
{
	return number % 5 ? (size_t)(number % 61) : 0;
}

static int put_one(struct counting_reader *c)
{
	struct item *item = ordered_pool_item(c->pool);
	uint8_t raw[61];

	assert_non_null(item);
	item->number = c->next;
	item->generation = c->generation;
	memset(raw, 'a' + c->next % 26, sizeof(raw));
	assert_int_equal(ordered_pool_put(c->pool, raw, raw_size(c->next)), 0);
	memset(raw, '?', sizeof(raw));  /* the bytes were copied, or are not needed any more */
	c->next++;
	return c->settle_every && c->next % c->settle_every == 0 ? ORDERED_POOL_SETTLE : ORDERED_POOL_MORE;
}

static int read_items(void *ctx)
{
	struct counting_reader *c = ctx;
	int r = ORDERED_POOL_MORE;

	c->overlapped |= __atomic_add_fetch(&c->readers, 1, __ATOMIC_SEQ_CST) != 1;
	if (c->settle_every && c->next && c->next % c->settle_every == 0) {
		c->overlapped |= __atomic_load_n(&c->seen, __ATOMIC_SEQ_CST) != c->next;
		c->generation++;
	}
	while (r == ORDERED_POOL_MORE && c->next < c->end && !ordered_pool_is_full(c->pool))
		r = put_one(c);
	if (c->next == c->end)
		r = c->result;
	__atomic_sub_fetch(&c->readers, 1, __ATOMIC_SEQ_CST);
	return r;
}

static void *worker_new(void *ctx)
{
	struct counting_reader *c = ctx;

	return __atomic_add_fetch(&c->workers, 1, __ATOMIC_SEQ_CST) <= c->workers_max ? c : NULL;
}

static void worker_free(void *worker)
{
	struct counting_reader *c = worker;

	__atomic_sub_fetch(&c->workers, 1, __ATOMIC_SEQ_CST);
}

static void put_line(struct buf *out, int number, const uint8_t *raw)
{
	buf_i64(out, number);
	buf_char(out, ' ');
	buf_put(out, raw, raw_size(number));
	buf_char(out, '\n');
}

static void format_item(void *worker, void *item, const uint8_t *raw, struct buf *out)
{
	struct counting_reader *c = worker;
	struct item *i = item;

	if (i->generation != c->generation)  /* read without a lock: it does not change meanwhile */
		buf_str(out, "too late ");
	put_line(out, i->number, raw);
	__atomic_add_fetch(&c->seen, 1, __ATOMIC_SEQ_CST);
}

static int run(struct counting_reader *c, unsigned helpers, struct buf *to)
{
	const struct ordered_pool_work work = {
		.ctx = c, .item_bytes = sizeof(struct item), .worker_new = worker_new, .worker_free = worker_free,
		.read = read_items, .format = format_item,
	};
	int r;

	assert_int_equal(ordered_pool_new(&c->pool, &work, to), 0);
	r = ordered_pool_run(c->pool, helpers);
	ordered_pool_free(c->pool);
	assert_false(c->overlapped);
	return r;
}

/* The text of items 0 to n - 1, as one thread would write it without a pool. */
static void check_text(const struct buf *out, int n)
{
	struct buf want = BUF_MEMORY;
	uint8_t raw[61];

	for (int i = 0; i < n; i++) {
		memset(raw, 'a' + i % 26, sizeof(raw));
		put_line(&want, i, raw);
	}
	assert_int_equal(out->n, want.n);
	assert_memory_equal(out->p, want.p, want.n);
	buf_free(&want);
}

static void test_any_number_of_threads_writes_the_same(void **state)
{
	static const unsigned helpers[] = { 0, 1, 3, 40 };

	(void)state;
	for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++) {
		struct counting_reader c = { .end = ITEMS, .workers_max = 100 };
		struct buf out = BUF_MEMORY;

		assert_int_equal(run(&c, helpers[i], &out), 0);
		assert_int_equal(c.workers, 0);
		check_text(&out, ITEMS);
		buf_free(&out);
	}
}

static void test_nothing_is_read_on_before_everything_is_written(void **state)
{
	(void)state;
	for (unsigned helpers = 0; helpers < 4; helpers++) {
		struct counting_reader c = { .end = ITEMS, .workers_max = 100, .settle_every = SETTLE_EVERY };
		struct buf out = BUF_MEMORY;

		assert_int_equal(run(&c, helpers, &out), 0);
		assert_int_equal(c.generation, ITEMS / SETTLE_EVERY);
		check_text(&out, ITEMS);
		buf_free(&out);
	}
}

static void test_what_was_read_before_a_failure_is_written(void **state)
{
	(void)state;
	for (unsigned helpers = 0; helpers < 4; helpers++) {
		struct counting_reader c = { .end = 5000, .workers_max = 100, .result = -SONDE_CORRUPT };
		struct buf out = BUF_MEMORY;

		assert_int_equal(run(&c, helpers, &out), -SONDE_CORRUPT);
		check_text(&out, 5000);
		buf_free(&out);
	}
}

static void test_threads_without_a_worker_are_not_needed(void **state)
{
	struct counting_reader c = { .end = ITEMS, .workers_max = 1 }, none = { .end = ITEMS };
	struct buf out = BUF_MEMORY;

	(void)state;
	assert_int_equal(run(&c, 3, &out), 0);
	check_text(&out, ITEMS);
	assert_int_equal(run(&none, 3, &out), -SONDE_NOMEM);
	assert_int_equal(none.next, 0);
	buf_free(&out);
}

static void test_reading_ends_when_the_text_cannot_be_written(void **state)
{
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	for (unsigned helpers = 0; helpers < 4; helpers++) {
		struct counting_reader c = { .end = 1000 * ITEMS, .workers_max = 100 };
		struct sonde_error err = { .file_offset = SONDE_NONE };
		struct buf out = BUF_TO(fds[1], &err);
		int r = run(&c, helpers, &out);

		assert_true(r < 0);
		assert_int_equal(r, out.failed);
		assert_int_equal(-r, err.code);
		assert_true(c.next < c.end);
		buf_free(&out);
	}
	close(fds[1]);
}

static void test_a_file_gets_it_all(void **state)
{
	char path[] = "/tmp/sonde-ordered-pool-XXXXXX";
	int fd = mkstemp(path);
	struct counting_reader c = { .end = ITEMS, .workers_max = 100 };
	struct buf out = BUF_TO(fd, NULL), got = BUF_MEMORY;
	ssize_t n;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(run(&c, 2, &out), 0);
	assert_int_equal(buf_flush(&out), 0);
	assert_non_null(buf_room(&got, out.written + 1));
	n = pread(fd, got.p, out.written + 1, 0);
	assert_int_equal(n, out.written);
	got.n = (size_t)n;
	check_text(&got, ITEMS);
	close(fd);
	buf_free(&got);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_number_of_threads_writes_the_same),
		cmocka_unit_test(test_nothing_is_read_on_before_everything_is_written),
		cmocka_unit_test(test_what_was_read_before_a_failure_is_written),
		cmocka_unit_test(test_threads_without_a_worker_are_not_needed),
		cmocka_unit_test(test_reading_ends_when_the_text_cannot_be_written),
		cmocka_unit_test(test_a_file_gets_it_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
