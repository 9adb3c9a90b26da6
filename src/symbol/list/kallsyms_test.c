/* SPDX-License-Identifier: MIT */
#include "symbol/list/kallsyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000100 t local_one\n"
			   "ffffffff81000200 W weak_one\n"
			   "ffffffff81000200 r not_a_function\n"
			   "broken line\n"
			   "ffffffff82000000 D some_data\n"
			   "ffffffffc0000000 t mod_init\t[crc32c]\n"
			   "ffffffffc0000040 T mod_work\t[crc32c]\n"
			   "ffffffffc0001000 t other\t[nls]\n"
			   "ffffffffc0002000 t bpf_prog_1\t[bpf]";

static struct symtab *table_of(const struct kallsyms *k, const char *module, size_t expected)
{
	struct symtab_builder b = { 0 };
	struct symtab *t;

	assert_int_equal(kallsyms_add(k, &b, (struct sonde_str){ module, strlen(module) }), expected);
	t = symtab_build(&b, SYMTAB_SAME_BEST);
	assert_non_null(t);
	return t;
}

static void assert_name(struct symtab *t, uint64_t addr, const char *name)
{
	uint32_t i = symtab_find(t, addr);

	assert_int_not_equal(i, SYMTAB_NONE);
	assert_string_equal(symtab_name(t, i), name);
}

static void test_kernel_and_modules(void **state)
{
	struct kallsyms k;
	struct symtab *t;
	uint64_t addr;

	(void)state;
	assert_int_equal(kallsyms_open(&k, text, sizeof(text) - 1), 0);
	assert_int_equal(k.parts.n, 4);
	assert_false(kallsyms_is_hidden(&k));
	t = table_of(&k, "", 5);
	assert_name(t, 0xffffffff810000ff, "_text");
	assert_name(t, 0xffffffff81000100, "local_one");
	assert_name(t, 0xffffffff81fffff8, "weak_one");
	assert_name(t, 0xffffffff82000fff, "some_data");
	assert_int_equal(symtab_find(t, 0xffffffff82001000), SYMTAB_NONE);
	symtab_free(t);
	t = table_of(&k, "crc32c", 2);
	assert_name(t, 0xffffffffc000003f, "mod_init");
	assert_name(t, 0xffffffffc0000fff, "mod_work");
	symtab_free(t);
	t = table_of(&k, "bpf", 1);
	assert_name(t, 0xffffffffc0002000, "bpf_prog_1");
	symtab_free(t);
	symtab_free(table_of(&k, "crc32", 0));
	assert_true(kallsyms_value(&k, "_text", &addr));
	assert_int_equal(addr, 0xffffffff81000000);
	assert_false(kallsyms_value(&k, "mod_work", &addr));
	kallsyms_close(&k);
}

static void test_hidden_addresses(void **state)
{
	static const char zeros[] = "0000000000000000 T _stext\n0000000000000000 T _text\n";
	struct kallsyms k;

	(void)state;
	assert_int_equal(kallsyms_open(&k, zeros, sizeof(zeros) - 1), 0);
	assert_true(kallsyms_is_hidden(&k));
	kallsyms_close(&k);
}

/* Exact-size copies, so that reading one byte too far is seen. */
static void test_every_prefix(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		char *copy = malloc(n ? n : 1);
		struct kallsyms k;
		struct symtab_builder b = { 0 };

		memcpy(copy, text, n);
		assert_int_equal(kallsyms_open(&k, copy, n), 0);
		assert_true(kallsyms_add(&k, &b, (struct sonde_str){ "", 0 }) <= 6);
		kallsyms_is_hidden(&k);
		symtab_builder_free(&b);
		kallsyms_close(&k);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_and_modules),
		cmocka_unit_test(test_hidden_addresses),
		cmocka_unit_test(test_every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
