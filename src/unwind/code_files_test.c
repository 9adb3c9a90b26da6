/* SPDX-License-Identifier: MIT */
#include "unwind/code_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { FILES = 40, OPEN_MOST = 16 };

static unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void write_file(const char *path, int number)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "file %02d", number);
	fclose(f);
}

static void test_few_are_open(void **state)
{
	char folder[] = "/tmp/code_files.XXXXXX", path[64], text[8], want[8];
	struct code_files *c = code_files_new();
	struct code_file files[FILES];
	unsigned before = open_descriptors();

	(void)state;
	assert_non_null(c);
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		write_file(path, i);
		assert_int_equal(code_files_add(c, &files[i], path, open(path, O_RDONLY | O_CLOEXEC)), 0);
	}
	for (int i = 0; i < 3 * FILES; i++) {
		snprintf(want, sizeof(want), "file %02d", i % FILES);
		assert_true(code_files_read(c, &files[i % FILES], 0, text, 7));
		assert_memory_equal(text, want, 7);
		assert_false(code_files_read(c, &files[i % FILES], 3, text, 7));
	}
	assert_in_range(open_descriptors(), before, before + OPEN_MOST);
	/* another file of the same name has other bytes */
	assert_int_equal(rename(path, files[0].path), 0);
	for (int i = 1; i < FILES - 1; i++)
		assert_true(code_files_read(c, &files[i], 0, text, 7));
	assert_false(code_files_read(c, &files[0], 0, text, 7));
	for (int i = 0; i < FILES; i++) {
		unlink(files[i].path);
		code_file_free(&files[i]);
	}
	rmdir(folder);
	code_files_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_few_are_open) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
