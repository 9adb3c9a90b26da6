/* SPDX-License-Identifier: MIT */
#include "perfdata/read/small_file_test.h"

/* The records of whole_file(), and the feature that says what the directory has. */
static struct buf whole_data(uint64_t version)
{
	struct buf b = whole_file(SONDE_NONE);
	const uint64_t section[] = { b.n + 16, 8 };

	buf_put(&b, section, sizeof(section));
	buf_put(&b, &version, 8);
	memcpy(b.p + 72, &(uint64_t){ UINT64_C(1) << SONDE_FEAT_DIR_FORMAT }, 8);
	return b;
}

static void test_a_directory(void **state)
{
	struct folder d = folder_new();
	struct buf data = whole_data(1), plain = records(), none = BUF_MEMORY;
	struct zstd_stream zip = zip_new(), other = zip_new();
	struct reader *r;

	(void)state;
	zip_put(&zip, RECORD_COMPRESSED, plain.p, plain.n - 8);
	zip_put(&zip, RECORD_COMPRESSED, plain.p + plain.n - 8, 8);
	zip_put(&other, RECORD_COMPRESSED2, plain.p + COMM_BYTES, SAMPLE_BYTES);  /* a stream of its own */
	folder_put(&d, "data", &data);
	folder_put(&d, "data.0", &zip.out);
	folder_put(&d, "data.1", &other.out);
	mkdirat(d.fd, "data.2", 0700);
	folder_put(&d, "data.3", &none);
	folder_put(&d, "data.old", &plain);      /* none of these is a part */
	folder_put(&d, "data.03", &plain);
	r = open_folder(&d);
	assert_int_equal(r->info.mode, SONDE_MODE_DIRECTORY);
	assert_int_equal(r->info.nr_files, 4);
	assert_string_equal(r->info.files[3], "data.3");
	expect_records(r, "C100 S200 S300 C-1 C100 S200 C-1 S300 C-1 S200 ");
	expect_records(r, "C100 S200 S300 C-1 C100 S200 C-1 S300 C-1 S200 ");
	assert_int_equal(r->ledger.rows.n, 0);
	r->ops->free(r);
	ZSTD_freeCStream(zip.z);
	ZSTD_freeCStream(other.z);
	buf_free(&zip.out);
	buf_free(&other.out);
	buf_free(&data);
	buf_free(&plain);
	folder_end(&d);
}

static void test_a_directory_of_a_recorder_that_was_killed(void **state)
{
	struct folder d = folder_new();
	struct buf data = whole_file(0), plain = records();
	struct reader *r;

	(void)state;
	plain.n -= 1;
	folder_put(&d, "data", &data);
	folder_put(&d, "data.0", &plain);
	r = open_folder(&d);
	expect_records(r, "C100 S200 S300 C100 S200 ");
	assert_int_equal(r->ledger.rows.n, 2);  /* never finished; and a record that is cut */
	assert_non_null(strstr(r->ledger.rows.at[1].text, "data.0"));
	r->ops->free(r);
	buf_free(&data);
	buf_free(&plain);
	folder_end(&d);
}

static void test_a_directory_that_lacks_files(void **state)
{
	struct folder d = folder_new();
	struct buf data = whole_data(1), plain = records();
	struct reader *r;

	(void)state;
	folder_put(&d, "data", &data);
	folder_put(&d, "data.1", &plain);
	r = open_folder(&d);
	expect_records(r, "C100 S200 S300 C100 S200 S300 ");
	assert_int_equal(r->ledger.rows.n, 1);
	assert_int_equal(r->ledger.rows.at[0].kind, SONDE_LOSS_TRUNCATED);
	assert_int_equal(r->ledger.rows.at[0].count, 1);
	r->ops->free(r);
	buf_free(&data);
	buf_free(&plain);
	folder_end(&d);
}

/* With --kcore: whatever else is there, the records are in data. */
static void test_a_directory_with_one_file(void **state)
{
	struct folder d = folder_new();
	struct buf data = whole_data(0), plain = records();
	struct reader *r;

	(void)state;
	folder_put(&d, "data", &data);
	folder_put(&d, "data.0", &plain);
	r = open_folder(&d);
	expect_records(r, "C100 S200 S300 ");
	assert_int_equal(r->info.nr_files, 1);
	assert_int_equal(r->ledger.rows.n, 0);
	r->ops->free(r);
	buf_free(&data);
	buf_free(&plain);
	folder_end(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_directory),
		cmocka_unit_test(test_a_directory_of_a_recorder_that_was_killed),
		cmocka_unit_test(test_a_directory_that_lacks_files),
		cmocka_unit_test(test_a_directory_with_one_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
