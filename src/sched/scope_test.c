/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sched/scope.h"

enum { A = 100, B, C, X };

static struct sched_scope scope_of(const struct scope_switch *switches, size_t n)
{
	struct sched_scope scope;

	assert_int_equal(sched_scope_find(switches, n, &scope), 0);
	return scope;
}

static void test_switches_that_fit_are_those_of_all(void **state)
{
	const struct scope_switch switches[] = {
		{ 0, A, B }, { 1, 0, C }, { 0, B, A }, { 1, C, 0 }, { 0, A, C }, { 1, 0, B },
	};
	struct sched_scope scope = scope_of(switches, 6);

	(void)state;
	assert_false(scope.some);
	assert_true(sched_scope_has(&scope, A));
	assert_true(sched_scope_has(&scope, 4711));
	assert_true(sched_scope_has(NULL, A));
	sched_scope_free(&scope);
}

/* Of the command A only; X and C were there before and after it. */
static void test_neighbours_of_a_chosen_task_are_not_chosen(void **state)
{
	const struct scope_switch switches[] = {
		{ 0, A, 0 }, { 0, X, A }, { 0, A, X }, { 0, C, A }, { 0, A, C }, { 0, C, A }, { 0, A, 0 },
	};
	struct sched_scope scope = scope_of(switches, 7);

	(void)state;
	assert_true(scope.some);
	assert_true(sched_scope_has(&scope, A));
	assert_false(sched_scope_has(&scope, X));
	assert_false(sched_scope_has(&scope, C));
	assert_false(sched_scope_has(&scope, 4711));
	sched_scope_free(&scope);
}

/* B never meets the idle task, but switches of X and C are missing, with which it switched. */
static void test_a_chosen_task_need_not_meet_the_idle_task(void **state)
{
	const struct scope_switch switches[] = {
		{ 0, X, B }, { 0, B, C }, { 0, X, B }, { 0, B, X }, { 0, C, A }, { 0, A, 0 }, { 0, 0, A },
	};
	struct sched_scope scope = scope_of(switches, 7);

	(void)state;
	assert_true(scope.some);
	assert_true(sched_scope_has(&scope, A));
	assert_true(sched_scope_has(&scope, B));
	assert_false(sched_scope_has(&scope, C));
	assert_false(sched_scope_has(&scope, X));
	sched_scope_free(&scope);
}

/* A leaves the choice as it exits, before its last switch. On a busy machine it never met the idle task. */
static void test_a_chosen_task_may_lack_its_last_switch(void **state)
{
	const struct scope_switch switches[] = {
		{ 0, X, A }, { 0, A, C }, { 0, X, A }, { 0, A, C }, { 0, X, A }, { 0, C, B }, { 0, B, 0 },
	};
	struct sched_scope scope = scope_of(switches, 7);

	(void)state;
	assert_true(scope.some);
	assert_true(sched_scope_has(&scope, A));
	assert_true(sched_scope_has(&scope, B));
	assert_false(sched_scope_has(&scope, C));
	assert_false(sched_scope_has(&scope, X));
	sched_scope_free(&scope);
}

static void test_few_missing_switches_are_no_choice(void **state)
{
	struct scope_switch switches[100];
	struct sched_scope scope;

	(void)state;
	for (int i = 0; i < 100; i++)
		switches[i] = i % 2 ? (struct scope_switch){ 0, A, B } : (struct scope_switch){ 0, B, A };
	switches[50].prev = X;
	scope = scope_of(switches, 100);
	assert_false(scope.some);
	assert_true(sched_scope_has(&scope, X));
	sched_scope_free(&scope);
}

static void test_a_loss_is_no_missing_switch(void **state)
{
	const struct scope_switch switches[] = { { 0, A, B }, { 0, -1, -1 }, { 0, C, A }, { 0, A, 0 } };
	struct sched_scope scope = scope_of(switches, 4);

	(void)state;
	assert_false(scope.some);
	sched_scope_free(&scope);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switches_that_fit_are_those_of_all),
		cmocka_unit_test(test_neighbours_of_a_chosen_task_are_not_chosen),
		cmocka_unit_test(test_a_chosen_task_need_not_meet_the_idle_task),
		cmocka_unit_test(test_a_chosen_task_may_lack_its_last_switch),
		cmocka_unit_test(test_few_missing_switches_are_no_choice),
		cmocka_unit_test(test_a_loss_is_no_missing_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
