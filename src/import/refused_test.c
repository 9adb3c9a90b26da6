/* SPDX-License-Identifier: MIT */
#include "import/import_test.h"

static void check_refused(const char *bytes, size_t n, const char *message)
{
	struct imported i = import_bytes(bytes, n, "file");

	assert_int_equal(i.r, -SONDE_UNSUPPORTED);
	assert_string_equal(i.err.text, message);
	assert_int_equal(i.p.cells.n, 0);
	gathering_free(&i.p);
}

static void test_profiles_that_are_not_read_are_named(void **state)
{
	static const char trace[] = "go 1.22 trace\0\0\0\1\2", words[48] = { [8] = 3, [24] = 0x10, [25] = 0x27 },
			  heap[] = "heap profile: 1: 2 [3: 4] @ heap/1048576\n";

	(void)state;
	check_refused(trace, sizeof(trace), "is an execution trace of Go: open it with `go tool trace`; `go test "
		      "-cpuprofile` and net/http/pprof write profiles");
	check_refused(words, sizeof(words), "is a CPU profile in the old binary form of Go and gperftools, without "
		      "names: `pprof -proto PROGRAM FILE` writes the form that is read");
	check_refused(heap, sizeof(heap), "is a profile in the old text form of Go (debug=1): without debug=1 it has "
		      "the form that is read");
}

static void test_other_bytes_are_not_refused(void **state)
{
	static const char *const texts[] = { "go 1.22 trace", "go 1;trace 4\n", "heap profile", "" };
	static const char zeros[64];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct imported got = import_text(texts[i]);

		assert_int_not_equal(got.r, -SONDE_UNSUPPORTED);
		gathering_free(&got.p);
	}
	assert_null(import_recognise((const uint8_t *)zeros, sizeof(zeros), true, "file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profiles_that_are_not_read_are_named),
		cmocka_unit_test(test_other_bytes_are_not_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
