/* SPDX-License-Identifier: MIT */
#include "import/folded.h"
#include "import/import_test.h"

static void test_the_first_frame_is_the_thread(void **state)
{
	(void)state;
	check_text("perf;main;a 5\nperf;main;b;c 7\nsh;main 1\n",
		   "samples: perf -1/-1: main;a = a 5 5\n"
		   "samples: perf -1/-1: main;b;c = c 7 7\n"
		   "samples: sh -1/-1: main = main 1 1\n");
}

static void test_equal_lines_are_one_stack(void **state)
{
	(void)state;
	check_text("t;main;a 1\nt;main;a;b 2\nt;main;a 3\n",
		   "samples: t -1/-1: main;a = a 4 4\nsamples: t -1/-1: main;a;b = b 2 2\n");
}

static void test_threads_with_ids(void **state)
{
	(void)state;
	check_text("my-app-12;main 1\nsh-13;main 2\n",
		   "samples: my-app 12/-1: main = main 1 1\nsamples: sh 13/-1: main = main 2 2\n");
	check_text("my-app-12/14;main 1\nsh-13/13;main 2\n",
		   "samples: my-app 12/14: main = main 1 1\nsamples: sh 13/13: main = main 2 2\n");
	check_text("[java tid=77];run;a_[j] 1\n", "samples: java -1/77: run;a@[JIT] = a@[JIT] 1 1\n");
	/* one without an id: then the digits belong to the name */
	check_text("kworker/0-12;main 1\nsh;main 2\n",
		   "samples: kworker/0-12 -1/-1: main = main 1 1\nsamples: sh -1/-1: main = main 2 2\n");
}

static void test_a_file_without_threads(void **state)
{
	(void)state;
	check_text("main;a 5\nmain;b 2\n", "samples: [unknown] -1/-1: main;a = a 5 5\n"
					   "samples: [unknown] -1/-1: main;b = b 2 2\n");
	check_text("com/example/Long.name;a 5\nx;b 2\n", "samples: [unknown] -1/-1: com/example/Long.name;a = a 5 5\n"
							 "samples: [unknown] -1/-1: x;b = b 2 2\n");
}

static void test_marks_of_frames(void **state)
{
	(void)state;
	check_text("t;main;in_[i];sys_[k] 1\nt;main;jit_[j] 1\nt;main;in_[i] 1\nt;a_[0];b_[1] 1\nt;u;--;w_[w] 1\n",
		   "samples: t -1/-1: main;in(i);sys[k] = sys[k] 1 1\n"
		   "samples: t -1/-1: main;jit@[JIT] = jit@[JIT] 1 1\n"
		   "samples: t -1/-1: main;in(i) = main 1 1\n"
		   "samples: t -1/-1: a;b = b 1 1\n"
		   "samples: t -1/-1: u;--;w = w 1 1\n");
	check_text("t;main;-;sys;irq 4\nt;main 1\n", "samples: t -1/-1: main;sys[k];irq[k] = irq[k] 4 4\n"
						     "samples: t -1/-1: main = main 1 1\n");
}

static void test_nameless_frames(void **state)
{
	(void)state;
	check_text("t;[unknown];main 5\nt;0x7f00 2\nt;;a 1\n",
		   "samples: t -1/-1: 0x0;main = main 5 5\nsamples: t -1/-1: 0x7f00 = 0x7f00 2 2\n"
		   "samples: t -1/-1: 0x0;a = a 1 1\n");
}

static void test_a_thread_without_functions(void **state)
{
	(void)state;
	check_text("idle 5\nt;a 1\n", "samples: idle -1/-1:  = 0x0 5 5\nsamples: t -1/-1: a = a 1 1\n");
}

static void test_two_counts_are_two_events(void **state)
{
	(void)state;
	check_text("t;a;b 5 7\nt;c 0 2\n", "before: t -1/-1: a;b = b 5 5\nafter: t -1/-1: a;b = b 7 7\n"
					   "after: t -1/-1: c = c 2 2\n");
	/* not in all lines: it belongs to the name */
	check_text("t;a;b 5 7\nt;c 2\n", "samples: t -1/-1: a;b 5 = b 5 7 7\nsamples: t -1/-1: c = c 2 2\n");
}

static void test_a_number_alone_is_a_stack(void **state)
{
	static const int32_t pids[] = { 3 };
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS };
	const struct sonde_query of_3 = { .sz = sizeof(of_3), .pids = pids, .nr_pids = 1 };
	const char *text = " 5 6\nt;a 5 6\n";
	struct imported i = import_bytes_with(text, strlen(text), "x", &opts, &of_3);

	(void)state;
	assert_rows(&i, "");
	gathering_free(&i.p);
	check_text(text, "samples:  5 -1/-1:  = 0x0 6 6\nsamples: t -1/-1: a 5 = a 5 6 6\n");
}

static void test_fractions_are_thousandths(void **state)
{
	(void)state;
	check_text("t;a 0.25\nt;b 2\n", "samples x1000: t -1/-1: a = a 1 250\nsamples x1000: t -1/-1: b = b 2 2000\n");
}

static void test_large_counts_are_exact(void **state)
{
	(void)state;
	check_text("t;a 900719925474099301\n", "samples: t -1/-1: a = a 900719925474099301 900719925474099301\n");
}

static void test_blanks(void **state)
{
	(void)state;
	check_text("t;operator new  5\r\n\r\nt;b\t6\n\n",
		   "samples: t -1/-1: operator new = operator new 5 5\nsamples: t -1/-1: b = b 6 6\n");
	check_text("t;a 5", "samples: t -1/-1: a = a 5 5\n");
}

static void test_bad_lines_are_left_out(void **state)
{
	(void)state;
	struct imported i = import_bytes("t;a 5\nt;b nan\nt;c 7\nnothing\n", 28, "x.folded");

	assert_string_equal(i.err.text, "expected a stack and a count, found 't;b nan' (the first of 2 such places)");
	assert_int_equal(i.err.file_offset, 6);
	assert_int_equal(i.r, -SONDE_CORRUPT);
	assert_rows(&i, "samples: t -1/-1: a = a 5 5\nsamples: t -1/-1: c = c 7 7\n");
	gathering_free(&i.p);
	check_bad_text("t;a 5\nt;b -7\n", "samples: t -1/-1: a = a 5 5\n", SONDE_CORRUPT, "t;b",
		       "weight -7: expected a number from 0 to 2^63");
	check_bad_text("t;a 5\nt;b 99999999999999999999\n", "samples: t -1/-1: a = a 5 5\n", SONDE_CORRUPT, "t;b",
		       "weight 1e+20: expected a number from 0 to 2^63");
}

static void test_the_sum_stays_in_64_bits(void **state)
{
	(void)state;
	check_bad_text("t;a 9000000000000000000\nt;a 9000000000000000000\nt;a\t9000000000000000000\n",
		       "samples: t -1/-1: a = a 18000000000000000000 18000000000000000000\n", SONDE_CORRUPT, "t;a\t",
		       "the sum of weights is 2^64 or more: expected less");
}

static void test_what_is_no_folded_file(void **state)
{
	static const char *const texts[] = { "hello world\n", "a;b\n", "a;b 1\nc\n", "1 2 3\n", "{\"a\": 1}\n", "\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_null(import_recognise((const uint8_t *)texts[i], strlen(texts[i]), true, "file"));
	/* its name is the last resort */
	assert_ptr_equal(import_recognise((const uint8_t *)"main 5\n", 7, true, "x.collapsed"), &import_folded);
	assert_null(import_recognise((const uint8_t *)"", 0, true, "x.collapsed"));
	/* a head that ends within a line */
	assert_ptr_equal(import_recognise((const uint8_t *)"t;a 5\nt;b", 9, false, "file"), &import_folded);
}

static void test_long_stacks_keep_what_the_options_say(void **state)
{
	struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS, .max_stack = 2 };
	const struct sonde_query all = { .sz = sizeof(all) };
	struct imported i = import_bytes_with("t;a;b;c 5\n", 10, "x", &opts, &all);

	(void)state;
	assert_rows(&i, "samples: t -1/-1: b;c = c 5 5\n");
	assert_int_equal(i.p.events.at[0].shortened_stacks, 5);
	gathering_free(&i.p);
	opts.outermost = true;
	i = import_bytes_with("t;a;b;c 5\n", 10, "x", &opts, &all);
	assert_rows(&i, "samples: t -1/-1: a;b = c 5 5\n");
	gathering_free(&i.p);
	opts = (struct sonde_profile_opts){ .sz = sizeof(opts) };
	i = import_bytes_with("t;a;b;c 5\n", 10, "x", &opts, &all);
	assert_rows(&i, "samples: t -1/-1:  = c 5 5\n");
	gathering_free(&i.p);
}

static void test_the_query_and_names_choose(void **state)
{
	static const int32_t pids[] = { 3 };
	static const char *const comms[] = { "t" };
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS }, of_t = {
		.sz = sizeof(of_t), .mode = SONDE_PROFILE_STACKS, .comms = comms, .nr_comms = 1 };
	const struct sonde_query all = { .sz = sizeof(all) }, of_3 = { .sz = sizeof(of_3), .pids = pids, .nr_pids = 1 };
	const char *text = "t-3;a 5\nu-4;b 6\n";
	struct imported i = import_bytes_with(text, strlen(text), "x", &opts, &of_3);

	(void)state;
	assert_rows(&i, "samples: t 3/-1: a = a 5 5\n");
	gathering_free(&i.p);
	i = import_bytes_with(text, strlen(text), "x", &of_t, &all);
	assert_rows(&i, "samples: t 3/-1: a = a 5 5\n");
	assert_int_equal(i.p.events.at[0].all_period, 11);
	gathering_free(&i.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_frame_is_the_thread),
		cmocka_unit_test(test_equal_lines_are_one_stack),
		cmocka_unit_test(test_threads_with_ids),
		cmocka_unit_test(test_a_file_without_threads),
		cmocka_unit_test(test_marks_of_frames),
		cmocka_unit_test(test_nameless_frames),
		cmocka_unit_test(test_a_thread_without_functions),
		cmocka_unit_test(test_two_counts_are_two_events),
		cmocka_unit_test(test_a_number_alone_is_a_stack),
		cmocka_unit_test(test_fractions_are_thousandths),
		cmocka_unit_test(test_large_counts_are_exact),
		cmocka_unit_test(test_blanks),
		cmocka_unit_test(test_bad_lines_are_left_out),
		cmocka_unit_test(test_the_sum_stays_in_64_bits),
		cmocka_unit_test(test_what_is_no_folded_file),
		cmocka_unit_test(test_long_stacks_keep_what_the_options_say),
		cmocka_unit_test(test_the_query_and_names_choose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
