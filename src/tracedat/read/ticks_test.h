/* SPDX-License-Identifier: MIT */
/* ticks_test.h - for tests: a trace.dat of which every event is known, with enough pages that some
 * can be passed over. */
#ifndef TRACEDAT_READ_TICKS_TEST_H
#define TRACEDAT_READ_TICKS_TEST_H

#include "tracedat/read/stream.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tracedat/write/writer.h"

#define CPUS 3
#define EVENTS 60000                 /* of each CPU: 24 chunks */
#define STEP_NS 1000000

static char path[] = "/tmp/sonde-stream-XXXXXX";

/* The bytes of a trace.dat. */
struct bytes_of_file {
	uint8_t *p;
	size_t n;
};

static inline struct dat_writer *new_writer(enum sonde_compression compression)
{
	const struct sonde_dat_writer_opts opts = {
		.version = 7, .compression = compression, .long_size = 8, .page_size = 4096, .clock = "local"
	};
	static const char format[] =
		"name: tick\nID: 42\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:u32 number;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"%u\", REC->number\n";
	struct dat_writer *w = dat_writer_new(&opts);

	assert_non_null(w);
	assert_int_equal(dat_writer_add_format(w, "clock", format, sizeof(format) - 1, NULL), 0);
	return w;
}

static inline struct bytes_of_file read_whole(void)
{
	struct bytes_of_file b;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	b.n = (size_t)st.st_size;
	b.p = malloc(b.n);
	assert_int_equal(read(fd, b.p, b.n), b.n);
	close(fd);
	return b;
}

/* Events of all CPUs, one each STEP_NS; some were lost before every 10000th. */
static inline struct bytes_of_file make_file(enum sonde_compression compression)
{
	struct dat_writer *w = new_writer(compression);
	struct sonde_error err = { .file_offset = SONDE_NONE };
	struct output to;

	for (uint32_t i = 0; i < EVENTS; i++)
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			struct {
				uint16_t id, none;
				int32_t pid;
				uint32_t number;
			} event = { 42, 0, 5, i * 2654435761u };

			if (i % 10000 == 9999)
				assert_int_equal(dat_writer_lost(w, 0, cpu, 7, NULL), 0);
			assert_int_equal(dat_writer_write(w, 0, cpu, (uint64_t)(i + 1) * STEP_NS + cpu, &event,
							  sizeof(event), NULL),
					 0);
		}
	unlink(path);
	assert_int_equal(output_open(&to, path, NULL, &err), 0);
	assert_int_equal(dat_writer_finish(w, &to, &err), 0);
	assert_int_equal(output_finish(&to, &err), 0);
	output_close(&to);
	dat_writer_free(w);
	return read_whole();
}

static inline struct reader *open_bytes(const struct bytes_of_file *b, bool in_memory)
{
	struct input in = INPUT_NONE;
	struct reader *r = NULL;
	int fd;

	if (in_memory) {
		in = input_of_memory(path, b->p, b->n);
	} else {
		in.path = path;
		in.size = b->n;
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		assert_int_equal(write(fd, b->p, b->n), b->n);
		close(fd);
		in.fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(in.fd >= 0);
	}
	assert_int_equal(dat_format.open(&in, &r, NULL), 0);
	return r;
}

/* Where chunk @number of the first CPU is. */
static inline size_t find_chunk(const struct bytes_of_file *b, unsigned number)
{
	struct reader *r = open_bytes(b, true);
	size_t at = (size_t)dat_of(r)->extents.at[0].offset + 4;

	while (number--)
		at += 8 + load_u32(b->p + at, false);
	r->ops->free(r);
	return at;
}

/* Moves the bytes after @middle in front of those before it. */
static inline void rotate(uint8_t *p, size_t middle, size_t n)
{
	uint8_t *copy = malloc(n);

	memcpy(copy, p + middle, n - middle);
	memcpy(copy + n - middle, p, middle);
	memcpy(p, copy, n);
	free(copy);
}

/* Checks files in which the clock of a CPU went back, or a page says nothing of its time. */
static inline void check_clocks_that_went_back(void (*check)(const struct bytes_of_file *b))
{
	struct bytes_of_file b = make_file(SONDE_COMPRESSION_NONE);
	struct reader *r = open_bytes(&b, true);
	size_t at = (size_t)dat_of(r)->extents.at[1].offset;

	r->ops->free(r);
	rotate(b.p + at, 70 * 4096, 230 * 4096);
	check(&b);
	memset(b.p + at + 50 * 4096 + 8, 0xff, 4);  /* a page that is none */
	check(&b);
	free(b.p);
	b = make_file(SONDE_COMPRESSION_ZLIB);
	at = find_chunk(&b, 0);
	rotate(b.p + at, find_chunk(&b, 9) - at, find_chunk(&b, 20) - at);
	check(&b);
	free(b.p);
}

static inline int make_name(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static inline int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

#endif
