/* SPDX-License-Identifier: MIT */
#include "base/plain_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char dir[] = "/tmp/sonde-test.XXXXXX", path[64], other[64];

static void name(char *to, const char *last)
{
	snprintf(to, sizeof(path), "%s/%s", dir, last);
}

static void expect_refused(const char *file, int flags, const char *why)
{
	struct sonde_error err = { 0 };

	assert_true(plain_file_open(file, flags, NULL, &err) < 0);
	assert_non_null(strstr(err.text, why));
}

static void a_regular_file_is_opened(void **state)
{
	struct stat st;
	char text[8] = "";
	FILE *f;
	int fd;

	(void)state;
	name(path, "file");
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("text", f);
	fclose(f);
	fd = plain_file_open(path, O_NOFOLLOW, &st, NULL);
	assert_true(fd >= 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "text");
	close(fd);
	name(other, "link");
	assert_int_equal(symlink(path, other), 0);
	fd = plain_file_open(other, 0, NULL, NULL);
	assert_true(fd >= 0);
	close(fd);
	expect_refused(other, O_NOFOLLOW, "not a regular file");
	unlink(other);
	unlink(path);
}

static void what_is_none_is_not_opened(void **state)
{
	(void)state;
	name(path, "other");
	expect_refused(path, 0, "No such file");
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_refused(path, 0, "not a regular file");
	unlink(path);
	expect_refused("/dev/zero", 0, "not a regular file");
	expect_refused(dir, 0, "not a regular file");
	close(open(path, O_WRONLY | O_CREAT, 0600));
	expect_refused(path, 0, "an empty file");
	unlink(path);
}

static void files_of_the_kernel_are_not_opened(void **state)
{
	(void)state;
	if (access("/proc/version", F_OK) == 0)
		expect_refused("/proc/version", 0, "a file of the kernel");
	if (access("/sys/kernel/notes", F_OK) == 0)
		expect_refused("/sys/kernel/notes", 0, "a file of the kernel");
	name(path, "link");
	assert_int_equal(symlink("/proc/self/status", path), 0);
	if (access(path, F_OK) == 0)
		expect_refused(path, 0, "a file of the kernel");
	unlink(path);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_regular_file_is_opened),
		cmocka_unit_test(what_is_none_is_not_opened),
		cmocka_unit_test(files_of_the_kernel_are_not_opened),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
