/* SPDX-License-Identifier: MIT */
#include "export/fleet/ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* The test vectors of docs/fleet.md, made with another implementation of XXH64. Data sets have these ids. */
static void test_published_vectors(void **state)
{
	const struct fleet_frame frames[] = {
		{ INT64_C(-1111935620503745116), "main", "", "workload", "4f1c0e5f9d0f5b7a", 0, 0x1139, false },
		{ INT64_C(-3869328237825534292), "compute", "main.c", "workload", "4f1c0e5f9d0f5b7a", 12, 0x1150,
		  true },
		{ INT64_C(-5653541549730139720), "", "", "[unknown]", "", 0, 0x7f0000001000, false },
	};
	struct buf text = BUF_MEMORY;

	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
		assert_true(fleet_frame_id(&frames[i], &text) == frames[i].id);
	assert_true(fleet_stack_id((const int64_t[]){ frames[1].id, frames[0].id }, 2, &text) ==
		    INT64_C(-5666208570277065652));
	assert_true(fleet_stack_id(&frames[2].id, 1, &text) == INT64_C(2537765990734795497));
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_published_vectors) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
