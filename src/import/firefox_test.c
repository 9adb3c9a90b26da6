/* SPDX-License-Identifier: MIT */
#include "import/import_test.h"

#define META(version) "{\"meta\":{\"interval\":1,\"preprocessedProfileVersion\":" #version ",\"categories\":" \
	"[{\"name\":\"Other\"},{\"name\":\"Kernel\"}],\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}}," \
	"\"libs\":[{\"name\":\"app\",\"path\":\"/bin/app\",\"codeId\":\"0011\"}],"
#define FUNCS "\"funcTable\":{\"name\":[0,1,2],\"resource\":[0,-1,-1],\"source\":[null,0,null],\"length\":3}," \
	"\"resourceTable\":{\"lib\":[0],\"length\":1},\"sources\":{\"filename\":[3],\"length\":1},"
#define FRAMES                                                                                                     \
	"\"frameTable\":{\"func\":[0,1,2],\"line\":[null,7,null],\"inlineDepth\":[0,1,0],\"category\":[0,null,1]," \
	"\"length\":3},"
#define STRINGS "\"stringArray\":[\"main\",\"inl\",\"sys\",\"x.js\"]"
#define SHARED(stacks) "\"shared\":{" FUNCS FRAMES "\"stackTable\":{" stacks "}," STRINGS "},"
#define OFFSETS "\"frame\":[0,1,2],\"prefixOffset\":[0,1,2],\"length\":3"
#define PREFIXES "\"frame\":[0,1,2],\"prefix\":[null,0,0],\"length\":3"
#define THREAD "\"threads\":[{\"name\":\"T\",\"pid\":\"100\",\"tid\":101,"

static void test_tables_that_threads_share(void **state)
{
	struct imported i = import_text(META(66) SHARED(OFFSETS) THREAD
		"\"samples\":{\"stack\":[0,1,null,2,1],\"time\":[1,2.5,3,4,5],\"weight\":null,\"length\":5}}]}");

	(void)state;
	assert_string_equal(i.err.text, "");
	assert_int_equal(i.r, 0);
	assert_rows(&i, "samples: T 100/101: main@app = main@app 1 1\n"
			"samples: T 100/101: main@app;inl(i) = main@app 2 2\n"
			"samples: T 100/101: main@app;sys[k] = sys[k] 1 1\n");
	assert_int_equal(i.p.timed.list.n, 4);
	assert_int_equal(i.p.timed.list.at[1].time, 2500000);
	assert_int_equal(i.p.moment.tasks.binaries.list.at[0]->build_id_size, 2);
	gathering_free(&i.p);
}

/* Strings in the thread and in `shared`; rows of stacks by number. */
static void test_tables_of_a_thread(void **state)
{
	static const char rows[] = "samples: T 100/101: main@app;inl(i) = main@app 1 1\n"
				   "samples: T 100/101: main@app;sys[k] = sys[k] 1 1\n";

	(void)state;
	check_text(META(50) THREAD FUNCS FRAMES "\"stackTable\":{" PREFIXES "}," STRINGS ","
		   "\"samples\":{\"stack\":[1,2],\"timeDeltas\":[1,2],\"length\":2}}]}", rows);
	check_text(META(57) "\"shared\":{" STRINGS "}," THREAD FUNCS FRAMES "\"stackTable\":{" PREFIXES "},"
		   "\"samples\":{\"stack\":[1,2],\"timeDeltas\":[1,2],\"length\":2}}]}", rows);
}

static void test_tables_may_come_last(void **state)
{
	(void)state;
	check_text("{" THREAD "\"samples\":{\"length\":1,\"time\":[3],\"stack\":[0]}}],\"shared\":{" STRINGS
		   ",\"stackTable\":{" OFFSETS "}," FRAMES FUNCS "\"x\":0},\"libs\":[{\"path\":\"/bin/app\"}],"
		   "\"meta\":{\"preprocessedProfileVersion\":66}}",
		   "samples: T 100/101: main@app = main@app 1 1\n");
}

static void test_the_library_of_a_frame(void **state)
{
	(void)state;
	check_text(META(70) "\"shared\":{\"funcTable\":{\"name\":[0],\"resource\":[-1]},"
			    "\"frameTable\":{\"func\":[0],\"lib\":[0]},\"stackTable\":{\"frame\":[0],\"prefixOffset\":["
			    "0]}," STRINGS "}," THREAD "\"samples\":{\"stack\":[0],\"time\":[0]}}]}",
		   "samples: T 100/101: main@app = main@app 1 1\n");
}

static void test_weights_and_cpu_time(void **state)
{
	(void)state;
	check_text(META(66) SHARED(OFFSETS) THREAD "\"samples\":{\"stack\":[0,0],\"time\":[1,2],\"weight\":[3,4],"
		   "\"weightType\":\"samples\",\"threadCPUDelta\":[null,5000]}}]}",
		   "samples: T 100/101: main@app = main@app 2 7\ncpu: T 100/101: main@app = main@app 1 5000\n");
	check_text(META(66) SHARED(OFFSETS) THREAD "\"samples\":{\"stack\":[0],\"time\":[1],\"weight\":[0.5],"
		   "\"weightType\":\"tracing-ms\"}}]}", "time: T 100/101: main@app = main@app 1 500000\n");
	check_text(META(66) SHARED(OFFSETS) THREAD "\"samples\":{\"stack\":[0],\"time\":[1],\"weight\":[64],"
		   "\"weightType\":\"bytes\"}}]}", "bytes: T 100/101: main@app = main@app 1 64\n");
}

/* Its event by name; the CPU delta is the weight, of which there may be no column. */
static void test_what_sonde_writes(void **state)
{
#define BY_SONDE(extra) "{\"meta\":{\"preprocessedProfileVersion\":66,\"importedFrom\":\"sonde 1.0\"," \
	"\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}" extra "},\"libs\":[{\"path\":\"/bin/app\"}]," SHARED(OFFSETS)
#define EVENT ",\"extra\":[{\"label\":\"Recording\",\"entries\":[{\"label\":\"Recording\",\"value\":\"x\"}," \
	"{\"label\":\"Event\",\"format\":\"string\",\"value\":\"a\\u003ab\"}]}]"
#define SAMPLES "\"samples\":{\"stack\":[0],\"time\":[1],\"weight\":[7],\"weightType\":\"samples\"}}]}"
	struct imported i = import_text(BY_SONDE(EVENT) "\"threads\":["
		"{\"name\":\"M\",\"samples\":{\"stack\":[],\"time\":[],\"weight\":[],\"threadCPUDelta\":[]}},"
		"{\"name\":\"T\",\"samples\":{\"stack\":[0],\"time\":[1],\"weight\":null,"
		"\"weightType\":\"samples\",\"threadCPUDelta\":[5000]}}]}");

	(void)state;
	assert_string_equal(i.err.text, "");
	assert_rows(&i, "a:b: T -1/-1: main@app = main@app 1 5000\n");
	assert_int_equal(i.p.events.n, 1);
	assert_int_equal(i.p.events.at[0].attr->config, 0);
	gathering_free(&i.p);
	check_text(BY_SONDE(EVENT) THREAD SAMPLES, "a:b: T 100/101: main@app = main@app 1 7\n");
	check_text(BY_SONDE("") THREAD SAMPLES, "samples: T 100/101: main@app = main@app 1 7\n");
}

static void test_the_times_choose(void **state)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS,
						 .by = SONDE_BY_TIME };
	const struct sonde_query q = { .sz = sizeof(q), .time_min = 2000000, .time_max = 150000000 };
	const char *text = META(66) SHARED(OFFSETS) THREAD
		"\"samples\":{\"stack\":[0,0,0,0],\"time\":[1,2,140,200]}}]}";
	struct imported i = import_bytes_with(text, strlen(text), "x", &opts, &q);

	(void)state;
	assert_rows(&i, "samples: T 100/101: main@app = main@app 1 1\nsamples: T 100/101: main@app = main@app 1 1\n");
	assert_int_equal(i.p.details.list.at[i.p.cells.at[1].detail].time, 100000000);
	gathering_free(&i.p);
}

static void test_long_stacks(void **state)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS, .max_stack = 2 };
	const struct sonde_query all = { .sz = sizeof(all) };
	const char *text = META(66) SHARED("\"frame\":[0,2,0,2],\"prefixOffset\":[0,1,1,1]") THREAD
			   "\"samples\":{\"stack\":[3,1],\"time\":[1,2]}}]}";
	struct imported i = import_bytes_with(text, strlen(text), "x", &opts, &all);

	(void)state;
	assert_rows(&i, "samples: T 100/101: main@app;sys[k] = sys[k] 2 2\n");
	assert_int_equal(i.p.events.at[0].shortened_stacks, 1);
	gathering_free(&i.p);
}

/* Row 0 to 2 are a frame each; functions inlined into the last one follow, 100 levels deep. */
static void test_inlined_functions_do_not_make_a_stack_endless(void **state)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS, .inlined = true,
						 .max_stack = 2 };
	const struct sonde_query all = { .sz = sizeof(all) };
	struct buf text = BUF_MEMORY;
	struct imported i;
	int depth = 0;

	(void)state;
	buf_str(&text, META(66) "\"shared\":{" FUNCS FRAMES STRINGS ",\"stackTable\":{\"prefixOffset\":[0");
	for (int row = 1; row < 103; row++)
		buf_str(&text, ",1");
	buf_str(&text, "],\"frame\":[0,2,0");
	for (int row = 3; row < 103; row++)
		buf_str(&text, ",1");
	buf_str(&text, "]}}," THREAD "\"samples\":{\"stack\":[102],\"time\":[1]}}]}");
	i = import_bytes_with(text.p, text.n, "x", &opts, &all);
	assert_int_equal(i.r, 0);
	assert_int_equal(i.p.cells.n, 1);
	for (uint32_t s = i.p.cells.at[0].stack; s; s = i.p.stacks.list.at[s].parent)
		depth++;
	assert_int_equal(depth, 2 * 16);
	gathering_free(&i.p);
	buf_free(&text);
}

/* A reference into nothing costs the row that has it. */
static void test_bad_references(void **state)
{
#define ROWS(stacks) META(66) SHARED(stacks) THREAD "\"samples\":{\"stack\":[0,1],\"time\":[1,2]}}]}"
	(void)state;
	check_bad_text(ROWS("\"frame\":[0,0],\"prefix\":[null,1]"), "samples: T 100/101: main@app = main@app 1 1\n"
		       "samples: T 100/101:  = 0x0 1 1\n", SONDE_CORRUPT, "[null,1]",
		       "row 1 of stackTable: expected the row of its outer stack to be less, found row 1 "
		       "(the first of 2 such places)");
	check_bad_text(ROWS("\"frame\":[0,0],\"prefixOffset\":[0,2]"), "samples: T 100/101: main@app = main@app 1 1\n"
		       "samples: T 100/101:  = 0x0 1 1\n", SONDE_CORRUPT, "[0,2]},\"str",
		       "row 1 of stackTable: expected the row of its outer stack to be less, found offset 2 "
		       "(the first of 2 such places)");
	check_bad_text(
		ROWS("\"frame\":[0,77],\"prefixOffset\":[0,1]"),
		"samples: T 100/101: main@app = main@app 1 1\n"
		"samples: T 100/101:  = 0x0 1 1\n",
		SONDE_CORRUPT, "[0,77]",
		"row 1 of the column frame: expected a number less than 3, found 77 (the first of 2 such places)");
	check_bad_text(META(66) SHARED(OFFSETS) THREAD "\"samples\":{\"stack\":[3,0,1.5],\"time\":[1,2,3]}}]}",
		       "samples: T 100/101:  = 0x0 2 2\nsamples: T 100/101: main@app = main@app 1 1\n", SONDE_CORRUPT,
		       "3,0,1.5",
		       "a sample has stack 3: expected an integer less than 3 (the first of 2 such places)");
	check_bad_text(META(66) SHARED(OFFSETS) THREAD
		       "\"samples\":{\"stack\":[0,0],\"time\":[1,2],\"weight\":[-5,1]}}]}",
		       "samples: T 100/101: main@app = main@app 1 1\n", SONDE_CORRUPT, "0,0],\"time",
		       "weight -5: expected a number from 0 to 2^63");
}

static void test_other_forms_are_told(void **state)
{
	static const char binary[] = "\xdc\xdf\x4a\x53\x4c\x42\x01\x00\x01\0\0\0";
	struct imported i = import_bytes(binary, sizeof(binary), "x");

	(void)state;
	assert_int_equal(i.r, -SONDE_UNSUPPORTED);
	assert_string_equal(i.err.text, "is a profile in the binary form JSLB: expected JSON");
	gathering_free(&i.p);
	check_bad_text("{\"meta\":{\"version\":24,\"stackwalk\":1},\"threads\":[]}", "", SONDE_UNSUPPORTED, NULL,
		       "is a raw profile of Gecko: open it in profiler.firefox.com and save it there");
}

static void test_every_prefix_is_survived(void **state)
{
	static const char text[] = META(66) SHARED(OFFSETS) THREAD
		"\"samples\":{\"stack\":[0,1,null,2],\"time\":[1,2,3,4],"
		"\"weight\":[1,2,3,4],\"weightType\":\"samples\",\"threadCPUDelta\":[1,2,3,4]}}]}";

	(void)state;
	for (size_t n = 60; n < sizeof(text) - 1; n++) {
		char *copy = malloc(n);
		struct imported i;

		memcpy(copy, text, n);
		i = import_bytes(copy, n, "x");
		assert_int_equal(i.r, -SONDE_TRUNCATED);
		gathering_free(&i.p);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_that_threads_share),
		cmocka_unit_test(test_tables_of_a_thread),
		cmocka_unit_test(test_tables_may_come_last),
		cmocka_unit_test(test_the_library_of_a_frame),
		cmocka_unit_test(test_weights_and_cpu_time),
		cmocka_unit_test(test_what_sonde_writes),
		cmocka_unit_test(test_the_times_choose),
		cmocka_unit_test(test_long_stacks),
		cmocka_unit_test(test_inlined_functions_do_not_make_a_stack_endless),
		cmocka_unit_test(test_bad_references),
		cmocka_unit_test(test_other_forms_are_told),
		cmocka_unit_test(test_every_prefix_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
