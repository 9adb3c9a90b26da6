/* SPDX-License-Identifier: MIT */
#include "base/hash_index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <string.h>

#include "base/strpool.h"
#include "base/u64map.h"

#define KEYS 50000

/* The inverse of hash_u64(): the key that hashes to @h without a seed. */
static uint64_t unhash(uint64_t h)
{
	h ^= h >> 33;
	h *= UINT64_C(0x9cb4b2f8129337db);
	h ^= h >> 33;
	h *= UINT64_C(0x4f74430c22a54005);
	return h ^ h >> 33;
}

/* The most slots that a look-up can have to pass. */
static size_t longest_run(const struct hash_index *x)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < x->cap; i++) {
		run = x->slots[i].number_1 ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void keys_chosen_to_collide_do_not(void **state)
{
	struct u64map m = { 0 };

	(void)state;
	assert_int_equal(hash_u64(unhash(12345)), 12345);
	for (uint64_t i = 0; i < KEYS; i++)
		assert_int_equal(u64map_set(&m, unhash(i << 32), (uint32_t)i), 0);
	for (uint64_t i = 0; i < KEYS; i++)
		assert_int_equal(u64map_get(&m, unhash(i << 32)), i);
	assert_int_equal(u64map_get(&m, 1), U64MAP_NONE);
	assert_in_range(longest_run(&m.index), 1, 200);
	u64map_free(&m);
}

/* Two words whose differences cancel in a hash with constants that everybody knows: the top
 * bit, and what it becomes. */
static void put_bit(char *text, bool bit)
{
	static const uint64_t words[2][2] = {
		{ 0x4141414141414141, 0x4141414141414141 },
		{ 0xc141414141414141, 0xc141414151414141 },
	};

	memcpy(text, words[bit], sizeof(words[bit]));
}

static void strings_chosen_to_collide_do_not(void **state)
{
	struct strpool p = { 0 };
	uint64_t unseeded = 0;

	(void)state;
	for (uint32_t i = 0; i < KEYS; i++) {
		char text[16 * 16];

		for (unsigned bit = 0; bit < 16; bit++)
			put_bit(text + 16 * bit, i >> bit & 1);
		if (i == 0)
			unseeded = hash_bytes(text, sizeof(text));
		assert_int_equal(hash_bytes(text, sizeof(text)), unseeded);
		assert_int_equal(strpool_add(&p, text, sizeof(text)), i + 1);
	}
	assert_in_range(longest_run(&p.index), 1, 200);
	strpool_free(&p);
}

static void a_value_is_replaced(void **state)
{
	struct u64map m = { 0 };

	(void)state;
	assert_int_equal(u64map_get(&m, 7), U64MAP_NONE);
	assert_int_equal(u64map_set(&m, 7, 1), 0);
	assert_int_equal(u64map_set(&m, 7, 2), 0);
	assert_int_equal(u64map_get(&m, 7), 2);
	assert_int_equal(m.entries.n, 1);
	u64map_free(&m);
	assert_int_equal(u64map_get(&m, 7), U64MAP_NONE);
}

static void each_index_has_a_seed_of_its_own(void **state)
{
	struct hash_index a = { 0 }, b = { 0 };

	(void)state;
	assert_int_not_equal(hash_index_seed(&a), 0);
	assert_int_not_equal(hash_index_seed(&a), hash_index_seed(&b));
	assert_int_equal(hash_index_seed(&a), hash_index_seed(&a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_chosen_to_collide_do_not),
		cmocka_unit_test(strings_chosen_to_collide_do_not),
		cmocka_unit_test(a_value_is_replaced),
		cmocka_unit_test(each_index_has_a_seed_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
