/* SPDX-License-Identifier: MIT */
#include <sonde/check.h>
#include <sonde/dat_writer.h>
#include <sonde/describe.h>
#include <sonde/export.h>
#include <sonde/perf_writer.h>
#include <sonde/text.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/bytes.h"

/* Enough samples that no text fits one block. */
enum { EVENTS = 20000 };

static char dir[] = "/tmp/sonde-api-text-output-XXXXXX";
static char perf_path[64], dat_path[64], text_path[64];

static void write_perf_data(void)
{
	/* IP, TID, TIME, ID; sample_id_all */
	const struct sonde_attr attr = { .type = 1, .size = 128, .sample_period = 1000, .sample_type = 0x47,
					 .flags = SONDE_ATTR_SAMPLE_ID_ALL };
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	const uint64_t id = 6;

	assert_int_equal(sonde_perf_writer_open(w, perf_path, NULL), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), "my-clock", &id, 1), 0);
	for (uint64_t i = 0; i < EVENTS; i++) {
		uint64_t sample[] = { 0, 0x400000 + i % 64, UINT64_C(0x4d0000004d), 1000 * i, id };
		struct { uint32_t type; uint16_t misc, size; } head = { 9, 2, sizeof(sample) };

		memcpy(sample, &head, sizeof(head));
		assert_int_equal(sonde_perf_writer_write(w, sample, sizeof(sample)), 0);
	}
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
}

static void write_trace_dat(void)
{
	static const char format[] =
		"name: tick\nID: 42\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:u64 number;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"number=%llu\", REC->number\n";
	struct sonde_dat_writer *w = sonde_dat_writer_new();

	assert_int_equal(sonde_dat_writer_open(w, dat_path, NULL), 0);
	assert_int_equal(sonde_dat_writer_add_format(w, "clock", format, strlen(format)), 0);
	for (uint64_t i = 0; i < EVENTS; i++) {
		struct {
			uint16_t type;
			uint8_t flags, preempt;
			int32_t pid;
			uint64_t number;
		} tick = { 42, 0, 0, 77, i };

		assert_int_equal(sonde_dat_writer_write(w, 0, i % 4, 1000 * i, &tick, sizeof(tick)), 0);
	}
	assert_int_equal(sonde_dat_writer_finish(w), 0);
	sonde_dat_writer_free(w);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(perf_path, sizeof(perf_path), "%s/perf.data", dir);
	snprintf(dat_path, sizeof(dat_path), "%s/trace.dat", dir);
	snprintf(text_path, sizeof(text_path), "%s/text", dir);
	write_perf_data();
	write_trace_dat();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(perf_path);
	unlink(dat_path);
	unlink(text_path);
	return rmdir(dir);
}

/* Every function that writes text. */
static int write_script(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	return sonde_script(t, to, NULL, err);
}

static int write_script_of_several(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	struct sonde_trace *const traces[] = { t, t };

	return sonde_script_several(traces, 2, to, NULL, err);
}

static int write_dump(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	return sonde_dump(t, to, NULL, err);
}

static int write_summary(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	return sonde_summary(t, SONDE_SUMMARY_STATS, to, NULL, err);
}

static int write_description(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	return sonde_trace_describe(t, to, NULL, err);
}

static int write_events(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	return sonde_trace_evlist(t, to, NULL, err);
}

static int write_findings(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	struct sonde_check_result result = { .sz = sizeof(result) };

	return sonde_check_print(sonde_trace_info(t)->path, to, NULL, &result, err);
}

static int export_as(const char *format, struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	struct sonde_profile *p = sonde_profile_new(NULL);
	int r;

	assert_int_equal(sonde_profile_add(p, t, NULL), 0);
	r = sonde_export(p, format, to, NULL, err);
	sonde_profile_free(p);
	return r;
}

static int write_folded(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	return export_as("folded", t, to, err);
}

static int write_report(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	return export_as("report", t, to, err);
}

static int write_page(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err)
{
	return export_as("html", t, to, err);
}

static int (*const writers[])(struct sonde_trace *t, const struct sonde_output *to, struct sonde_error *err) = {
	write_script, write_script_of_several, write_dump, write_summary, write_description,
	write_events, write_findings, write_folded, write_report, write_page,
};

/* Collects text in the program's function, which ends the call at a limit. */
struct gathered {
	struct buf text;
	size_t calls, calls_max;
};

static int gather(void *ctx, const void *bytes, size_t n)
{
	struct gathered *g = ctx;

	if (g->calls++ == g->calls_max || n == 0)
		return 7;
	buf_put(&g->text, bytes, n);
	return 0;
}

static struct sonde_trace *opened(const char *path)
{
	struct sonde_trace *t = sonde_trace_new();

	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	return t;
}

/* The text of a writer that writes to a descriptor, and the writer's result. */
static int write_to_descriptor(size_t writer, const char *path, struct buf *text)
{
	struct sonde_error err = { .sz = sizeof(err), .code = SONDE_CORRUPT, .text = "of a call before" };
	struct sonde_output to = { .sz = sizeof(to),
				   .fd = open(text_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) };
	struct sonde_trace *t = opened(path);
	int r = writers[writer](t, &to, &err);
	ssize_t n;

	assert_true(r >= 0);
	assert_int_equal(err.code, 0);
	sonde_trace_free(t);
	assert_int_equal(lseek(to.fd, 0, SEEK_SET), 0);
	do {
		char *room = buf_room(text, 65536);

		n = read(to.fd, room, 65536);
		assert_true(n >= 0);
		text->n += (size_t)n;
	} while (n > 0);
	close(to.fd);
	return r;
}

static void a_function_is_given_the_bytes_of_a_descriptor(void **state)
{
	const char *const paths[] = { perf_path, dat_path };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		for (size_t k = 0; k < ARRAY_SIZE(writers); k++) {
			struct gathered g = { .text = BUF_MEMORY, .calls_max = SIZE_MAX };
			struct sonde_output to = { .sz = sizeof(to), .fd = 1000000, .write = gather, .ctx = &g };
			struct sonde_error err = { .sz = sizeof(err), .code = SONDE_CORRUPT, .text = "an old one" };
			struct buf text = BUF_MEMORY;
			struct sonde_trace *t = opened(paths[i]);

			assert_int_equal(writers[k](t, &to, &err), write_to_descriptor(k, paths[i], &text));
			assert_int_equal(err.code, 0);
			assert_int_not_equal(text.n, 0);
			assert_int_equal(g.text.n, text.n);
			assert_memory_equal(g.text.p, text.p, text.n);
			if (text.n > 1 << 20)
				assert_true(g.calls > 1);
			buf_free(&text);
			buf_free(&g.text);
			sonde_trace_free(t);
		}
}

static void a_function_that_fails_ends_the_call(void **state)
{
	const char *const paths[] = { perf_path, dat_path };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		for (size_t k = 0; k < ARRAY_SIZE(writers); k++)
			for (size_t calls_max = 0; calls_max < 2; calls_max++) {
				struct gathered g = { .text = BUF_MEMORY, .calls_max = calls_max };
				struct sonde_output to = { .sz = sizeof(to), .write = gather, .ctx = &g };
				struct sonde_error err = { .sz = sizeof(err), .code = SONDE_CORRUPT };
				struct sonde_trace *t = opened(paths[i]);
				int r = writers[k](t, &to, &err);

				/* a text of one block is complete before the function fails */
				if (g.calls <= calls_max) {
					assert_true(r >= 0);
					assert_int_equal(err.code, 0);
				} else {
					assert_int_equal(r, -SONDE_STOPPED);
					assert_int_equal(err.code, SONDE_STOPPED);
					assert_int_equal(g.calls, calls_max + 1);
				}
				if (calls_max == 0)
					assert_int_equal(r, -SONDE_STOPPED);
				buf_free(&g.text);
				sonde_trace_free(t);
			}
}

/* A struct of a program older than `write`: its sz ends before that member. */
static void an_older_struct_has_a_descriptor_only(void **state)
{
	struct sonde_output to = { .sz = offsetof(struct sonde_output, write),
				   .fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
				   .write = gather };
	struct sonde_trace *t = opened(perf_path);

	(void)state;
	assert_int_equal(sonde_trace_describe(t, &to, NULL, NULL), 0);
	close(to.fd);
	sonde_trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_given_the_bytes_of_a_descriptor),
		cmocka_unit_test(a_function_that_fails_ends_the_call),
		cmocka_unit_test(an_older_struct_has_a_descriptor_only),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
