/* SPDX-License-Identifier: MIT */
/* Counts by the kernel of this machine; every kernel has software events, where it permits them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <sonde/counter.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/count/breakpoint_test.h"

enum { PAGES = 300 };

/* Pages that are touched beside them. */
#ifdef __SANITIZE_THREAD__
#define OTHER_PAGES (8 * PAGES)      /* the sanitizer remembers every access */
#else
#define OTHER_PAGES 50
#endif

static struct sonde_counter *c;

static int set_up(void **state)
{
	(void)state;
	c = sonde_counter_new();
	return c ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	sonde_counter_free(c);
	return 0;
}

/* Writes to pages that the process has never touched. */
static void touch_pages(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	madvise(p, n * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		*(volatile char *)(p + i * page) = 1;
	munmap(p, n * page);
}

static void open_events(const char *text, const struct sonde_counter_opts *opts)
{
	assert_int_equal(sonde_counter_add_event(c, text), 0);
	if (sonde_counter_open(c, opts) == 0)
		return;
	if (sonde_counter_error(c)->code == SONDE_DENIED || sonde_counter_error(c)->code == SONDE_UNSUPPORTED) {
		print_message("not here: %s\n", sonde_counter_error(c)->text);
		skip();
	}
	fail_msg("%s", sonde_counter_error(c)->text);
}

static void counts_are_right_and_pause(void **state)
{
	const struct sonde_counter_value *v;

	(void)state;
	open_events("page-faults:u", NULL);
	touch_pages(PAGES);
	assert_int_equal(sonde_counter_enable(c), 0);
	touch_pages(PAGES);
	assert_int_equal(sonde_counter_disable(c), 0);
	touch_pages(PAGES);
	assert_int_equal(sonde_counter_read(c), 0);
	v = sonde_counter_value(c, 0);
	assert_in_range(v->raw, PAGES, PAGES + OTHER_PAGES);
	assert_int_equal(v->scaled, v->raw);
	assert_true(v->time_enabled > 0 && v->time_running == v->time_enabled);
	assert_int_equal(sonde_counter_reset(c), 0);
	assert_int_equal(sonde_counter_read(c), 0);
	assert_int_equal(v->raw, 0);
	assert_int_equal(v->time_enabled, 0);
	assert_int_equal(sonde_counter_task_enable(), 0);
	touch_pages(PAGES);
	assert_int_equal(sonde_counter_task_disable(), 0);
	touch_pages(PAGES);
	assert_int_equal(sonde_counter_read(c), 0);
	assert_in_range(v->raw, PAGES, PAGES + OTHER_PAGES);
}

static void tasks_that_are_made_later_count_too(void **state)
{
	int status;
	pid_t child;

	(void)state;
	open_events("{page-faults:u,minor-faults:u}", NULL);
	assert_int_equal(sonde_counter_enable(c), 0);
	child = fork();
	if (child == 0) {
		touch_pages(PAGES);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(sonde_counter_read(c), 0);
	for (size_t i = 0; i < 2; i++)
		assert_true(sonde_counter_value(c, i)->raw >= PAGES);
	assert_true(sonde_counter_cell_at(c, 0, 0)->id != sonde_counter_cell_at(c, 1, 0)->id);
}

static void a_command_is_counted_from_its_exec_on(void **state)
{
	static const char *const command[] = { "sh", "-c", "exit 3", NULL };
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .command = command, .running = true };
	const struct sonde_counter_command *end;

	(void)state;
	open_events("task-clock:u", &opts);
	assert_int_equal(sonde_counter_wait_command(c, 0), 0);
	assert_int_equal(sonde_counter_start(c), 0);
	while (sonde_counter_wait_command(c, 1000) == 0)
		;
	end = sonde_counter_command(c);
	assert_true(end->ended && end->end_ns > end->start_ns);
	assert_int_equal(WEXITSTATUS(end->wait_status), 3);
	assert_int_equal(sonde_counter_read(c), 0);
	assert_true(sonde_counter_value(c, 0)->raw > 0);
}

static void attrs_count_as_strings_do(void **state)
{
	struct sonde_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
				   .flags = SONDE_ATTR_EXCLUDE_KERNEL };
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .running = true };

	(void)state;
	assert_int_equal(sonde_counter_add_attr(c, &attr, sizeof(attr), NULL, SONDE_COUNTER_ALONE), 0);
	assert_int_equal(sonde_counter_add_attr(c, &attr, sizeof(attr), "mine", 0), 0);
	assert_int_equal(sonde_counter_add_attr(c, &attr, sizeof(attr), "mine", 1), -SONDE_USAGE);
	open_events("page-faults:u", &opts);
	assert_string_equal(sonde_counter_event_at(c, 0)->name, "1:0x2");
	assert_int_equal(sonde_counter_event_at(c, 1)->leader, 0);
	touch_pages(PAGES);
	assert_int_equal(sonde_counter_read(c), 0);
	assert_int_equal(sonde_counter_value(c, 0)->raw, sonde_counter_value(c, 1)->raw);
	assert_in_range(sonde_counter_value(c, 0)->raw, PAGES, PAGES + OTHER_PAGES);
	assert_in_range(sonde_counter_value(c, 2)->raw, PAGES, PAGES + OTHER_PAGES);
}

static void reads_of_oneself_agree_with_reads_of_all(void **state)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .user_reads = true, .running = true };
	struct sonde_counter_reading now = { .sz = sizeof(now) };

	(void)state;
	open_events("page-faults:u", &opts);
	assert_int_equal(sonde_counter_reset(c), 0);
	touch_pages(PAGES);
	assert_int_equal(sonde_counter_read_self(c, 0, &now), 0);
	assert_in_range(now.value, PAGES, PAGES + OTHER_PAGES);
	assert_false(now.by_page);   /* the kernel gives software events no page to read */
	assert_true(now.time_running > 0);
	now.sz = 0;
	assert_int_equal(sonde_counter_read_self(c, 0, &now), -SONDE_USAGE);
}

/* The thread sanitizer delays signals, and touches pages itself. */
static void skip_under_thread_sanitizer(void)
{
#ifdef __SANITIZE_THREAD__
	skip();
#endif
}

static volatile sig_atomic_t overflows, hangups;

static void on_overflow(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	overflows++;
	hangups += info->si_code == POLL_HUP;
}

static void overflows_send_a_signal(void **state)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .no_inherit = true };
	struct sigaction sa = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO };

	(void)state;
	skip_under_thread_sanitizer();
	overflows = hangups = 0;
	sigaction(SIGRTMIN, &sa, NULL);
	open_events("page-faults/period=10/u", &opts);
	assert_int_equal(sonde_counter_set_signal(c, 0, SIGRTMIN, 0), 0);
	assert_int_equal(sonde_counter_refresh(c, 0, 3), 0);
	touch_pages(PAGES);
	assert_int_equal(overflows, 3);
	assert_int_equal(hangups, 1);
	/* the last event has stopped it */
	touch_pages(PAGES);
	assert_int_equal(overflows, 3);
	assert_int_equal(sonde_counter_set_period(c, 0, 100), 0);
	assert_int_equal(sonde_counter_event_at(c, 0)->attr->sample_period, 100);
	assert_int_equal(sonde_counter_set_period(c, 0, 0), -SONDE_USAGE);
	assert_int_equal(sonde_counter_refresh(c, 0, 0), -SONDE_USAGE);
	signal(SIGRTMIN, SIG_DFL);
}

static void overflows_end_a_wait(void **state)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .rings = true, .running = true };

	(void)state;
	skip_under_thread_sanitizer();
	open_events("page-faults/period=100/u", &opts);
	assert_int_equal(sonde_counter_wait(c, 0, 0), 0);
	touch_pages(PAGES);
	assert_int_equal(sonde_counter_wait(c, 0, -1), 1);
	assert_int_equal(sonde_counter_wait(c, 0, 0), 0);
}

static void breakpoints_count_accesses(void **state)
{
	static volatile uint64_t watched;
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .running = true };
	char text[64];

	(void)state;
	if (!breakpoints_work_here()) {
		print_message("skipped: breakpoints do not count on this machine, without sonde either\n");
		skip();
	}
	snprintf(text, sizeof(text), "mem:%p/8:w:u", (void *)&watched);
	open_events(text, &opts);
	for (int i = 0; i < 7; i++)
		watched++;
	assert_int_equal(sonde_counter_read(c), 0);
	assert_int_equal(sonde_counter_value(c, 0)->raw, 7);
}

static void misuse_is_refused(void **state)
{
	struct sonde_counter_opts too_small = { 0 };
	static const char *const nothing[] = { "/no/such/program", NULL };
	static const int32_t gone[] = { 0x7ffffff0 };
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .command = nothing };

	(void)state;
	assert_int_equal(sonde_counter_open(c, NULL), -SONDE_USAGE);
	assert_int_equal(sonde_counter_read(c), -SONDE_USAGE);
	assert_int_equal(sonde_counter_enable(c), -SONDE_USAGE);
	assert_int_equal(sonde_counter_start(c), -SONDE_USAGE);
	assert_null(sonde_counter_command(c));
	assert_int_equal(sonde_counter_add_event(c, "no-such-event"), -SONDE_MISSING);
	assert_int_equal(sonde_counter_add_filter(c, "a == 1"), -SONDE_USAGE);
	assert_int_equal(sonde_counter_set_cgroup(c, 0, "a"), -SONDE_USAGE);
	assert_int_equal(sonde_counter_add_event(c, "cs"), 0);
	assert_int_equal(sonde_counter_open(c, &too_small), -SONDE_USAGE);
	assert_int_equal(sonde_counter_open(c, &opts), -SONDE_MISSING);
	opts.command = NULL;
	opts.tids = gone;
	opts.nr_tids = 1;
	assert_int_equal(sonde_counter_open(c, &opts), -SONDE_MISSING);
	assert_non_null(strstr(sonde_counter_error(c)->text, "no thread 2147483632"));
}

static void cgroups_need_cpus_and_exist(void **state)
{
	(void)state;
	assert_int_equal(sonde_counter_add_event(c, "cs"), 0);
	assert_int_equal(sonde_counter_set_cgroup(c, 0, "no/such/cgroup"), -SONDE_MISSING);
	assert_non_null(strstr(sonde_counter_error(c)->text, "no/such/cgroup"));
	if (sonde_counter_set_cgroup(c, 0, "/") == 0)
		assert_int_equal(sonde_counter_open(c, NULL), -SONDE_USAGE);
}

static void one_pmu_can_be_chosen(void **state)
{
	(void)state;
	assert_int_equal(sonde_counter_set_pmu(c, "nonsense"), -SONDE_MISSING);
	assert_non_null(strstr(sonde_counter_error(c)->text, "no PMU 'nonsense' or 'cpu_nonsense'"));
	assert_int_equal(sonde_counter_set_pmu(c, "../software"), -SONDE_MISSING);
	if (access("/sys/bus/event_source/devices/software/type", R_OK) != 0)
		return;
	assert_int_equal(sonde_counter_set_pmu(c, "software"), 0);
	assert_int_equal(sonde_counter_add_event(c, "cs"), 0);
}

static int asked;

static bool count_and_refuse(void *ctx)
{
	(void)ctx;
	asked++;
	return false;
}

/* Too few open files: the library asks, and says how many it needs. */
static void limits_are_left_alone(void **state)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .more_files = count_and_refuse };
	struct rlimit old, low;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &old);
	low = (struct rlimit){ 5, old.rlim_max };
	assert_int_equal(sonde_counter_add_event(c, "cs:u,page-faults:u,task-clock:u,cpu-clock:u"), 0);
	setrlimit(RLIMIT_NOFILE, &low);
	assert_true(sonde_counter_open(c, &opts) < 0);
	setrlimit(RLIMIT_NOFILE, &old);
	if (sonde_counter_error(c)->sys_errno == EMFILE) {
		assert_true(asked > 0);
		assert_non_null(strstr(sonde_counter_error(c)->text, "needs 4"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_are_right_and_pause, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tasks_that_are_made_later_count_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_command_is_counted_from_its_exec_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(attrs_count_as_strings_do, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_of_oneself_agree_with_reads_of_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(overflows_send_a_signal, set_up, tear_down),
		cmocka_unit_test_setup_teardown(overflows_end_a_wait, set_up, tear_down),
		cmocka_unit_test_setup_teardown(breakpoints_count_accesses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(misuse_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cgroups_need_cpus_and_exist, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_pmu_can_be_chosen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limits_are_left_alone, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
