/* SPDX-License-Identifier: MIT */
#include "perfdata/read/read_ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { WORDS = 100000 };             /* more than a block */

static struct reader reader;
static struct blocks blocks;
static struct read_ahead ahead;
static FILE *file;

static int start(void **state)
{
	(void)state;
	blocks_init(&blocks, SONDE_NONE);
	file = tmpfile();
	assert_non_null(file);
	for (uint32_t i = 0; i < WORDS; i++)
		assert_int_equal(fwrite(&i, sizeof(i), 1, file), 1);
	return fflush(file);
}

static int end(void **state)
{
	(void)state;
	read_ahead_drop(&ahead, &reader, &blocks);
	worker_free(reader.worker);
	blocks_free(&blocks);
	return fclose(file);
}

static void begin(uint64_t at, uint64_t limit)
{
	read_ahead_begin(&ahead, &reader, &blocks, fileno(file), at, limit);
}

/* The bytes that follow each other, from block to block until the limit. */
static void test_bytes_are_those_of_the_file(void **state)
{
	const uint64_t limit = WORDS * sizeof(uint32_t) - 8;
	struct block_memory *memory;
	uint32_t word;
	uint64_t at = 8;

	(void)state;
	for (begin(at, limit); (memory = read_ahead_take(&ahead, &reader, &blocks, at)); begin(at, limit)) {
		for (size_t i = READ_AHEAD_ROOM; i < memory->used; i += sizeof(word), at += sizeof(word)) {
			memcpy(&word, memory->data + i, sizeof(word));
			assert_int_equal(word, at / sizeof(word));
		}
		block_memory_drop(&blocks, memory);
	}
	assert_int_equal(at, limit);
	assert_int_equal(blocks.held_bytes, 0);
}

static void test_bytes_of_another_place_are_dropped(void **state)
{
	(void)state;
	begin(4096, 8192);
	assert_null(read_ahead_take(&ahead, &reader, &blocks, 0));
	assert_int_equal(blocks.held_bytes, 0);
	assert_null(read_ahead_take(&ahead, &reader, &blocks, 4096));
}

/* As when the file becomes shorter while it is read. */
static void test_nothing_lies_behind_the_end(void **state)
{
	(void)state;
	begin(WORDS * sizeof(uint32_t), WORDS * sizeof(uint32_t) + 100);
	assert_null(read_ahead_take(&ahead, &reader, &blocks, WORDS * sizeof(uint32_t)));
	assert_int_equal(blocks.held_bytes, 0);
}

/* The limit of memory counts on what the walk holds. */
static void test_nothing_is_read_with_a_limit_of_memory(void **state)
{
	(void)state;
	reader.max_memory = 1 << 20;
	begin(0, 4096);
	reader.max_memory = 0;
	assert_null(ahead.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_are_those_of_the_file),
		cmocka_unit_test(test_bytes_of_another_place_are_dropped),
		cmocka_unit_test(test_nothing_lies_behind_the_end),
		cmocka_unit_test(test_nothing_is_read_with_a_limit_of_memory),
	};

	return cmocka_run_group_tests(tests, start, end);
}
