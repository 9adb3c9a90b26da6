/* SPDX-License-Identifier: MIT */
#include "perfdata/attr.h"
#include "perfdata/perfdata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <pthread.h>
#include <unistd.h>

enum {
	ATTR_BYTES = 64, ATTR_AT = 112, DATA_AT = ATTR_AT + ATTR_BYTES + 16,
	COMM_BYTES = 48, SAMPLE_BYTES = 40, EVENT_ID = 5,
};

/* The smallest useful file: one cpu-clock event, a COMM and two samples, at times 100, 200 and 300. */
static struct buf records(void)
{
	static const uint64_t comm_tail[] = { 0x4d0000004d, 100, EVENT_ID };
	struct buf b = BUF_MEMORY;

	buf_put(&b, &(struct record_header){ RECORD_COMM, MISC_COMM_EXEC, COMM_BYTES }, 8);
	buf_put(&b, &(uint32_t[]){ 77, 77 }, 8);
	buf_put(&b, "demo\0\0\0", 8);
	buf_put(&b, comm_tail, sizeof(comm_tail));
	for (uint64_t time = 200; time <= 300; time += 100) {
		buf_put(&b, &(struct record_header){ RECORD_SAMPLE, 2, SAMPLE_BYTES }, 8);
		buf_put(&b, &(uint64_t[]){ EVENT_ID, 0x400000 + time, 0x4d0000004d, time }, 32);
	}
	return b;
}

static void put_attr(struct buf *b)
{
	struct sonde_attr attr = { .type = 1, .size = ATTR_BYTES, .sample_period = 1000000, .flags = SONDE_ATTR_SAMPLE_ID_ALL,
				   .sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME };

	attr_encode(b, &attr, false);
}

static struct buf whole_file(uint64_t data_size)
{
	struct buf b = BUF_MEMORY, data = records();
	uint64_t header[] = { 104, ATTR_BYTES + 16, ATTR_AT, ATTR_BYTES + 16, DATA_AT, data_size == SONDE_NONE ? data.n : data_size };

	buf_put(&b, "PERFILE2", 8);
	buf_put(&b, header, sizeof(header));
	buf_pad(&b, 0, 104 - b.n);
	buf_put(&b, &(uint64_t){ EVENT_ID }, 8);
	put_attr(&b);
	buf_put(&b, &(uint64_t[]){ 104, 8 }, 16);
	buf_put(&b, data.p, data.n);
	buf_free(&data);
	return b;
}

static struct buf whole_pipe(void)
{
	struct buf b = BUF_MEMORY, data = records();

	buf_put(&b, "PERFILE2", 8);
	buf_put(&b, &(uint64_t){ 16 }, 8);
	buf_put(&b, &(struct record_header){ RECORD_HEADER_ATTR, 0, 8 + ATTR_BYTES + 8 }, 8);
	put_attr(&b);
	buf_put(&b, &(uint64_t){ EVENT_ID }, 8);
	buf_put(&b, data.p, data.n);
	buf_free(&data);
	return b;
}

static struct reader *open_bytes(const struct buf *b)
{
	struct input in = input_of_memory("test", b->p, b->n);
	struct sonde_error err = { 0 };
	struct reader *r = NULL;

	assert_int_equal(perfdata_format.open(&in, &r, &err), 0);
	return r;
}

/* All records as text: the first letter of the type and the time of each. */
static void expect_records(struct reader *r, const char *want)
{
	struct sonde_error err = { 0 };
	struct buf got = BUF_MEMORY;
	struct record_ref ref;
	struct sonde_event ev;
	struct walk *w;

	assert_int_equal(r->ops->walk_new(r, &w, &err), 0);
	while (r->ops->walk_next(w, &ref, &err) > 0) {
		r->ops->load(r, &ref, &ev);
		buf_printf(&got, "%c%lld ", sonde_event_type_name(ev.type)[0], (long long)ev.time);
	}
	buf_char(&got, '\0');
	assert_string_equal(got.p, want);
	assert_int_equal(err.code, 0);
	buf_free(&got);
	r->ops->walk_free(w);
}

static void test_a_file(void **state)
{
	struct buf b = whole_file(SONDE_NONE);
	struct reader *r = open_bytes(&b);

	(void)state;
	assert_int_equal(r->sources.n, 1);
	assert_string_equal(r->sources.at[0]->name, "cpu-clock");
	assert_int_equal(r->sources.at[0]->ids[0], EVENT_ID);
	expect_records(r, "C100 S200 S300 ");
	expect_records(r, "C100 S200 S300 ");  /* as often as one likes */
	assert_int_equal(r->ledger.rows.n, 0);
	r->ops->free(r);
	buf_free(&b);
}

static void test_a_recorder_that_was_killed(void **state)
{
	struct buf b = whole_file(0);
	struct reader *r;

	(void)state;
	buf_pad(&b, 0, 4096);  /* set aside and never written */
	r = open_bytes(&b);
	expect_records(r, "C100 S200 S300 ");
	assert_int_equal(r->ledger.rows.n, 1);
	assert_int_equal(r->ledger.rows.at[0].kind, SONDE_LOSS_TRUNCATED);
	r->ops->free(r);
	buf_free(&b);
}

static void test_damage_in_the_middle_costs_the_damage(void **state)
{
	struct buf b = whole_file(SONDE_NONE);
	struct reader *r;

	(void)state;
	memset(b.p + DATA_AT + COMM_BYTES, 0xff, 6);          /* the first sample's type and misc ... */
	memcpy(b.p + DATA_AT + COMM_BYTES + 6, "\x03\0", 2);  /* ... and a size below its header */
	r = open_bytes(&b);
	expect_records(r, "C100 S300 ");
	assert_int_equal(r->ledger.rows.n, 1);
	assert_int_equal(r->ledger.rows.at[0].kind, SONDE_LOSS_CORRUPT);
	assert_int_equal(r->ledger.rows.at[0].count, SAMPLE_BYTES);
	assert_int_equal(r->ledger.rows.at[0].file_offset, DATA_AT + COMM_BYTES);
	r->ops->free(r);
	buf_free(&b);
}

static void test_a_cut_file(void **state)
{
	struct buf b = whole_file(SONDE_NONE);
	struct reader *r;

	(void)state;
	b.n -= 1;
	r = open_bytes(&b);
	expect_records(r, "C100 S200 ");
	assert_true(r->ledger.rows.n >= 2);  /* what the header promised, and the piece of a record */
	r->ops->free(r);
	buf_free(&b);
}

static void test_a_pipe_in_a_file(void **state)
{
	struct buf b = whole_pipe();
	struct reader *r = open_bytes(&b);

	(void)state;
	assert_int_equal(r->info.mode, SONDE_MODE_PIPE);
	assert_int_equal(r->sources.n, 1);
	expect_records(r, "H-1 C100 S200 S300 ");
	assert_int_equal(r->sources.n, 1);  /* the walk passes the attr again, and takes it once */
	r->ops->free(r);
	buf_free(&b);
}

static int ends[2];

static void *write_slowly(void *arg)
{
	const struct buf *b = arg;

	for (size_t i = INPUT_HEAD_BYTES; i < b->n; i++)
		if (write(ends[1], b->p + i, 1) != 1)
			break;
	close(ends[1]);
	return NULL;
}

static void test_a_stream_that_is_still_being_written(void **state)
{
	struct buf b = whole_pipe();
	struct input in = INPUT_NONE;
	struct sonde_error err = { 0 };
	struct reader *r = NULL;
	struct walk *w;
	pthread_t writer;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	in.path = "test";
	in.fd = ends[0];
	in.stream = true;
	in.size = SONDE_NONE;
	in.nr_head = INPUT_HEAD_BYTES;
	memcpy(in.head, b.p, INPUT_HEAD_BYTES);
	assert_int_equal(pthread_create(&writer, NULL, write_slowly, &b), 0);
	assert_int_equal(perfdata_format.open(&in, &r, &err), 0);
	assert_int_equal(r->sources.n, 1);
	expect_records(r, "H-1 C100 S200 S300 ");
	assert_int_equal(r->ops->walk_new(r, &w, &err), -SONDE_USAGE);  /* a stream passes once */
	pthread_join(writer, NULL);
	r->ops->free(r);
	buf_free(&b);
}

static void test_sizes_that_lie_in_the_header(void **state)
{
	struct buf b = whole_file(SONDE_NONE);
	struct input in = input_of_memory("test", b.p, b.n), again = in;
	struct sonde_error err = { 0 };
	struct reader *r = NULL;

	(void)state;
	memset(b.p + 16, 0, 8);  /* attr_size 0 */
	assert_int_equal(perfdata_format.open(&in, &r, &err), -SONDE_CORRUPT);
	assert_int_equal(err.file_offset, 16);
	memset(&err, 0, sizeof(err));
	memset(b.p + 40, 0xff, 8);  /* records beyond the end */
	assert_int_equal(perfdata_format.open(&again, &r, &err), -SONDE_TRUNCATED);
	assert_null(r);
	buf_free(&b);
}

/* Somebody writes over the file while it is read: what has been read is there, the rest is a loss, and nobody is killed. */
static void test_a_file_that_shrinks_while_it_is_read(void **state)
{
	struct buf b = whole_file(SONDE_NONE);
	const uint64_t more = 100000, size = b.n + more * SAMPLE_BYTES;
	struct input in = INPUT_NONE;
	struct sonde_error err = { 0 };
	char path[] = "/tmp/sonde-test.XXXXXX";
	uint64_t n = 0, data_size;
	struct record_ref ref;
	struct reader *r;
	struct walk *w;

	(void)state;
	memcpy(&data_size, b.p + 48, 8);
	data_size += more * SAMPLE_BYTES;
	memcpy(b.p + 48, &data_size, 8);
	in.fd = mkstemp(path);
	assert_true(in.fd >= 0);
	unlink(path);
	assert_int_equal(write(in.fd, b.p, b.n), b.n);
	for (uint64_t i = 0; i < more; i++)
		assert_int_equal(write(in.fd, b.p + b.n - SAMPLE_BYTES, SAMPLE_BYTES), SAMPLE_BYTES);
	in.path = "test";
	in.size = size;
	assert_int_equal(perfdata_format.open(&in, &r, &err), 0);
	assert_int_equal(r->ops->walk_new(r, &w, &err), 0);
	assert_int_equal(r->ops->walk_next(w, &ref, &err), 1);
	assert_int_equal(ftruncate(perfdata_of(r)->input.fd, 4096), 0);
	while (r->ops->walk_next(w, &ref, &err) > 0)
		n++;
	assert_int_equal(err.code, 0);
	assert_in_range(n, 1, more);
	assert_true(r->ledger.rows.n >= 1);
	assert_int_equal(r->ledger.rows.at[0].kind, SONDE_LOSS_TRUNCATED);
	r->ops->walk_free(w);
	r->ops->free(r);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file),
		cmocka_unit_test(test_a_recorder_that_was_killed),
		cmocka_unit_test(test_damage_in_the_middle_costs_the_damage),
		cmocka_unit_test(test_a_cut_file),
		cmocka_unit_test(test_a_pipe_in_a_file),
		cmocka_unit_test(test_a_stream_that_is_still_being_written),
		cmocka_unit_test(test_sizes_that_lie_in_the_header),
		cmocka_unit_test(test_a_file_that_shrinks_while_it_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
