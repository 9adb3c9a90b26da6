/* SPDX-License-Identifier: MIT */
#include "import/import_test.h"

#include "base/protobuf.h"
#include "codec/gzip.h"

static const char *const strings[] = {
	"",    "samples", "count", "cpu",  "nanoseconds", "main",        "inl",   "/bin/app",          "00ff",
	"a.c", "pid",     "tid",   "comm", "T",           "alloc_space", "bytes", "[kernel.kallsyms]", "sys"
};
enum { S_NONE, SAMPLES, COUNT, CPU, NS, MAIN, INL, APP, ID, FILE_A, PID, TID, COMM, T, ALLOC, BYTES, KERNEL, SYS };

static void put_strings(struct buf *b)
{
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		pb_str(b, 6, strings[i]);
}

/* A message of fields that are numbers, each with its value; a field 0 ends them. */
static void put_message(struct buf *b, uint32_t field, ...)
{
	size_t m = pb_begin(b, field);
	va_list ap;
	uint32_t number;

	va_start(ap, field);
	while ((number = va_arg(ap, uint32_t)))
		pb_u64(b, number, va_arg(ap, uint64_t));
	va_end(ap);
	pb_end(b, m);
}
#define MESSAGE(b, field, ...) put_message(b, field, __VA_ARGS__, 0u)
#define F(number, value) (uint32_t)(number), (uint64_t)(value)

static void put_location(struct buf *b, uint64_t id, uint64_t mapping, uint64_t address, uint64_t inner, uint64_t outer)
{
	size_t m = pb_begin(b, 4);

	pb_u64(b, 1, id);
	pb_u64(b, 2, mapping);
	pb_u64(b, 3, address);
	if (inner)
		MESSAGE(b, 4, F(1, inner), F(2, 12));
	if (outer)
		MESSAGE(b, 4, F(1, outer), F(2, 7));
	pb_end(b, m);
}

static void put_tables(struct buf *b)
{
	MESSAGE(b, 3, F(1, 1), F(2, 0x1000), F(3, 0x9000), F(4, 0x200), F(5, APP), F(6, ID));
	MESSAGE(b, 3, F(1, 7), F(5, KERNEL));
	MESSAGE(b, 5, F(1, 1), F(2, MAIN), F(4, FILE_A));
	MESSAGE(b, 5, F(1, 2), F(2, INL));
	MESSAGE(b, 5, F(1, 3), F(3, SYS));
	put_location(b, 10, 1, 0x1500, 2, 1);
	put_location(b, 11, 7, 0xffffffff81000000, 0, 3);
	put_location(b, 12, 1, 0x1600, 0, 0);
}

/* A sample with its labels: pid and tid, 0: none. */
static void put_sample(struct buf *b, const uint64_t *stack, size_t depth, const uint64_t *values, size_t n,
		       uint64_t tid)
{
	size_t m = pb_begin(b, 2);

	pb_packed(b, 1, stack, depth);
	pb_packed(b, 2, values, n);
	if (tid) {
		MESSAGE(b, 3, F(1, COMM), F(2, T));
		MESSAGE(b, 3, F(1, PID), F(3, 100));
		MESSAGE(b, 3, F(1, TID), F(3, tid));
	}
	pb_end(b, m);
}
#define SAMPLE(b, tid, stack, ...) \
	put_sample(b, stack, sizeof(stack) / sizeof(stack[0]), (const uint64_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, tid)

static const uint64_t in_kernel[] = { 11, 10 }, in_main[] = { 10 }, nameless[] = { 12 }, nowhere[] = { 99, 10 };

static void check(struct buf *b, const char *rows)
{
	struct imported i = import_bytes(b->p, b->n, "x");

	assert_string_equal(i.err.text, "");
	assert_int_equal(i.r, 0);
	assert_rows(&i, rows);
	gathering_free(&i.p);
	buf_free(b);
}

static void check_bad(struct buf *b, const char *rows, const char *message)
{
	struct imported i = import_bytes(b->p, b->n, "x");

	assert_string_equal(i.err.text, message);
	assert_int_equal(i.r, -(int)i.err.code);
	assert_rows(&i, rows);
	gathering_free(&i.p);
	buf_free(b);
}

/* The samples come first: tables are read before them all the same. */
static struct buf two_types(void)
{
	struct buf b = BUF_MEMORY;

	MESSAGE(&b, 1, F(1, SAMPLES), F(2, COUNT));
	MESSAGE(&b, 1, F(1, CPU), F(2, NS));
	SAMPLE(&b, 101, in_kernel, 2, 20);
	SAMPLE(&b, 101, in_main, 3, 30);
	SAMPLE(&b, 0, nameless, 1, 10);
	put_tables(&b);
	put_strings(&b);
	return b;
}

static const char two_rows[] = "cpu: T 100/101: main@app;inl@app(i);sys@[kernel.kallsyms][k] = "
			       "sys@[kernel.kallsyms][k] 2 20\n"
			       "cpu: T 100/101: main@app;inl@app(i) = main@app 3 30\n"
			       "cpu: app -1/-1: 0x800@app = 0x800@app 1 10\n";

static void test_samples_count_those_of_the_next_type(void **state)
{
	struct buf b = two_types();

	(void)state;
	check(&b, two_rows);
}

static void test_compressed(void **state)
{
	struct buf b = two_types(), out = BUF_MEMORY, packed;
	struct gzip g;

	(void)state;
	packed = gzip_begin(&g, &out);
	buf_put(&packed, b.p, b.n);
	assert_int_equal(gzip_end(&g, &packed), 0);
	buf_free(&b);
	check(&out, two_rows);
}

static void test_types_are_events_and_the_usual_one_is_first(void **state)
{
	struct buf b = BUF_MEMORY;

	(void)state;
	MESSAGE(&b, 1, F(1, CPU), F(2, COUNT));
	MESSAGE(&b, 1, F(1, ALLOC), F(2, BYTES));
	pb_u64(&b, 14, CPU);
	SAMPLE(&b, 101, in_main, 3, 30);
	put_tables(&b);
	put_strings(&b);
	check(&b, "cpu: T 100/101: main@app;inl@app(i) = main@app 3 3\n"
		  "alloc_space: T 100/101: main@app;inl@app(i) = main@app 1 30\n");
}

static void test_lines(void **state)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS,
						 .by = SONDE_BY_SRCLINE };
	const struct sonde_query all = { .sz = sizeof(all) };
	struct buf b = two_types();
	struct imported i = import_bytes_with(b.p, b.n, "x", &opts, &all);
	char *rows = rows_of(&i);

	(void)state;
	assert_non_null(strstr(rows, "main@app a.c:7;sys"));
	assert_null(strstr(rows, "inl"));
	free(rows);
	gathering_free(&i.p);
	buf_free(&b);
}

static void test_bad_samples(void **state)
{
	struct buf b = BUF_MEMORY;

	(void)state;
	MESSAGE(&b, 1, F(1, CPU), F(2, NS));
	SAMPLE(&b, 101, in_main, 1, 2);
	SAMPLE(&b, 101, in_main, -5);
	SAMPLE(&b, 101, nowhere, 7);
	put_tables(&b);
	put_strings(&b);
	check_bad(&b, "cpu: T 100/101: main@app;inl@app(i) = main@app 1 7\n",
		  "a sample has 2 values: expected 1, as sample types (the first of 3 such places)");
}

static void test_bad_tables(void **state)
{
	struct buf b = BUF_MEMORY;

	(void)state;
	MESSAGE(&b, 1, F(1, CPU), F(2, NS));
	MESSAGE(&b, 5, F(1, 1), F(2, MAIN));
	MESSAGE(&b, 5, F(1, 1), F(2, INL));
	put_location(&b, 10, 5, 0x1500, 0, 1);
	SAMPLE(&b, 101, in_main, 1);
	put_strings(&b);
	check_bad(&b, "cpu: T 100/101: main = main 1 1\n",
		  "function: expected an id of its own, found 1 (the first of 2 such places)");
	b = BUF_MEMORY;
	MESSAGE(&b, 1, F(1, 77), F(2, NS));
	put_location(&b, 10, 0, 0x1500, 0, 44);
	SAMPLE(&b, 0, in_main, 1);
	check_bad(&b, ": [unknown] -1/-1: 0x1500 = 0x1500 1 1\n",
		  "string 77: expected less than 0 (the first of 3 such places)");
	b = BUF_MEMORY;
	put_tables(&b);
	put_strings(&b);
	check_bad(&b, "", "has no sample types");
}

static void test_many_inlined_functions_are_refused(void **state)
{
	struct buf b = BUF_MEMORY;
	size_t m;

	(void)state;
	MESSAGE(&b, 1, F(1, CPU), F(2, NS));
	m = pb_begin(&b, 4);
	pb_u64(&b, 1, 10);
	for (int i = 0; i < 129; i++)
		MESSAGE(&b, 4, F(1, 1));
	pb_end(&b, m);
	MESSAGE(&b, 5, F(1, 1), F(2, MAIN));
	SAMPLE(&b, 0, in_main, 1);
	put_strings(&b);
	check_bad(&b, "cpu: [unknown] -1/-1:  = 0x0 1 1\n",
		  "a location has 129 functions: expected at most 128 (the first of 2 such places)");
}

static void test_every_prefix_is_survived(void **state)
{
	struct buf b = two_types();

	(void)state;
	for (size_t n = 1; n < b.n; n++) {
		char *copy = malloc(n);
		struct imported i;

		memcpy(copy, b.p, n);
		i = import_bytes(copy, n, "x");
		gathering_free(&i.p);
		free(copy);
	}
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_count_those_of_the_next_type),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_types_are_events_and_the_usual_one_is_first),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_bad_samples),
		cmocka_unit_test(test_bad_tables),
		cmocka_unit_test(test_many_inlined_functions_are_refused),
		cmocka_unit_test(test_every_prefix_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
