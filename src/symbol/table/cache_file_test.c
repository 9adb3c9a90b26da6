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

#include "base/bytes.h"

#define ONE "0123456789abcdef"
#define LINK "fedcba9876543210-functions"
#define LARGE "file-0123456789abcdef.lines"
#define FIFO "module-0123456789abcdef0123"

static char base[] = "/tmp/sonde-cache-XXXXXX";
static char dir[96];

static char *in_dir(const char *name)
{
	static char path[160];

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

/* As another program makes one. */
static void put_file(const char *name)
{
	int fd = open(in_dir(name), O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "half", 4), 4);
	close(fd);
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
	assert_false(holds(ONE, "text"));
	write_file(ONE, "text");               /* makes the directories */
	assert_true(holds(ONE, "text"));
	assert_int_equal(stat(in_dir(ONE), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	write_file(ONE, "another text");
	assert_true(holds(ONE, "another text"));
	cache_file_remove(dir, ONE);
	assert_false(holds(ONE, "another text"));
}

static void others_files_are_not_taken(void **state)
{
	(void)state;
	write_file(ONE, "text");
	assert_int_equal(chmod(in_dir(ONE), 0666), 0);
	assert_false(holds(ONE, "text"));
	assert_int_equal(chmod(in_dir(ONE), 0600), 0);
	assert_int_equal(symlink(ONE, in_dir(LINK)), 0);
	assert_false(holds(LINK, "text"));
	write_file(LINK, "new");               /* in place of the link, not where it points to */
	assert_true(holds(LINK, "new"));
	assert_true(holds(ONE, "text"));
	assert_int_equal(mkfifo(in_dir(FIFO), 0600), 0);
	assert_false(holds(FIFO, ""));
	unlink(in_dir(FIFO));
}

/* Another program may do so; a mapping would raise SIGBUS. */
static void a_file_may_be_cut_while_it_is_in_use(void **state)
{
	struct fmap m = { 0 };

	(void)state;
	write_file(ONE, "text");
	assert_true(cache_file_read(&m, dir, ONE));
	assert_int_equal(truncate(in_dir(ONE), 0), 0);
	assert_int_equal(m.size, 4);
	assert_memory_equal(m.data, "text", 4);
	fmap_close(&m);
	cache_file_remove(dir, ONE);
}

static void a_file_has_at_most_the_bytes_that_it_may(void **state)
{
	const struct cache_part part = { "text", 4 };

	(void)state;
	cache_file_write(dir, LARGE, &part, 1, 3);
	assert_false(holds(LARGE, "text"));
	cache_file_write(dir, LARGE, &part, 1, 4);
	assert_true(holds(LARGE, "text"));
	cache_file_remove(dir, LARGE);
}

static void the_longest_unused_go(void **state)
{
	char name[32];

	(void)state;
	cache_file_tidy(dir, 0);
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "file-%016d", i);
		write_file(name, "0123456789");
		age(name, 10000000 + (i < 5 ? i : -i));  /* the oldest is 4, the newest 9 */
	}
	assert_true(holds("file-0000000000000003", "0123456789"));  /* which is used now */
	cache_file_tidy(dir, 100);
	assert_true(holds("file-0000000000000004", "0123456789"));
	age("file-0000000000000004", 20000000);
	cache_file_tidy(dir, 35);
	assert_true(holds("file-0000000000000003", "0123456789"));
	assert_true(holds("file-0000000000000009", "0123456789"));
	assert_true(holds("file-0000000000000008", "0123456789"));
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "file-%016d", i);
		assert_int_equal(holds(name, "0123456789"), i == 3);
	}
}

static void abandoned_files_go(void **state)
{
	(void)state;
	put_file(".new-0123456789abcdef");
	put_file(".new-0123456789abcde0");
	age(".new-0123456789abcdef", 100000);
	cache_file_tidy(dir, 1000000);
	assert_int_equal(access(in_dir(".new-0123456789abcdef"), F_OK), -1);
	assert_int_equal(access(in_dir(".new-0123456789abcde0"), F_OK), 0);  /* somebody may be writing it */
	unlink(in_dir(".new-0123456789abcde0"));
}

/* The directory may be one that other programs use as well. */
static void other_files_stay(void **state)
{
	static const char *const names[] = { "notes.txt", ".new-draft", "face", "deadbeef", "file-1", "module-x",
					     "0123456789abcdef.txt", "0123456789abcde-functions",
					     ".new-0123456789abcdeg", "file-0123456789abcdef0", "0123456789ABCDEF" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		put_file(names[i]);
		age(names[i], 100000000);
	}
	write_file(ONE, "text");
	write_file("notes.txt", "text");
	cache_file_remove(dir, "notes.txt");
	cache_file_tidy(dir, 0);
	assert_int_equal(access(in_dir(ONE), F_OK), -1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_false(holds(names[i], "text"));
		assert_int_equal(unlink(in_dir(names[i])), 0);
	}
}

/* It may be a link of another user, to a directory of this one. */
static void a_link_to_a_directory_is_not_followed(void **state)
{
	char real[sizeof(dir)];

	(void)state;
	write_file(ONE, "text");
	snprintf(real, sizeof(real), "%s", dir);
	snprintf(dir, sizeof(dir), "%s/link", base);
	assert_int_equal(symlink(real, dir), 0);
	assert_false(holds(ONE, "text"));
	write_file(ONE, "new");
	cache_file_remove(dir, ONE);
	cache_file_tidy(dir, 0);
	unlink(dir);
	snprintf(dir, sizeof(dir), "%s", real);
	assert_true(holds(ONE, "text"));
	/* nor is a directory into which others may write */
	assert_int_equal(chmod(dir, 0777), 0);
	assert_false(holds(ONE, "text"));
	cache_file_tidy(dir, 0);
	assert_int_equal(chmod(dir, 0700), 0);
	assert_true(holds(ONE, "text"));
	cache_file_remove(dir, ONE);
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
		cmocka_unit_test(other_files_stay),
		cmocka_unit_test(a_link_to_a_directory_is_not_followed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
