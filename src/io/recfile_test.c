/* SPDX-License-Identifier: MIT */
#include "io/recfile.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/sonde-recfile-test-XXXXXX";
static char path[64], old[80];

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/x", dir);
	snprintf(old, sizeof(old), "%s.old", path);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static int remove_files(void **state)
{
	(void)state;
	unlink(path);
	unlink(old);
	return 0;
}

/* A finished recording that says @text. */
static void record(const char *text)
{
	struct sonde_error err = { 0 };
	struct recfile f;

	assert_int_equal(recfile_create(&f, path, O_WRONLY, &err), 0);
	assert_int_equal(write(f.fd, text, strlen(text)), strlen(text));
	recfile_close(&f);
}

static const char *text_of(const char *name)
{
	static char text[64];
	FILE *f = fopen(name, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	return f ? text : NULL;
}

static void the_old_one_is_kept_once(void **state)
{
	(void)state;
	record("first");
	record("second");
	assert_string_equal(text_of(path), "second");
	assert_string_equal(text_of(old), "first");
	record("");
	record("third");             /* an empty one is not worth keeping */
	assert_string_equal(text_of(path), "third");
	assert_string_equal(text_of(old), "second");
}

static void discarded_as_if_it_had_not_been(void **state)
{
	struct sonde_error err = { 0 };
	struct recfile f;

	(void)state;
	record("before");
	assert_int_equal(recfile_create(&f, path, O_WRONLY, &err), 0);
	assert_string_equal(text_of(path), "");
	recfile_discard(&f);
	assert_string_equal(text_of(path), "before");
	assert_null(text_of(old));
	unlink(path);
	assert_int_equal(recfile_create(&f, path, O_WRONLY, &err), 0);
	recfile_discard(&f);
	assert_null(text_of(path));
}

/* A recording of several files. */
static void make_recording_directory(void)
{
	char data[80];
	FILE *f;

	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(data, sizeof(data), "%s/data", path);
	f = fopen(data, "w");
	assert_non_null(f);
	fclose(f);
}

static void a_directory_makes_way(void **state)
{
	struct sonde_error err = { 0 };
	struct recfile f;
	struct stat st;

	(void)state;
	record("first");
	record("second");
	unlink(path);
	make_recording_directory();
	assert_int_equal(recfile_create(&f, path, O_WRONLY, &err), 0);
	assert_true(stat(old, &st) == 0 && S_ISDIR(st.st_mode));
	recfile_discard(&f);
	assert_true(stat(path, &st) == 0 && S_ISDIR(st.st_mode));
	assert_null(text_of(old));
	record("third");
	record("fourth");
	assert_string_equal(text_of(old), "third");
}

static void another_directory_stays(void **state)
{
	struct sonde_error err = { 0 };
	struct recfile f;

	(void)state;
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(recfile_create(&f, path, O_WRONLY, &err), -SONDE_USAGE);
	assert_non_null(strstr(err.text, "is a directory"));
	assert_int_equal(rmdir(path), 0);
}

/* Somebody has put another file there: that is not ours to remove. */
static void discards_only_its_own(void **state)
{
	struct sonde_error err = { 0 };
	struct recfile f;

	(void)state;
	assert_int_equal(recfile_create(&f, path, O_WRONLY, &err), 0);
	unlink(path);
	record("another");
	recfile_discard(&f);
	assert_string_equal(text_of(path), "another");
}

static void one_recorder_for_a_name(void **state)
{
	struct sonde_error err = { 0 };
	struct recfile f, g;

	(void)state;
	record("before");
	assert_int_equal(recfile_create(&f, path, O_WRONLY, &err), 0);
	assert_int_equal(recfile_create(&g, path, O_WRONLY, &err), -SONDE_SYSTEM);
	assert_non_null(strstr(err.text, "another recorder is writing"));
	assert_string_equal(text_of(old), "before");
	recfile_close(&f);
	err = (struct sonde_error){ 0 };
	assert_int_equal(recfile_create(&g, path, O_WRONLY, &err), 0);
	recfile_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_old_one_is_kept_once, remove_files),
		cmocka_unit_test_teardown(discarded_as_if_it_had_not_been, remove_files),
		cmocka_unit_test_teardown(a_directory_makes_way, remove_files),
		cmocka_unit_test_teardown(another_directory_stays, remove_files),
		cmocka_unit_test_teardown(discards_only_its_own, remove_files),
		cmocka_unit_test_teardown(one_recorder_for_a_name, remove_files),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
