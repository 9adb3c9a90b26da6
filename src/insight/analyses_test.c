/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "insight/analyses.h"

enum { TABLES_MOST = 16 };

static bool has_text(const char *s)
{
	return s && *s;
}

static bool has_option(const struct analysis_ops *ops, const char *name, size_t n)
{
	for (const struct sonde_analysis_option *o = ops->options; o->name; o++)
		if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
			return true;
	return false;
}

/* Command, help, SQL and documentation are made of these members. */
static void rows_are_complete(void **state)
{
	const struct analysis_ops *ops;

	(void)state;
	for (size_t a = 0; (ops = analysis_at(a)); a++) {
		assert_true(has_text(ops->pub.name) && has_text(ops->pub.help) && has_text(ops->pub.details));
		assert_non_null(strchr(ops->pub.name, ' '));
		assert_true(ops->pub.needs[0] && ops->pub.uses[0] && ops->examples[0].what);
		for (size_t b = 0; b < a; b++)
			assert_string_not_equal(ops->pub.name, analysis_at(b)->pub.name);
		for (const char *const *all = ops->pub.all; *all; all++)
			assert_true(has_option(ops, *all, strcspn(*all, "=")));
		for (const struct sonde_analysis_option *o = ops->options; o->name; o++)
			for (const char *const *other = o->excludes; other && *other; other++)
				assert_true(has_option(ops, *other, strlen(*other)));
	}
}

/* Names are those of columns in SQL, and of keys in JSON: once each, without a blank. */
static void tables_are_complete(void **state)
{
	const struct analysis_ops *ops;

	(void)state;
	for (size_t a = 0; (ops = analysis_at(a)); a++) {
		assert_non_null(ops->tables[0].name);
		for (const struct table_schema *t = ops->tables; t->name; t++) {
			assert_true(has_text(t->title) && has_text(t->help));
			for (const struct sonde_table_column *c = t->columns; c->name; c++) {
				assert_true(has_text(c->name) && c->title && has_text(c->help));
				assert_int_equal(strspn(c->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
						 strlen(c->name));
				for (const struct sonde_table_column *d = t->columns; d < c; d++)
					assert_string_not_equal(c->name, d->name);
			}
		}
	}
}

/* A trace that has nothing for an analysis: its tables are empty, and it says so. */
static void nothing(void **state)
{
	const struct sonde_query all = { .sz = sizeof(all) };
	struct sonde_table tables[TABLES_MOST];
	const struct analysis_ops *ops;
	void *s;

	(void)state;
	for (size_t a = 0; (ops = analysis_at(a)); a++) {
		for (size_t i = 0; ops->tables[i].name; i++)
			table_init(&tables[i], &ops->tables[i]);
		s = ops->new(tables);
		ops->begin(s, &all, NULL);
		assert_int_equal(ops->end(s), 0);
		assert_non_null(ops->note(s));
		for (size_t i = 0; ops->tables[i].name; i++)
			assert_true(tables[i].info.rows == 0);
		ops->free(s);
		for (size_t i = 0; ops->tables[i].name; i++)
			table_release(&tables[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(tables_are_complete),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
