/* SPDX-License-Identifier: MIT */
#include "threads/maps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static struct binary file_a = { .name = "/a" }, file_b = { .name = "/b" };

static maps_root map(struct maps_pool *pool, maps_root root, uint64_t start, uint64_t end, struct binary *b)
{
	struct mapping m = { .start = start, .end = end, .pgoff = start, .binary = b };

	assert_int_equal(maps_insert(pool, root, &m, &root), 0);
	return root;
}

static void expect(maps_root root, uint64_t addr, const struct binary *b)
{
	const struct mapping *m = maps_find(root, addr);

	assert_ptr_equal(m ? m->binary : NULL, b);
	if (m) {
		assert_true(m->start <= addr && addr < m->end);
		assert_int_equal(m->pgoff, m->start);  /* every part keeps the file offset of its start */
	}
}

static void test_a_new_mapping_cuts_what_it_covers(void **state)
{
	struct maps_pool pool = { 0 };
	maps_root root;

	(void)state;
	root = map(&pool, NULL, 0x1000, 0x9000, &file_a);
	root = map(&pool, root, 0x3000, 0x5000, &file_b);
	expect(root, 0xfff, NULL);
	expect(root, 0x1000, &file_a);
	expect(root, 0x2fff, &file_a);
	expect(root, 0x3000, &file_b);
	expect(root, 0x4fff, &file_b);
	expect(root, 0x5000, &file_a);
	expect(root, 0x8fff, &file_a);
	expect(root, 0x9000, NULL);
	root = map(&pool, root, 0, 0x4000, &file_a);
	expect(root, 0x3fff, &file_a);
	expect(root, 0x4000, &file_b);
	maps_pool_free(&pool);
}

static void test_old_roots_stay_as_they_were(void **state)
{
	struct maps_pool pool = { 0 };
	maps_root before, after;

	(void)state;
	before = map(&pool, NULL, 0x1000, 0x2000, &file_a);
	after = map(&pool, before, 0x1000, 0x2000, &file_b);
	assert_int_equal(maps_remove(&pool, after, 0x1800, 0x1900, &after), 0);
	expect(before, 0x1800, &file_a);
	expect(after, 0x17ff, &file_b);
	expect(after, 0x1800, NULL);
	expect(after, 0x1900, &file_b);
	maps_pool_free(&pool);
}

static void test_the_end_of_the_address_space(void **state)
{
	struct maps_pool pool = { 0 };
	maps_root root;

	(void)state;
	root = map(&pool, NULL, UINT64_MAX - 0xfff, UINT64_MAX, &file_a);
	expect(root, UINT64_MAX - 1, &file_a);
	root = map(&pool, root, 5, 5, &file_b);
	expect(root, 5, NULL);
	maps_pool_free(&pool);
}

#define PAGES 256

/* The same changes on a plain table of pages; with edits, each of as many changes. */
static void change_at_random(int edits)
{
	struct maps_pool pool = { 0 };
	struct binary *table[PAGES] = { 0 }, *old_table[PAGES] = { 0 };
	maps_root root = NULL, old = NULL;
	uint64_t random = 1;

	for (int i = 0; i < 3000; i++) {
		uint64_t start, n;
		struct binary *b;

		if (edits && i % edits == 0) {
			maps_edit_end(&pool);
			for (uint64_t page = 0; page < PAGES; page++)
				expect(old, (page << 12) + 7, old_table[page]);
			memcpy(old_table, table, sizeof(table));
			old = root;
			maps_edit_begin(&pool);
		}
		random = hash_u64(random + (uint64_t)i);
		start = random % PAGES;
		n = random >> 16 & 15;
		b = random >> 32 & 1 ? &file_a : random >> 33 & 1 ? &file_b : NULL;
		if (start + n > PAGES)
			n = PAGES - start;
		if (b)
			root = map(&pool, root, start << 12, (start + n) << 12, b);
		else
			assert_int_equal(maps_remove(&pool, root, start << 12, (start + n) << 12, &root), 0);
		for (uint64_t page = start; page < start + n; page++)
			table[page] = b;
		for (uint64_t page = 0; page < PAGES; page++)
			expect(root, (page << 12) + 7, table[page]);
	}
	maps_pool_free(&pool);
}

static void test_random_changes_against_a_table(void **state)
{
	(void)state;
	change_at_random(0);
}

/* Mappings that an edit does not touch stay; the root before it stays whole. */
static void test_edits(void **state)
{
	(void)state;
	change_at_random(1);
	change_at_random(7);
	change_at_random(100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_new_mapping_cuts_what_it_covers),
		cmocka_unit_test(test_old_roots_stay_as_they_were),
		cmocka_unit_test(test_the_end_of_the_address_space),
		cmocka_unit_test(test_random_changes_against_a_table),
		cmocka_unit_test(test_edits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
