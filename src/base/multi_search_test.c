/* SPDX-License-Identifier: MIT */
#include "base/multi_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <string.h>

#define ALL (SEARCH_ANYWHERE | SEARCH_WORD | SEARCH_STRING)

static void add(struct multi_search *n, const char *text, enum search_kind kind)
{
	assert_int_equal(multi_search_add(n, text, strlen(text), kind), 0);
}

/* Where what was found is; -1 if nothing was. */
static int find_in(const struct multi_search *n, const void *p, size_t len)
{
	size_t at;

	return multi_search_find(n, ALL, p, len, &at) ? (int)at : -1;
}

static int find(const struct multi_search *n, const char *text)
{
	return find_in(n, text, strlen(text));
}

static void kinds_of_strings(void **state)
{
	struct multi_search n = { 0 };
	size_t at;

	(void)state;
	assert_int_equal(find(&n, "anything at all"), -1);
	add(&n, "/home/ann/app", SEARCH_ANYWHERE);
	add(&n, "worker", SEARCH_WORD);
	add(&n, "bash", SEARCH_STRING);
	add(&n, "abc", SEARCH_ANYWHERE);
	assert_int_equal(find(&n, "abc"), -1);  /* too short to be looked for */
	assert_int_equal(find(&n, "x/home/ann/apple"), 1);
	assert_int_equal(find(&n, "/home/ann/ap"), -1);
	assert_int_equal(find(&n, "worker"), 0);
	assert_int_equal(find(&n, "the worker-2"), 4);
	assert_int_equal(find(&n, "coworker worker2 my_worker"), -1);
	assert_int_equal(find(&n, "bash-5"), -1);
	assert_int_equal(find_in(&n, "/bash\0x", 7), 1);
	assert_int_equal(find_in(&n, "rbash\0x", 7), -1);
	assert_null(multi_search_find(&n, SEARCH_ANYWHERE, "worker", 6, &at));
	multi_search_free(&n);
}

/* Many that begin and end alike: each is found, and none where there is none. */
static void many_alike(void **state)
{
	struct multi_search n = { 0 };
	char text[64], hay[96];
	size_t at;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		snprintf(text, sizeof(text), "/usr/lib/%04d/lib.so", i);
		add(&n, text, SEARCH_ANYWHERE);
	}
	for (int i = 0; i < 2000; i++) {
		const struct search_string *one;

		snprintf(hay, sizeof(hay), "%*s/usr/lib/%04d/lib.so.1", i % 7, "", i);
		one = multi_search_find(&n, ALL, hay, strlen(hay), &at);
		assert_non_null(one);
		assert_int_equal(at, i % 7);
		assert_memory_equal(one->p, hay + at, one->len);
	}
	assert_int_equal(find(&n, "/usr/lib/2000/lib.so /usr/lib/12/lib.so"), -1);
	multi_search_free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(kinds_of_strings), cmocka_unit_test(many_alike) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
