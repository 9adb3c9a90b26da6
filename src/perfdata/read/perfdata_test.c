/* SPDX-License-Identifier: MIT */
#include "perfdata/read/small_file_test.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void test_a_file(void **state)
{
	struct buf b = whole_file(SONDE_NONE);
	struct reader *r = open_bytes(&b);

	(void)state;
	assert_int_equal(r->evsels.n, 1);
	assert_string_equal(r->evsels.at[0]->name, "cpu-clock");
	assert_int_equal(r->evsels.at[0]->ids[0], EVENT_ID);
	expect_records(r, "C100 S200 S300 ");
	expect_records(r, "C100 S200 S300 ");  /* as often as one likes */
	assert_int_equal(r->ledger.rows.n, 0);
	r->ops->free(r);
	buf_free(&b);
}

/* The head of a sample has what the event has. */
static void test_heads_of_samples(void **state)
{
	struct buf b = whole_file(SONDE_NONE);
	struct reader *r = open_bytes(&b);
	struct sonde_error err = { 0 };
	struct loaded_event e;
	struct record_ref ref;
	struct sample_head head;
	struct walk *w;
	int n = 0;

	(void)state;
	assert_int_equal(r->ops->walk_new(r, &w, &err), 0);
	while (r->ops->walk_next(w, &ref, &err) > 0) {
		r->ops->load(r, &ref, &e);
		assert_int_equal(r->ops->sample_heads(r, &ref, 1, &head), e.pub.kind == SONDE_KIND_SAMPLE);
		if (e.pub.kind != SONDE_KIND_SAMPLE)
			continue;
		n++;
		assert_ptr_equal(head.evsel, e.pub.evsel);
		assert_int_equal(head.ip, 0x400000 + head.time);
		assert_int_equal(head.time, e.pub.time);
		assert_int_equal(head.period, 1000000);
		assert_int_equal(head.period, e.pub.period);
		assert_int_equal(head.pid, 77);
		assert_int_equal(head.tid, 77);
		assert_int_equal(head.cpu, e.pub.cpu);
		assert_int_equal(head.cpumode, 2);
	}
	assert_int_equal(n, 2);
	r->ops->walk_free(w);
	r->ops->free(r);
	buf_free(&b);
}

/* The raw bytes alone are those of the whole sample, wherever its record is cut. */
static void test_raw_bytes(void **state)
{
	enum { BYTES = 40 + 8 + 16 + 16 };
	uint64_t sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN | SAMPLE_RAW;
	struct buf data = BUF_MEMORY, b;
	struct loaded_event e;
	struct sonde_bytes raw;
	struct sample s;
	struct reader *r;

	(void)state;
	buf_put(&data, &(struct record_header){ RECORD_SAMPLE, 2, BYTES }, 8);
	buf_put(&data, &(uint64_t[]){ EVENT_ID, 0x400000, 0x4d0000004d, 200, 2, 0x400010, 0x400020 }, 56);
	buf_put(&data, &(uint32_t){ 12 }, 4);
	buf_put(&data, "raw bytes...", 12);
	b = file_of(data, SONDE_NONE);
	memcpy(b.p + ATTR_AT + 24, &sample_type, 8);
	r = open_bytes(&b);
	for (uint32_t size = 8; size <= BYTES; size++) {
		r->ops->load_sample(r, r->evsels.at[0], (const uint8_t *)b.p + DATA_AT, size, &e);
		raw = r->ops->raw(r, &e.pub);
		r->ops->sample(r, &e.pub, &s);
		assert_ptr_equal(raw.p, s.raw.p);
		assert_int_equal(raw.len, s.raw.len);
	}
	assert_memory_equal(raw.p, "raw bytes...", 12);
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

/* A size that leads into the middle of another record, and one beyond the end: what follows is not lost with it. */
static void test_a_size_that_lies_costs_its_record(void **state)
{
	static const uint8_t sizes[][2] = {
		{ SAMPLE_BYTES + 16, 0 }, { SAMPLE_BYTES + 1, 0 }, { SAMPLE_BYTES, 0x40 }, { 9, 0 }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct buf b = whole_file(SONDE_NONE);
		struct reader *r;

		memcpy(b.p + DATA_AT + COMM_BYTES + 6, sizes[i], 2);
		memset(b.p + DATA_AT + COMM_BYTES + 16, 0, 8);
		r = open_bytes(&b);
		expect_records(r, "C100 S300 ");
		assert_int_equal(r->ledger.rows.n, 1);
		assert_int_equal(r->ledger.rows.at[0].kind, SONDE_LOSS_CORRUPT);
		r->ops->free(r);
		buf_free(&b);
	}
}

/* Three bytes are missing, so that nothing after them stands at a multiple of 8. */
static void test_records_are_found_at_any_byte(void **state)
{
	struct buf b = whole_file(SONDE_NONE);
	struct reader *r;

	(void)state;
	b.n -= 3;
	memmove(b.p + DATA_AT + 20, b.p + DATA_AT + 23, b.n - DATA_AT - 20);
	memcpy(b.p + 48, &(uint64_t){ b.n - DATA_AT }, 8);
	r = open_bytes(&b);
	expect_records(r, "S200 S300 ");
	assert_int_equal(r->ledger.rows.at[0].kind, SONDE_LOSS_CORRUPT);
	assert_int_equal(r->ledger.rows.at[0].count, COMM_BYTES - 3);
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
	assert_int_equal(r->evsels.n, 1);
	expect_records(r, "H-1 C100 S200 S300 ");
	assert_int_equal(r->evsels.n, 1);  /* the walk passes the attr again, and takes it once */
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
	assert_int_equal(r->evsels.n, 1);
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

/*
 * Somebody writes over the file while it is read: what has been read is there, the rest is a loss, and nobody is
 * killed.
 */
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

/* An AUX record with two flags, and a piece of trace after its AUXTRACE. */
static struct buf trace_records(void)
{
	struct buf b = records(), more = records();

	put_header(&b, RECORD_AUX, 8 + 24 + 24);
	buf_put(&b, &(uint64_t[]){ 0, 16, 1 | 4, 0x4d0000004d, 400, EVENT_ID }, 48);
	put_header(&b, RECORD_AUXTRACE, 48);
	buf_put(&b, &(uint64_t[]){ 16, 4096, 7 }, 24);
	buf_put(&b, &(uint32_t[]){ 3, 77, (uint32_t)-1, 0 }, 16);
	buf_put(&b, "0123456789abcdef", 16);
	buf_put(&b, more.p + COMM_BYTES, SAMPLE_BYTES);
	buf_free(&more);
	return b;
}

static void expect_trace(struct reader *r)
{
	struct sonde_error err = { 0 };
	struct sonde_auxtrace a;
	struct record_ref ref;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;
	struct walk *w;
	size_t n = 0, pieces = 0;

	assert_int_equal(r->ops->walk_new(r, &w, &err), 0);
	while (r->ops->walk_next(w, &ref, &err) > 0) {
		n += record_header(ref.p, false).type < RECORD_USER;
		r->ops->load(r, &ref, &e);
		if (r->ops->auxtrace(r, ev, &a) < 0)
			continue;
		pieces++;
		assert_int_equal(a.size, 16);
		assert_int_equal(a.offset, 4096);
		assert_int_equal(a.idx, 3);
		assert_int_equal(a.tid, 77);
		assert_int_equal(a.cpu, -1);
		assert_int_equal(a.payload.len, 16);
		assert_memory_equal(a.payload.p, "0123456789abcdef", 16);
	}
	assert_int_equal(pieces, 1);
	assert_int_equal(n, 5);
	assert_int_equal(r->ledger.rows.n, 2);   /* cut, and with gaps */
	r->ops->walk_free(w);
	r->ops->free(r);
}

static void test_hardware_trace(void **state)
{
	struct buf file = file_of(trace_records(), SONDE_NONE), data = trace_records(), stream = BUF_MEMORY;
	struct input in = INPUT_NONE;
	struct sonde_error err = { 0 };
	struct reader *r;
	pthread_t writer;
	struct folder d;

	(void)state;
	expect_trace(open_bytes(&file));
	d = folder_new();
	folder_put(&d, "data", &file);
	expect_trace(open_folder(&d));           /* of a file it is read when asked for */
	folder_end(&d);

	stream = whole_pipe();
	stream.n -= COMM_BYTES + 2 * SAMPLE_BYTES;
	buf_put(&stream, data.p, data.n);
	assert_int_equal(pipe(ends), 0);
	in.path = "test";
	in.fd = ends[0];
	in.stream = true;
	in.size = SONDE_NONE;
	in.nr_head = INPUT_HEAD_BYTES;
	memcpy(in.head, stream.p, INPUT_HEAD_BYTES);
	assert_int_equal(pthread_create(&writer, NULL, write_slowly, &stream), 0);
	assert_int_equal(perfdata_format.open(&in, &r, &err), 0);
	expect_trace(r);
	pthread_join(writer, NULL);
	buf_free(&stream);
	buf_free(&file);
	buf_free(&data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file),
		cmocka_unit_test(test_heads_of_samples),
		cmocka_unit_test(test_raw_bytes),
		cmocka_unit_test(test_a_recorder_that_was_killed),
		cmocka_unit_test(test_damage_in_the_middle_costs_the_damage),
		cmocka_unit_test(test_a_size_that_lies_costs_its_record),
		cmocka_unit_test(test_records_are_found_at_any_byte),
		cmocka_unit_test(test_a_cut_file),
		cmocka_unit_test(test_a_pipe_in_a_file),
		cmocka_unit_test(test_a_stream_that_is_still_being_written),
		cmocka_unit_test(test_sizes_that_lie_in_the_header),
		cmocka_unit_test(test_a_file_that_shrinks_while_it_is_read),
		cmocka_unit_test(test_hardware_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
