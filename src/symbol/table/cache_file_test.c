/* SPDX-License-Identifier: MIT */
/* Files of the cache: found whole or not at all, the user's own, and no more of them than there is room for. */
#include "symbol/table/cache_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static char base[] = "/tmp/sonde-cache-XXXXXX";
static char dir[64];

static char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	const struct cache_part parts[] = { { text, 1 }, { text + 1, strlen(text) - 1 } };

	cache_file_write(dir, name, parts, 2, strlen(text));
}

static bool holds(const char *name, const char *text)
{
	struct fmap m = { 0 };
	bool same;

	if (!cache_file_read(&m, dir, name))
		return false;
	same = m.size == strlen(text) && !memcmp(m.data, text, m.size);
	fmap_close(&m);
	return same;
}

/* Marks a file as used so long ago. */
static void age(const char *name, time_t seconds)
{
	struct timespec t[2] = { { .tv_sec = time(NULL) - seconds }, { .tv_sec = time(NULL) - seconds } };

	assert_int_equal(utimensat(AT_FDCWD, in_dir(name), t, 0), 0);
}

static void comes_back(void **state)
{
	struct stat st;

	(void)state;
	assert_false(holds("one", "text"));
	write_file("one", "text");               /* makes the directories */
	assert_true(holds("one", "text"));
	assert_int_equal(stat(in_dir("one"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	write_file("one", "another text");
	assert_true(holds("one", "another text"));
	cache_file_remove(dir, "one");
	assert_false(holds("one", "another text"));
}

static void others_files_are_not_taken(void **state)
{
	(void)state;
	write_file("one", "text");
	assert_int_equal(chmod(in_dir("one"), 0666), 0);
	assert_false(holds("one", "text"));
	assert_int_equal(chmod(in_dir("one"), 0600), 0);
	assert_int_equal(symlink("one", in_dir("link")), 0);
	assert_false(holds("link", "text"));
	write_file("link", "new");               /* in place of the link, not where it points to */
	assert_true(holds("link", "new"));
	assert_true(holds("one", "text"));
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	assert_false(holds("fifo", ""));
	unlink(in_dir("fifo"));
}

/* Another program may do so; a mapping would raise SIGBUS. */
static void a_file_may_be_cut_while_it_is_in_use(void **state)
{
	struct fmap m = { 0 };

	(void)state;
	write_file("one", "text");
	assert_true(cache_file_read(&m, dir, "one"));
	assert_int_equal(truncate(in_dir("one"), 0), 0);
	assert_int_equal(m.size, 4);
	assert_memory_equal(m.data, "text", 4);
	fmap_close(&m);
	cache_file_remove(dir, "one");
}

static void a_file_has_at_most_the_bytes_that_it_may(void **state)
{
	const struct cache_part part = { "text", 4 };

	(void)state;
	cache_file_write(dir, "large", &part, 1, 3);
	assert_false(holds("large", "text"));
	cache_file_write(dir, "large", &part, 1, 4);
	assert_true(holds("large", "text"));
	cache_file_remove(dir, "large");
}

static void the_longest_unused_go(void **state)
{
	char name[16];

	(void)state;
	cache_file_tidy(dir, 0);
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "file-%d", i);
		write_file(name, "0123456789");
		age(name, 10000000 + (i < 5 ? i : -i));  /* the oldest is 4, the newest 9 */
	}
	assert_true(holds("file-3", "0123456789"));  /* which is used now */
	cache_file_tidy(dir, 100);
	assert_true(holds("file-4", "0123456789"));
	age("file-4", 20000000);
	cache_file_tidy(dir, 35);
	assert_true(holds("file-3", "0123456789"));
	assert_true(holds("file-9", "0123456789"));
	assert_true(holds("file-8", "0123456789"));
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "file-%d", i);
		assert_int_equal(holds(name, "0123456789"), i == 3);
	}
}

static void abandoned_files_go(void **state)
{
	(void)state;
	write_file(".new-abcdef", "half");
	write_file(".new-ghijkl", "half");
	age(".new-abcdef", 100000);
	cache_file_tidy(dir, 1000000);
	assert_int_equal(access(in_dir(".new-abcdef"), F_OK), -1);
	assert_int_equal(access(in_dir(".new-ghijkl"), F_OK), 0);  /* somebody may be writing it */
	unlink(in_dir(".new-ghijkl"));
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(base))
		return -1;
	snprintf(dir, sizeof(dir), "%s/a/b", base);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cache_file_tidy(dir, 0);
	rmdir(dir);
	*strrchr(dir, '/') = '\0';
	rmdir(dir);
	return rmdir(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(others_files_are_not_taken),
		cmocka_unit_test(a_file_may_be_cut_while_it_is_in_use),
		cmocka_unit_test(a_file_has_at_most_the_bytes_that_it_may),
		cmocka_unit_test(the_longest_unused_go),
		cmocka_unit_test(abandoned_files_go),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
