/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/merge.h"

#include "tracedat/rewrite/small_trace_test.h"

static void merge(const char *a, const char *b, const char *out, int64_t offset, size_t nr_losses)
{
	struct sonde_rewrite w = { .err.file_offset = SONDE_NONE };
	struct reader *in[] = { open_trace(a), open_trace(b) };
	const int64_t offsets[] = { 0, offset };
	const struct sonde_merge_opts opts = { .offsets_ns = offsets, .nr_offsets = offset ? 2 : 0 };

	assert_int_equal(dat_merge(&w, in, 2, out, &opts), 0);
	assert_int_equal(w.counts.written, 4);
	assert_int_equal(w.ledger.rows.n, nr_losses);
	ledger_free(&w.ledger);
	for (size_t i = 0; i < 2; i++)
		in[i]->ops->free(in[i]);
}

static void check(uint64_t session_a, uint64_t session_b, int64_t offset, size_t nr_losses, const char *want,
		  size_t want_buffers)
{
	struct dat_writer *w = new_writer(session_a);
	char a[80], b[80], out[80], got[256];
	size_t nr_buffers;

	path_of(a, "a.dat");
	path_of(b, "b.dat");
	path_of(out, "out.dat");
	add_format(w, "tick", 42);
	write_event(w, 0, 42, 10, 1);
	write_event(w, 0, 42, 30, 2);
	finish(w, a);
	/* the number belongs to another event, and the event has another number */
	w = new_writer(session_b);
	add_format(w, "tock", 42);
	add_format(w, "tick", 43);
	write_event(w, 0, 42, 20, 3);
	write_event(w, 0, 43, 40, 4);
	finish(w, b);
	merge(a, b, out, offset, nr_losses);
	describe(out, got, sizeof(got), &nr_buffers);
	assert_string_equal(got, want);
	assert_int_equal(nr_buffers, want_buffers);
	unlink(a);
	unlink(b);
	unlink(out);
}

static void files_of_one_session_share_their_buffers(void **state)
{
	(void)state;
	check(77, 77, 0, 0, "tick@10 tock@20 tick@30 tick@40 ", 1);
}

static void other_files_have_buffers_of_their_own(void **state)
{
	(void)state;
	check(77, 78, 0, 0, "tick@10 tock@20 tick@30 tick@40 ", 2);
	check(0, 0, 0, 0, "tick@10 tock@20 tick@30 tick@40 ", 2);
}

static void times_are_moved(void **state)
{
	(void)state;
	check(1, 2, 100, 0, "tick@10 tick@30 tock@120 tick@140 ", 2);
	check(1, 2, -15, 0, "tock@5 tick@10 tick@25 tick@30 ", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_one_session_share_their_buffers),
		cmocka_unit_test(other_files_have_buffers_of_their_own),
		cmocka_unit_test(times_are_moved),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
