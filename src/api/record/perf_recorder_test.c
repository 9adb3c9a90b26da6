/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <sonde/perf_recorder.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/sonde-record-test-XXXXXX";

static int enter(void **state)
{
	(void)state;
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static int leave(void **state)
{
	(void)state;
	unlink("perf.data");
	return chdir("/") < 0 ? -1 : rmdir(dir);
}

/* Records all CPUs into perf.data, where that is permitted. */
static void options_may_be_left_out(void **state)
{
	struct sonde_perf_recorder *r = sonde_perf_recorder_new();

	(void)state;
	assert_non_null(r);
	if (sonde_perf_recorder_open(r, NULL) == 0) {
		sonde_perf_recorder_stop(r);
		assert_int_equal(sonde_perf_recorder_run(r), 0);
		assert_int_equal(access("perf.data", R_OK), 0);
	} else {
		assert_string_not_equal(sonde_perf_recorder_error(r)->text, "");
	}
	sonde_perf_recorder_free(r);
}

static int asked;

static bool count_and_refuse(void *ctx)
{
	assert_ptr_equal(ctx, &asked);
	asked++;
	return false;
}

/* Too few open files: the library asks, and changes no limit by itself. */
static void limits_are_left_alone(void **state)
{
	static const char *const command[] = { "true", NULL };
	struct sonde_perf_recorder_opts opts = {
		.sz = sizeof(opts), .target.command = command, .output = "perf.data", .calls.ctx = &asked
	};
	struct rlimit before, few, after;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 24;
	if (before.rlim_max <= few.rlim_cur)
		skip();
	for (int i = 0; i < 2; i++) {
		struct sonde_perf_recorder *r = sonde_perf_recorder_new();
		int e = 0;

		assert_non_null(r);
		for (int k = 0; k < 30; k++)
			assert_int_equal(sonde_perf_recorder_add_event(r, "cpu-clock:u"), 0);
		opts.calls.more_files = i ? count_and_refuse : NULL;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		e = sonde_perf_recorder_open(r, &opts);
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &after), 0);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_int_equal(after.rlim_cur, few.rlim_cur);
		assert_true(e < 0);
		if (sonde_perf_recorder_error(r)->sys_errno != EMFILE) {
			print_message("events cannot be opened here: %s\n", sonde_perf_recorder_error(r)->text);
			sonde_perf_recorder_free(r);
			skip();
		}
		sonde_perf_recorder_free(r);
	}
	assert_int_equal(asked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_may_be_left_out),
		cmocka_unit_test(limits_are_left_alone),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
