/* SPDX-License-Identifier: MIT */
#include "record/ftrace/names.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

static void put(struct thread_names *n, uint32_t type, const void *body, size_t size, uint64_t time)
{
	uint8_t record[128] = { 0 };
	struct perf_event_header h = { .type = type, .size = (uint16_t)(sizeof(h) + size + 8) };

	memcpy(record, &h, sizeof(h));
	memcpy(record + 8, body, size);
	memcpy(record + 8 + size, &time, 8);
	assert_int_equal(names_record(n, record, h.size), 0);
}

static void comm(struct thread_names *n, uint32_t tid, const char *name, uint64_t time)
{
	struct { uint32_t pid, tid; char comm[16]; } body = { tid, tid, "" };

	snprintf(body.comm, sizeof(body.comm), "%s", name);
	put(n, PERF_RECORD_COMM, &body, sizeof(body), time);
}

/* A fork has its time twice: in its body, too. */
static void child(struct thread_names *n, uint32_t tid, uint32_t parent, uint64_t time)
{
	struct { uint32_t pid, ppid, tid, ptid; uint64_t time; } body = { tid, parent, tid, parent, time };

	put(n, PERF_RECORD_FORK, &body, sizeof(body), time);
}

static void expect(const struct thread_names *n, const char *want)
{
	struct buf b = BUF_MEMORY;

	names_text(n, &b);
	buf_char(&b, '\0');
	assert_string_equal(b.p, want);
	buf_free(&b);
}

static void test_forks_and_changes(void **state)
{
	struct thread_names n = THREAD_NAMES_NONE;

	(void)state;
	comm(&n, 10, "shell", 1);
	child(&n, 11, 10, 2);
	expect(&n, "10 shell\n11 shell\n");
	comm(&n, 11, "ls -l", 3);
	expect(&n, "10 shell\n11 ls -l\n");
	/* of two CPUs the later news may come first */
	comm(&n, 12, "cat", 6);
	child(&n, 12, 10, 5);
	expect(&n, "10 shell\n11 ls -l\n12 cat\n");
	/* whose parent is not known stays without a name */
	child(&n, 13, 99, 7);
	expect(&n, "10 shell\n11 ls -l\n12 cat\n");
	names_free(&n);
}

static void test_gaps_are_filled(void **state)
{
	static const char saved[] = "10 other\n14 made up \n15 <...>\nnonsense\n0 idle\n";
	struct thread_names n = THREAD_NAMES_NONE;

	(void)state;
	comm(&n, 10, "shell", 1);
	assert_int_equal(names_fill(&n, (struct sonde_str){ saved, sizeof(saved) - 1 }), 0);
	expect(&n, "10 shell\n14 made up \n");
	names_free(&n);
}

/* A side band of some of the CPUs would miss names without a word. */
static void test_too_few_files_for_a_side_band(void **state)
{
	char dir[] = "/tmp/sonde-unit.XXXXXX", path[64], command[128];
	struct thread_names n = THREAD_NAMES_NONE;
	struct rlimit old, few;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "mkdir -p %s/devices/system/cpu", dir);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/devices/system/cpu/online", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("0-511\n", f);
	fclose(f);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = 1024;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(names_start(&n, dir, 512), 0);
	assert_true(n.too_many > 1024);
	assert_int_equal(n.nr_rings, 0);
	assert_true(n.all.n > 0);    /* of /proc */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	names_free(&n);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forks_and_changes),
		cmocka_unit_test(test_gaps_are_filled),
		cmocka_unit_test(test_too_few_files_for_a_side_band),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
