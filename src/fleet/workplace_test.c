/* SPDX-License-Identifier: MIT */
/* workplace_test.c - the steps in which a directory gets its place: what it replaces goes after it is on the disk */
#include "fleet/workplace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/work_dir_test.h"

static int exists(const char *path)
{
	return run("test -e %s", path) == 0;
}

static unsigned syncs;
static bool is_synced;               /* when the directory got its place */

/* These take the places of libc's functions. */
int syncfs(int fd)
{
	(void)fd;
	syncs++;
	return 0;
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	is_synced = syncs > 0;
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

static void replace(const char *file)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct workplace w;
	char path[PATH_MAX];

	syncs = 0;
	is_synced = false;
	assert_int_equal(workplace_open(&w, dir, &err), 0);
	assert_int_equal(workplace_begin(&w, "samples", "date=2026-11-22", path, &err), 0);
	assert_int_equal(run("touch %s/%s", path, file), 0);
	assert_int_equal(workplace_finish(&w, "samples", "date=2026-11-22", &err), 0);
	workplace_close(&w);
}

static void test_the_new_files_are_on_the_disk_first(void **state)
{
	(void)state;
	replace("one");
	assert_true(is_synced);
	replace("two");
	assert_true(is_synced);
	assert_false(exists("v1/compact/samples/date=2026-11-22/one"));
	assert_true(exists("v1/compact/samples/date=2026-11-22/two"));
	assert_int_equal(run("test -z \"$(ls v1/.compacting)\""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_the_new_files_are_on_the_disk_first) };
	int failed;

	if (!mkdtemp(dir) || run("mkdir v1") != 0)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	run("rm -rf %s", dir);
	return failed;
}
