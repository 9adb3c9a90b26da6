/* SPDX-License-Identifier: MIT */
/* errors_test.c - each handle tells why its last call failed, and nothing about earlier calls */
#include <sonde/check.h>
#include <sonde/cut.h>
#include <sonde/dat_writer.h>
#include <sonde/ftrace_recorder.h>
#include <sonde/merge.h>
#include <sonde/perf_recorder.h>
#include <sonde/perf_writer.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

static char dir[] = "/tmp/sonde-api-errors-XXXXXX";
static char good[64], cut[64], lossy[64], missing[64], written[64];
static const struct sonde_attr attr = { .type = 1, .size = 128, .sample_period = 1, .sample_type = 7 };

/* A sample of that attr: IP, TID, TIME. */
static int write_sample(struct sonde_perf_writer *w, uint64_t time)
{
	uint64_t sample[] = { 0, 0x400000, UINT64_C(0x4d0000004d), time };
	struct { uint32_t type; uint16_t misc, size; } head = { 9, 2, sizeof(sample) };

	memcpy(sample, &head, sizeof(head));
	return sonde_perf_writer_write(w, sample, sizeof(sample));
}

static void write_good(void)
{
	struct sonde_perf_writer *w = sonde_perf_writer_new();

	assert_int_equal(sonde_perf_writer_open(w, good, NULL), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), "clock", NULL, 0), 0);
	for (uint64_t time = 1; time < 4; time++)
		assert_int_equal(write_sample(w, time), 0);
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
}

/* The first bytes of the good file. */
static void write_begin(const char *path, size_t n)
{
	FILE *in = fopen(good, "r"), *out = fopen(path, "w");
	char bytes[512];

	assert_true(in && out);
	assert_true(n <= fread(bytes, 1, sizeof(bytes), in));
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(in) | fclose(out), 0);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(good, sizeof(good), "%s/good.data", dir);
	snprintf(cut, sizeof(cut), "%s/cut.data", dir);
	snprintf(lossy, sizeof(lossy), "%s/lossy.data", dir);
	snprintf(missing, sizeof(missing), "%s/missing.data", dir);
	snprintf(written, sizeof(written), "%s/written", dir);
	write_good();
	write_begin(cut, 8);
	write_begin(lossy, 104 + 144 + 2 * 32 + 16);  /* to the middle of the third sample */
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(good);
	unlink(cut);
	unlink(lossy);
	unlink(written);
	return rmdir(dir);
}

/* The call returned @r: the error has the same code, and contains @text if it is one. */
static void expect(int r, enum sonde_code code, const char *text, const struct sonde_error *err)
{
	if (r < 0 && !code)
		fail_msg("%s", err->text);
	assert_int_equal(r < 0 ? -r : 0, code);
	assert_int_equal(err->code, code);
	if (code == 0)
		assert_string_equal(err->text, "");
	else if (!strstr(err->text, text))
		fail_msg("'%s' does not say '%s'", err->text, text);
	if (code == 0)
		assert_int_equal(err->file_offset, SONDE_NONE);
	if (code != SONDE_SYSTEM && code != SONDE_DENIED)
		assert_int_equal(err->sys_errno, 0);
}

static void trace_and_iterator(void **state)
{
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_error *err = sonde_trace_error(t);
	const struct sonde_event *ev;
	struct sonde_iter *it;
	uint64_t first, last;
	int r;

	(void)state;
	it = sonde_iter_new(t, NULL);
	for (int i = 0; i < 2; i++)
		expect(sonde_iter_next(it, &ev), SONDE_USAGE, "not open", sonde_iter_error(it));
	sonde_iter_free(it);
	expect(sonde_trace_open(t, missing, NULL), SONDE_SYSTEM, "No such file", err);
	expect(sonde_trace_open(t, cut, NULL), SONDE_TRUNCATED, "", err);
	expect(sonde_trace_open(t, good, NULL), 0, NULL, err);
	expect(sonde_trace_open(t, good, NULL), SONDE_USAGE, "opened before", err);
	expect(sonde_trace_time_span(t, &first, &last), 0, NULL, err);
	assert_int_equal(last, 3);
	expect(sonde_trace_open(t, missing, NULL), SONDE_USAGE, "opened before", err);
	it = sonde_iter_new(t, NULL);
	while ((r = sonde_iter_next(it, &ev)) > 0)
		expect(r, 0, NULL, sonde_iter_error(it));
	expect(r, 0, NULL, sonde_iter_error(it));
	assert_ptr_equal(sonde_iter_error(it), err);
	sonde_iter_free(it);
	sonde_trace_free(t);
}

static void iterator_of_several(void **state)
{
	struct sonde_trace *traces[] = { sonde_trace_new(), sonde_trace_new() };
	const struct sonde_event *ev;
	struct sonde_iter *it;
	int events = 0, r;

	(void)state;
	expect(sonde_trace_open(traces[1], good, NULL), 0, NULL, sonde_trace_error(traces[1]));
	it = sonde_iter_new_several(traces, 2, NULL, NULL);
	while ((r = sonde_iter_next(it, &ev)) > 0) {
		events += ev->kind == SONDE_KIND_SAMPLE;
		expect(r, 0, NULL, sonde_iter_error(it));
	}
	assert_int_equal(events, 3);
	for (int i = 0; i < 2; i++) {
		expect(r, SONDE_USAGE, "not open", sonde_iter_error(it));
		assert_int_equal(sonde_iter_trace(it), 0);
		r = sonde_iter_next(it, &ev);
	}
	sonde_iter_free(it);
	sonde_trace_free(traces[0]);
	sonde_trace_free(traces[1]);
}

static void perf_writer(void **state)
{
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	const struct sonde_error *err = sonde_perf_writer_error(w);
	char nowhere[96];

	(void)state;
	snprintf(nowhere, sizeof(nowhere), "%s/no/such", dir);
	expect(sonde_perf_writer_add_event(w, &attr, sizeof(attr), NULL, NULL, 0), SONDE_USAGE, "not open", err);
	expect(write_sample(w, 1), SONDE_USAGE, "not open", err);
	expect(sonde_perf_writer_finish(w), SONDE_USAGE, "not open", err);
	expect(sonde_perf_writer_open(w, nowhere, NULL), SONDE_SYSTEM, "No such file", err);
	expect(sonde_perf_writer_open(w, written, NULL), 0, NULL, err);
	expect(sonde_perf_writer_open(w, written, NULL), SONDE_USAGE, "opened before", err);
	expect(sonde_perf_writer_add_event(w, &attr, sizeof(attr), NULL, NULL, 0), 0, NULL, err);
	expect(write_sample(w, 1), 0, NULL, err);
	expect(sonde_perf_writer_write(w, "\1", 1), SONDE_USAGE, "records come whole", err);
	/* the record that was refused would be missing */
	expect(write_sample(w, 3), SONDE_USAGE, "records come whole", err);
	expect(sonde_perf_writer_finish(w), SONDE_USAGE, "records come whole", err);
	sonde_perf_writer_free(w);
	assert_int_equal(access(written, F_OK), -1);
}

static void dat_writer(void **state)
{
	const struct sonde_dat_writer_opts no_version = { .sz = sizeof(no_version), .version = 5 };
	struct sonde_dat_writer *w = sonde_dat_writer_new();
	const struct sonde_error *err = sonde_dat_writer_error(w);

	(void)state;
	expect(sonde_dat_writer_finish(w), SONDE_USAGE, "not open", err);
	expect(sonde_dat_writer_open(w, written, &no_version), SONDE_USAGE, "version", err);
	expect(sonde_dat_writer_open(w, written, NULL), 0, NULL, err);
	expect(sonde_dat_writer_open(w, written, NULL), SONDE_USAGE, "opened before", err);
	expect(sonde_dat_writer_set_text(w, SONDE_DAT_CMDLINES, "7 a\n", 4), 0, NULL, err);
	expect(sonde_dat_writer_write(w, 5, 0, 0, "", 1), SONDE_USAGE, "no CPU 0 of buffer 5", err);
	expect(sonde_dat_writer_finish(w), SONDE_USAGE, "no CPU 0 of buffer 5", err);
	sonde_dat_writer_free(w);
}

static void perf_recorder(void **state)
{
	struct sonde_perf_recorder *r = sonde_perf_recorder_new();
	const struct sonde_error *err = sonde_perf_recorder_error(r);
	struct sonde_perf_recorder_opts opts = { .sz = sizeof(opts), .user_only = true, .kernel_only = true };

	(void)state;
	expect(sonde_perf_recorder_run(r), SONDE_USAGE, "not open", err);
	expect(sonde_perf_recorder_add_filter(r, "a == 1"), SONDE_USAGE, "a filter follows", err);
	expect(sonde_perf_recorder_add_event(r, "cpu-clock"), 0, NULL, err);
	expect(sonde_perf_recorder_open(r, &opts), SONDE_USAGE, "user_only and kernel_only exclude each other", err);
	expect(sonde_perf_recorder_open(r, &opts), SONDE_USAGE, "opened before", err);
	expect(sonde_perf_recorder_run(r), SONDE_USAGE, "not open", err);
	sonde_perf_recorder_free(r);
}

static void ftrace_recorder(void **state)
{
	struct sonde_ftrace_recorder *t = sonde_ftrace_recorder_new();
	const struct sonde_error *err = sonde_ftrace_recorder_error(t);
	struct sonde_ftrace_recorder_opts opts = { .sz = sizeof(opts), .file_version = 5 };

	(void)state;
	expect(sonde_ftrace_recorder_run(t), SONDE_USAGE, "not open", err);
	expect(sonde_ftrace_recorder_set_tracefs(t, dir), SONDE_MISSING, "no tracefs", err);
	expect(sonde_ftrace_recorder_add_option(t, "stacktrace"), 0, NULL, err);
	expect(sonde_ftrace_recorder_add_instance(t, "a/b"), SONDE_USAGE, "cannot be the name", err);
	expect(sonde_ftrace_recorder_add_filter(t, "a == 1"), SONDE_USAGE, "a filter follows", err);
	expect(sonde_ftrace_recorder_set_tracer(t, "function"), 0, NULL, err);
	expect(sonde_ftrace_recorder_open(t, &opts), SONDE_USAGE, "no version 5", err);
	expect(sonde_ftrace_recorder_start(t), SONDE_USAGE, "not open", err);
	expect(sonde_ftrace_recorder_run(t), SONDE_USAGE, "not open", err);
	expect(sonde_ftrace_recorder_extract(t, &opts), SONDE_USAGE, "opened before", err);
	sonde_ftrace_recorder_free(t);
}

static void rewriting(void **state)
{
	struct sonde_rewrite *w = sonde_rewrite_new();
	const struct sonde_error *err = sonde_rewrite_error(w);
	const char *const one[] = { good };

	(void)state;
	expect(sonde_convert(w, missing, written, NULL), SONDE_SYSTEM, "No such file", err);
	expect(sonde_convert(w, cut, written, NULL), SONDE_TRUNCATED, "8 bytes", err);
	expect(sonde_repair(w, lossy, written), 0, NULL, err);
	assert_int_not_equal(sonde_rewrite_loss_count(w), 0);
	expect(sonde_merge(w, one, 0, written, NULL), SONDE_USAGE, "no input", err);
	assert_int_equal(sonde_rewrite_loss_count(w), 0);
	expect(sonde_repair(w, cut, written), SONDE_MISSING, "", err);
	expect(sonde_cut(w, good, written, NULL), 0, NULL, err);
	assert_int_equal(sonde_rewrite_loss_count(w), 0);
	expect(sonde_merge(w, one, 1, written, NULL), 0, NULL, err);
	sonde_rewrite_free(w);
}

static void check(void **state)
{
	struct sonde_error err = { .sz = sizeof(err), .code = SONDE_CORRUPT, .text = "of a call before" };
	struct sonde_check_result result = { .sz = sizeof(result) };

	(void)state;
	expect(sonde_check(missing, NULL, &result, &err), SONDE_SYSTEM, "No such file", &err);
	expect(sonde_check(good, NULL, &result, &err), 0, NULL, &err);
	err.code = SONDE_CORRUPT;
	expect(sonde_check_memory("x", 1, NULL, &result, &err), 0, NULL, &err);
}

static void every_code_has_a_text(void **state)
{
	const char *texts[SONDE_STOPPED + 1];

	(void)state;
	for (int code = 0; code <= SONDE_STOPPED; code++) {
		texts[code] = sonde_strerror(code);
		assert_string_equal(sonde_strerror(-code), texts[code]);
		assert_string_not_equal(texts[code], sonde_strerror(INT32_MAX));
		for (int other = 0; other < code; other++)
			assert_string_not_equal(texts[other], texts[code]);
	}
	assert_string_equal(sonde_strerror(SONDE_STOPPED + 1), "unknown error");
	assert_string_equal(sonde_strerror(INT32_MIN), "unknown error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_and_iterator),
		cmocka_unit_test(iterator_of_several),
		cmocka_unit_test(perf_writer),
		cmocka_unit_test(dat_writer),
		cmocka_unit_test(perf_recorder),
		cmocka_unit_test(ftrace_recorder),
		cmocka_unit_test(rewriting),
		cmocka_unit_test(check),
		cmocka_unit_test(every_code_has_a_text),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
