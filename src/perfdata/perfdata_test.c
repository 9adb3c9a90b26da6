/* SPDX-License-Identifier: MIT */
#include "perfdata/attr.h"
#include "perfdata/check.h"
#include "perfdata/perfdata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

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

/* A file around these records; its header says data_size, SONDE_NONE: the truth. Frees @data. */
static struct buf file_of(struct buf data, uint64_t data_size)
{
	struct buf b = BUF_MEMORY;
	uint64_t header[] = { 104, ATTR_BYTES + 16, ATTR_AT, ATTR_BYTES + 16, DATA_AT, data_size == SONDE_NONE ? data.n : data_size };

	buf_put(&b, &(uint64_t){ PERFDATA_MAGIC }, 8);
	buf_put(&b, header, sizeof(header));
	buf_pad(&b, 0, 104 - b.n);
	buf_put(&b, &(uint64_t){ EVENT_ID }, 8);
	put_attr(&b);
	buf_put(&b, &(uint64_t[]){ 104, 8 }, 16);
	buf_put(&b, data.p, data.n);
	buf_free(&data);
	return b;
}

static struct buf whole_file(uint64_t data_size)
{
	return file_of(records(), data_size);
}

static struct buf whole_pipe(void)
{
	struct buf b = BUF_MEMORY, data = records();

	buf_put(&b, &(uint64_t){ PERFDATA_MAGIC }, 8);
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

/* A size that leads into the middle of another record, and one beyond the end: what follows is not lost with it. */
static void test_a_size_that_lies_costs_its_record(void **state)
{
	static const uint8_t sizes[][2] = { { SAMPLE_BYTES + 16, 0 }, { SAMPLE_BYTES + 1, 0 }, { SAMPLE_BYTES, 0x40 }, { 9, 0 } };

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

/* Three bytes are missing, so that nothing behind them stands at a multiple of 8. */
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

/* A recorder's compressed stream: flushed after each record, never ended. */
struct zip {
	ZSTD_CStream *z;
	struct buf out;
};

static struct zip zip_new(void)
{
	struct zip zip = { ZSTD_createCStream(), BUF_MEMORY };

	ZSTD_initCStream(zip.z, 1);
	return zip;
}

static void put_header(struct buf *b, uint32_t type, size_t size)
{
	buf_put(b, &(struct record_header){ type, 0, (uint16_t)size }, 8);
}

/* One record of the type with n bytes in it. */
static void zip_put(struct zip *zip, uint32_t type, const void *p, size_t n)
{
	static uint8_t payload[65536];
	ZSTD_outBuffer to = { payload, sizeof(payload), 0 };
	ZSTD_inBuffer from = { p, n, 0 };

	assert_false(ZSTD_isError(ZSTD_compressStream(zip->z, &to, &from)));
	assert_int_equal(ZSTD_flushStream(zip->z, &to), 0);
	assert_int_equal(from.pos, n);
	if (type == RECORD_COMPRESSED) {
		put_header(&zip->out, type, 8 + to.pos);
		buf_put(&zip->out, payload, to.pos);
		return;
	}
	put_header(&zip->out, type, ALIGN_UP(16 + to.pos, 8));
	buf_put(&zip->out, &(uint64_t){ to.pos }, 8);
	buf_put(&zip->out, payload, to.pos);
	buf_pad(&zip->out, 0, ALIGN_UP(to.pos, 8) - to.pos);
}

static struct buf zip_file(struct zip *zip)
{
	ZSTD_freeCStream(zip->z);
	return file_of(zip->out, SONDE_NONE);
}

static void test_compressed_records(void **state)
{
	static const uint32_t types[] = { RECORD_COMPRESSED, RECORD_COMPRESSED2 };
	struct buf plain = records();

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		for (size_t cut = 1; cut < plain.n; cut++) {  /* wherever the first ends, the second goes on */
			struct zip zip = zip_new();
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
	struct zip zip = zip_new();
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
	struct zip zip = zip_new();
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
	struct zip zip = zip_new();
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
	struct zip inner = zip_new(), outer = zip_new();
	struct reader *r;

	(void)state;
	zip_put(&inner, RECORD_COMPRESSED2, plain.p, plain.n);
	zip_put(&outer, RECORD_COMPRESSED, inner.out.p, inner.out.n);
	b = zip_file(&outer);
	r = open_bytes(&b);
	expect_records(r, "C-1 C-1 ");
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
	struct zip zip = zip_new();
	struct reader *r;

	(void)state;
	zip_put(&zip, RECORD_COMPRESSED, plain.p, COMM_BYTES);
	zip_put(&zip, RECORD_COMPRESSED, plain.p + COMM_BYTES, 2 * SAMPLE_BYTES);
	memset(zip.out.p + 12, 0xff, 8);  /* behind the magic */
	b = zip_file(&zip);
	r = open_bytes(&b);
	expect_records(r, "C-1 C-1 ");
	assert_int_equal(r->ledger.rows.n, 2);  /* what cannot be decompressed, and what depends on it */
	r->ops->free(r);
	buf_free(&b);
	buf_free(&plain);
}

/*
 * perf 6.16 wrote the size of all pieces, cut to 16 bits, into the first of several COMPRESSED2, and nothing into data_size of the
 * others.
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
		buf_put(&plain, &(uint64_t[]){ EVENT_ID, i * UINT64_C(0x9e3779b97f4a7c15), i * i * UINT64_C(0xd1342543de82ef95), i }, 32);
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

/* A directory that is gone when the test ends. */
struct folder {
	char path[32];
	int fd;
};

static struct folder folder_new(void)
{
	struct folder d = { .path = "/tmp/sonde-test.XXXXXX" };

	assert_non_null(mkdtemp(d.path));
	d.fd = open(d.path, O_RDONLY | O_DIRECTORY);
	assert_true(d.fd >= 0);
	return d;
}

static void folder_put(struct folder *d, const char *name, const struct buf *b)
{
	int fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, b->p, b->n), b->n);
	close(fd);
}

static void folder_end(struct folder *d)
{
	static const char *const names[] = { "data", "data.0", "data.1", "data.3", "data.old", "data.03" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unlinkat(d->fd, names[i], 0);
	unlinkat(d->fd, "data.2", AT_REMOVEDIR);
	close(d->fd);
	rmdir(d->path);
}

static struct reader *open_folder(const struct folder *d)
{
	struct input in = INPUT_NONE;
	struct sonde_error err = { 0 };
	struct reader *r = NULL;
	struct stat st;

	in.path = "test";
	in.dir_fd = dup(d->fd);
	in.fd = openat(d->fd, "data", O_RDONLY);
	assert_true(in.fd >= 0 && in.dir_fd >= 0);
	fstat(in.fd, &st);
	in.size = (uint64_t)st.st_size;
	assert_int_equal(perfdata_format.open(&in, &r, &err), 0);
	return r;
}

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
	struct zip zip = zip_new(), other = zip_new();
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

/* An AUX record with two flags, and a piece of trace behind its AUXTRACE. */
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
	struct sonde_event ev;
	struct walk *w;
	size_t n = 0, pieces = 0;

	assert_int_equal(r->ops->walk_new(r, &w, &err), 0);
	while (r->ops->walk_next(w, &ref, &err) > 0) {
		n += record_header(ref.p, false).type < RECORD_USER;
		r->ops->load(r, &ref, &ev);
		if (r->ops->auxtrace(r, &ev, &a) < 0)
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
		cmocka_unit_test(test_a_recorder_that_was_killed),
		cmocka_unit_test(test_damage_in_the_middle_costs_the_damage),
		cmocka_unit_test(test_a_size_that_lies_costs_its_record),
		cmocka_unit_test(test_records_are_found_at_any_byte),
		cmocka_unit_test(test_a_cut_file),
		cmocka_unit_test(test_a_pipe_in_a_file),
		cmocka_unit_test(test_a_stream_that_is_still_being_written),
		cmocka_unit_test(test_sizes_that_lie_in_the_header),
		cmocka_unit_test(test_a_file_that_shrinks_while_it_is_read),
		cmocka_unit_test(test_compressed_records),
		cmocka_unit_test(test_plain_records_between_compressed_ones),
		cmocka_unit_test(test_rules_hold_within_compressed_records),
		cmocka_unit_test(test_a_bomb_is_cut),
		cmocka_unit_test(test_nested_compression_is_not_followed),
		cmocka_unit_test(test_a_damaged_stream),
		cmocka_unit_test(test_pieces_of_compressed2_with_wrong_sizes),
		cmocka_unit_test(test_hardware_trace),
		cmocka_unit_test(test_a_directory),
		cmocka_unit_test(test_a_directory_of_a_recorder_that_was_killed),
		cmocka_unit_test(test_a_directory_that_lacks_files),
		cmocka_unit_test(test_a_directory_with_one_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
