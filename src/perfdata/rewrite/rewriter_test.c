/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/rewriter.h"

#include "perfdata/read/small_file_test.h"

#include <stdio.h>

enum { RECORDS_BYTES = COMM_BYTES + 2 * SAMPLE_BYTES };

typedef int (*change_fn)(struct sonde_rewrite *w, struct image *im, const char *out);

static char dir[] = "/tmp/sonde-rewriter-XXXXXX";
static char path[64];

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(dir) && snprintf(path, sizeof(path), "%s/new", dir) > 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(dir);
}

/* The new file, which is gone then. */
static struct buf take_file(void)
{
	struct buf b = BUF_MEMORY;
	uint8_t bytes[4096];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	assert_true(fd >= 0);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		buf_put(&b, bytes, (size_t)n);
	close(fd);
	assert_int_equal(unlink(path), 0);
	return b;
}

/* The file that @change makes of the first @n bytes, which are an exact copy; none if it fails: no file is left. */
static struct buf changed(change_fn change, const struct buf *in, size_t n, uint64_t *losses)
{
	struct sonde_rewrite w = { .err = { .file_offset = SONDE_NONE } };
	uint8_t *copy = malloc(n ? n : 1);
	struct buf b = BUF_MEMORY;
	struct image im;
	int r;

	assert_non_null(copy);
	memcpy(copy, in->p, n);
	image_memory(&im, copy, n);
	r = change(&w, &im, path);
	if (r == 0)
		b = take_file();
	else
		assert_int_not_equal(access(path, F_OK), 0);
	if (losses)
		*losses = w.ledger.rows.n;
	ledger_free(&w.ledger);
	free(copy);
	return b;
}

static int repair(struct sonde_rewrite *w, struct image *im, const char *out)
{
	return perfdata_rewriter.repair(w, im, out);
}

static int redact(struct sonde_rewrite *w, struct image *im, const char *out)
{
	const struct sonde_convert_opts opts = { .sz = sizeof(opts), .redact = true };

	return perfdata_rewriter.convert(w, im, out, &opts);
}

static int other_order(struct sonde_rewrite *w, struct image *im, const char *out)
{
	struct sonde_convert_opts opts = { .sz = sizeof(opts), .endian = SONDE_ENDIAN_BIG };
	uint8_t magic;

	memcpy(&magic, im->memory, 1);
	if (magic == '2')
		opts.endian = SONDE_ENDIAN_LITTLE;
	return perfdata_rewriter.convert(w, im, out, &opts);
}

static int to_pipe(struct sonde_rewrite *w, struct image *im, const char *out)
{
	const struct sonde_convert_opts opts = { .sz = sizeof(opts), .to = SONDE_FORM_PIPE };

	return perfdata_rewriter.convert(w, im, out, &opts);
}

static int cut_until_250(struct sonde_rewrite *w, struct image *im, const char *out)
{
	const struct sonde_query query = { .sz = sizeof(query), .time_max = 250 };
	const struct sonde_cut_opts opts = { .sz = sizeof(opts), .query = &query };

	return perfdata_rewriter.cut(w, im, out, &opts);
}

static void expect_file(const struct buf *b, const char *want)
{
	struct reader *r = open_bytes(b);

	expect_records(r, want);
	r->ops->free(r);
}

/* Cut at any byte of its records, a file keeps those that are whole. */
static void repair_keeps_whole_records(void **state)
{
	struct buf whole = whole_file(SONDE_NONE);

	(void)state;
	for (size_t n = DATA_AT + COMM_BYTES; n <= whole.n; n++) {
		size_t samples = (n - DATA_AT - COMM_BYTES) / SAMPLE_BYTES;
		uint64_t losses;
		struct buf b = changed(repair, &whole, n, &losses), again;

		expect_file(&b, samples == 0 ? "C100 " : samples == 1 ? "C100 S200 " : "C100 S200 S300 ");
		assert_int_equal(losses > 0, n < whole.n);
		/* nothing is left to be repaired */
		again = changed(repair, &b, b.n, NULL);
		assert_int_equal(again.n, b.n);
		assert_memory_equal(again.p, b.p, b.n);
		buf_free(&again);
		buf_free(&b);
	}
	buf_free(&whole);
}

/* Before the attr is whole no event is described. */
static void repair_of_less_leaves_no_file(void **state)
{
	struct buf whole = whole_file(SONDE_NONE);

	(void)state;
	for (size_t n = 0; n < ATTR_AT + ATTR_BYTES; n++)
		assert_int_equal(changed(repair, &whole, n, NULL).n, 0);
	buf_free(&whole);
}

/* A killed recorder has not told the size of the records. */
static void repair_finds_the_end(void **state)
{
	static const uint64_t sizes[] = { 0, RECORDS_BYTES - 8, RECORDS_BYTES, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct buf whole = whole_file(sizes[i]), b = changed(repair, &whole, whole.n, NULL);

		expect_file(&b, sizes[i] == RECORDS_BYTES - 8 ? "C100 S200 " : "C100 S200 S300 ");
		buf_free(&b);
		buf_free(&whole);
	}
}

/* Bytes that are no record, at the place of each one, cost this one. */
static void repair_passes_damage_over(void **state)
{
	static const char *const left[] = { "S200 S300 ", "C100 S300 ", "C100 S200 " };
	static const size_t places[] = { 0, COMM_BYTES, COMM_BYTES + SAMPLE_BYTES };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct buf whole = whole_file(SONDE_NONE), b;
		uint64_t losses;

		memset(whole.p + DATA_AT + places[i], 0xff, 8);
		b = changed(repair, &whole, whole.n, &losses);
		expect_file(&b, left[i]);
		assert_true(losses > 0);
		buf_free(&b);
		buf_free(&whole);
	}
}

static bool has(const struct buf *b, const char *text)
{
	return memmem(b->p, b->n, text, strlen(text)) != NULL;
}

static void redaction_leaves_no_name(void **state)
{
	struct buf (*const makers[])(void) = { whole_pipe, NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		struct buf whole = makers[i] ? makers[i]() : whole_file(SONDE_NONE);
		struct buf b = changed(redact, &whole, whole.n, NULL);

		assert_true(has(&whole, "demo"));
		assert_false(has(&b, "demo"));
		assert_true(has(&b, "comm-1"));
		expect_file(&b, makers[i] ? "H-1 C100 S200 S300 " : "C100 S200 S300 ");
		buf_free(&b);
		buf_free(&whole);
	}
}

static void two_turns_of_the_byte_order_give_the_first_bytes(void **state)
{
	struct buf whole = whole_file(SONDE_NONE), turned = changed(other_order, &whole, whole.n, NULL);
	struct buf back = changed(other_order, &turned, turned.n, NULL);

	(void)state;
	assert_int_equal(turned.n, whole.n);
	assert_memory_not_equal(turned.p, whole.p, whole.n);
	expect_file(&turned, "C100 S200 S300 ");
	assert_int_equal(back.n, whole.n);
	assert_memory_equal(back.p, whole.p, whole.n);
	buf_free(&back);
	buf_free(&turned);
	buf_free(&whole);
}

static void forms_have_the_same_records(void **state)
{
	static const change_fn changes[] = { to_pipe, cut_until_250 };
	static const char *const want[] = { "H-1 C100 S200 S300 ", "C100 S200 " };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct buf whole = whole_file(SONDE_NONE), b = changed(changes[i], &whole, whole.n, NULL);

		expect_file(&b, want[i]);
		buf_free(&b);
		buf_free(&whole);
	}
}

/* Cut between two records, a file has nothing that is torn, but less than its header says. */
static void a_copy_names_the_records_that_its_input_lacks(void **state)
{
	static const change_fn changes[] = { repair, to_pipe, redact, cut_until_250 };
	struct buf whole = whole_file(SONDE_NONE);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		uint64_t losses;
		struct buf b = changed(changes[i], &whole, DATA_AT + COMM_BYTES + SAMPLE_BYTES, &losses);

		assert_int_equal(losses, 1);
		buf_free(&b);
		b = changed(changes[i], &whole, whole.n, &losses);
		assert_int_equal(losses, 0);
		buf_free(&b);
	}
	buf_free(&whole);
}

/* A recording, and the same at later times. */
static void merge_sorts_by_time(void **state)
{
	const int64_t offsets[] = { 0, 50 };
	const struct sonde_merge_opts opts = { .sz = sizeof(opts), .offsets_ns = offsets, .nr_offsets = 2 };
	struct sonde_rewrite w = { .err = { .file_offset = SONDE_NONE } };
	struct buf whole = whole_file(SONDE_NONE), b;
	struct reader *in[] = { open_bytes(&whole), open_bytes(&whole) };

	(void)state;
	assert_int_equal(perfdata_rewriter.merge(&w, in, 2, path, &opts), 0);
	b = take_file();
	expect_file(&b, "C100 C150 S200 S250 S300 S350 ");
	for (size_t i = 0; i < 2; i++)
		in[i]->ops->free(in[i]);
	ledger_free(&w.ledger);
	buf_free(&b);
	buf_free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repair_keeps_whole_records), cmocka_unit_test(repair_of_less_leaves_no_file),
		cmocka_unit_test(repair_finds_the_end), cmocka_unit_test(repair_passes_damage_over),
		cmocka_unit_test(redaction_leaves_no_name),
		cmocka_unit_test(two_turns_of_the_byte_order_give_the_first_bytes),
		cmocka_unit_test(forms_have_the_same_records),
		cmocka_unit_test(a_copy_names_the_records_that_its_input_lacks), cmocka_unit_test(merge_sorts_by_time),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
