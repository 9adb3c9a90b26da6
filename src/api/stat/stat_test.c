/* SPDX-License-Identifier: MIT */
/* Recordings of counts that are made record by record, sound and not; and calls in the wrong order. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sonde/perf_writer.h>
#include <sonde/stat.h>

#include "base/bytes.h"
#include "base/work_dir_test.h"
#include "stat/records.h"

static struct sonde_perf_writer *w;
static char path[64];

/* The body of a record, in words of 8 bytes. */
static void write_record(uint32_t type, const uint64_t *body, size_t words)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
		uint64_t body[8];
	} r = { .type = type, .size = (uint16_t)(8 + 8 * words) };

	memcpy(r.body, body, 8 * words);
	assert_int_equal(sonde_perf_writer_write(w, &r, r.size), 0);
}

#define RECORD(type, ...) \
	write_record(type, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

static void config(uint64_t by, uint64_t interval_ms)
{
	RECORD(STAT_CONFIG, 2, STAT_TAG_AGGREGATION, by, STAT_TAG_INTERVAL, interval_ms);
}

/* Since the start, as the times are: @running of @enabled ns. */
static void count(uint64_t id, uint32_t cpu, uint64_t value, uint64_t running, uint64_t enabled)
{
	RECORD(STAT_COUNT, id, cpu, value, enabled, running);
}

static void end_round(uint64_t time)
{
	RECORD(STAT_ROUND, 1, time);
}

static int begin(void **state)
{
	const struct sonde_attr clock = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK };
	const struct sonde_attr faults = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS };
	const uint64_t ids[] = { 7, 8 }, more[] = { 9 };

	(void)state;
	strcpy(dir, "/tmp/sonde-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/counts.data", dir);
	w = sonde_perf_writer_new();
	assert_int_equal(sonde_perf_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &clock, sizeof(clock), "task-clock", ids, 2), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &faults, sizeof(faults), "page-faults", more, 1), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return run("rm -r %s", dir);
}

struct counts_file {
	struct sonde_trace *trace;
	struct sonde_stat *stat;
};

static struct counts_file open_counts(enum sonde_stat_by by)
{
	const struct sonde_stat_opts opts = { .sz = sizeof(opts), .by = by };
	struct counts_file o = { sonde_trace_new(), sonde_stat_new(&opts) };

	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
	assert_int_equal(sonde_trace_open(o.trace, path, NULL), 0);
	assert_int_equal(sonde_stat_open_trace(o.stat, o.trace), 0);
	return o;
}

static void close_counts(struct counts_file o)
{
	sonde_stat_free(o.stat);
	sonde_trace_free(o.trace);
}

static void check_row(struct sonde_stat *s, size_t row, const char *key, const char *event, double value)
{
	struct sonde_table *t = sonde_stat_table(s);

	assert_non_null(t);
	assert_string_equal(sonde_table_value_at(t, row, SONDE_STAT_EVENT_NAME)->text, event);
	if (key)
		assert_string_equal(sonde_table_value_at(t, row, SONDE_STAT_KEY)->text, key);
	else
		assert_false(sonde_table_value_at(t, row, SONDE_STAT_KEY)->known);
	if (!(sonde_table_value_at(t, row, SONDE_STAT_VALUE)->real == value))
		fail_msg("%s is %f", event, sonde_table_value_at(t, row, SONDE_STAT_VALUE)->real);
}

/* ---- recordings ---- */

static void intervals_are_differences(void **state)
{
	struct counts_file o;

	(void)state;
	config(1, 100);
	count(7, 0, 2000000, 100, 100);
	count(8, 1, 1000000, 100, 100);
	count(9, 0, 5, 100, 100);
	end_round(100);
	count(7, 0, 6000000, 200, 200);
	count(9, 0, 25, 150, 200);
	end_round(250);
	o = open_counts(SONDE_STAT_BY_EVENT);
	assert_int_equal(sonde_stat_next_round(o.stat), 1);
	assert_int_equal(sonde_stat_info(o.stat)->interval_ms, 100);
	check_row(o.stat, 0, NULL, "task-clock", 3);
	check_row(o.stat, 1, NULL, "page-faults", 5);
	assert_int_equal(sonde_stat_next_round(o.stat), 1);
	check_row(o.stat, 0, NULL, "task-clock", 4);
	check_row(o.stat, 1, NULL, "page-faults", 40);   /* counted half of the time */
	assert_true(sonde_stat_info(o.stat)->seconds == 250 * 1e-9);
	assert_int_equal(sonde_stat_next_round(o.stat), 0);
	assert_int_equal(sonde_stat_next_round(o.stat), 0);
	close_counts(o);
}

static void counts_of_cpus(void **state)
{
	struct counts_file o;

	(void)state;
	config(0, 0);
	count(9, 1, 5, 50, 100);
	count(9, 0, 3, 100, 100);
	end_round(100);
	o = open_counts(SONDE_STAT_BY_EVENT);
	assert_int_equal(sonde_stat_next_round(o.stat), 1);
	assert_int_equal(sonde_stat_info(o.stat)->by, SONDE_STAT_BY_CPU);
	check_row(o.stat, 0, "CPU1", "page-faults", 10);
	check_row(o.stat, 1, "CPU0", "page-faults", 3);
	close_counts(o);
}

static void what_the_recording_does_not_tell(void **state)
{
	struct counts_file o;

	(void)state;
	config(1, 0);
	count(9, 3, 5, 100, 100);
	end_round(100);
	o = open_counts(SONDE_STAT_BY_CORE);
	assert_int_equal(sonde_stat_next_round(o.stat), 1);
	assert_non_null(strstr(sonde_stat_info(o.stat)->note, "which CPUs belong together"));
	check_row(o.stat, 0, "CPU3", "page-faults", 5);
	close_counts(o);
}

/* Ids that no event has, modes that nobody knows, counts before the configuration, a CPU that is no number. */
static void records_that_make_no_sense(void **state)
{
	struct counts_file o;

	(void)state;
	count(9, UINT32_MAX, 5, 100, 100);
	config(7, 0);
	config(12345, 0);
	count(77, 0, 1000, 100, 100);
	RECORD(STAT_COUNT, 9, UINT64_C(9) << 32, 6, 100, 100);
	RECORD(STAT_THREAD_MAP, UINT64_MAX);
	RECORD(STAT_CONFIG, UINT64_MAX, STAT_TAG_AGGREGATION, 2);
	write_record(STAT_COUNT, (const uint64_t[]){ 9 }, 1);
	write_record(STAT_ROUND, (const uint64_t[]){ 1 }, 1);
	end_round(UINT64_MAX);
	end_round(0);
	o = open_counts(SONDE_STAT_BY_EVENT);
	assert_int_equal(sonde_stat_next_round(o.stat), 1);
	check_row(o.stat, 0, NULL, "page-faults", 11);
	assert_int_equal(sonde_table_info(sonde_stat_table(o.stat))->rows, 1);
	assert_int_equal(sonde_stat_next_round(o.stat), 1);
	close_counts(o);
}

static void too_many_counts(void **state)
{
	struct counts_file o;

	(void)state;
	config(0, 0);
	for (uint32_t cpu = 0; cpu <= 65536; cpu++)
		count(9, cpu, 1, 1, 1);
	end_round(1);
	o = open_counts(SONDE_STAT_BY_EVENT);
	assert_int_equal(sonde_stat_next_round(o.stat), -SONDE_UNSUPPORTED);
	assert_string_equal(sonde_stat_error(o.stat)->text, "the recording has more than 65536 counts in a round");
	close_counts(o);
}

static void a_trace_without_counts(void **state)
{
	struct counts_file o;

	(void)state;
	o = open_counts(SONDE_STAT_BY_EVENT);
	assert_int_equal(sonde_stat_next_round(o.stat), -SONDE_MISSING);
	assert_int_equal(sonde_table_info(sonde_stat_table(o.stat))->rows, 0);
	assert_int_equal(sonde_stat_add(o.stat, SONDE_STAT_EVENT, "dummy:u"), -SONDE_USAGE);
	assert_int_equal(sonde_stat_open(o.stat, NULL), -SONDE_USAGE);
	close_counts(o);
}

/* ---- calls ---- */

static void calls_in_the_wrong_order(void **state)
{
	const struct sonde_stat_opts bad = { .sz = sizeof(bad), .by = (enum sonde_stat_by)99 };
	struct sonde_stat *s = sonde_stat_new(NULL), *refused = sonde_stat_new(&bad);

	(void)state;
	assert_int_equal(sonde_stat_error(refused)->code, SONDE_USAGE);
	assert_int_equal(sonde_stat_add(refused, SONDE_STAT_EVENT, "dummy"), -SONDE_USAGE);
	assert_int_equal(sonde_stat_open(refused, NULL), -SONDE_USAGE);
	assert_null(sonde_stat_compare(refused, s));
	sonde_stat_free(refused);
	assert_int_equal(sonde_stat_take(s, SONDE_STAT_RUN, NULL), -SONDE_USAGE);
	assert_int_equal(sonde_stat_record(s, "-", NULL, 0), -SONDE_USAGE);
	assert_int_equal(sonde_stat_next_round(s), -SONDE_USAGE);
	assert_int_equal(sonde_stat_add(s, SONDE_STAT_METRIC, "nothing"), -SONDE_MISSING);
	assert_int_equal(sonde_stat_add(s, SONDE_STAT_EVENT, "no-such-event"), -SONDE_MISSING);
	assert_int_equal(sonde_stat_add(s, SONDE_STAT_EVENT, NULL), -SONDE_USAGE);
	assert_int_equal(sonde_stat_set_cgroup(s, 5, "nothing"), -SONDE_USAGE);
	assert_null(sonde_stat_compare(s, s));
	assert_int_equal(sonde_stat_error(s)->code, SONDE_USAGE);
	assert_non_null(sonde_stat_table(s));
	assert_non_null(sonde_stat_metrics(s));
	assert_int_equal(sonde_stat_info(s)->runs, 0);
	sonde_stat_free(s);
	sonde_stat_free(NULL);
}

static void names_of_metrics(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct sonde_stat_metric *m; (m = sonde_stat_metric_at(NULL, n)); n++)
		assert_true(m->name && m->events);
	assert_true(n > 10);
	assert_string_equal(sonde_stat_metric_at(NULL, 0)->name, "CPUs_utilized");
}

/* Runs of a command, which need no more than software events of this process. */
static void two_runs_and_an_interval(void **state)
{
	const char *const argv[] = { "true", NULL };
	const struct sonde_counter_opts target = { .sz = sizeof(target), .command = argv, .running = true,
						   .best_effort = true };
	const struct sonde_stat_opts opts = { .sz = sizeof(opts), .keep_runs = true };
	struct sonde_stat *s = sonde_stat_new(&opts);

	(void)state;
	assert_int_equal(sonde_stat_add(s, SONDE_STAT_EVENT, "page-faults:u,duration_time"), 0);
	for (uint32_t i = 1; i <= 2; i++) {
		if (sonde_stat_open(s, &target) < 0 || sonde_stat_refusal(s, 0)) {
			print_message("not permitted here: %s\n", sonde_stat_error(s)->text);
			sonde_stat_free(s);
			skip();
		}
		assert_int_equal(sonde_stat_take(s, SONDE_STAT_RUN, NULL), -SONDE_USAGE);
		assert_int_equal(sonde_counter_start(sonde_stat_counter(s)), 0);
		while (sonde_counter_wait_command(sonde_stat_counter(s), -1) == 0)
			;
		assert_int_equal(sonde_counter_read(sonde_stat_counter(s)), 0);
		assert_int_equal(sonde_stat_take(s, SONDE_STAT_RUN, NULL), 0);
		assert_int_equal(sonde_stat_info(s)->runs, i);
	}
	assert_true(sonde_table_value_at(sonde_stat_table(s), 0, SONDE_STAT_VALUE)->real > 1);
	assert_true(sonde_table_value_at(sonde_stat_table(s), 0, SONDE_STAT_DEVIATION)->known);
	assert_true(sonde_table_value_at(sonde_stat_table(s), 1, SONDE_STAT_VALUE)->real > 1000);
	assert_int_equal(sonde_table_info(sonde_stat_compare(s, s))->rows, 3);
	assert_true(sonde_table_value_at(sonde_stat_compare(s, s), 1, SONDE_STAT_CHANCE)->real == 1);
	sonde_stat_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(intervals_are_differences, begin, end),
		cmocka_unit_test_setup_teardown(counts_of_cpus, begin, end),
		cmocka_unit_test_setup_teardown(what_the_recording_does_not_tell, begin, end),
		cmocka_unit_test_setup_teardown(records_that_make_no_sense, begin, end),
		cmocka_unit_test_setup_teardown(too_many_counts, begin, end),
		cmocka_unit_test_setup_teardown(a_trace_without_counts, begin, end),
		cmocka_unit_test(calls_in_the_wrong_order),
		cmocka_unit_test(names_of_metrics),
		cmocka_unit_test(two_runs_and_an_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
