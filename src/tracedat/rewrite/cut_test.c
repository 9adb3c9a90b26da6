/* SPDX-License-Identifier: MIT */
#include "tracedat/read/ticks_test.h"
#include "tracedat/read/walk.h"
#include "tracedat/rewrite/cut.h"
#include "tracedat/rewrite/rewrite.h"

/* A cut, and its losses. */
struct cut_file {
	struct bytes_of_file bytes;
	char losses[256];
};

static struct cut_file cut(const struct bytes_of_file *b, bool in_memory, const struct sonde_query *query)
{
	const struct sonde_cut_opts opts = { .query = query };
	struct sonde_rewrite handle = { .err.file_offset = SONDE_NONE };
	struct bytes_of_file before = { b->p, b->n };
	struct cut_file result = { 0 };
	struct image im;
	char in[64];

	snprintf(in, sizeof(in), "%s.in", path);
	if (in_memory) {
		image_memory(&im, b->p, b->n);
	} else {
		int fd = open(in, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		assert_int_equal(write(fd, before.p, before.n), before.n);
		close(fd);
		assert_int_equal(image_open(&im, in, &handle.err), 0);
		unlink(in);
	}
	assert_int_equal(dat_cut(&handle, &im, path, &opts), 0);
	for (size_t i = 0; i < handle.ledger.rows.n; i++) {
		size_t at = strlen(result.losses);

		snprintf(result.losses + at, sizeof(result.losses) - at, "%s, ", handle.ledger.rows.at[i].text);
	}
	ledger_free(&handle.ledger);
	result.bytes = read_whole();
	return result;
}

static uint64_t count_events(const struct bytes_of_file *b)
{
	struct reader *r = open_bytes(b, true);
	struct record_ref ref;
	struct walk *walk;
	uint64_t n = 0;

	assert_int_equal(dat_walk_new(r, &walk, NULL), 0);
	while (dat_walk_next(walk, &ref, NULL) > 0)
		n += ref.kind == DAT_EVENT;
	dat_walk_free(walk);
	r->ops->free(r);
	return n;
}

/*
 * Cuts with and without times. Times before and after all events make it read every page. @loss: is not reported when
 * pages are not read.
 */
static void check_cut(const struct bytes_of_file *b, uint64_t min, uint64_t max, const char *loss)
{
	const struct sonde_time_range far[] = { { 0, 0 }, { min, max }, { UINT64_MAX, UINT64_MAX } };
	const struct sonde_query all = { .times = far, .nr_times = 3 }, bounds = { .time_min = min, .time_max = max },
				 ranges = { .times = &far[1], .nr_times = 1 };

	for (int memory = 0; memory < 2; memory++) {
		struct cut_file whole = cut(b, memory, &all), narrow = cut(b, memory, memory ? &ranges : &bounds);

		assert_int_equal(narrow.bytes.n, whole.bytes.n);
		assert_memory_equal(narrow.bytes.p, whole.bytes.p, whole.bytes.n);
		if (!loss)
			assert_string_equal(narrow.losses, whole.losses);
		if (loss)
			assert_non_null(strstr(whole.losses, loss));
		if (loss)
			assert_null(strstr(narrow.losses, loss));
		free(whole.bytes.p);
		free(narrow.bytes.p);
	}
}

static void check_cuts(const struct bytes_of_file *b)
{
	static const uint64_t ranges[][2] = {
		{ 1, 10 },        { 29000, 31000 },           { 30000, 30000 }, { 1, 29999 },
		{ 59400, 60000 }, { EVENTS + 1, 2 * EVENTS }, { 10000, 9000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		check_cut(b, ranges[i][0] * STEP_NS, ranges[i][1] * STEP_NS, NULL);
}

static void pages_of_other_times_are_not_read(void **state)
{
	const struct sonde_query query = { .time_min = UINT64_C(20001) * STEP_NS,
					   .time_max = UINT64_C(21000) * STEP_NS + CPUS };
	struct bytes_of_file b = make_file(SONDE_COMPRESSION_NONE);
	struct cut_file part = cut(&b, false, &query);
	size_t chunk;

	(void)state;
	assert_int_equal(count_events(&part.bytes), 1000 * CPUS);
	free(part.bytes.p);
	check_cuts(&b);
	free(b.p);
	b = make_file(SONDE_COMPRESSION_ZSTD);
	part = cut(&b, true, &query);
	assert_int_equal(count_events(&part.bytes), 1000 * CPUS);
	free(part.bytes.p);
	check_cuts(&b);
	chunk = find_chunk(&b, 5);  /* not one of the chunks that the search for the range reads */
	memset(b.p + chunk + 20, 0xa5, 40);
	check_cut(&b, UINT64_C(50000) * STEP_NS, UINT64_C(51000) * STEP_NS,
		  "compressed chunk of pages that cannot be read");
	free(b.p);
}

/* If the clock of a CPU goes back, or a page has no time, all pages are read. */
static void pages_out_of_order_are_read(void **state)
{
	(void)state;
	check_clocks_that_went_back(check_cuts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_of_other_times_are_not_read),
		cmocka_unit_test(pages_out_of_order_are_read),
	};

	return cmocka_run_group_tests(tests, make_name, remove_file);
}
