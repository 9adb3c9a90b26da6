/* SPDX-License-Identifier: MIT */
#include "tracefmt/redact/pseudonym.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *name_of(struct pseudonyms *p, enum name_class class, const char *name, size_t len)
{
	static char out[PSEUDONYM_BYTES];

	assert_int_equal(pseudonym_of(p, class, name, len, out), 0);
	return out;
}

static bool finds(const struct pseudonyms *p, unsigned kinds, const void *bytes, size_t n)
{
	size_t at;

	return multi_search_find(&p->removed, kinds, bytes, n, &at);
}

#define FINDS(p, kinds, text) finds(p, kinds, text, sizeof(text))  /* with its NUL */

static void equal_names_are_equal_afterwards(void **state)
{
	struct pseudonyms p = { 0 };

	(void)state;
	assert_string_equal(name_of(&p, NAME_COMM, "secret", 6), "comm-1");
	assert_string_equal(name_of(&p, NAME_COMM, "other", 5), "comm-2");
	assert_string_equal(name_of(&p, NAME_COMM, "secret\0rest", 11), "comm-1");
	assert_string_equal(name_of(&p, NAME_COMM, "secretary", 6), "comm-1");
	assert_string_equal(name_of(&p, NAME_COMM, "secretary", 9), "comm-3");
	assert_string_equal(name_of(&p, NAME_HOST, "secret", 6), "host-1");
	assert_string_equal(name_of(&p, NAME_PATH, "/secret", 7), "/dso-1");
	pseudonyms_free(&p);
}

static void what_says_nothing_is_kept(void **state)
{
	static const struct { enum name_class class; const char *name; bool keeps; } names[] = {
		{ NAME_COMM, "", true }, { NAME_COMM, "swapper/1", true }, { NAME_COMM, "perf-exec", true },
		{ NAME_COMM, "perf-exec2", false }, { NAME_COMM, "perf", false }, { NAME_COMM, "[vdso]", false },
		{ NAME_PATH, "[kernel.kallsyms]_text", true }, { NAME_PATH, "[vdso]", true },
		{ NAME_PATH, "//anon", true }, { NAME_PATH, "//home/me/x", false },
		{ NAME_PATH, "/dev/zero2", false }, { NAME_COMM, "swapper_mine", false },
		{ NAME_PATH, "[anon:somebody's]", false }, { NAME_PATH, "/dev/zero (deleted)", true },
		{ NAME_PATH, "/lib/modules/6.1/x.ko", true }, { NAME_PATH, "/lib/x.so", false },
		{ NAME_PATH, "swapper", false },
		{ NAME_CGROUP, "/", true }, { NAME_CGROUP, "/user", false }, { NAME_HOST, "swapper", false },
		{ NAME_ARGUMENT, "//anon", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (pseudonym_keeps(names[i].class, names[i].name, 64) != names[i].keeps)
			fail_msg("%s is %s", names[i].name, names[i].keeps ? "not kept" : "kept");
	/* the length counts, not a NUL after it */
	assert_true(pseudonym_keeps(NAME_CGROUP, "/user", 1));
	assert_true(pseudonym_keeps(NAME_PATH, "/home", 0));
	assert_false(pseudonym_keeps(NAME_PATH, "//anon", 3));
}

static void parts_of_a_path_are_searched_for(void **state)
{
	struct pseudonyms p = { 0 };

	(void)state;
	name_of(&p, NAME_PATH, "/home/alice1/project/program", 28);
	assert_true(FINDS(&p, SEARCH_ANYWHERE, "x/home/alice1/project/programs"));
	assert_false(FINDS(&p, SEARCH_ANYWHERE, "/home/alice1/project"));
	assert_true(FINDS(&p, SEARCH_WORD, "a program here"));
	assert_true(FINDS(&p, SEARCH_WORD, "of alice1."));
	assert_false(FINDS(&p, SEARCH_WORD, "programs"));
	assert_false(FINDS(&p, SEARCH_WORD, "my_program"));
	assert_false(FINDS(&p, SEARCH_WORD, "project"));
	pseudonyms_free(&p);
}

static void short_words_need_their_end(void **state)
{
	struct pseudonyms p = { 0 };

	(void)state;
	name_of(&p, NAME_COMM, "tail", 4);
	name_of(&p, NAME_COMM, "abc", 3);
	assert_true(finds(&p, SEARCH_STRING, "a tail\0", 7));
	assert_false(finds(&p, SEARCH_STRING, "a tail of", 9));
	assert_false(FINDS(&p, SEARCH_WORD, "a tail"));
	assert_false(FINDS(&p, SEARCH_STRING, "abc"));   /* shorter than SEARCH_MIN: by chance everywhere */
	pseudonyms_free(&p);
}

/* A second redaction finds pseudonyms of the first one; those say nothing, and stand in the new file again. */
static void pseudonyms_are_not_searched_for(void **state)
{
	struct pseudonyms p = { 0 };

	(void)state;
	name_of(&p, NAME_COMM, "comm-12", 7);
	name_of(&p, NAME_PATH, "/dso-3", 6);
	name_of(&p, NAME_COMM, "comm-12b", 8);
	assert_false(FINDS(&p, SEARCH_WORD, "comm-12"));
	assert_false(FINDS(&p, SEARCH_ANYWHERE | SEARCH_WORD, "/dso-3"));
	assert_true(FINDS(&p, SEARCH_WORD, "comm-12b"));
	pseudonyms_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_names_are_equal_afterwards), cmocka_unit_test(what_says_nothing_is_kept),
		cmocka_unit_test(parts_of_a_path_are_searched_for), cmocka_unit_test(short_words_need_their_end),
		cmocka_unit_test(pseudonyms_are_not_searched_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
