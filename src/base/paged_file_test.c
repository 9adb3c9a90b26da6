/* SPDX-License-Identifier: MIT */
#include "base/paged_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { PAGES = 40, SIZE = PAGES * PAGED_FILE_PAGE + 100 };

static char path[] = "/tmp/sonde-test.XXXXXX";
static uint8_t bytes[SIZE];
static int writer;

/* Opens the first size bytes, of which byte i is i % 251 + 1. */
static struct paged_file *open_bytes(size_t size)
{
	assert_int_equal(ftruncate(writer, 0), 0);
	assert_int_equal(pwrite(writer, bytes, size, 0), size);
	return paged_file_open(open(path, O_RDONLY | O_CLOEXEC));
}

static size_t nr_read(const struct paged_file *f)
{
	size_t n = 0;

	for (size_t i = 0; i * PAGED_FILE_PAGE < f->size; i++)
		n += f->read[i];
	return n;
}

static void pages_are_read_when_they_are_needed(void **state)
{
	struct paged_file *f = open_bytes(SIZE);
	const uint8_t *p;

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->size, SIZE);
	assert_int_equal(nr_read(f), 0);
	p = f->data + 3 * PAGED_FILE_PAGE + 10;
	assert_ptr_equal(paged_file_need(f, p, 0), p);
	assert_int_equal(nr_read(f), 0);
	assert_memory_equal(paged_file_need(f, p, 20), bytes + (p - f->data), 20);
	assert_int_equal(nr_read(f), 1);
	/* across pages, one of which is there */
	p = f->data + 3 * PAGED_FILE_PAGE - 1;
	assert_memory_equal(paged_file_need(f, p, PAGED_FILE_PAGE + 2), bytes + (p - f->data), PAGED_FILE_PAGE + 2);
	assert_int_equal(nr_read(f), 3);
	/* the last page is not whole */
	assert_memory_equal(paged_file_need(f, f->data + SIZE - 1, 1), bytes + SIZE - 1, 1);
	assert_int_equal(nr_read(f), 4);
	assert_memory_equal(paged_file_need(f, f->data, SIZE), bytes, SIZE);
	assert_int_equal(nr_read(f), PAGES + 1);
	paged_file_close(f);
}

static void a_string_is_read_to_its_end(void **state)
{
	enum { AT = 2 * PAGED_FILE_PAGE - 5, LENGTH = 3 * PAGED_FILE_PAGE };
	struct paged_file *f;
	const char *s;

	(void)state;
	bytes[AT + LENGTH] = 0;
	f = open_bytes(SIZE);
	assert_non_null(f);
	s = (const char *)f->data + AT;
	assert_ptr_equal(paged_file_string(f, s), s);
	assert_int_equal(strlen(s), LENGTH);
	assert_memory_equal(s, bytes + AT, LENGTH);
	assert_int_equal(nr_read(f), 4);
	/* without a NUL before the end of the file */
	s = (const char *)f->data + SIZE - 100;
	assert_memory_equal(paged_file_string(f, s), bytes + SIZE - 100, 100);
	bytes[AT + LENGTH] = (AT + LENGTH) % 251 + 1;
	paged_file_close(f);
}

static void what_a_cut_file_lost_is_zeros(void **state)
{
	static const uint8_t zeros[PAGED_FILE_PAGE];
	struct paged_file *f = open_bytes(SIZE);

	(void)state;
	assert_non_null(f);
	assert_int_equal(ftruncate(writer, PAGED_FILE_PAGE + 8), 0);
	paged_file_need(f, f->data, SIZE);
	assert_memory_equal(f->data, bytes, PAGED_FILE_PAGE + 8);
	assert_memory_equal(f->data + PAGED_FILE_PAGE + 8, zeros, PAGED_FILE_PAGE);
	assert_int_equal(f->data[SIZE - 1], 0);
	paged_file_close(f);
}

static void small_files_and_those_beyond_the_limit_are_read_at_once(void **state)
{
	struct paged_file *many[70], *f = open_bytes(100);
	size_t at_once = 0;

	(void)state;
	assert_non_null(f);
	assert_int_equal(nr_read(f), 1);
	assert_int_equal(ftruncate(writer, 0), 0);
	assert_memory_equal(f->data, bytes, 100);
	paged_file_close(f);
	assert_null(open_bytes(0));
	assert_null(paged_file_open(open("/dev/null", O_RDONLY | O_CLOEXEC)));
	for (size_t i = 0; i < 70; i++) {
		many[i] = open_bytes(SIZE);
		assert_non_null(many[i]);
		at_once += nr_read(many[i]) > 0;
	}
	assert_int_equal(at_once, 6);
	assert_memory_equal(many[69]->data, bytes, SIZE);
	for (size_t i = 0; i < 70; i++)
		paged_file_close(many[i]);
	f = open_bytes(SIZE);
	assert_int_equal(nr_read(f), 0);
	paged_file_close(f);
}

static void *read_everything(void *arg)
{
	const struct paged_file *f = arg;

	for (size_t i = 0; i < SIZE; i += 97)
		if (*(const uint8_t *)paged_file_need(f, f->data + i, 1) != bytes[i])
			return NULL;
	return arg;
}

static void threads_may_ask_at_once(void **state)
{
	struct paged_file *f = open_bytes(SIZE);
	pthread_t threads[4];
	void *good;

	(void)state;
	assert_non_null(f);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_everything, f), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &good), 0);
		assert_non_null(good);
	}
	paged_file_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_read_when_they_are_needed),
		cmocka_unit_test(a_string_is_read_to_its_end),
		cmocka_unit_test(what_a_cut_file_lost_is_zeros),
		cmocka_unit_test(small_files_and_those_beyond_the_limit_are_read_at_once),
		cmocka_unit_test(threads_may_ask_at_once),
	};
	int failed;

	writer = mkstemp(path);
	if (writer < 0)
		return 1;
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i % 251 + 1);
	failed = cmocka_run_group_tests_name("paged files", tests, NULL, NULL);
	close(writer);
	unlink(path);
	return failed;
}
