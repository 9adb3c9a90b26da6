/* SPDX-License-Identifier: MIT */
#include "analyze/rows/memory_classes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *name(enum memory_part part, uint64_t data_src)
{
	return memory_class_name(part, memory_class(part, data_src));
}

/* As perf 7.2 prints them. */
static void test_each_part_has_its_classes(void **state)
{
	static const struct { uint64_t value; const char *name; } ops[] = {
		{ 0, "Other" }, { 1, "Other" }, { 2, "Load" }, { 4, "Store" }, { 6, "Ld+St" }, { 8, "Pfetch" },
		{ 0xe, "Pfetch" }, { 0x10, "Exec" }, { 0x12, "Exec" }, { 0x1f, "Pfetch" },
	}, levels[] = {
		{ 0, "Other" }, { 1, "L1" }, { 3, "L3" }, { 5, "L2-buf" }, { 7, "Other" }, { 9, "Other" },
		{ 12, "L1-buf" }, { 13, "Other" }, { 15, "Other" },
	}, kinds[] = {
		{ 0, "Other" }, { 1, "Other" }, { 6, "MSC" }, { 8, "Uncach" }, { 9, "CXL" }, { 10, "IO" },
		{ 13, "RAM" }, { 14, "PMEM" },
	}, tlbs[] = {
		{ 0, "Other" }, { 2, "Other" }, { 4, "Miss" }, { 0xa, "L1-Hit" }, { 0x12, "L2-Hit" },
		{ 0x1a, "L?-Hit" }, { 0xc, "Miss" }, { 0x18, "Other" }, { 0x32, "Other" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		assert_string_equal(name(MEMORY_OP, ops[i].value), ops[i].name);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		assert_string_equal(name(MEMORY_CACHE, levels[i].value << 33), levels[i].name);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		assert_string_equal(name(MEMORY_KIND, kinds[i].value << 33 | 1 << 5), kinds[i].name);
	for (size_t i = 0; i < sizeof(tlbs) / sizeof(tlbs[0]); i++)
		assert_string_equal(name(MEMORY_DTLB, tlbs[i].value << 26), tlbs[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_part_has_its_classes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
