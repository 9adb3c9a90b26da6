/* SPDX-License-Identifier: MIT */
#include "base/err.h"
#include "order/file_order.h"
#include "order/order.h"
#include "order/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* A reader whose records are written down in the test: times, 0 for a round mark, PASS added where a pass begins. */
#define PASS 1000000

struct walk {
	const uint64_t *times;
	size_t n, at, pins;
};

static struct walk the_walk, walks[3];

static int start(struct reader *r, struct walk **out, struct sonde_error *err)
{
	(void)r, (void)err;
	*out = &the_walk;
	return 0;
}

static int step(struct walk *w, struct record_ref *out, struct sonde_error *err)
{
	(void)err;
	if (w->at == w->n)
		return 0;
	*out = (struct record_ref){ .time = w->times[w->at], .p = (const uint8_t *)&w->times[w->at] };
	if (out->time > PASS) {
		out->time -= PASS;
		out->mark = MARK_PASS;
	}
	if (out->time == 0) {
		out->time = SONDE_NONE;
		out->mark = MARK_ROUND;
	}
	w->at++;
	return 1;
}

static void stop(struct walk *w)
{
	assert_int_equal(w->pins, 0);
}

static void pin(struct reader *r, const struct record_ref *ref)
{
	(void)r, (void)ref;
	the_walk.pins++;
}

static void unpin(struct reader *r, const struct record_ref *refs, size_t n)
{
	(void)r, (void)refs;
	the_walk.pins -= n;
}

static int start_part(struct reader *r, uint32_t part, struct walk **out, struct sonde_error *err)
{
	(void)r, (void)err;
	*out = &walks[part];
	return 0;
}

/* As a format does that has some of its records at hand: up to one in every 1000, which has a pass mark,
 * and has to be walked to. */
static void look_ahead(const struct walk *w, struct look_ahead *a)
{
	struct walk copy = { .times = w->times, .n = w->n, .at = w->at };
	struct record_ref ref;

	while (a->n < a->max_refs && copy.at < copy.n && copy.times[copy.at] <= PASS && !a->mark.p && !a->nomem) {
		step(&copy, &ref, NULL);
		ref.size = 8;
		a->passed += 8;
		if (ref.mark == MARK_ROUND)
			a->mark = ref;
		else
			a->nomem = vec_push(a->refs, ref) < 0;
		a->n += ref.mark != MARK_ROUND;
	}
}

static void take_ahead(struct walk *w, const struct look_ahead *a)
{
	w->at += a->passed / 8;
	w->pins += a->n;
}

static const struct reader_ops ops = {
	.walk_new = start, .walk_part = start_part, .walk_next = step, .walk_free = stop, .pin = pin, .unpin = unpin
};

/* The times as they come out, without the round marks. */
static size_t ordered(const uint64_t *times, size_t n, uint64_t *out, size_t *late)
{
	struct reader r = { .ops = &ops };
	struct record_ref ref;
	struct order o;
	size_t k = 0;

	the_walk = (struct walk){ .times = times, .n = n };
	assert_int_equal(order_start(&o, &r, NULL), 0);
	while (order_next(&o, &ref, NULL) > 0)
		if (ref.mark == MARK_NONE || ref.mark == MARK_PASS)
			out[k++] = ref.time;
	order_end(&o);
	*late = r.ledger.rows.n;
	ledger_free(&r.ledger);
	return k;
}

static void test_rings_of_two_rounds_are_merged(void **state)
{
	static const uint64_t in[] = { 10, 30, 20, 25, 0, 31, 50, 28, 40, 0, 60, 55 };
	static const uint64_t want[] = { 10, 20, 25, 28, 30, 31, 40, 50, 55, 60 };
	uint64_t out[16];
	size_t late;

	(void)state;
	assert_int_equal(ordered(in, 12, out, &late), 10);
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(late, 0);
}

static void test_without_marks_everything_is_sorted(void **state)
{
	static const uint64_t in[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1 };
	static const uint64_t want[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	uint64_t out[16];
	size_t late;

	(void)state;
	assert_int_equal(ordered(in, 9, out, &late), 9);
	assert_memory_equal(out, want, sizeof(want));
}

static void test_what_comes_too_late_is_delivered_and_counted(void **state)
{
	/* three marks: what is older than the newest of round one must have been written before the second */
	static const uint64_t in[] = { 100, 0, 200, 0, 300, 0, 50 };
	static const uint64_t want[] = { 100, 200, 50, 300 };
	uint64_t out[16];
	size_t late;

	(void)state;
	assert_int_equal(ordered(in, 7, out, &late), 4);
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(late, 1);
}

static void test_a_pass_ends_a_round(void **state)
{
	/* rings of CPU 0 and 1, three times: what is older than the newest of the first pass
	 * goes out after the second */
	static const uint64_t in[] = { 10, 30, 20, 25, PASS + 31, 50, 28, 40, PASS + 60, 55, 35 };
	static const uint64_t want[] = { 10, 20, 25, 28, 30, 31, 35, 40, 50, 55, 60 };
	uint64_t out[16];
	size_t late;

	(void)state;
	assert_int_equal(ordered(in, 11, out, &late), 11);
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(late, 0);
}

/* Equal times: the first part comes first. */
static void test_parts_are_merged(void **state)
{
	static const uint64_t parts[3][4] = { { 1, 5, 9, 13 }, { 2, 2, 20, 21 }, { 0, 7, 9, 0 } };
	static const uint64_t *const want[] = {
		&parts[0][0], &parts[1][0], &parts[1][1], &parts[0][1], &parts[2][1],
		&parts[0][2], &parts[2][2], &parts[0][3], &parts[1][2], &parts[1][3],
	};
	struct reader r = { .ops = &ops, .nr_parts = 3 };
	const struct record_ref *run;
	struct order o;
	size_t k = 0, marks = 0;
	int n;

	(void)state;
	the_walk.pins = 0;
	for (size_t i = 0; i < 3; i++)
		walks[i] = (struct walk){ .times = parts[i], .n = 4 };
	assert_int_equal(order_start(&o, &r, NULL), 0);
	while ((n = order_next_run(&o, ORDER_RUN, &run, NULL)) > 0)
		for (int i = 0; i < n; i++) {
			if (run[i].mark == MARK_ROUND)
				marks++;
			else
				assert_ptr_equal(run[i].p, want[k++]);
		}
	order_end(&o);
	assert_int_equal(k, 10);
	assert_int_equal(marks, 2);
	assert_int_equal(the_walk.pins, 0);
	assert_int_equal(r.ledger.rows.n, 0);
}

static void test_a_window_without_marks_has_an_end(void **state)
{
	const size_t n = ORDER_MAX_REFS * 2;
	uint64_t *times = malloc(n * sizeof(*times)), *out = malloc(n * sizeof(*out));
	size_t late;

	(void)state;
	for (size_t i = 0; i < n; i++)
		times[i] = 1 + i / 8;
	times[n - 1] = 1;                        /* far behind the half that has gone out */
	assert_int_equal(ordered(times, n, out, &late), n);
	assert_int_equal(late, 1);
	free(times);
	free(out);
}

/* With rounds, passes, and neither: what another thread looks for meanwhile comes out as if nobody had looked ahead. */
static void test_looking_ahead_changes_nothing(void **state)
{
	enum { N = 50000 };
	struct reader_ops ahead_ops = ops;
	struct reader readers[2] = { { .ops = &ops }, { .ops = &ahead_ops } };
	uint64_t *times = malloc(N * sizeof(*times)), *out[2];
	size_t k[2] = { 0, 0 };
	uint32_t random = 1;

	(void)state;
	ahead_ops.walk_ahead = look_ahead;
	ahead_ops.walk_take_ahead = take_ahead;
	for (size_t i = 0; i < N; i++) {
		random = random * 1103515245 + 12345;
		times[i] = i % (N / 3) / 16 + (random >> 16) % 512 + 1;
		if (i < N / 2 && (random >> 16) % 1500 == 0)
			times[i] = 0;
		else if ((random >> 16) % 1000 == 1)
			times[i] += PASS;
	}
	for (int r = 0; r < 2; r++) {
		const struct record_ref *run;
		struct order o;
		int n;

		out[r] = malloc(N * sizeof(*times));
		the_walk = (struct walk){ .times = times, .n = N };
		assert_int_equal(order_start(&o, &readers[r], NULL), 0);
		while ((n = order_next_run(&o, r ? ORDER_RUN : 1, &run, NULL)) > 0)
			for (int i = 0; i < n; i++)
				out[r][k[r]++] = run[i].mark == MARK_ROUND ? 0 : run[i].time;
		order_end(&o);
		worker_free(readers[r].worker);
		assert_int_equal(k[r], N);
	}
	assert_non_null(readers[1].worker);
	assert_memory_equal(out[0], out[1], N * sizeof(*times));
	assert_int_equal(readers[0].ledger.rows.n, readers[1].ledger.rows.n);
	for (int r = 0; r < 2; r++) {
		ledger_free(&readers[r].ledger);
		free(out[r]);
	}
	free(times);
}

/*
 * Rounds of every length up to some runs, whose records all have the time of their round: those that are not handed out
 * in the order of the file are seen by their place.
 */
static void test_runs_of_all_lengths_are_whole(void **state)
{
	enum { LONGEST = 2 * ORDER_RUN + 6, N = LONGEST * (LONGEST + 1) / 2 + LONGEST };
	static const size_t most[] = { 1, 2, ORDER_RUN - 1, ORDER_RUN };
	uint64_t times[N];
	size_t n = 0;

	(void)state;
	for (uint64_t length = 1; length <= LONGEST; length++) {
		for (uint64_t i = 0; i < length; i++)
			times[n++] = length;
		times[n++] = 0;
	}
	for (size_t m = 0; m < sizeof(most) / sizeof(most[0]); m++) {
		struct reader r = { .ops = &ops };
		size_t next = 0, marks = 0, longest = 0;
		const struct record_ref *run;
		struct order o;
		int got;

		the_walk = (struct walk){ .times = times, .n = N };
		assert_int_equal(order_start(&o, &r, NULL), 0);
		while ((got = order_next_run(&o, most[m], &run, NULL)) > 0) {
			longest = (size_t)got > longest ? (size_t)got : longest;
			for (int i = 0; i < got; i++) {
				if (run[i].mark == MARK_ROUND) {
					marks++;
					continue;
				}
				while (times[next] == 0)
					next++;
				assert_ptr_equal(run[i].p, &times[next]);
				next++;
			}
		}
		order_end(&o);  /* looks at the pins */
		assert_int_equal(got, 0);
		assert_int_equal(next, N - 1);
		assert_int_equal(marks, LONGEST);
		assert_int_equal(longest, most[m]);
		assert_int_equal(r.ledger.rows.n, 0);
	}
}

static void test_an_order_can_end_while_somebody_looks_ahead(void **state)
{
	enum { N = 4096 };
	struct reader_ops ahead_ops = ops;
	struct reader r = { .ops = &ahead_ops };
	uint64_t times[N];
	struct record_ref ref;
	struct order o;

	(void)state;
	ahead_ops.walk_ahead = look_ahead;
	ahead_ops.walk_take_ahead = take_ahead;
	for (size_t i = 0; i < N; i++)
		times[i] = i % 512 ? i : 0;
	for (size_t n = 0; n < N; n += 97) {
		the_walk = (struct walk){ .times = times, .n = N };
		assert_int_equal(order_start(&o, &r, NULL), 0);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(order_next(&o, &ref, NULL), 1);
		order_end(&o);  /* looks at the pins */
	}
	worker_free(r.worker);
	ledger_free(&r.ledger);
}

static void test_equal_times_keep_their_order(void **state)
{
	struct record_ref refs[6] = { { .time = 2, .block = 0 }, { .time = 1, .block = 1 }, { .time = 1, .block = 2 },
				      { .time = 2, .block = 3 }, { .time = 1, .block = 4 }, { .time = 0, .block = 5 } };
	static const uint32_t want[] = { 5, 1, 2, 4, 0, 3 };
	struct record_ref scratch[6];

	(void)state;
	runs_merge_tail(refs, scratch, 0, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(refs[i].block, want[i]);
}

/* However much of them is sorted before: the same as all at once, equal times in their order. */
static void test_a_sorted_head_is_kept(void **state)
{
	enum { N = 200 };
	struct record_ref all[N], some[N], scratch[N];
	uint32_t random = 1;

	(void)state;
	for (size_t sorted = 0; sorted <= N; sorted++) {
		for (uint32_t i = 0; i < N; i++) {
			random = random * 1103515245 + 12345;
			some[i] = (struct record_ref){ .time = i / 8 + (random >> 16) % (1 + sorted), .block = i };
		}
		memcpy(all, some, sizeof(all));
		runs_merge_tail(all, scratch, 0, N);
		runs_merge_tail(some, scratch, 0, sorted);
		runs_merge_tail(some, scratch, sorted, N);
		assert_memory_equal(some, all, sizeof(all));
	}
}

/* Every record in its place, with and without a look ahead; and no pin stays, also if the caller stops early. */
static void test_file_order_is_that_of_the_walk(void **state)
{
	enum { N = 20000, STOP = 7777 };
	struct reader_ops ahead_ops = ops;
	struct reader readers[2] = { { .ops = &ops }, { .ops = &ahead_ops } };
	uint64_t *times = malloc(N * sizeof(*times));

	(void)state;
	ahead_ops.walk_ahead = look_ahead;
	ahead_ops.walk_take_ahead = take_ahead;
	for (size_t i = 0; i < N; i++)
		times[i] = i % 700 == 699 ? 0 : i % 1000 == 1 ? PASS + i : N - i;
	for (int r = 0; r < 4; r++) {
		size_t k = 0, end = r < 2 ? N : STOP;
		const struct record_ref *run;
		struct file_order o;
		int n;

		the_walk = (struct walk){ .times = times, .n = N };
		file_order_start(&o, &readers[r % 2], &the_walk);
		while (k < end && (n = file_order_next_run(&o, 1 + k % 40, &run, NULL)) > 0)
			for (int i = 0; i < n; i++)
				assert_ptr_equal(run[i].p, &times[k++]);
		assert_true(r < 2 ? k == N && file_order_next_run(&o, 1, &run, NULL) == 0 : k >= STOP);
		file_order_end(&o);
		assert_int_equal(the_walk.pins, 0);
	}
	assert_non_null(readers[1].worker);
	worker_free(readers[1].worker);
	free(times);
}

static int fail_at_the_end(struct walk *w, struct record_ref *out, struct sonde_error *err)
{
	return w->at == w->n ? err_set(err, SONDE_CORRUPT, 8, "this is the end") : step(w, out, err);
}

/* The walk is ahead, but its failure is told after the records before it. */
static void test_file_order_tells_a_failure_last(void **state)
{
	static const uint64_t times[] = { 3, 0, 2, 1 };
	struct reader_ops failing_ops = ops;
	struct reader r = { .ops = &failing_ops };
	struct sonde_error err = { 0 };
	const struct record_ref *run;
	struct file_order o;

	(void)state;
	failing_ops.walk_next = fail_at_the_end;
	failing_ops.walk_ahead = look_ahead;
	failing_ops.walk_take_ahead = take_ahead;
	the_walk = (struct walk){ .times = times, .n = 4 };
	file_order_start(&o, &r, &the_walk);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(file_order_next_run(&o, 1, &run, &err), 1);
		assert_ptr_equal(run->p, &times[i]);
	}
	for (int i = 0; i < 2; i++) {
		err = (struct sonde_error){ 0 };
		assert_int_equal(file_order_next_run(&o, 1, &run, &err), -SONDE_CORRUPT);
		assert_string_equal(err.text, "this is the end");
	}
	file_order_end(&o);
	assert_int_equal(the_walk.pins, 0);
	worker_free(r.worker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rings_of_two_rounds_are_merged),
		cmocka_unit_test(test_without_marks_everything_is_sorted),
		cmocka_unit_test(test_what_comes_too_late_is_delivered_and_counted),
		cmocka_unit_test(test_a_pass_ends_a_round),
		cmocka_unit_test(test_parts_are_merged),
		cmocka_unit_test(test_a_window_without_marks_has_an_end),
		cmocka_unit_test(test_looking_ahead_changes_nothing),
		cmocka_unit_test(test_file_order_is_that_of_the_walk),
		cmocka_unit_test(test_file_order_tells_a_failure_last),
		cmocka_unit_test(test_runs_of_all_lengths_are_whole),
		cmocka_unit_test(test_an_order_can_end_while_somebody_looks_ahead),
		cmocka_unit_test(test_equal_times_keep_their_order),
		cmocka_unit_test(test_a_sorted_head_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
