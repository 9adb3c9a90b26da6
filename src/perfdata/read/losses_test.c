/* SPDX-License-Identifier: MIT */
#include "perfdata/read/losses.h"

#include "perfdata/read/small_file_test.h"
#include "perfdata/scan/check.h"

/* A file with the feature HOSTNAME, of 8 bytes: its table is after the records. */
static struct buf with_hostname(void)
{
	struct buf b = whole_file(SONDE_NONE);
	const uint64_t bits = 1 << SONDE_FEAT_HOSTNAME;

	memcpy((char *)b.p + FEATURES_AT, &bits, 8);
	buf_put(&b, &(uint64_t[]){ b.n + 16, 8 }, 16);
	buf_put(&b, &(uint32_t){ 4 }, 4);
	buf_put(&b, "box", 4);
	return b;
}

struct seen {
	const char *rule;
	bool found;
};

static int look(void *ctx, const struct sonde_finding *f)
{
	struct seen *seen = ctx;

	seen->found |= strcmp(f->rule->name, seen->rule) == 0;
	return 0;
}

/* With one number in it changed, check names the rule and a reader the loss; both in a file, and in memory. */
static void expect_both(size_t at, uint64_t value, size_t bytes, const char *rule, uint64_t count, const char *loss)
{
	struct buf b = with_hostname();
	struct folder d = folder_new();

	memcpy((char *)b.p + at, &value, 8);
	b.n -= bytes;
	folder_put(&d, "data", &b);
	for (int i = 0; i < 2; i++) {
		struct reader *r = i ? open_folder(&d) : open_bytes(&b);
		struct seen seen = { .rule = rule };
		struct findings f = { .fn = look, .ctx = &seen };
		uint64_t nr, told = 0;
		struct image im;

		image_memory(&im, b.p, b.n);
		assert_int_equal(perfdata_check(&im, &f, &nr, NULL), 0);
		assert_true(seen.found);
		for (size_t k = 0; k < r->ledger.rows.n; k++)
			if (strncmp(r->ledger.rows.at[k].text, loss, strlen(loss)) == 0)
				told = r->ledger.rows.at[k].count;
		assert_int_equal(told, count);
		r->ops->free(r);
	}
	folder_end(&d);
	buf_free(&b);
}

enum { TABLE_AT = DATA_AT + COMM_BYTES + 2 * SAMPLE_BYTES, FILE_BYTES = TABLE_AT + 16 + 8 };

static void sound(void **state)
{
	struct buf b = with_hostname();
	struct reader *r = open_bytes(&b);

	(void)state;
	assert_int_equal(b.n, FILE_BYTES);
	assert_int_equal(r->ledger.rows.n, 0);
	assert_string_equal(r->meta.hostname, "box");
	r->ops->free(r);
	buf_free(&b);
}

static void sections(void **state)
{
	(void)state;
	expect_both(48, 4096, 0, "section-outside", 4096 - (FILE_BYTES - DATA_AT), "bytes of records are missing");
	expect_both(48, 0, 0, "unfinished", 1, "recording was never finished: header features are missing");
	expect_both(32, 800, 0, "section-outside", 800 - (FILE_BYTES - ATTR_AT),
		    "bytes of the attrs section are missing");
	expect_both(ATTR_AT + ATTR_BYTES, 4096, 0, "section-outside", 8, "bytes of event ids lie outside the file");
	expect_both(ATTR_AT + ATTR_BYTES + 8, 4096, 0, "section-outside", 4096,
		    "bytes of event ids lie outside the file");
}

/* Eight bytes that begin with the number as four bytes, in either byte order. */
static uint64_t first_word(uint32_t number)
{
	uint64_t words = 0;

	memcpy(&words, &number, sizeof(number));
	return words;
}

static void features(void **state)
{
	(void)state;
	expect_both(TABLE_AT, 4096, 0, "section-outside", 1, "header feature that lies outside the file");
	expect_both(TABLE_AT + 8, UINT64_MAX, 0, "section-outside", 1, "header feature that lies outside the file");
	expect_both(TABLE_AT + 16, first_word(8), 0, "feature-corrupt", 1,
		    "header feature not read: HOSTNAME: need 8 bytes, 4 left");
	expect_both(TABLE_AT, 0, 16, "feature-table", 1,
		    "header feature is missing: the file ends before their table does");
	expect_both(TABLE_AT, 0, 32, "feature-table", 1,
		    "header feature is missing: the file ends before their table does");
	expect_both(FEATURES_AT, 3 << SONDE_FEAT_HOSTNAME, 0, "feature-table", 1,
		    "header feature is missing: the file ends before");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound),
		cmocka_unit_test(sections),
		cmocka_unit_test(features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
