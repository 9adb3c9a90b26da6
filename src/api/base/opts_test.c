/* SPDX-License-Identifier: MIT */
/* opts_test.c - structs that a program fills may come from an older or newer version of the headers */
#include <sonde/catalog.h>
#include <sonde/check.h>
#include <sonde/cut.h>
#include <sonde/dat_writer.h>
#include <sonde/describe.h>
#include <sonde/export.h>
#include <sonde/ftrace_recorder.h>
#include <sonde/merge.h>
#include <sonde/perf_recorder.h>
#include <sonde/perf_writer.h>
#include <sonde/text.h>
#include <sonde/tracepoint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/sonde-api-opts-XXXXXX";
static char good[64], written[64];
static struct sonde_trace *trace;
static struct sonde_error err = { .sz = sizeof(err) };  /* of the call */

static const struct sonde_error *error_of(const struct sonde_error *e)
{
	err = *e;
	return &err;
}

static int take_bytes(void *ctx, const void *bytes, size_t n)
{
	(void)ctx, (void)bytes, (void)n;
	return 0;
}

static const struct sonde_output nowhere = { .sz = sizeof(nowhere), .write = take_bytes };

/* ---- one call for each struct: its result, and its error in err ---- */

static int open_trace(const void *opts)
{
	struct sonde_trace *t = sonde_trace_new();
	int r = sonde_trace_open(t, good, opts);

	error_of(sonde_trace_error(t));
	sonde_trace_free(t);
	return r;
}

static int iterate(const void *query)
{
	struct sonde_iter *it = sonde_iter_new(trace, query);
	const struct sonde_event *ev;
	int r = sonde_iter_next(it, &ev);

	error_of(sonde_iter_error(it));
	sonde_iter_free(it);
	return r;
}

static int iterate_several(const void *opts)
{
	struct sonde_iter *it = sonde_iter_new_several(&trace, 1, NULL, opts);
	const struct sonde_event *ev;
	int r = sonde_iter_next(it, &ev);

	error_of(sonde_iter_error(it));
	sonde_iter_free(it);
	return r;
}

static int check(const void *opts)
{
	struct sonde_check_result result = { .sz = sizeof(result) };

	return sonde_check(good, opts, &result, &err);
}

static int check_print(const void *opts)
{
	struct sonde_check_result result = { .sz = sizeof(result) };

	return sonde_check_print(good, &nowhere, opts, &result, &err);
}

/* The error is set before the first use, and stays. */
static int add_to_profile(const void *opts)
{
	struct sonde_profile *p = sonde_profile_new(opts);
	enum sonde_code refused = sonde_profile_error(p)->code;
	int r = sonde_profile_add(p, trace, NULL);

	assert_int_equal(r, -(int)refused);
	assert_string_equal(sonde_profile_error(p)->text, sonde_trace_error(trace)->text);
	error_of(sonde_profile_error(p));
	sonde_profile_free(p);
	return r;
}

static int resolve(const void *opts)
{
	struct sonde_symbols *symbols = sonde_symbols_new(opts);
	struct sonde_tasks *tasks = sonde_tasks_new(trace);
	enum sonde_code refused = sonde_symbols_error(symbols)->code;
	const struct sonde_frame *frame = NULL;
	int r = sonde_symbols_resolve(symbols, tasks, 1, 2, 0x400000, &frame);

	assert_int_equal(r, -(int)refused);
	assert_int_equal(frame == NULL, r < 0);
	error_of(sonde_symbols_error(symbols));
	sonde_symbols_free(symbols);
	sonde_tasks_free(tasks);
	return r;
}

static int add_with_symbols(const void *opts)
{
	const struct sonde_profile_opts profile = { .sz = sizeof(profile), .symbols = opts };

	return add_to_profile(&profile);
}

static int add_queried(const void *query)
{
	struct sonde_profile *p = sonde_profile_new(NULL);
	int r = sonde_profile_add(p, trace, query);

	error_of(sonde_trace_error(trace));
	sonde_profile_free(p);
	return r;
}

static int export(const void *opts)
{
	struct sonde_profile *p = sonde_profile_new(NULL);
	int r = sonde_profile_add(p, trace, NULL);

	if (r == 0)
		r = sonde_export(p, "folded", &nowhere, opts, &err);
	sonde_profile_free(p);
	return r;
}

static int export_report(const void *report)
{
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .report = report };

	return export(&opts);
}

static int export_page(const void *page)
{
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .page = page };

	return export(&opts);
}

static int export_fleet(const void *fleet)
{
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .fleet = fleet };

	return export(&opts);
}

/* The trace is iterated by others. */
static int export_events(const void *opts)
{
	struct sonde_trace *t = sonde_trace_new();
	int r = sonde_trace_open(t, good, NULL);

	if (r == 0)
		r = sonde_export_events(t, "json-lines", &nowhere, opts, &err);
	sonde_trace_free(t);
	return r;
}

static int write_text(const void *output)
{
	return sonde_trace_describe(trace, output, NULL, &err);
}

static int describe(const void *opts)
{
	return sonde_trace_describe(trace, &nowhere, opts, &err);
}

static int evlist(const void *opts)
{
	return sonde_trace_evlist(trace, &nowhere, opts, &err);
}

static int script(const void *opts)
{
	return sonde_script(trace, &nowhere, opts, &err);
}

static int script_queried(const void *query)
{
	const struct sonde_script_opts opts = { .sz = sizeof(opts), .query = query };

	return script(&opts);
}

static int dump(const void *opts)
{
	return sonde_dump(trace, &nowhere, opts, &err);
}

static int summary(const void *query)
{
	return sonde_summary(trace, SONDE_SUMMARY_STATS, &nowhere, query, &err);
}

static int end_rewrite(struct sonde_rewrite *w, int r)
{
	error_of(sonde_rewrite_error(w));
	sonde_rewrite_free(w);
	return r;
}

static int convert(const void *opts)
{
	struct sonde_rewrite *w = sonde_rewrite_new();

	return end_rewrite(w, sonde_convert(w, good, written, opts));
}

static int cut(const void *opts)
{
	struct sonde_rewrite *w = sonde_rewrite_new();

	return end_rewrite(w, sonde_cut(w, good, written, opts));
}

static int merge(const void *opts)
{
	struct sonde_rewrite *w = sonde_rewrite_new();
	const char *const in[] = { good, good };

	return end_rewrite(w, sonde_merge(w, in, 2, written, opts));
}

static int write_perf(const void *opts)
{
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	int r = sonde_perf_writer_open(w, written, opts);

	error_of(sonde_perf_writer_error(w));
	sonde_perf_writer_free(w);
	return r;
}

static int write_meta(const void *meta)
{
	static const struct sonde_attr attr = { .type = 1, .size = 128, .sample_type = 1 };
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	int r = sonde_perf_writer_open(w, written, NULL);

	if (r == 0)
		r = sonde_perf_writer_add_event(w, &attr, sizeof(attr), "clock", NULL, 0);
	if (r == 0)
		r = sonde_perf_writer_set_meta(w, meta);
	error_of(sonde_perf_writer_error(w));
	sonde_perf_writer_free(w);
	return r;
}

static int write_dat(const void *opts)
{
	struct sonde_dat_writer *w = sonde_dat_writer_new();
	int r = sonde_dat_writer_open(w, written, opts);

	error_of(sonde_dat_writer_error(w));
	sonde_dat_writer_free(w);
	return r;
}

static int record_perf(const void *opts)
{
	struct sonde_perf_recorder *r = sonde_perf_recorder_new();
	int e = sonde_perf_recorder_open(r, opts);

	error_of(sonde_perf_recorder_error(r));
	sonde_perf_recorder_free(r);
	return e;
}

static int record_ftrace(const void *opts)
{
	struct sonde_ftrace_recorder *t = sonde_ftrace_recorder_new();
	int e = sonde_ftrace_recorder_open(t, opts);

	error_of(sonde_ftrace_recorder_error(t));
	sonde_ftrace_recorder_free(t);
	return e;
}

/* ---- the table ---- */

static const struct {
	const char *name;
	int (*call)(const void *opts);
	size_t known;
	bool refused_only;           /* a test does not begin a recording */
} rows[] = {
	{ "sonde_open_opts", open_trace, sizeof(struct sonde_open_opts), false },
	{ "sonde_query", iterate, sizeof(struct sonde_query), false },
	{ "sonde_query", add_queried, sizeof(struct sonde_query), false },
	{ "sonde_query", script_queried, sizeof(struct sonde_query), false },
	{ "sonde_query", summary, sizeof(struct sonde_query), false },
	{ "sonde_several_opts", iterate_several, sizeof(struct sonde_several_opts), false },
	{ "sonde_check_opts", check, sizeof(struct sonde_check_opts), false },
	{ "sonde_check_print_opts", check_print, sizeof(struct sonde_check_print_opts), false },
	{ "sonde_profile_opts", add_to_profile, sizeof(struct sonde_profile_opts), false },
	{ "sonde_symbols_opts", add_with_symbols, sizeof(struct sonde_symbols_opts), false },
	{ "sonde_symbols_opts", resolve, sizeof(struct sonde_symbols_opts), false },
	{ "sonde_export_opts", export, sizeof(struct sonde_export_opts), false },
	{ "sonde_report_opts", export_report, sizeof(struct sonde_report_opts), false },
	{ "sonde_page_opts", export_page, sizeof(struct sonde_page_opts), false },
	{ "sonde_fleet_opts", export_fleet, sizeof(struct sonde_fleet_opts), false },
	{ "sonde_events_opts", export_events, sizeof(struct sonde_events_opts), false },
	{ "sonde_output", write_text, sizeof(struct sonde_output), true },
	{ "sonde_describe_opts", describe, sizeof(struct sonde_describe_opts), false },
	{ "sonde_evlist_opts", evlist, sizeof(struct sonde_evlist_opts), false },
	{ "sonde_script_opts", script, sizeof(struct sonde_script_opts), false },
	{ "sonde_dump_opts", dump, sizeof(struct sonde_dump_opts), false },
	{ "sonde_convert_opts", convert, sizeof(struct sonde_convert_opts), false },
	{ "sonde_cut_opts", cut, sizeof(struct sonde_cut_opts), false },
	{ "sonde_merge_opts", merge, sizeof(struct sonde_merge_opts), false },
	{ "sonde_perf_writer_opts", write_perf, sizeof(struct sonde_perf_writer_opts), false },
	{ "sonde_meta", write_meta, sizeof(struct sonde_meta), false },
	{ "sonde_dat_writer_opts", write_dat, sizeof(struct sonde_dat_writer_opts), false },
	{ "sonde_perf_recorder_opts", record_perf, sizeof(struct sonde_perf_recorder_opts), true },
	{ "sonde_ftrace_recorder_opts", record_ftrace, sizeof(struct sonde_ftrace_recorder_opts), true },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]), LARGE = 2048 };

static void make(unsigned char opts[LARGE], size_t sz)
{
	memset(opts, 0, LARGE);
	memcpy(opts, &sz, sizeof(sz));
}

static void expect_refusal(size_t row, const void *opts, const char *text)
{
	err = (struct sonde_error){ .sz = sizeof(err) };
	assert_int_equal(rows[row].call(opts), -SONDE_USAGE);
	assert_int_equal(err.code, SONDE_USAGE);
	assert_non_null(strstr(err.text, rows[row].name));
	assert_non_null(strstr(err.text, text));
}

static void without_a_size(void **state)
{
	_Alignas(max_align_t) unsigned char opts[LARGE];

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		make(opts, 0);
		expect_refusal(i, opts, "sz of struct");
	}
}

static void newer(void **state)
{
	_Alignas(max_align_t) unsigned char opts[LARGE];

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		assert_true(rows[i].known < LARGE);
		make(opts, LARGE);
		if (!rows[i].refused_only)
			assert_true(rows[i].call(opts) >= 0);
		opts[rows[i].known] = 1;
		expect_refusal(i, opts, "does not know");
		opts[rows[i].known] = 0;
		opts[LARGE - 1] = 1;
		expect_refusal(i, opts, "does not know");
	}
}

/* Members that a struct lacks are 0, whatever bytes lie after it. */
static void older(void **state)
{
	_Alignas(max_align_t) unsigned char opts[LARGE];

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].refused_only)
			continue;
		memset(opts, 0xff, LARGE);
		memcpy(opts, &(size_t){ sizeof(size_t) }, sizeof(size_t));
		assert_true(rows[i].call(opts) >= 0);
	}
}

static void modes_of_a_profile(void **state)
{
	struct sonde_profile_opts opts = { .sz = sizeof(opts) };

	(void)state;
	for (int mode = 0; mode <= SONDE_PROFILE_BRANCHES; mode++) {
		opts.mode = (enum sonde_profile_mode)mode;
		assert_int_equal(add_to_profile(&opts), 0);
	}
	opts.mode = (enum sonde_profile_mode)(SONDE_PROFILE_BRANCHES + 1);
	assert_int_equal(add_to_profile(&opts), -SONDE_USAGE);
	opts.mode = SONDE_PROFILE_BRANCH_HISTORY;
	opts.branches_if_any = true;
	assert_int_equal(add_to_profile(&opts), -SONDE_USAGE);
}

static void result(void **state)
{
	_Alignas(max_align_t) unsigned char out[LARGE];
	struct sonde_check_result *r = (struct sonde_check_result *)out;

	(void)state;
	make(out, 0);
	assert_int_equal(sonde_check(good, NULL, r, &err), -SONDE_USAGE);
	memset(out, 0xff, LARGE);
	r->sz = LARGE;
	assert_int_equal(sonde_check(good, NULL, r, &err), 0);
	assert_int_equal(r->sz, LARGE);
	assert_int_equal(r->records, 3);
	for (size_t i = sizeof(*r); i < LARGE; i++)
		assert_int_equal(out[i], 0);
	memset(out, 0xff, LARGE);
	r->sz = sizeof(size_t);
	assert_int_equal(sonde_check(good, NULL, r, &err), 0);
	assert_int_equal(out[sizeof(size_t)], 0xff);
	assert_int_equal(sonde_check(good, NULL, NULL, &err), 0);
}

/* A call writes only those members of an error that the program's version has. */
static void error_of_a_call(void **state)
{
	_Alignas(max_align_t) unsigned char out[LARGE];
	struct sonde_error *e = (struct sonde_error *)out;
	const struct sonde_catalog_event event = { .name = "cycles" };

	(void)state;
	make(out, 0);
	assert_int_equal(sonde_check("/nonexistent", NULL, NULL, e), -SONDE_USAGE);
	assert_int_equal(sonde_catalog_print_json(&event, &nowhere, e), -SONDE_USAGE);
	assert_int_equal(e->code, 0);
	memset(out, 0xff, LARGE);
	assert_int_equal(sonde_check("/nonexistent", NULL, NULL, e), -SONDE_USAGE);
	assert_int_equal(out[sizeof(size_t)], 0xff);
	e->sz = LARGE;
	assert_int_equal(sonde_check("/nonexistent", NULL, NULL, e), -SONDE_SYSTEM);
	assert_int_equal(e->sz, LARGE);
	assert_int_equal(e->code, SONDE_SYSTEM);
	for (size_t i = sizeof(*e); i < LARGE; i++)
		assert_int_equal(out[i], 0);
	memset(out, 0xff, LARGE);
	e->sz = offsetof(struct sonde_error, text);
	assert_int_equal(sonde_check("/nonexistent", NULL, NULL, e), -SONDE_SYSTEM);
	assert_int_equal(e->code, SONDE_SYSTEM);
	assert_int_equal(out[offsetof(struct sonde_error, text)], 0xff);
}

/* A trace with three samples: IP, TID, TIME. */
static int set_up(void **state)
{
	static const struct sonde_attr attr = { .type = 1, .size = 128, .sample_period = 1, .sample_type = 7 };
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	struct { uint32_t type; uint16_t misc, size; uint64_t ip; uint32_t pid, tid; uint64_t time; } s = {
		9, 2, sizeof(s), 0x400000, 7, 7, 1 };

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(good, sizeof(good), "%s/good", dir);
	snprintf(written, sizeof(written), "%s/written", dir);
	assert_int_equal(sonde_perf_writer_open(w, good, NULL), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), "clock", NULL, 0), 0);
	for (; s.time < 4; s.time++)
		assert_int_equal(sonde_perf_writer_write(w, &s, sizeof(s)), 0);
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
	trace = sonde_trace_new();
	return sonde_trace_open(trace, good, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	sonde_trace_free(trace);
	unlink(good);
	unlink(written);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_size),
		cmocka_unit_test(newer),
		cmocka_unit_test(older),
		cmocka_unit_test(modes_of_a_profile),
		cmocka_unit_test(result),
		cmocka_unit_test(error_of_a_call),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
