/* SPDX-License-Identifier: MIT */
/* report_test.c - rows one by one: trees that are made later, their nodes, and filters of tasks */
#include <sonde/perf_writer.h>
#include <sonde/report.h>

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PID = 7, CHILD = 8, SAMPLES = 100, OF_NAMESAKE = 3, PLACES = 5000, OUTER = 0x402000, INNER = 0x401000 };

static char path[] = "/tmp/report_test.XXXXXX";
static struct sonde_trace *trace;
static struct sonde_profile *profile;

/* Of five samples, four are at INNER and one is at OUTER itself; every other one is of the child. */
static void write_samples(struct sonde_perf_writer *w)
{
	for (unsigned i = 0; i < SAMPLES; i++) {
		const bool inner = i % 5 != 0;
		const uint64_t chain[] = { PERF_CONTEXT_USER, inner ? INNER : OUTER, OUTER };
		const int32_t pid = i % 2 ? CHILD : PID;
		const struct sonde_sample sample = { .ip = chain[1], .pid = pid, .tid = pid, .time = 2 + i,
						     .period = 10, .callchain = chain,
						     .nr_callchain = inner ? 3 : 2 };

		assert_int_equal(sonde_perf_writer_sample(w, NULL, &sample, sizeof(sample)), 0);
	}
}

/* Samples of a second event of that name, as of a second cgroup. */
static void write_namesake(struct sonde_perf_writer *w)
{
	const struct sonde_perf_record rec = { .sz = sizeof(rec), .event = 1 };
	const struct sonde_sample sample = { .ip = OUTER, .pid = PID, .tid = PID, .time = 2 + SAMPLES, .period = 10 };

	for (unsigned i = 0; i < OF_NAMESAKE; i++)
		assert_int_equal(sonde_perf_writer_sample(w, &rec, &sample, sizeof(sample)), 0);
}

static void write_file(void)
{
	const struct sonde_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
					 .sample_period = 10,
					 .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
					 .flags = SONDE_ATTR_SAMPLE_ID_ALL };
	const struct sonde_perf_record rec = { .sz = sizeof(rec), .time = 1 };
	const struct sonde_comm comms[] = {
		{ .pid = PID, .tid = PID, .exec = true, .comm = { "clock", 5 } },
		{ .pid = CHILD, .tid = CHILD, .exec = true, .comm = { "child", 5 } },
	};
	const uint64_t ids[] = { 1, 2 };
	struct sonde_perf_writer *w = sonde_perf_writer_new();

	assert_int_equal(sonde_perf_writer_open(w, path, NULL), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), "cpu-clock", &ids[i], 1), 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(sonde_perf_writer_comm(w, &rec, &comms[i], sizeof(comms[i])), 0);
	write_samples(w);
	write_namesake(w);
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
}

static int set_up(void **state)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_file();
	trace = sonde_trace_new();
	profile = sonde_profile_new(&opts);
	assert_int_equal(sonde_trace_open(trace, path, NULL), 0);
	assert_int_equal(sonde_profile_add(profile, trace, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sonde_profile_free(profile);
	sonde_trace_free(trace);
	return unlink(path);
}

/* Trees that are made one by one are those that are made together, in whatever order they are asked for. */
static void trees_made_later(void **state)
{
	struct sonde_report_opts report = { .sz = sizeof(report), .sort = "comm,sym", .children = true, .graph = true };
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .report = &report };
	struct sonde_report *all, *later;
	size_t n;

	(void)state;
	for (int callee = 0; callee < 2; callee++) {
		report.callee = callee;
		report.graph_later = false;
		all = sonde_report_new(profile, &opts, NULL);
		report.graph_later = true;
		later = sonde_report_new(profile, &opts, NULL);
		n = sonde_report_row_count(all);
		assert_int_equal(n, 4);
		assert_int_equal(sonde_report_row_count(later), n);
		for (size_t i = n; i-- > 0;) {
			char *tree = strdup(sonde_report_tree_at(all, i));
			size_t nodes = sonde_report_node_count(all, i);

			assert_true(nodes > 0);
			assert_string_equal(sonde_report_tree_at(later, i), tree);
			assert_int_equal(sonde_report_node_count(later, i), nodes);
			free(tree);
		}
		sonde_report_free(all);
		sonde_report_free(later);
	}
}

static void nodes_of_a_tree(void **state)
{
	const struct sonde_report_opts report = { .sz = sizeof(report), .sort = "sym", .children = true, .graph = true,
						.graph_later = true };
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .report = &report };
	struct sonde_report *r = sonde_report_new(profile, &opts, NULL);
	const struct sonde_report_node *node;

	(void)state;
	assert_int_equal(sonde_report_row_count(r), 2);
	assert_string_equal(sonde_report_row_at(r, 0)->key, "[.] 0x0000000000402000\t");
	assert_int_equal(sonde_report_node_count(r, 0), 2);
	node = sonde_report_node_at(r, 0, 0);
	assert_string_equal(node->text, "0x402000");
	assert_int_equal(node->depth, 0);
	assert_true(node->has_children);
	assert_int_equal(node->samples, SAMPLES);
	node = sonde_report_node_at(r, 0, 1);
	assert_string_equal(node->text, "0x401000");
	assert_int_equal(node->depth, 1);
	assert_false(node->has_children);
	assert_true(node->percent > 79.99 && node->percent < 80.01);
	assert_int_equal(node->period, 8 * SAMPLES);
	assert_null(sonde_report_node_at(r, 0, 2));
	assert_null(sonde_report_node_at(r, 2, 0));
	assert_int_equal(sonde_report_node_count(r, 2), 0);
	sonde_report_free(r);
}

static void a_profile_that_is_stopped(void **state)
{
	struct sonde_profile *p = sonde_profile_new(NULL);
	struct sonde_trace *t = sonde_trace_new();

	(void)state;
	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	sonde_profile_stop(p);
	assert_int_equal(sonde_profile_add(p, t, NULL), -SONDE_STOPPED);
	assert_int_equal(sonde_profile_error(p)->code, SONDE_STOPPED);
	assert_int_equal(sonde_profile_add(p, t, NULL), 0);
	assert_true(sonde_profile_event_at(p, 0)->samples >= SAMPLES);
	sonde_profile_free(p);
	sonde_trace_free(t);
}

static void events_of_no_trace_that_has_begun(void **state)
{
	struct sonde_profile *p = sonde_profile_new(NULL);
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_event *ev;
	struct sonde_iter *it;

	(void)state;
	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	it = sonde_iter_new(t, NULL);
	assert_non_null(it);
	assert_int_equal(sonde_iter_next(it, &ev), 1);
	assert_int_equal(sonde_profile_feed(p, t, ev), -SONDE_USAGE);
	assert_int_equal(sonde_profile_begin(p, t), 0);
	assert_int_equal(sonde_profile_feed(p, t, ev), 0);
	sonde_iter_free(it);
	assert_int_equal(sonde_profile_add(p, t, NULL), 0);
	it = sonde_iter_new(t, NULL);
	assert_int_equal(sonde_iter_next(it, &ev), 1);
	assert_int_equal(sonde_profile_feed(p, t, ev), -SONDE_USAGE);
	sonde_iter_free(it);
	sonde_profile_free(p);
	sonde_trace_free(t);
}

static void rows_of_tasks(void **state)
{
	const int32_t tid = CHILD;
	const char *comm = "clock";
	const struct sonde_report_opts report = { .sz = sizeof(report), .sort = "comm" };
	struct sonde_export_opts opts = { .sz = sizeof(opts), .report = &report, .tids = &tid, .nr_tids = 1 };
	struct sonde_report *r = sonde_report_new(profile, &opts, NULL);
	const struct sonde_report_row *row;

	(void)state;
	assert_int_equal(sonde_report_row_count(r), 1);
	row = sonde_report_row_at(r, 0);
	assert_string_equal(row->key, "child\t");
	assert_int_equal(sonde_profile_task_at(profile, row->task)->tid, CHILD);
	assert_true(row->percent == 50);
	sonde_report_free(r);
	opts.comms = &comm;
	opts.nr_comms = 1;
	r = sonde_report_new(profile, &opts, NULL);
	assert_int_equal(sonde_report_row_count(r), 0);
	sonde_report_free(r);
	opts.nr_tids = 0;
	r = sonde_report_new(profile, &opts, NULL);
	assert_int_equal(sonde_report_row_count(r), 1);
	assert_string_equal(sonde_report_row_at(r, 0)->key, "clock\t");
	sonde_report_free(r);
}

static void events_of_one_name(void **state)
{
	const struct sonde_report_opts report = { .sz = sizeof(report), .fields = "sample,comm" };
	struct sonde_export_opts opts = { .sz = sizeof(opts), .report = &report };
	struct sonde_error err = { .sz = sizeof(err) };
	struct sonde_report *r;

	(void)state;
	opts.event_number = 2;
	r = sonde_report_new(profile, &opts, &err);
	assert_int_equal(sonde_report_row_count(r), 1);
	assert_non_null(strstr(sonde_report_row_at(r, 0)->text, " 3  clock"));
	sonde_report_free(r);
	opts.event_number = 1;
	r = sonde_report_new(profile, &opts, &err);
	assert_int_equal(sonde_report_row_count(r), 2);
	sonde_report_free(r);
	opts.event_number = 3;
	assert_null(sonde_report_new(profile, &opts, &err));
	assert_int_equal(err.code, SONDE_USAGE);
	assert_string_equal(err.text, "there are no samples of event 3");
}

/* A row of each key comes before the rows below it; only those of the last key have trees. */
static void rows_of_a_hierarchy(void **state)
{
	const struct sonde_report_opts report = { .sz = sizeof(report), .sort = "comm,sym", .graph = true,
						  .callee = true, .hierarchy = true, .separator = '\t' };
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .report = &report };
	static const struct { const char *text, *key, *level_key; bool has_rows; size_t nodes; } rows[] = {
		{ "50.00%\tchild", "child\t", "comm", true, 0 },
		{ "40.00%\t[.] 0x0000000000401000", "child\t[.] 0x0000000000401000\t", "symbol", false, 2 },
		{ "10.00%\t[.] 0x0000000000402000", "child\t[.] 0x0000000000402000\t", "symbol", false, 1 },
		{ "50.00%\tclock", "clock\t", "comm", true, 0 },
	};
	struct sonde_report *r = sonde_report_new(profile, &opts, NULL);

	(void)state;
	assert_non_null(r);
	assert_int_equal(sonde_report_row_count(r), 6);
	assert_string_equal(sonde_report_titles(r), "Overhead\tCommand / Symbol");
	for (size_t i = 0; i < 4; i++) {
		const struct sonde_report_row *row = sonde_report_row_at(r, i);

		assert_string_equal(row->text, rows[i].text);
		assert_string_equal(row->key, rows[i].key);
		assert_string_equal(row->level_key, rows[i].level_key);
		assert_int_equal(row->level, !rows[i].has_rows);
		assert_int_equal(row->has_rows, rows[i].has_rows);
		assert_int_equal(sonde_report_node_count(r, i), rows[i].nodes);
		assert_int_equal(*sonde_report_tree_at(r, i) != '\0', rows[i].nodes > 0);
	}
	assert_null(sonde_report_row_at(r, 6));
	sonde_report_free(r);
}

static int count_and_stop(void *ctx, double share)
{
	unsigned *calls = ctx;

	assert_true(share >= 0 && share <= 1);
	return ++*calls == 2;
}

/* Each sample is of a place of its own. */
static void add_many_places(struct sonde_profile *p)
{
	const struct sonde_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
					 .sample_period = 10,
					 .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							PERF_SAMPLE_TIME };
	const uint64_t id = 1;
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	struct sonde_trace *t = sonde_trace_new();
	char many[] = "/tmp/report_test.XXXXXX";
	int fd = mkstemp(many);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sonde_perf_writer_open(w, many, NULL), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), "cpu-clock", &id, 1), 0);
	for (unsigned i = 0; i < PLACES; i++) {
		const struct sonde_sample sample = { .ip = OUTER + 16 * i, .pid = PID, .tid = PID, .time = 2 + i };

		assert_int_equal(sonde_perf_writer_sample(w, NULL, &sample, sizeof(sample)), 0);
	}
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
	assert_int_equal(sonde_trace_open(t, many, NULL), 0);
	assert_int_equal(sonde_profile_add(p, t, NULL), 0);
	sonde_trace_free(t);
	unlink(many);
}

/* A report of many rows tells its progress, and ends when it is told to. */
static void a_report_that_is_stopped(void **state)
{
	unsigned calls = 0;
	const struct sonde_report_opts report = { .sz = sizeof(report), .sort = "sym", .progress = count_and_stop,
					  .progress_ctx = &calls };
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .report = &report };
	struct sonde_profile *p = sonde_profile_new(NULL);
	struct sonde_error err = { .sz = sizeof(err) };

	(void)state;
	add_many_places(p);
	assert_null(sonde_report_new(p, &opts, &err));
	assert_int_equal(err.code, SONDE_STOPPED);
	assert_int_equal(calls, 2);
	sonde_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_made_later),
		cmocka_unit_test(nodes_of_a_tree),
		cmocka_unit_test(rows_of_a_hierarchy),
		cmocka_unit_test(a_report_that_is_stopped),
		cmocka_unit_test(rows_of_tasks),
		cmocka_unit_test(events_of_one_name),
		cmocka_unit_test(a_profile_that_is_stopped),
		cmocka_unit_test(events_of_no_trace_that_has_begun),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
