/* SPDX-License-Identifier: MIT */
#include "symbol/table/symtab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct given {
	uint64_t start;
	uint32_t size;
	const char *name;
	enum symtab_binding binding;
};

static struct symtab *table(const struct given *g, size_t n, enum symtab_same same)
{
	struct symtab_builder b = { 0 };
	struct symtab *t;

	for (size_t i = 0; i < n; i++) {
		struct symtab_raw raw = { .start = g[i].start, .size = g[i].size, .binding = g[i].binding };

		raw.name = symtab_builder_name(&b, g[i].name, strlen(g[i].name));
		symtab_builder_add(&b, &raw);
	}
	t = symtab_build(&b, same);
	assert_non_null(t);
	return t;
}

static const char *name_at(struct symtab *t, uint64_t addr)
{
	uint32_t i = symtab_find(t, addr);

	return i == SYMTAB_NONE ? "-" : symtab_name(t, i);
}

static void test_gaps_nesting_and_labels(void **state)
{
	static const struct given g[] = {
		{ 0x3000, 0x10, "late", SYMTAB_GLOBAL },
		{ 0x1000, 0x100, "outer", SYMTAB_GLOBAL },
		{ 0x1020, 0x40, "middle", SYMTAB_LOCAL },
		{ 0x1030, 0x10, "inner", SYMTAB_LOCAL },
		{ 0x2000, 0, "label", SYMTAB_LOCAL },
		{ UINT64_MAX - 15, 0, "last", SYMTAB_LOCAL },
	};
	struct symtab *t = table(g, 6, SYMTAB_SAME_BEST);

	(void)state;
	assert_string_equal(name_at(t, 0xfff), "-");
	assert_string_equal(name_at(t, 0x1000), "outer");
	assert_string_equal(name_at(t, 0x102f), "middle");
	assert_string_equal(name_at(t, 0x1030), "inner");
	assert_string_equal(name_at(t, 0x1040), "middle");
	assert_string_equal(name_at(t, 0x1060), "outer");
	assert_string_equal(name_at(t, 0x10ff), "outer");
	assert_string_equal(name_at(t, 0x1100), "-");
	assert_string_equal(name_at(t, 0x2fff), "label");
	assert_string_equal(name_at(t, 0x300f), "late");
	assert_string_equal(name_at(t, 0x3010), "-");
	assert_string_equal(name_at(t, UINT64_MAX - 1), "last");
	assert_int_equal(symtab_end(t, symtab_find(t, 0x1030)), 0x1040);
	t->bias = UINT64_C(0) - 0x1000;
	assert_string_equal(name_at(t, 0x30), "inner");
	assert_int_equal(symtab_start(t, symtab_find(t, 0x30)), 0x30);
	symtab_free(t);
}

static void test_choice_among_aliases(void **state)
{
	static const struct given g[] = {
		{ 0x10, 4, "a_long_local", SYMTAB_LOCAL }, { 0x10, 4, "weak", SYMTAB_WEAK },
		{ 0x10, 4, "_global", SYMTAB_GLOBAL },     { 0x20, 4, "__x", SYMTAB_GLOBAL },
		{ 0x20, 4, "_xy", SYMTAB_GLOBAL },         { 0x20, 4, "_x", SYMTAB_GLOBAL },
		{ 0x30, 0, "first", SYMTAB_GLOBAL },       { 0x30, 0, "second", SYMTAB_LOCAL },
		{ 0x40, 4, "same1", SYMTAB_GLOBAL },       { 0x40, 4, "same2", SYMTAB_GLOBAL },
		{ 0x50, 4, "wider", SYMTAB_WEAK },         { 0x50, 4, "global", SYMTAB_GLOBAL },
		{ 0x60, 4, "__memcpy", SYMTAB_LOCAL },     { 0x60, 4, "__memmove", SYMTAB_LOCAL },
		{ 0x70, 4, "__GI_open", SYMTAB_LOCAL },    { 0x70, 4, "__open", SYMTAB_LOCAL },
		{ 0x80, 4, ".L1", SYMTAB_GLOBAL },         { 0x80, 4, "_local", SYMTAB_LOCAL },
	};
	struct symtab *t = table(g, 18, SYMTAB_SAME_BEST);

	(void)state;
	assert_int_equal(t->n, 8);
	assert_string_equal(name_at(t, 0x10), "weak");
	assert_string_equal(name_at(t, 0x20), "_x");
	assert_string_equal(name_at(t, 0x30), "second");
	assert_string_equal(name_at(t, 0x40), "same1");
	assert_string_equal(name_at(t, 0x50), "global");
	assert_string_equal(name_at(t, 0x60), "__memmove");
	assert_string_equal(name_at(t, 0x70), "__open");
	assert_string_equal(name_at(t, 0x80), "_local");
	symtab_free(t);
	t = table(g, 3, SYMTAB_SAME_LAST);
	assert_string_equal(name_at(t, 0x10), "_global");
	symtab_free(t);
}

static void test_names_are_demangled_once(void **state)
{
	static const struct given g[] = {
		{ 0x10, 4, "_ZN3foo3barEi", SYMTAB_GLOBAL },
		{ 0x20, 4, "_ZN4core3fmt5write17h0123456789abcdefE", SYMTAB_GLOBAL },
		{ 0x30, 4, "_RNvNtCs1234_7mycrate3foo3bar", SYMTAB_GLOBAL },
		{ 0x40, 4, "_D3std5stdio7writelnFZv", SYMTAB_GLOBAL },
		{ 0x50, 4, "_not_mangled", SYMTAB_GLOBAL },
		{ 0x60, 4, "_Z", SYMTAB_GLOBAL },
	};
	struct symtab *t = table(g, 6, SYMTAB_SAME_BEST);
	const char *name;

	(void)state;
	assert_string_equal(name = name_at(t, 0x10), "foo::bar");
	assert_ptr_equal(name, name_at(t, 0x13));
	assert_string_equal(name_at(t, 0x20), "core::fmt::write");
	assert_string_equal(name_at(t, 0x30), "mycrate::foo::bar");
	assert_string_equal(name_at(t, 0x40), "std.stdio.writeln()");
	assert_string_equal(name_at(t, 0x50), "_not_mangled");
	assert_string_equal(name_at(t, 0x60), "_Z");
	assert_string_equal(symtab_linkage_name(t, symtab_find(t, 0x10)), "_ZN3foo3barEi");
	symtab_free(t);
	t = table(g, 1, SYMTAB_SAME_BEST);
	t->demangle = false;
	assert_string_equal(name_at(t, 0x10), "_ZN3foo3barEi");
	symtab_free(t);
}

/*
 * f<a, A<a, a>, A<A<a, a>, A<a, a>>, ...>: every argument is twice as long as the one before, 2^30 times "a" in the
 * end.
 */
static void test_a_name_that_explodes_stays_mangled(void **state)
{
	char bomb[1024] = "_Z1fI1a1AIS0_S0_E";
	const struct given g = { 0x10, 4, bomb, SYMTAB_GLOBAL };
	struct symtab *t;

	(void)state;
	for (int i = 2; i < 32; i++) {
		char ref = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i], arg[16];

		snprintf(arg, sizeof(arg), "S1_IS%c_S%c_E", ref, ref);
		strcat(bomb, arg);
	}
	strcat(bomb, "Evv");
	t = table(&g, 1, SYMTAB_SAME_BEST);
	assert_string_equal(name_at(t, 0x10), bomb);
	symtab_free(t);
}

static void test_nesting_by_the_thousand_stays_fast(void **state)
{
	struct symtab_builder b = { 0 };
	struct symtab *t;

	(void)state;
	for (uint32_t i = 0; i < 200000; i++) {
		struct symtab_raw raw = { .start = i, .size = 1000000 - 2 * i };

		symtab_builder_add(&b, &raw);
	}
	t = symtab_build(&b, SYMTAB_SAME_BEST);
	assert_int_equal(symtab_find(t, 150000), 150000);
	for (int i = 0; i < 200000; i++)
		/* of the first one, 200000 levels out: not looked for */
		assert_int_equal(symtab_find(t, 999999), SYMTAB_NONE);
	symtab_free(t);
}

static void test_an_empty_table(void **state)
{
	struct symtab *t = table(NULL, 0, SYMTAB_SAME_BEST);

	(void)state;
	assert_int_equal(symtab_find(t, 0), SYMTAB_NONE);
	symtab_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gaps_nesting_and_labels),
		cmocka_unit_test(test_choice_among_aliases),
		cmocka_unit_test(test_names_are_demangled_once),
		cmocka_unit_test(test_a_name_that_explodes_stays_mangled),
		cmocka_unit_test(test_nesting_by_the_thousand_stays_fast),
		cmocka_unit_test(test_an_empty_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
