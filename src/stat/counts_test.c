/* SPDX-License-Identifier: MIT */
/* Counters of this test are made by hand: no event is opened. The topology is that of a made /sys: CPUs 0 and 2 are
 * core 0, CPUs 1 and 3 core 1; CPU 3 is of another die. */
#include <linux/perf_event.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/work_dir_test.h"
#include "stat/counts.h"

enum { CPUS = 4, EVENTS = 2, CLOCK = 0, FAULTS = 1 };

static struct sonde_counter counter;
static struct stat_table table;
static struct count_cell cells[EVENTS][CPUS];
static struct counted counted[EVENTS];
static const struct sonde_attr clock_attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK };
static const struct sonde_attr faults_attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS };
static struct sonde_error err;

static int make_sysfs(void **state)
{
	static const int core[CPUS] = { 0, 1, 0, 1 }, die[CPUS] = { 0, 0, 0, 1 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < CPUS; i++)
		assert_int_equal(run("d=devices/system/cpu/cpu%d/topology && mkdir -p $d && cd $d && "
				     "echo %d >core_id && echo %d >die_id && echo 0 >physical_package_id",
				     i, core[i], die[i]), 0);
	return 0;
}

static int remove_sysfs(void **state)
{
	(void)state;
	return run("rm -r %s", dir);
}

static int begin(void **state)
{
	(void)state;
	err_clear(&err);
	memset(cells, 0, sizeof(cells));
	table = (struct stat_table){ .sysfs = dir };
	for (int e = 0; e < EVENTS; e++) {
		counted[e] = (struct counted){ .cells = cells[e], .nr_cells = CPUS };
		counted[e].event = (struct sonde_counter_event){ .name = e == CLOCK ? "task-clock" : "page-faults",
								 .attr = e == CLOCK ? &clock_attr : &faults_attr,
								 .scale = 1 };
		for (int i = 0; i < CPUS; i++)
			cells[e][i].value = (struct sonde_counter_value){ .cpu = i, .tid = -1, .fd = 3 };
		assert_int_equal(vec_push(&table.rows, ((struct stat_row){ .event = (size_t)e, .scale = 1 })), 0);
	}
	counter.counted.at = counted;
	counter.counted.n = EVENTS;
	return 0;
}

static int end(void **state)
{
	(void)state;
	stat_table_free(&table);
	return 0;
}

/* Each CPU has counted value * (CPU + 1), in half of the time. */
static void count(int event, uint64_t value, uint64_t running)
{
	for (int i = 0; i < CPUS; i++) {
		cells[event][i].value.raw = value * (uint64_t)(i + 1);
		cells[event][i].value.time_enabled = 100;
		cells[event][i].value.time_running = running;
	}
}

static void take(enum sonde_stat_share share, bool scaled)
{
	const struct sonde_stat_times times = { .elapsed = 1000, .user = 30, .system = 20 };

	assert_int_equal(stat_counts_take(&table, &counter, &times, share, scaled), 0);
}

static double value(int row, size_t key)
{
	return table.rows.at[row].cells[key].value.mean;
}

static void keys_of(enum sonde_stat_by by, const char *const *keys)
{
	table.by = by;
	assert_int_equal(stat_counts_begin(&table, &counter, &err), 0);
	for (size_t i = 0; keys[i]; i++) {
		assert_true(i < table.nr_keys);
		assert_string_equal(table.keys[i], keys[i]);
	}
	assert_null(keys[table.nr_keys]);
}

/* ---- tests ---- */

static void all_cpus_are_one_row(void **state)
{
	(void)state;
	keys_of(SONDE_STAT_BY_EVENT, (const char *const[]){ "", NULL });
	count(FAULTS, 10, 100);
	take(SONDE_STAT_RUN, true);
	assert_true(value(FAULTS, 0) == 100);
	assert_int_equal(table.rows.at[FAULTS].cells[0].nr, CPUS);
	assert_true(table.rows.at[CLOCK].is_clock && table.rows.at[CLOCK].scale == 1e-6);
	assert_string_equal(table.rows.at[CLOCK].unit, "msec");
	assert_false(table.rows.at[FAULTS].is_clock);
}

static void cores_have_the_sums_of_their_cpus(void **state)
{
	(void)state;
	keys_of(SONDE_STAT_BY_CORE, (const char *const[]){ "S0-D0-C0", "S0-D0-C1", "S0-D1-C1", NULL });
	count(FAULTS, 1, 100);
	take(SONDE_STAT_RUN, true);
	assert_true(value(FAULTS, 0) == 1 + 3 && value(FAULTS, 1) == 2 && value(FAULTS, 2) == 4);
	assert_int_equal(table.rows.at[FAULTS].cells[0].nr, 2);
}

static void dies_sockets_and_what_the_machine_does_not_tell(void **state)
{
	(void)state;
	keys_of(SONDE_STAT_BY_DIE, (const char *const[]){ "S0-D0", "S0-D1", NULL });
	end(state);
	begin(state);
	keys_of(SONDE_STAT_BY_SOCKET, (const char *const[]){ "S0", NULL });
	end(state);
	begin(state);
	/* as perf prints a cluster that there is none of */
	keys_of(SONDE_STAT_BY_CLUSTER, (const char *const[]){ "S0-D0-CLS65535", "S0-D1-CLS65535", NULL });
	end(state);
	begin(state);
	keys_of(SONDE_STAT_BY_NODE, (const char *const[]){ "N0", NULL });
}

/* CPU10 comes after CPU9. */
static void cpus_are_sorted_as_numbers(void **state)
{
	(void)state;
	for (int e = 0; e < EVENTS; e++) {
		cells[e][0].value.cpu = 10;
		cells[e][3].value.cpu = 9;
	}
	keys_of(SONDE_STAT_BY_CPU, (const char *const[]){ "CPU1", "CPU2", "CPU9", "CPU10", NULL });
}

static void an_event_of_the_term_percore_is_summed_by_core(void **state)
{
	(void)state;
	counted[FAULTS].event.percore = true;
	keys_of(SONDE_STAT_BY_CPU, (const char *const[]){ "CPU0", "CPU1", "CPU2", "CPU3", "S0-D0-C0", "S0-D0-C1",
							  "S0-D1-C1", NULL });
	count(FAULTS, 1, 100);
	take(SONDE_STAT_RUN, true);
	assert_true(value(FAULTS, 4) == 4 && value(FAULTS, 5) == 2 && value(FAULTS, 6) == 4);
	assert_true(stat_row_has_key(&table, &table.rows.at[FAULTS], 4));
	assert_false(stat_row_has_key(&table, &table.rows.at[FAULTS], 0));
	assert_false(stat_row_has_key(&table, &table.rows.at[CLOCK], 4));
}

static void or_each_cpu_has_the_sum_of_its_core(void **state)
{
	(void)state;
	counted[FAULTS].event.percore = true;
	table.percore_cpus = true;
	keys_of(SONDE_STAT_BY_CPU, (const char *const[]){ "CPU0", "CPU1", "CPU2", "CPU3", NULL });
	count(FAULTS, 1, 100);
	take(SONDE_STAT_RUN, true);
	assert_true(value(FAULTS, 0) == 4 && value(FAULTS, 1) == 2 && value(FAULTS, 2) == 4 && value(FAULTS, 3) == 4);
}

static void counts_of_a_part_of_the_time_are_estimated(void **state)
{
	(void)state;
	keys_of(SONDE_STAT_BY_EVENT, (const char *const[]){ "", NULL });
	count(FAULTS, 10, 50);
	take(SONDE_STAT_TOTAL, true);
	assert_true(value(FAULTS, 0) == 200);
	take(SONDE_STAT_TOTAL, false);
	assert_true(value(FAULTS, 0) == 100);
}

static void runs_have_means_and_intervals_differences(void **state)
{
	const struct stat_cell *cell;

	(void)state;
	keys_of(SONDE_STAT_BY_EVENT, (const char *const[]){ "", NULL });
	count(FAULTS, 10, 100);
	take(SONDE_STAT_RUN, true);
	stat_counts_next_run(&table);
	count(FAULTS, 12, 100);
	take(SONDE_STAT_RUN, true);
	cell = &table.rows.at[FAULTS].cells[0];
	assert_true(cell->value.n == 2 && cell->value.mean == 110 && cell->value.last == 120);
	assert_true(stat_mean_error(&cell->value) == 10);
	count(FAULTS, 15, 100);
	take(SONDE_STAT_INTERVAL, true);
	assert_true(value(FAULTS, 0) == 30);
	take(SONDE_STAT_INTERVAL, true);
	assert_true(value(FAULTS, 0) == 0);
	take(SONDE_STAT_TOTAL, true);
	assert_true(value(FAULTS, 0) == 150);
}

/* CPUs that came or went since the first run have no cell. */
static void a_further_run_with_other_cpus(void **state)
{
	struct count_cell more[CPUS + 2] = { 0 };

	(void)state;
	counted[FAULTS].event.percore = true;
	table.percore_cpus = true;
	keys_of(SONDE_STAT_BY_CPU, (const char *const[]){ "CPU0", "CPU1", "CPU2", "CPU3", NULL });
	memcpy(more, cells[FAULTS], sizeof(cells[FAULTS]));
	counted[FAULTS].cells = more;
	counted[FAULTS].nr_cells = CPUS + 2;
	more[0].value.raw = 5;
	more[CPUS + 1].value.raw = 1000;
	take(SONDE_STAT_TOTAL, true);
	assert_true(value(FAULTS, 0) == 5 && value(FAULTS, 3) == 0);
	counted[FAULTS].nr_cells = 1;
	take(SONDE_STAT_TOTAL, true);
	assert_true(value(FAULTS, 0) == 5 && value(FAULTS, 2) == 0);
}

static void times_and_numbers_of_the_machine(void **state)
{
	static const struct sonde_attr user = { .type = SONDE_COUNTER_TYPE_TOOL, .config = STAT_USER_TIME };
	static const struct sonde_attr machine = { .type = SONDE_COUNTER_TYPE_TOOL, .config = STAT_MACHINE };

	(void)state;
	counted[CLOCK].event = (struct sonde_counter_event){ .name = "user_time", .attr = &user, .scale = 1,
							     .refusal = "no event of the kernel" };
	counted[FAULTS].event = (struct sonde_counter_event){ .name = "num_cpus", .attr = &machine, .scale = 1,
							      .refusal = "no event of the kernel" };
	counted[CLOCK].nr_cells = counted[FAULTS].nr_cells = 0;
	keys_of(SONDE_STAT_BY_EVENT, (const char *const[]){ "", NULL });
	take(SONDE_STAT_RUN, true);
	assert_true(value(CLOCK, 0) == 30 && value(FAULTS, 0) >= 1);
	assert_false(table.rows.at[CLOCK].refused || table.rows.at[FAULTS].refused);
}

static void events_that_are_refused(void **state)
{
	(void)state;
	counted[CLOCK].event.refusal = "no clock here";
	counted[CLOCK].nr_cells = 0;
	table.rows.at[CLOCK].hidden = true;
	keys_of(SONDE_STAT_BY_EVENT, (const char *const[]){ "", NULL });
	assert_true(table.rows.at[CLOCK].refused && table.rows.at[CLOCK].hidden && !table.rows.at[FAULTS].refused);
	end(state);
	begin(state);
	counted[CLOCK].event.refusal = "no clock here";
	counted[FAULTS].event.refusal = "no faults here";
	assert_int_equal(stat_counts_begin(&table, &counter, &err), -SONDE_UNSUPPORTED);
	assert_string_equal(err.text, "No supported events found, all are <not supported>: no clock here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_cpus_are_one_row, begin, end),
		cmocka_unit_test_setup_teardown(cores_have_the_sums_of_their_cpus, begin, end),
		cmocka_unit_test_setup_teardown(dies_sockets_and_what_the_machine_does_not_tell, begin, end),
		cmocka_unit_test_setup_teardown(cpus_are_sorted_as_numbers, begin, end),
		cmocka_unit_test_setup_teardown(an_event_of_the_term_percore_is_summed_by_core, begin, end),
		cmocka_unit_test_setup_teardown(or_each_cpu_has_the_sum_of_its_core, begin, end),
		cmocka_unit_test_setup_teardown(counts_of_a_part_of_the_time_are_estimated, begin, end),
		cmocka_unit_test_setup_teardown(runs_have_means_and_intervals_differences, begin, end),
		cmocka_unit_test_setup_teardown(a_further_run_with_other_cpus, begin, end),
		cmocka_unit_test_setup_teardown(times_and_numbers_of_the_machine, begin, end),
		cmocka_unit_test_setup_teardown(events_that_are_refused, begin, end),
	};

	return cmocka_run_group_tests(tests, make_sysfs, remove_sysfs);
}
