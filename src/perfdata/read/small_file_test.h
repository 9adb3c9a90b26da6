/* SPDX-License-Identifier: MIT */
/*
 * small_file_test.h - for tests: the smallest useful perf.data, plain, compressed or in a directory, and what a reader
 * makes of it.
 */
#ifndef PERFDATA_READ_SMALL_FILE_TEST_H
#define PERFDATA_READ_SMALL_FILE_TEST_H

#include "perfdata/format/attr.h"
#include "perfdata/read/perfdata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
	ATTR_BYTES = 64, ATTR_AT = 112, DATA_AT = ATTR_AT + ATTR_BYTES + 16,
	COMM_BYTES = 48, SAMPLE_BYTES = 40, EVENT_ID = 5,
};

/* The smallest useful file: one cpu-clock event, a COMM and two samples, at times 100, 200 and 300. */
static inline struct buf records(void)
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

static inline void put_attr(struct buf *b)
{
	struct sonde_attr attr = { .type = 1,
				   .size = ATTR_BYTES,
				   .sample_period = 1000000,
				   .flags = SONDE_ATTR_SAMPLE_ID_ALL,
				   .sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME };

	attr_encode(b, &attr, false);
}

/* A file around these records; its header says data_size, SONDE_NONE: the truth. Frees @data. */
static inline struct buf file_of(struct buf data, uint64_t data_size)
{
	struct buf b = BUF_MEMORY;
	uint64_t header[] = { 104,     ATTR_BYTES + 16,
			      ATTR_AT, ATTR_BYTES + 16,
			      DATA_AT, data_size == SONDE_NONE ? data.n : data_size };

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

static inline struct buf whole_file(uint64_t data_size)
{
	return file_of(records(), data_size);
}

static inline struct buf whole_pipe(void)
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

static inline struct reader *open_bytes(const struct buf *b)
{
	struct input in = input_of_memory("test", b->p, b->n);
	struct sonde_error err = { 0 };
	struct reader *r = NULL;

	assert_int_equal(perfdata_format.open(&in, &r, &err), 0);
	return r;
}

/* All records as text, which @put makes of each, or leaves out. */
static inline void expect_text(struct reader *r, void (*put)(struct buf *out, const struct sonde_event *ev),
			       const char *want)
{
	struct sonde_error err = { 0 };
	struct buf got = BUF_MEMORY;
	struct record_ref ref;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;
	struct walk *w;

	assert_int_equal(r->ops->walk_new(r, &w, &err), 0);
	while (r->ops->walk_next(w, &ref, &err) > 0) {
		r->ops->load(r, &ref, &e);
		put(&got, ev);
	}
	buf_char(&got, '\0');
	assert_string_equal(got.p, want);
	assert_int_equal(err.code, 0);
	buf_free(&got);
	r->ops->walk_free(w);
}

static inline void put_type_and_time(struct buf *out, const struct sonde_event *ev)
{
	buf_printf(out, "%c%lld ", sonde_event_type_name(ev->type)[0], (long long)ev->time);
}

/* The first letter of the type and the time of each record. */
static inline void expect_records(struct reader *r, const char *want)
{
	expect_text(r, put_type_and_time, want);
}

static inline void put_header(struct buf *b, uint32_t type, size_t size)
{
	buf_put(b, &(struct record_header){ type, 0, (uint16_t)size }, 8);
}

/* A recorder's compressed stream: flushed after each record, never ended. */
struct zstd_stream {
	ZSTD_CStream *z;
	struct buf out;
};

static inline struct zstd_stream zip_new(void)
{
	struct zstd_stream zip = { ZSTD_createCStream(), BUF_MEMORY };

	ZSTD_initCStream(zip.z, 1);
	return zip;
}

/* One record of the type with n bytes in it. */
static inline void zip_put(struct zstd_stream *zip, uint32_t type, const void *p, size_t n)
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

static inline struct buf zip_file(struct zstd_stream *zip)
{
	ZSTD_freeCStream(zip->z);
	return file_of(zip->out, SONDE_NONE);
}

/* A directory that is gone when the test ends. */
struct folder {
	char path[32];
	int fd;
};

static inline struct folder folder_new(void)
{
	struct folder d = { .path = "/tmp/sonde-test.XXXXXX" };

	assert_non_null(mkdtemp(d.path));
	d.fd = open(d.path, O_RDONLY | O_DIRECTORY);
	assert_true(d.fd >= 0);
	return d;
}

static inline void folder_put(struct folder *d, const char *name, const struct buf *b)
{
	int fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, b->p, b->n), b->n);
	close(fd);
}

static inline void folder_end(struct folder *d)
{
	static const char *const names[] = { "data", "data.0", "data.1", "data.3", "data.old", "data.03" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unlinkat(d->fd, names[i], 0);
	unlinkat(d->fd, "data.2", AT_REMOVEDIR);
	close(d->fd);
	rmdir(d->path);
}

static inline struct reader *open_folder(const struct folder *d)
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

#endif
