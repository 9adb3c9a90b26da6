/* SPDX-License-Identifier: MIT */
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static void mark_of_a_deleted_file(void **state)
{
	(void)state;
	assert_int_equal(path_undeleted_length("/bin/a (deleted)"), 6);
	assert_int_equal(path_undeleted_length("/bin/a (deleted) (deleted)"), 16);
	assert_int_equal(path_undeleted_length("/bin/a (deleted)."), 17);
	assert_int_equal(path_undeleted_length("/bin/a(deleted)"), 15);
	/* nothing but the mark is a name */
	assert_int_equal(path_undeleted_length(" (deleted)"), 10);
	assert_int_equal(path_undeleted_length(""), 0);
}

static void nothing_is_opened_through_a_link(void **state)
{
	char base[] = "/tmp/sonde-test-XXXXXX", command[256];
	static const struct { const char *path; int flags, error; } rows[] = {
		{ "a/b/file", O_RDONLY, 0 }, { "a//b", O_RDONLY | O_DIRECTORY, 0 }, { "a", O_RDONLY | O_DIRECTORY, 0 },
		{ "link/b/file", O_RDONLY, ELOOP }, { "a/link", O_RDONLY, ELOOP }, { "a/up/a", O_RDONLY, ELOOP },
		{ "link", O_RDONLY | O_DIRECTORY, ELOOP }, { "nothing/file", O_RDONLY, ENOENT },
		{ "a/b/file/file", O_RDONLY, ENOTDIR }, { "a/b/file", O_RDONLY | O_DIRECTORY, ENOTDIR },
	};
	int at, fd;

	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(command, sizeof(command), "cd %s && mkdir -p a/b && touch a/b/file && ln -s a link && "
		 "ln -s b/file a/link && ln -s .. a/up", base);
	assert_int_equal(system(command), 0);
	at = open(base, O_RDONLY | O_DIRECTORY);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		errno = 0;
		fd = path_open_below(at, rows[i].path, rows[i].flags);
		assert_int_equal(fd < 0 ? errno : 0, rows[i].error);
		if (fd >= 0)
			close(fd);
	}
	close(at);
	snprintf(command, sizeof(command), "rm -r %s", base);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mark_of_a_deleted_file),
		cmocka_unit_test(nothing_is_opened_through_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
