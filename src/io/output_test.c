/* SPDX-License-Identifier: MIT */
#include "io/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define MIB ((off_t)1 << 20)

static char dir[] = "/tmp/sonde-model-output-XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[2][64];
	static int turn;

	turn = !turn;
	snprintf(paths[turn], sizeof(paths[turn]), "%s/%s", dir, name);
	return paths[turn];
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path_of("from"));
	unlink(path_of("to"));
	return rmdir(dir);
}

/* A word, 8 MiB of nothing, a word, 3 MiB of nothing. */
static void make_sparse(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "begin", 5, 0), 5);
	assert_int_equal(pwrite(fd, "end", 3, 8 * MIB), 3);
	assert_int_equal(ftruncate(fd, 11 * MIB), 0);
	close(fd);
}

static void test_holes_stay_holes(void **state)
{
	struct sonde_error err = { 0 };
	struct output out;
	struct image im;
	struct stat from, to;
	const uint8_t *p;

	(void)state;
	make_sparse(path_of("from"));
	assert_int_equal(stat(path_of("from"), &from), 0);
	assert_int_equal(image_open(&im, path_of("from"), &err), 0);
	assert_int_equal(output_open(&out, path_of("to"), &im, &err), 0);
	assert_int_equal(output_copy(&out, &im, 0, im.size, &err), 0);
	assert_int_equal(output_at(&out), 11 * MIB);
	buf_put(&out.buf, "tail", 4);
	assert_int_equal(output_finish(&out, &err), 0);
	output_close(&out);
	image_close(&im);
	assert_int_equal(stat(path_of("to"), &to), 0);
	assert_int_equal(to.st_size, 11 * MIB + 4);
	if (from.st_blocks < 2048)  /* the filesystem has holes */
		assert_true(to.st_blocks < 8192);
	assert_int_equal(image_open(&im, path_of("to"), &err), 0);
	p = image_view(&im, 0, 6);
	assert_memory_equal(p, "begin", 6);
	p = image_view(&im, (uint64_t)(8 * MIB - 1), 5);
	assert_memory_equal(p, "\0end", 5);
	p = image_view(&im, (uint64_t)(11 * MIB - 1), 5);
	assert_memory_equal(p, "\0tail", 5);
	image_close(&im);
}

static size_t nr_entries(void)
{
	DIR *list = opendir(path_of("."));
	struct dirent *entry;
	size_t n = 0;

	assert_non_null(list);
	while ((entry = readdir(list)))
		n += entry->d_name[0] != '.';
	closedir(list);
	return n;
}

static void write_in(struct output_dir *d, const char *name)
{
	struct sonde_error err = { 0 };
	struct output o;

	assert_int_equal(output_open_in(&o, d, name, &err), 0);
	buf_put(&o.buf, name, strlen(name));
	assert_int_equal(output_finish(&o, &err), 0);
	output_close(&o);
}

/* Who is killed runs nothing any more: what is there before the end is what stays. */
static void test_a_directory_is_there_only_when_it_is_whole(void **state)
{
	size_t before = nr_entries();
	struct sonde_error err = { 0 };
	struct output_dir d;
	struct stat st;

	(void)state;
	assert_int_equal(output_dir_open(&d, path_of("dir"), &err), 0);
	write_in(&d, "one");
	if (!d.growing)  /* the filesystem knows files without names */
		assert_int_equal(nr_entries(), before);
	assert_int_equal(output_dir_show(&d, &err), 0);
	assert_int_equal(nr_entries(), before + 1);
	write_in(&d, "two");
	output_dir_close(&d);
	assert_int_equal(nr_entries(), before);

	assert_int_equal(output_dir_open(&d, path_of("dir"), &err), 0);
	write_in(&d, "one");
	write_in(&d, "two");
	assert_int_equal(output_dir_finish(&d, &err), 0);
	output_dir_close(&d);
	assert_int_equal(stat(path_of("dir/two"), &st), 0);
	assert_int_equal(st.st_size, 3);
	assert_int_equal(nr_entries(), before + 1);
	unlink(path_of("dir/one"));
	unlink(path_of("dir/two"));
	rmdir(path_of("dir"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holes_stay_holes),
		cmocka_unit_test(test_a_directory_is_there_only_when_it_is_whole),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
