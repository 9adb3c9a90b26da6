/* SPDX-License-Identifier: MIT */
#include "model/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct ledger l;

static void lose(uint64_t count, const char *text)
{
	ledger_add(&l, SONDE_LOSS_CORRUPT, count, SONDE_NONE, SONDE_NONE, -1, "%s", text);
}

static void expect(size_t row, uint64_t count, const char *text)
{
	assert_int_equal(l.rows.at[row].count, count);
	assert_string_equal(l.rows.at[row].text, text);
}

static int clean(void **state)
{
	(void)state;
	ledger_free(&l);
	l = (struct ledger){ 0 };
	return 0;
}

static void one_is_one(void **state)
{
	static const char events[] = "{event|events} came later than {its|their} time";

	(void)state;
	lose(1, events);
	lose(3, "{record that is cut|records that are cut}");
	expect(0, 1, "event came later than its time");
	expect(1, 3, "records that are cut");
	lose(1, events);
	expect(0, 2, "events came later than their time");
	lose(1, "{record that is cut|records that are cut}");
	expect(1, 4, "records that are cut");
	assert_int_equal(l.rows.n, 2);
}

static void names_keep_their_braces(void **state)
{
	static const char *const texts[] = { "event {", "a}b|c of {x}", "{x", "x|y}", "{}", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		lose(1, texts[i]);
		expect(i, 1, texts[i]);
	}
}

/* Findings at open come again when the events are read. */
static void numbers_go_back(void **state)
{
	(void)state;
	lose(1, "{page|pages} lost");
	ledger_mark_lasting(&l);
	lose(1, "{page|pages} lost");
	lose(1, "{event|events} lost");
	expect(0, 2, "pages lost");
	ledger_restart(&l);
	assert_int_equal(l.rows.n, 1);
	expect(0, 1, "page lost");
	lose(7, "{event|events} lost");
	expect(1, 7, "events lost");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(one_is_one, clean),
		cmocka_unit_test_teardown(names_keep_their_braces, clean),
		cmocka_unit_test_teardown(numbers_go_back, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
