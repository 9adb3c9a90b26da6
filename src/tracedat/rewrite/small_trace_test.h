/* SPDX-License-Identifier: MIT */
/* small_trace_test.h - for tests: small trace.dat files in a folder of the test, and the events that a reader finds */
#ifndef TRACEDAT_REWRITE_SMALL_TRACE_TEST_H
#define TRACEDAT_REWRITE_SMALL_TRACE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "tracedat/read/tracedat.h"
#include "tracedat/read/walk.h"
#include "tracedat/write/writer.h"

static char dir[] = "/tmp/sonde-merge-XXXXXX";

static inline int set_up(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static inline int tear_down(void **state)
{
	(void)state;
	return rmdir(dir);
}

static inline void path_of(char *to, const char *name)
{
	snprintf(to, 80, "%s/%s", dir, name);
}

static inline void add_format(struct dat_writer *w, const char *name, unsigned id)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "name: %s\nID: %u\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			 "\tfield:u32 number;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"%%u\", REC->number\n",
			 name, id);

	assert_int_equal(dat_writer_add_format(w, "clock", text, (size_t)n, NULL), 0);
}

static inline void write_event(struct dat_writer *w, uint32_t buffer, uint16_t id, uint64_t time, uint32_t number)
{
	struct { uint16_t id, none; int32_t pid; uint32_t number; } event = { id, 0, 5, number };

	assert_int_equal(dat_writer_write(w, buffer, 1, time, &event, sizeof(event), NULL), 0);
}

/* A file of a session, with the given formats. */
static inline struct dat_writer *new_writer(uint64_t session)
{
	const struct sonde_dat_writer_opts opts = { .version = 7, .compression = SONDE_COMPRESSION_ZSTD, .long_size = 8,
						    .page_size = 4096, .clock = "local" };
	struct dat_writer *w = dat_writer_new(&opts);

	assert_non_null(w);
	if (session)
		assert_int_equal(dat_writer_add_option(w, 11, &session, sizeof(session), NULL), 0);
	return w;
}

static inline void finish(struct dat_writer *w, const char *path)
{
	struct sonde_error err = { .file_offset = SONDE_NONE };
	struct output to;

	assert_int_equal(output_open(&to, path, NULL, &err), 0);
	assert_int_equal(dat_writer_finish(w, &to, &err), 0);
	assert_int_equal(output_finish(&to, &err), 0);
	output_close(&to);
	dat_writer_free(w);
}

static inline struct reader *open_trace(const char *path)
{
	struct input in = INPUT_NONE;
	struct reader *r = NULL;
	struct stat st;

	in.path = path;
	in.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(in.fd >= 0 && fstat(in.fd, &st) == 0);
	in.size = (uint64_t)st.st_size;
	assert_int_equal(dat_format.open(&in, &r, NULL), 0);
	return r;
}

/* Names and times of all events in their order: "tick@1 tock@2 ", and "?@3" of one without a format. */
static inline void describe(const char *path, char *to, size_t room, size_t *nr_buffers)
{
	struct reader *r = open_trace(path);
	struct tracedat *t = dat_of(r);
	struct record_ref ref;
	struct walk *walk;
	size_t n = 0;

	*to = '\0';
	assert_int_equal(dat_walk_new_by_time(r, &walk, NULL), 0);
	while (dat_walk_next(walk, &ref, NULL) > 0) {
		const struct tracefmt_event *format;
		struct page_event ev;

		if (ref.kind != DAT_EVENT || n >= room)
			continue;
		ev = dat_page_event_at(&t->layout, ref.p);
		format = t->formats ? tracefmt_event(t->formats, load_u16(ev.data, false)) : NULL;
		n += (size_t)snprintf(to + n, room - n, "%s@%u ", format ? format->name : "?", (unsigned)ref.time);
	}
	*nr_buffers = t->buffers.n;
	dat_walk_free(walk);
	r->ops->free(r);
}

#endif
