/* SPDX-License-Identifier: MIT */
/* The system calls of this test are no kernel's: every attr that would be opened is looked at, field by field. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "record/count/opening.h"
#include "record/count/reading.h"

struct opened_event {
	struct sonde_attr attr;
	int32_t tid, cpu;
	int group, fd;
	unsigned long flags;
};

static struct opened_event opened[64];
static size_t nr_opened;
static struct sonde_counter *c;
static int (*refuse)(const struct sonde_attr *attr, int group);  /* a negative errno, or 0 */
static uint64_t words[64];
static size_t nr_words;

/* A real descriptor, since the counter closes it. */
static int fake_open(const struct sonde_attr *attr, int32_t tid, int32_t cpu, int group, unsigned long flags)
{
	int r = refuse ? refuse(attr, group) : 0;

	if (r < 0)
		return r;
	assert_true(nr_opened < ARRAY_SIZE(opened));
	opened[nr_opened] = (struct opened_event){ *attr, tid, cpu, group, dup(STDERR_FILENO), flags };
	return opened[nr_opened++].fd;
}

static int fake_control(int fd, unsigned long request, void *arg)
{
	(void)fd;
	(void)request;
	(void)arg;
	return 0;
}

static ssize_t fake_read(int fd, void *to, size_t n)
{
	size_t bytes = nr_words * sizeof(*words) < n ? nr_words * sizeof(*words) : n;

	(void)fd;
	memcpy(to, words, bytes);
	return (ssize_t)bytes;
}

static void *fake_map(int fd, size_t n)
{
	(void)fd;
	(void)n;
	return NULL;
}

static const struct system_calls fake_calls = { fake_open, fake_control, fake_read, fake_map };

static int set_up(void **state)
{
	(void)state;
	nr_opened = 0;
	refuse = NULL;
	c = counter_new(&fake_calls);
	return c ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	counter_release(c);
	free(c);
	return 0;
}

static void open_events(const char *text, const struct sonde_counter_opts *opts)
{
	assert_int_equal(events_parse(&c->events, text, &c->roots, &c->err), 0);
	assert_int_equal(counter_take_events(c), 0);
	if (counter_open(c, opts) < 0)
		fail_msg("%s", c->err.text);
}

static void attrs_are_those_of_perf_stat(void **state)
{
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t config, flags;
	} rows[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0 },
		{ "instructions:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
		  SONDE_ATTR_EXCLUDE_KERNEL | SONDE_ATTR_EXCLUDE_HV },
		{ "branches:k", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		  SONDE_ATTR_EXCLUDE_USER | SONDE_ATTR_EXCLUDE_HV },
		{ "branch-misses:D", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, ATTR_PINNED },
		{ "ref-cycles:e", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, ATTR_EXCLUSIVE },
		{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, 0 },
		{ "LLC-stores", PERF_TYPE_HW_CACHE, 0x102, 0 },
		{ "r1a8", PERF_TYPE_RAW, 0x1a8, 0 },
		{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct sonde_attr *a = &opened[0].attr;

		open_events(rows[i].text, NULL);
		assert_int_equal(nr_opened, 1);
		assert_int_equal(a->type, rows[i].type);
		assert_int_equal(a->config, rows[i].config);
		assert_int_equal(a->flags, rows[i].flags | SONDE_ATTR_DISABLED | SONDE_ATTR_INHERIT);
		assert_int_equal(a->sample_period, 0);
		assert_int_equal(a->sample_type, PERF_SAMPLE_IDENTIFIER);
		assert_int_equal(a->read_format, PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
				 PERF_FORMAT_TOTAL_TIME_RUNNING);
		assert_int_equal(a->wakeup_events | a->bp_type | a->config1 | a->config2 | a->config3, 0);
		assert_int_equal(opened[0].tid, getpid());
		assert_int_equal(opened[0].cpu, -1);
		assert_int_equal(opened[0].group, -1);
		assert_int_equal(opened[0].flags, PERF_FLAG_FD_CLOEXEC);
		tear_down(NULL);
		set_up(NULL);
	}
}

static void a_group_has_one_switch(void **state)
{
	static const char *const command[] = { "true", NULL };
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .command = command, .running = true };

	(void)state;
	open_events("{cycles,instructions,cache-misses}", &opts);
	assert_int_equal(nr_opened, 3);
	assert_int_equal(opened[0].attr.flags, SONDE_ATTR_DISABLED | SONDE_ATTR_INHERIT | ATTR_ENABLE_ON_EXEC);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(opened[i].group, i ? opened[0].fd : -1);
		assert_true(opened[i].attr.read_format & PERF_FORMAT_GROUP);
		assert_int_equal(opened[i].tid, c->child.pid);
	}
	assert_int_equal(opened[1].attr.flags, SONDE_ATTR_INHERIT);
}

static void a_group_is_read_at_once(void **state)
{
	static const uint64_t group[] = { 3, 1000, 500, 11, 101, 22, 102, 33, 103 };

	(void)state;
	open_events("{cycles,instructions,cache-misses}", NULL);
	memcpy(words, group, sizeof(group));
	nr_words = ARRAY_SIZE(group);
	assert_int_equal(counter_read(c), 0);
	for (size_t i = 0; i < 3; i++) {
		const struct sonde_counter_value *v = &c->counted.at[i].sum;

		assert_int_equal(v->raw, 11 * (i + 1));
		assert_int_equal(v->scaled, 22 * (i + 1));
		assert_int_equal(v->time_enabled, 1000);
		assert_int_equal(v->time_running, 500);
		assert_int_equal(c->counted.at[i].cells[0].value.id, 101 + i);
	}
	/* after a reset the same counts are nothing */
	assert_int_equal(counter_reset(c), 0);
	words[3] += 5;
	words[1] += 10;
	words[2] += 10;
	assert_int_equal(counter_read(c), 0);
	assert_int_equal(c->counted.at[0].sum.scaled, 5);
	assert_int_equal(c->counted.at[0].sum.time_running, 10);
	assert_int_equal(c->counted.at[1].sum.scaled, 0);
	/* a pinned group that could not stay gives nothing */
	nr_words = 0;
	assert_int_equal(counter_read(c), 0);
	assert_int_equal(c->counted.at[2].sum.time_running, 0);
}

static void lost_samples_are_read_with_the_counts(void **state)
{
	static const uint64_t alone[] = { 11, 1000, 1000, 101, 7 };
	static const uint64_t group[] = { 2, 1000, 1000, 11, 101, 7, 22, 102, 8 };
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .lost = true };

	(void)state;
	open_events("cycles", &opts);
	assert_true(opened[0].attr.read_format & FORMAT_LOST);
	memcpy(words, alone, sizeof(alone));
	nr_words = ARRAY_SIZE(alone);
	assert_int_equal(counter_read(c), 0);
	assert_int_equal(c->counted.at[0].sum.raw, 11);
	assert_int_equal(c->counted.at[0].sum.lost, 7);
	tear_down(NULL);
	set_up(NULL);
	open_events("{cycles,instructions}", &opts);
	memcpy(words, group, sizeof(group));
	nr_words = ARRAY_SIZE(group);
	assert_int_equal(counter_read(c), 0);
	assert_int_equal(c->counted.at[1].sum.raw, 22);
	assert_int_equal(c->counted.at[0].sum.lost, 7);
	assert_int_equal(c->counted.at[1].sum.lost, 8);
	assert_int_equal(counter_reset(c), 0);
	words[8]++;
	assert_int_equal(counter_read(c), 0);
	assert_int_equal(c->counted.at[1].sum.lost, 1);
}

static int no_lost(const struct sonde_attr *attr, int group)
{
	(void)group;
	return attr->read_format & FORMAT_LOST ? -EINVAL : 0;
}

static void an_older_kernel_counts_without_lost_samples(void **state)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .lost = true };

	(void)state;
	refuse = no_lost;
	open_events("{cycles,instructions}", &opts);
	assert_int_equal(nr_opened, 2);
}

static int no_third_member(const struct sonde_attr *attr, int group)
{
	return group >= 0 && attr->config == PERF_COUNT_HW_CACHE_MISSES ? -EINVAL : 0;
}

static void a_weak_group_that_does_not_fit_is_dissolved(void **state)
{
	(void)state;
	refuse = no_third_member;
	open_events("{cycles,instructions,cache-misses}:W", NULL);
	/* two in the group, then all three alone */
	assert_int_equal(nr_opened, 5);
	for (size_t i = 2; i < 5; i++) {
		assert_int_equal(opened[i].group, -1);
		assert_int_equal(opened[i].attr.flags, SONDE_ATTR_DISABLED | SONDE_ATTR_INHERIT);
		assert_false(opened[i].attr.read_format & PERF_FORMAT_GROUP);
		assert_false(c->counted.at[i - 2].event.in_group);
	}
}

static void a_group_that_does_not_fit_says_so(void **state)
{
	(void)state;
	refuse = no_third_member;
	assert_int_equal(events_parse(&c->events, "{cycles,instructions,cache-misses}", &c->roots, &c->err), 0);
	assert_int_equal(counter_take_events(c), 0);
	assert_int_equal(counter_open(c, NULL), -SONDE_UNSUPPORTED);
	assert_non_null(strstr(c->err.text, "cannot count cache-misses: the group does not fit"));
}

static int none_of_hardware(const struct sonde_attr *attr, int group)
{
	(void)group;
	return attr->type == PERF_TYPE_SOFTWARE ? 0 : -ENOENT;
}

static void events_that_are_absent_are_left_out(void **state)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .best_effort = true };

	(void)state;
	refuse = none_of_hardware;
	open_events("cycles,page-faults,{instructions,cs}", &opts);
	assert_non_null(strstr(c->counted.at[0].event.refusal, "no such hardware event"));
	assert_null(c->counted.at[1].event.refusal);
	assert_non_null(strstr(c->counted.at[3].event.refusal, "instructions, which leads its group"));
	assert_int_equal(nr_opened, 1);
}

static int no_kernel(const struct sonde_attr *attr, int group)
{
	(void)group;
	return attr->flags & SONDE_ATTR_EXCLUDE_KERNEL ? 0 : -EACCES;
}

static void user_space_is_counted_where_the_kernel_may_not_be(void **state)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .best_effort = true };

	(void)state;
	refuse = no_kernel;
	open_events("cycles", &opts);
	assert_string_equal(c->counted.at[0].event.name, "cycles:u");
	assert_int_equal(opened[0].attr.flags, SONDE_ATTR_DISABLED | SONDE_ATTR_INHERIT | SONDE_ATTR_EXCLUDE_KERNEL |
			 SONDE_ATTR_EXCLUDE_HV);
}

static int refuse_all_with;

static int refuse_all(const struct sonde_attr *attr, int group)
{
	(void)attr;
	(void)group;
	return -refuse_all_with;
}

/* Every errno has a sentence that names the event and the way out. */
static void refusals_say_why(void **state)
{
	static const struct {
		int sys_errno;
		const char *event, *says;
	} rows[] = {
		{ ENOENT, "cycles", "no such hardware event" },
		{ EACCES, "cycles", "kernel.perf_event_paranoid" },
		{ EPERM, "cycles", "try `:u` after the event" },
		{ EMFILE, "cycles", "this counter needs 1 " },
		{ ENOSPC, "mem:0x1000", "no hardware register is left" },
		{ EINVAL, "mem:0x1000", "no such breakpoint" },
		{ EBUSY, "cycles", "somebody else uses the hardware" },
		{ E2BIG, "cycles", "the kernel is too old" },
		{ ESRCH, "cycles", "the task has ended" },
		{ ENOSYS, "cycles", "built without performance events" },
		{ EDOM, "cycles", "dmesg may say why" },
	};

	(void)state;
	refuse = refuse_all;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		refuse_all_with = rows[i].sys_errno;
		assert_int_equal(events_parse(&c->events, rows[i].event, &c->roots, &c->err), 0);
		assert_int_equal(counter_take_events(c), 0);
		assert_true(counter_open(c, NULL) < 0);
		if (!strstr(c->err.text, rows[i].says))
			fail_msg("errno %d: %s", rows[i].sys_errno, c->err.text);
		tear_down(NULL);
		set_up(NULL);
		refuse = refuse_all;
	}
}

static void maps_need_events_that_are_not_inherited(void **state)
{
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .user_reads = true };

	(void)state;
	open_events("cycles", &opts);
	assert_int_equal(opened[0].attr.flags, SONDE_ATTR_DISABLED);
}

static void tasks_that_have_ended_are_left_out_if_asked(void **state)
{
	const int32_t pids[] = { INT32_MAX, getpid() };
	struct sonde_counter_opts opts = { .sz = sizeof(opts), .pids = pids, .nr_pids = 2, .skip_ended = true };

	(void)state;
	open_events("page-faults", &opts);
	assert_int_equal(nr_opened, 1);
	assert_int_equal(opened[0].tid, getpid());
	tear_down(NULL);
	set_up(NULL);
	opts.skip_ended = false;
	assert_int_equal(events_parse(&c->events, "page-faults", &c->roots, &c->err), 0);
	assert_int_equal(counter_take_events(c), 0);
	assert_int_equal(counter_open(c, &opts), -SONDE_MISSING);
	assert_string_equal(c->err.text, "there is no process 2147483647");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(attrs_are_those_of_perf_stat, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_group_has_one_switch, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_group_is_read_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lost_samples_are_read_with_the_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_older_kernel_counts_without_lost_samples, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_weak_group_that_does_not_fit_is_dissolved, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_group_that_does_not_fit_says_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(events_that_are_absent_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(user_space_is_counted_where_the_kernel_may_not_be, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refusals_say_why, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tasks_that_have_ended_are_left_out_if_asked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(maps_need_events_that_are_not_inherited, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
