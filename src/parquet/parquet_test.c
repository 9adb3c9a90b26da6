/* SPDX-License-Identifier: MIT */
/* parquet_test.c - what the writer of Parquet files writes, read again; damaged files */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "parquet/parquet_reader.h"

enum { INT32, INT64, DELTA, TEXT, LIST, NR_COLUMNS };

static const struct parquet_column columns[NR_COLUMNS] = {
	[INT32] = { "int32", PARQUET_INT32 },
	[INT64] = { "int64", PARQUET_INT64 },
	[DELTA] = { "delta", PARQUET_INT64, .delta = true },
	[TEXT] = { "text", PARQUET_STRING },
	[LIST] = { "list", PARQUET_INT64_LIST },
};

enum { LONG_TEXT = 65536, LIST_MAX = 50 };

/* How the values of a row follow from its number. */
struct value_pattern {
	uint64_t rows;
	uint64_t values;             /* different ones, at most */
	size_t longest_text, longest_list;
};

struct parquet_row {
	int32_t int32;
	int64_t int64, delta;
	size_t len, nr_list;
	int64_t list[LIST_MAX];
	char text[LONG_TEXT];
};

static void make_row(const struct value_pattern *kind, uint64_t i, struct parquet_row *row)
{
	uint64_t x = i % kind->values * UINT64_C(0x9e3779b97f4a7c15);

	row->int32 = (int32_t)x;
	row->int64 = (int64_t)x;
	row->delta = (int64_t)(i * 1000 + x % 100);
	row->len = kind->longest_text ? (size_t)(x >> 30) % kind->longest_text : 0;
	for (size_t j = 0; j < row->len; j++)
		row->text[j] = (char)('a' + (x >> (j % 8 * 8) & 0xff) % 26);
	row->nr_list = kind->longest_list ? (size_t)(x >> 20) % kind->longest_list : 0;
	for (size_t j = 0; j < row->nr_list; j++)
		row->list[j] = (int64_t)(x + j % 3);
}

static void write_rows(struct buf *out, const struct value_pattern *kind, struct parquet_row *row)
{
	struct parquet_writer *w = parquet_writer_new(out, columns, NR_COLUMNS);

	assert_non_null(w);
	for (uint64_t i = 0; i < kind->rows; i++) {
		make_row(kind, i, row);
		parquet_put_int(w, INT32, row->int32);
		parquet_put_int(w, INT64, row->int64);
		parquet_put_int(w, DELTA, row->delta);
		parquet_put_text(w, TEXT, row->text, row->len);
		parquet_put_list(w, LIST, row->list, row->nr_list);
		assert_int_equal(parquet_end_row(w), 0);
	}
	assert_int_equal(parquet_writer_end(w), 0);
	parquet_writer_free(w);
}

static void check_row(const struct parquet_reader *r, const struct parquet_row *row)
{
	struct sonde_str text = parquet_text(r, TEXT);
	size_t n;
	const int64_t *list = parquet_list(r, LIST, &n);

	assert_int_equal(parquet_int(r, INT32), row->int32);
	assert_int_equal(parquet_int(r, INT64), row->int64);
	assert_int_equal(parquet_int(r, DELTA), row->delta);
	assert_int_equal(text.len, row->len);
	assert_memory_equal(text.p, row->text, row->len);
	assert_int_equal(n, row->nr_list);
	if (n)
		assert_memory_equal(list, row->list, n * sizeof(*list));
}

static void round_trip(const struct value_pattern *kind)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct parquet_row *row = malloc(sizeof(*row));
	struct buf out = BUF_MEMORY;
	struct parquet_reader *r = parquet_reader_new(columns, NR_COLUMNS);
	struct image file;

	assert_non_null(row);
	assert_non_null(r);
	write_rows(&out, kind, row);
	image_memory(&file, out.p, out.n);
	if (parquet_reader_open(r, &file, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(parquet_reader_rows(r), kind->rows);
	for (uint64_t i = 0; i < kind->rows; i++) {
		if (parquet_reader_next(r) != 1)
			fail_msg("row %llu: %s", (unsigned long long)i, err.text);
		make_row(kind, i, row);
		check_row(r, row);
	}
	assert_int_equal(parquet_reader_next(r), 0);
	assert_int_equal(parquet_reader_next(r), 0);
	parquet_reader_free(r);
	buf_free(&out);
	free(row);
}

static void test_round_trips(void **state)
{
	static const struct value_pattern kinds[] = {
		{ 0, 1, 0, 0 },
		{ 1, 1, 10, 10 },
		{ 2, 2, 0, 0 },              /* empty texts and lists only */
		{ 1000, 7, 20, LIST_MAX },
		{ 200000, 1, 20, 5 },        /* one value: dictionaries of one entry, numbered in 0 bits */
		{ 200000, 300, 20, 5 },      /* several pages by dictionary */
		{ 200000, 200000, 3, 2 },    /* too many numbers for a dictionary */
		{ 40000, 40000, 100, 3 },    /* the dictionary of texts overflows within a page */
		{ 100, 100, LONG_TEXT, 3 },
		{ 1100000, 5, 0, 0 },        /* two row groups */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		round_trip(&kinds[i]);
}

static void test_texts_become_utf8(void **state)
{
	static const struct { const char *text; size_t len; const char *want; size_t want_len; } texts[] = {
		{ "", 0, "", 0 },
		{ "\xc3\xa4\0b", 4, "\xc3\xa4\0b", 4 },
		{ "a\xff", 2, "a\xef\xbf\xbd", 4 },
		{ "a\xff", 2, "a\xef\xbf\xbd", 4 },
		{ "\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 9 },  /* half of a pair of UTF-16 */
	};
	struct buf out = BUF_MEMORY;
	struct parquet_writer *w = parquet_writer_new(&out, &columns[TEXT], 1);
	struct parquet_reader *r = parquet_reader_new(&columns[TEXT], 1);
	struct image file;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		parquet_put_text(w, 0, texts[i].text, texts[i].len);
		assert_int_equal(parquet_end_row(w), 0);
	}
	assert_int_equal(parquet_writer_end(w), 0);
	image_memory(&file, out.p, out.n);
	assert_int_equal(parquet_reader_open(r, &file, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parquet_reader_next(r), 1);
		assert_int_equal(parquet_text(r, 0).len, texts[i].want_len);
		assert_memory_equal(parquet_text(r, 0).p, texts[i].want, texts[i].want_len);
	}
	parquet_writer_free(w);
	parquet_reader_free(r);
	buf_free(&out);
}

/* A column without a value in one row is a mistake of the caller, which must not make a file of other rows. */
static void test_missing_value(void **state)
{
	struct sonde_error err = { .sz = sizeof(err) };
	struct buf out = { .fd = -1, .err = &err };
	struct parquet_writer *w = parquet_writer_new(&out, columns, 2);

	(void)state;
	parquet_put_int(w, INT32, 1);
	assert_int_equal(parquet_end_row(w), 0);
	assert_int_equal(parquet_writer_end(w), -SONDE_USAGE);
	assert_string_equal(err.text, "column int64 has 0 values in 1 rows");
	parquet_writer_free(w);
	buf_free(&out);
}

static int full(void *ctx, const void *p, size_t n)
{
	(void)ctx, (void)p, (void)n;
	return -SONDE_SYSTEM;
}

static void test_full_disk(void **state)
{
	struct buf out = { .fd = -1, .sink = full };
	struct parquet_writer *w = parquet_writer_new(&out, columns, 1);
	int r = 0;

	(void)state;
	for (int i = 0; i < 3000000 && r == 0; i++) {
		parquet_put_int(w, INT32, i);
		r = parquet_end_row(w);
	}
	assert_int_equal(r, -SONDE_STOPPED);
	assert_int_equal(parquet_writer_end(w), -SONDE_STOPPED);
	parquet_writer_free(w);
	buf_free(&out);
}

/*
 * Files of DuckDB: select (i-20)::int int32, i*1000000007 int64, i*1000 delta, case when i%5=0 then null else
 * 'text '||(i%7) end "text", case when i%6=0 then null else [j*i for j in range(i%4)] end list from range(60) t(i).
 * Their columns may be null; duckdb_v2 has differences and zstd.
 */
static void check_duckdb_row(const struct parquet_reader *r, int64_t i)
{
	struct sonde_str text = parquet_text(r, TEXT);
	char want[32] = "";
	const int64_t *list;
	size_t n;

	if (i % 5)
		snprintf(want, sizeof(want), "text %d", (int)(i % 7));
	assert_int_equal(parquet_int(r, INT32), i - 20);
	assert_int_equal(parquet_int(r, INT64), i * 1000000007);
	assert_int_equal(parquet_int(r, DELTA), i * 1000);
	assert_int_equal(text.len, strlen(want));
	assert_memory_equal(text.p, want, text.len);
	list = parquet_list(r, LIST, &n);
	assert_int_equal(n, i % 6 ? i % 4 : 0);
	for (size_t j = 0; j < n; j++)
		assert_int_equal(list[j], (int64_t)j * i);
}

static int open_seed(struct parquet_reader *r, struct image *file, const char *name, struct sonde_error *err)
{
	const char *source = getenv("SONDE_SOURCE");
	char path[4096];

	snprintf(path, sizeof(path), "%s/fuzz/seeds/parquet/%s", source ? source : ".", name);
	assert_int_equal(image_open(file, path, err), 0);
	return parquet_reader_open(r, file, err);
}

static void test_files_of_duckdb(void **state)
{
	static const char *const names[] = { "duckdb_plain", "duckdb_v2" };
	struct parquet_reader *r = parquet_reader_new(columns, NR_COLUMNS);
	struct sonde_error err = { .sz = sizeof(err) };
	struct image file;

	(void)state;
	assert_non_null(r);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (open_seed(r, &file, names[i], &err) < 0)
			fail_msg("%s: %s", names[i], err.text);
		for (int64_t row = 0; row < 60; row++) {
			if (parquet_reader_next(r) != 1)
				fail_msg("%s: row %d: %s", names[i], (int)row, err.text);
			check_duckdb_row(r, row);
		}
		assert_int_equal(parquet_reader_next(r), 0);
		image_close(&file);
	}
	assert_int_equal(open_seed(r, &file, "duckdb_snappy", &err), -SONDE_UNSUPPORTED);
	assert_string_equal(err.text, "pages are packed by codec 1; 0 (none) and 6 (zstd) can be read");
	image_close(&file);
	parquet_reader_free(r);
}

/* Makes reads of bytes happen. */
static volatile uint64_t read_sum;

/* Reads every row of a file, and every byte of it; 0 or the failure. */
static int read_all(const void *p, size_t n, struct sonde_error *err)
{
	struct parquet_reader *r = parquet_reader_new(columns, NR_COLUMNS);
	struct image file;
	uint64_t sum = 0;
	int result;

	assert_non_null(r);
	image_memory(&file, p, n);
	result = parquet_reader_open(r, &file, err);
	while (result == 0 && (result = parquet_reader_next(r)) > 0) {
		struct sonde_str text = parquet_text(r, TEXT);
		size_t length;
		const int64_t *list = parquet_list(r, LIST, &length);

		sum += (uint64_t)(parquet_int(r, INT32) + parquet_int(r, INT64) + parquet_int(r, DELTA));
		for (size_t i = 0; i < text.len; i++)
			sum += (uint8_t)text.p[i];
		for (size_t i = 0; i < length; i++)
			sum += (uint64_t)list[i];
		result = 0;
	}
	parquet_reader_free(r);
	read_sum = sum;
	return result;
}

/* Every prefix is refused; every byte changed gives an error or other values, and no more. */
static void test_damage(void **state)
{
	static const struct value_pattern kind = { 300, 40, 20, 5 };
	struct parquet_row *row = malloc(sizeof(*row));
	struct buf out = BUF_MEMORY;

	(void)state;
	assert_non_null(row);
	write_rows(&out, &kind, row);
	for (size_t n = 0; n < out.n; n++) {
		struct sonde_error err = { .sz = sizeof(err) };
		uint8_t *copy = malloc(n + 1);

		assert_non_null(copy);
		memcpy(copy, out.p, n);
		assert_true(read_all(copy, n, &err) < 0);
		assert_true(err.code);
		free(copy);
	}
	for (size_t i = 0; i < out.n; i++)
		for (int change = 0; change < 3; change++) {
			struct sonde_error err = { .sz = sizeof(err) };
			char kept = out.p[i];
			int r;

			out.p[i] = (char[]){ 0, (char)0xff, (char)(kept ^ 1) }[change];
			r = read_all(out.p, out.n, &err);
			assert_int_equal(-r, err.code);
			out.p[i] = kept;
		}
	buf_free(&out);
	free(row);
}

static void check_refused(const struct parquet_column *wanted, const char *text)
{
	static const struct value_pattern kind = { 3, 3, 3, 3 };
	struct sonde_error err = { .sz = sizeof(err) };
	struct parquet_row *row = malloc(sizeof(*row));
	struct buf out = BUF_MEMORY;
	struct parquet_reader *r = parquet_reader_new(wanted, 1);
	struct image file;

	assert_non_null(row);
	write_rows(&out, &kind, row);
	image_memory(&file, out.p, out.n);
	assert_int_equal(parquet_reader_open(r, &file, &err), -SONDE_UNSUPPORTED);
	assert_string_equal(err.text, text);
	parquet_reader_free(r);
	buf_free(&out);
	free(row);
}

static void test_other_columns(void **state)
{
	(void)state;
	check_refused(&(struct parquet_column){ "none", PARQUET_INT32 }, "there is no column none");
	check_refused(&(struct parquet_column){ "text", PARQUET_INT32 },
		      "column text has another type than expected");
	check_refused(&(struct parquet_column){ "list", PARQUET_STRING },
		      "column list has another type than expected");
	check_refused(&(struct parquet_column){ "int64", PARQUET_INT64_LIST },
		      "column int64 has another type than expected");
	/* the inner nodes of a list are no columns */
	check_refused(&(struct parquet_column){ "element", PARQUET_INT64 }, "there is no column element");
}

static void test_no_parquet_file(void **state)
{
	static const char text[] = "PERFILE2 and more";
	struct sonde_error err = { .sz = sizeof(err) };

	(void)state;
	assert_int_equal(read_all(text, sizeof(text), &err), -SONDE_FORMAT);
	assert_string_equal(err.text, "no Parquet file: it does not begin with PAR1");
	err = (struct sonde_error){ .sz = sizeof(err) };
	assert_int_equal(read_all("", 0, &err), -SONDE_FORMAT);
	err = (struct sonde_error){ .sz = sizeof(err) };
	assert_int_equal(read_all("PAR1PAR1", 8, &err), -SONDE_TRUNCATED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_texts_become_utf8),
		cmocka_unit_test(test_missing_value),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_other_columns),
		cmocka_unit_test(test_files_of_duckdb),
		cmocka_unit_test(test_no_parquet_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
