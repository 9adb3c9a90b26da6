/* SPDX-License-Identifier: MIT */
#include "perfdata/read/small_file_test.h"
#include "perfdata/scan/check.h"

#include <stdio.h>

static void test_compressed_records(void **state)
{
	static const uint32_t types[] = { RECORD_COMPRESSED, RECORD_COMPRESSED2 };
	struct buf plain = records();

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		for (size_t cut = 1; cut < plain.n; cut++) {  /* wherever the first ends, the second goes on */
			struct zstd_stream zip = zip_new();
			struct buf b;
			struct reader *r;
			char want[64] = "C-1 C-1 C100 S200 S300 ";

			zip_put(&zip, types[t], plain.p, cut);
			zip_put(&zip, types[t], plain.p + cut, plain.n - cut);
			if (cut >= COMM_BYTES)
				strcpy(want, "C-1 C100 C-1 S200 S300 ");
			if (cut >= COMM_BYTES + SAMPLE_BYTES)
				strcpy(want, "C-1 C100 S200 C-1 S300 ");
			b = zip_file(&zip);
			r = open_bytes(&b);
			expect_records(r, want);
			expect_records(r, want);
			assert_int_equal(r->ledger.rows.n, 0);
			r->ops->free(r);
			buf_free(&b);
		}
	}
	buf_free(&plain);
}

/* When the compressor fails, the recorder writes what it has as it is. */
static void test_plain_records_between_compressed_ones(void **state)
{
	struct buf plain = records(), b;
	struct zstd_stream zip = zip_new();
	struct reader *r;

	(void)state;
	zip_put(&zip, RECORD_COMPRESSED, plain.p, COMM_BYTES);
	buf_put(&zip.out, plain.p + COMM_BYTES, SAMPLE_BYTES);
	zip_put(&zip, RECORD_COMPRESSED, plain.p + COMM_BYTES + SAMPLE_BYTES, SAMPLE_BYTES);
	b = zip_file(&zip);
	r = open_bytes(&b);
	expect_records(r, "C-1 C100 S200 C-1 S300 ");
	assert_int_equal(r->ledger.rows.n, 0);
	r->ops->free(r);
	buf_free(&b);
	buf_free(&plain);
}

struct wanted_finding {
	const char *rule, *where;
	uint64_t at;
	bool found;
};

static int look_for(void *ctx, const struct sonde_finding *f)
{
	struct wanted_finding *w = ctx;

	w->found |= f->file_offset == w->at && !strcmp(f->rule->name, w->rule) && !strcmp(f->where, w->where);
	return 0;
}

static void expect_finding(const struct buf *b, const char *rule, const char *where, uint64_t at)
{
	struct wanted_finding w = { rule, where, at, false };
	struct findings f = { .fn = look_for, .ctx = &w };
	struct sonde_error err = { 0 };
	uint64_t records;
	struct image im;

	image_memory(&im, b->p, b->n);
	assert_int_equal(perfdata_check(&im, &f, &records, &err), 0);
	assert_true(w.found);
}

static int show_error(void *ctx, const struct sonde_finding *f)
{
	(void)ctx;
	if (f->rule->severity == SONDE_SEVERITY_ERROR)
		print_error("0x%" PRIx64 ": %s: %s: %s\n", f->file_offset, f->rule->name, f->where, f->found);
	return 0;
}

static void expect_no_error(const struct buf *b)
{
	struct sonde_error err = { 0 };
	struct findings f = { .fn = show_error };
	uint64_t records;
	struct image im;

	image_memory(&im, b->p, b->n);
	assert_int_equal(perfdata_check(&im, &f, &records, &err), 0);
	assert_true(finds_no_error(&f));
}

/* A COMM whose text has no end, in the second of two compressed records. */
static void test_rules_hold_within_compressed_records(void **state)
{
	struct buf plain = records(), b;
	struct zstd_stream zip = zip_new();
	size_t second;

	(void)state;
	zip_put(&zip, RECORD_COMPRESSED, plain.p, plain.n);
	second = zip.out.n;
	memset(plain.p + 16, 'x', 8);
	zip_put(&zip, RECORD_COMPRESSED, plain.p + COMM_BYTES, SAMPLE_BYTES);
	zip_put(&zip, RECORD_COMPRESSED, plain.p, COMM_BYTES);
	b = zip_file(&zip);
	second += record_header((uint8_t *)b.p + DATA_AT + second, false).size;
	expect_finding(&b, "record-string", "COMM, record 1 of COMPRESSED", DATA_AT + second);
	expect_finding(&b, "feature-contradicts", "header", 72);  /* there is no COMPRESSED */
	buf_free(&b);
	buf_free(&plain);
}

static size_t count_records(struct reader *r)
{
	struct sonde_error err = { 0 };
	struct record_ref ref;
	struct walk *w;
	size_t n = 0;

	assert_int_equal(r->ops->walk_new(r, &w, &err), 0);
	while (r->ops->walk_next(w, &ref, &err) > 0)
		n++;
	assert_int_equal(err.code, 0);
	r->ops->walk_free(w);
	return n;
}

static void test_a_bomb_is_cut(void **state)
{
	const size_t bytes = 64 << 20;
	uint64_t *marks = malloc(bytes), mark;
	struct zstd_stream zip = zip_new();
	struct reader *r;
	struct buf b;

	(void)state;
	memcpy(&mark, &(struct record_header){ RECORD_FINISHED_INIT, 0, 8 }, 8);
	for (size_t i = 0; i < bytes / 8; i++)
		marks[i] = mark;
	zip_put(&zip, RECORD_COMPRESSED, marks, bytes);
	b = zip_file(&zip);
	assert_true(b.n < 10000);
	r = open_bytes(&b);
	assert_in_range(count_records(r) * 8, 16 << 20, 40 << 20);
	assert_int_equal(r->ledger.rows.n, 1);
	assert_int_equal(r->ledger.rows.at[0].kind, SONDE_LOSS_CORRUPT);
	assert_non_null(strstr(r->ledger.rows.at[0].text, "1000-fold"));
	r->ops->free(r);
	expect_finding(&b, "record-unpack", "COMPRESSED", DATA_AT);
	buf_free(&b);
	free(marks);
}

static void test_nested_compression_is_not_followed(void **state)
{
	struct buf plain = records(), b;
	struct zstd_stream inner = zip_new(), outer = zip_new();
	struct reader *r;

	(void)state;
	zip_put(&inner, RECORD_COMPRESSED2, plain.p, plain.n);
	zip_put(&outer, RECORD_COMPRESSED, inner.out.p, inner.out.n);
	b = zip_file(&outer);
	r = open_bytes(&b);
	expect_records(r, "C-1 ");
	assert_int_equal(r->ledger.rows.n, 1);
	r->ops->free(r);
	expect_finding(&b, "record-unpack", "COMPRESSED", DATA_AT);
	buf_free(&b);
	ZSTD_freeCStream(inner.z);
	buf_free(&inner.out);
	buf_free(&plain);
}

static void test_a_damaged_stream(void **state)
{
	struct buf plain = records(), b;
	struct zstd_stream zip = zip_new();
	struct reader *r;

	(void)state;
	zip_put(&zip, RECORD_COMPRESSED, plain.p, COMM_BYTES);
	zip_put(&zip, RECORD_COMPRESSED, plain.p + COMM_BYTES, 2 * SAMPLE_BYTES);
	memset(zip.out.p + 12, 0xff, 8);  /* after the magic */
	b = zip_file(&zip);
	r = open_bytes(&b);
	expect_records(r, "C-1 C-1 ");
	assert_int_equal(r->ledger.rows.n, 2);  /* what cannot be decompressed, and what depends on it */
	r->ops->free(r);
	buf_free(&b);
	buf_free(&plain);
}

/*
 * perf 6.16 wrote the size of all pieces, cut to 16 bits, into the first of several COMPRESSED2, and nothing into
 * data_size of the others.
 */
static void test_pieces_of_compressed2_with_wrong_sizes(void **state)
{
	const size_t first = 65535 - 16, samples = 4000;
	struct buf plain = BUF_MEMORY, data = BUF_MEMORY, file;
	struct reader *r;
	uint8_t *zipped;
	size_t n, bound;

	(void)state;
	for (uint64_t i = 0; i < samples; i++) {
		put_header(&plain, RECORD_SAMPLE, SAMPLE_BYTES);
		buf_put(&plain,
			&(uint64_t[]){ EVENT_ID, i * UINT64_C(0x9e3779b97f4a7c15), i * i * UINT64_C(0xd1342543de82ef95),
				       i },
			32);
	}
	bound = ZSTD_compressBound(plain.n);
	zipped = malloc(bound);
	n = ZSTD_compress(zipped, bound, plain.p, plain.n, 1);
	assert_in_range(n, first + 1, 2 * first);
	put_header(&data, RECORD_COMPRESSED2, ALIGN_UP(n + 32, 8) & 0xffff);  /* both headers are in the sum */
	buf_put(&data, &(uint64_t){ n + 16 }, 8);
	buf_put(&data, zipped, first);
	put_header(&data, RECORD_COMPRESSED2, 16 + n - first);
	buf_put(&data, &(uint64_t){ 0xdeadbeefdeadbeef }, 8);
	buf_put(&data, zipped + first, n - first);
	file = file_of(data, SONDE_NONE);
	r = open_bytes(&file);
	assert_int_equal(count_records(r), samples + 2);
	assert_int_equal(r->ledger.rows.n, 0);
	r->ops->free(r);
	expect_no_error(&file);
	buf_free(&file);
	buf_free(&plain);
	free(zipped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compressed_records),
		cmocka_unit_test(test_plain_records_between_compressed_ones),
		cmocka_unit_test(test_rules_hold_within_compressed_records),
		cmocka_unit_test(test_a_bomb_is_cut),
		cmocka_unit_test(test_nested_compression_is_not_followed),
		cmocka_unit_test(test_a_damaged_stream),
		cmocka_unit_test(test_pieces_of_compressed2_with_wrong_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
