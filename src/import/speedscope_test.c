/* SPDX-License-Identifier: MIT */
#include "import/import_test.h"

#define HEAD "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
#define FRAMES                                                                                                      \
	"\"shared\":{\"frames\":[{\"name\":\"main\"},{\"name\":\"a\",\"file\":\"/src/a.js\",\"line\":7,\"col\":1}," \
	"{\"name\":\"0x12\"}]},"

static void test_sampled(void **state)
{
	(void)state;
	check_text(HEAD FRAMES
		   "\"profiles\":[{\"type\":\"sampled\",\"name\":\"T 1\",\"unit\":\"none\",\"startValue\":0,"
		   "\"endValue\":10,\"samples\":[[0,1],[0],[0,1,2],[],[0,1]],\"weights\":[3,4,5,2,1]}]}",
		   "weight: T 1 -1/-1: main;a = a 2 4\nweight: T 1 -1/-1: main = main 1 4\n"
		   "weight: T 1 -1/-1: main;a;0x12 = 0x12 1 5\nweight: T 1 -1/-1:  = 0x0 1 2\n");
}

static void test_units_of_time_are_ns(void **state)
{
	static const struct { const char *unit; const char *row;
	} units[] = {
		{ "nanoseconds", "time: p -1/-1: a = a 1 3\n" },
		{ "microseconds", "time: p -1/-1: a = a 1 2500\n" },
		{ "milliseconds", "time: p -1/-1: a = a 1 2500000\n" },
		{ "seconds", "time: p -1/-1: a = a 1 2500000000\n" },
		{ "bytes", "bytes x1000: p -1/-1: a = a 1 2500\n" },
		{ "none", "weight x1000: p -1/-1: a = a 1 2500\n" },
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(text, sizeof(text), "%s\"profiles\":[{\"weights\":[2.5],\"samples\":[[0]],\"unit\":\"%s\","
			 "\"type\":\"sampled\",\"name\":\"p\"}],\"shared\":{\"frames\":[{\"name\":\"a\"}]}}", HEAD,
			 units[i].unit);
		check_text(text, units[i].row);
	}
}

static void test_events_open_and_close_frames(void **state)
{
	struct imported i = import_text(
		HEAD FRAMES "\"profiles\":[{\"type\":\"evented\",\"name\":\"p\",\"unit\":\"milliseconds\","
		"\"startValue\":1,\"endValue\":20,\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":2},"
		"{\"type\":\"O\",\"frame\":1,\"at\":5},{\"type\":\"C\",\"frame\":1,\"at\":9},"
		"{\"type\":\"C\",\"frame\":0,\"at\":10},{\"at\":15,\"frame\":0,\"type\":\"O\"},"
		"{\"type\":\"C\",\"frame\":0,\"at\":20}]}]}");

	(void)state;
	assert_int_equal(i.r, 0);
	assert_rows(&i, "time: p -1/-1: main = main 3 9000000\ntime: p -1/-1: main;a = a 1 4000000\n");
	assert_int_equal(i.p.timed.list.n, 4);
	assert_int_equal(i.p.timed.list.at[0].time, 2000000);
	assert_int_equal(i.p.timed.list.at[3].time, 15000000);
	gathering_free(&i.p);
}

static void test_what_sonde_writes(void **state)
{
	(void)state;
	check_text(HEAD "\"exporter\":\"sonde@1.0\",\"shared\":{\"frames\":[{\"name\":\"a\",\"file\":\"/bin/x\"}]},"
		   "\"profiles\":[{\"type\":\"sampled\",\"name\":\"my app 12 (cycles)\",\"unit\":\"none\","
		   "\"samples\":[[0]],\"weights\":[3]}]}", "cycles: my app -1/12: a@x = a@x 1 3\n");
}

static void test_lines_are_those_of_the_source(void **state)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS,
						 .by = SONDE_BY_SRCLINE };
	const struct sonde_query all = { .sz = sizeof(all) };
	const char *text = HEAD FRAMES "\"profiles\":[{\"type\":\"sampled\",\"name\":\"p\",\"unit\":\"none\","
			   "\"samples\":[[0,1]],\"weights\":[3]}]}";
	struct imported i = import_bytes_with(text, strlen(text), "x", &opts, &all);

	(void)state;
	assert_rows(&i, "weight: p -1/-1: main;a a.js:7 = a a.js:7 1 3\n");
	gathering_free(&i.p);
}

/* Each with the rest of the samples. */
static void test_bad_input(void **state)
{
#define SAMPLED(samples, weights) HEAD FRAMES "\"profiles\":[{\"type\":\"sampled\",\"name\":\"p\",\"unit\":\"none\"," \
	"\"samples\":" samples ",\"weights\":" weights "}]}"
#define EVENTED(events) HEAD FRAMES "\"profiles\":[{\"type\":\"evented\",\"name\":\"p\",\"unit\":\"none\"," \
	"\"events\":" events "}]}"
	(void)state;
	check_bad_text(SAMPLED("[[0],[9],[0,-1]]", "[1,2,3]"), "weight: p -1/-1: main = main 2 4\n"
		       "weight: p -1/-1:  = 0x0 1 2\n", SONDE_CORRUPT, "9],[0,-1",
		       "frame 9: expected an integer less than 3 (the first of 2 such places)");
	check_bad_text(SAMPLED("[[0],[0]]", "[-1,2]"), "weight: p -1/-1: main = main 1 2\n", SONDE_CORRUPT, "[0],[0]]",
		       "weight -1: expected a number from 0 to 2^63");
	check_bad_text(SAMPLED("[[0],[0]]", "[1e300,2]"), "weight: p -1/-1: main = main 1 2\n", SONDE_CORRUPT,
		       "[0],[0]]", "weight 1e+300: expected a number from 0 to 2^63");
	check_bad_text(SAMPLED("[[0],[0]]", "[1]"), "weight: p -1/-1: main = main 1 1\n", SONDE_CORRUPT, "[0]],",
		       "there are more stacks than weights");
	check_bad_text(EVENTED("[{\"type\":\"O\",\"frame\":0,\"at\":2},{\"type\":\"C\",\"frame\":1,\"at\":5},"
			       "{\"type\":\"C\",\"frame\":0,\"at\":4},{\"type\":\"C\",\"frame\":0,\"at\":9}]"),
		       "weight: p -1/-1: main = main 1 3\n", SONDE_CORRUPT,
		       "{\"type\":\"C\",\"frame\":1",
		       "frame 1 closes: expected the one that was opened last (the first of 3 such places)");
	check_bad_text(HEAD "\"shared\":{\"frames\":[]}}", "", SONDE_CORRUPT, NULL, "has no member profiles");
	check_bad_text(HEAD "\"profiles\":[{\"type\":\"sampled\"}],\"shared\":{\"frames\":[]}}", "", SONDE_CORRUPT,
		       "],\"shared", "a profile lacks samples and weights, or events");
}

static void test_a_file_that_ends_too_early(void **state)
{
	static const char text[] = HEAD FRAMES "\"profiles\":[{\"type\":\"evented\",\"name\":\"p\",\"unit\":\"none\","
		"\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":2},{\"type\":\"C\",\"frame\":0,\"at\":5}]}]}";

	(void)state;
	check_bad_text(HEAD FRAMES "\"profiles\":[{\"type\":\"evented\",\"name\":\"p\",\"unit\":\"none\","
		       "\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":2},{\"type\":\"O\",\"frame\":1,\"at\":5},{\"ty",
		       "weight: p -1/-1: main = main 1 3\n", SONDE_TRUNCATED, "",
		       "the JSON text ends: expected the end of a text");
	for (size_t n = sizeof(HEAD); n < sizeof(text) - 1; n++) {
		char *copy = malloc(n);
		struct imported i;

		memcpy(copy, text, n);
		i = import_bytes(copy, n, "x");
		assert_true(i.r == -SONDE_TRUNCATED || i.r == -SONDE_CORRUPT);
		gathering_free(&i.p);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_units_of_time_are_ns),
		cmocka_unit_test(test_events_open_and_close_frames),
		cmocka_unit_test(test_what_sonde_writes),
		cmocka_unit_test(test_lines_are_those_of_the_source),
		cmocka_unit_test(test_bad_input),
		cmocka_unit_test(test_a_file_that_ends_too_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
