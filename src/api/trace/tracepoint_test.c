/* SPDX-License-Identifier: MIT */
#include <sonde/tracepoint.h>

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static bool recording(const char *name, char path[PATH_MAX])
{
	const char *corpus = getenv("SONDE_CORPUS"), *root = getenv("SONDE_SOURCE");

	if (corpus)
		snprintf(path, PATH_MAX, "%s/recorded/%s", corpus, name);
	else
		snprintf(path, PATH_MAX, "%s/../shared/corpus/recorded/%s", root ? root : ".", name);
	return access(path, R_OK) == 0;
}

/* Prints the first sched_switch of a recording, and returns its next_pid. */
static uint64_t first_switch(const char *path, char text[256])
{
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_tracepoint_field *pid, *comm;
	const struct sonde_tracepoint *tp;
	struct sonde_iter *it;
	const struct sonde_event *ev;
	const struct sonde_sample *s;
	struct sonde_str name;
	uint64_t v = SONDE_NONE;
	int n;

	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	it = sonde_iter_new(t, &(struct sonde_query){ .sz = sizeof(struct sonde_query), .order = SONDE_ORDER_TIME });
	while (v == SONDE_NONE && sonde_iter_next(it, &ev) > 0) {
		tp = sonde_trace_tracepoint(t, ev->evsel);
		if (ev->kind != SONDE_KIND_SAMPLE || !tp ||
		    strcmp(sonde_tracepoint_name(tp), "sched:sched_switch") != 0)
			continue;
		assert_int_equal(sonde_event_sample(ev, &s), 0);
		pid = sonde_tracepoint_field(tp, "next_pid");
		comm = sonde_tracepoint_field(tp, "next_comm");
		assert_non_null(pid);
		assert_null(sonde_tracepoint_field(tp, "nonsense"));
		assert_int_equal(sonde_tracepoint_field_count(tp), 11);
		assert_string_equal(sonde_tracepoint_field_at(tp, 10)->name, "next_prio");
		assert_null(sonde_tracepoint_field_at(tp, 11));
		assert_int_equal(pid->flags, SONDE_TRACEPOINT_SIGNED);
		assert_true(sonde_tracepoint_u64(tp, pid, &s->raw, &v));
		assert_true(sonde_tracepoint_string(tp, comm, &s->raw, &name));
		assert_int_equal(name.len, strlen("migration/0"));
		n = sonde_tracepoint_print(tp, &s->raw, NULL, text, 256);
		assert_int_equal(n, strlen(text));
		assert_true(sonde_tracepoint_print(tp, &s->raw, NULL, text + 200, 5) > 5);
		assert_int_equal(strlen(text + 200), 4);
	}
	sonde_iter_free(it);
	sonde_trace_free(t);
	return v;
}

static void test_the_text_and_fields_of_a_switch(void **state)
{
	char path[PATH_MAX], text[256];

	(void)state;
	if (!recording("perf6.1-sched.data", path)) {
		print_message("no corpus: set SONDE_CORPUS to its folder\n");
		skip();
	}
	assert_int_equal(first_switch(path, text), 16);
	assert_string_equal(text, "prev_comm=perf prev_pid=197 prev_prio=120 prev_state=R+ ==> "
				  "next_comm=migration/0 next_pid=16 next_prio=0");
	assert_true(recording("s390x-tp.data", path));   /* big-endian */
	assert_int_equal(first_switch(path, text), 15);
	assert_string_equal(text, "prev_comm=perf prev_pid=115 prev_prio=120 prev_state=R+ ==> "
				  "next_comm=migration/0 next_pid=15 next_prio=0");
	assert_true(recording("perf6.1-pipe_tp.data", path));   /* formats in a record of the stream */
	assert_int_equal(first_switch(path, text), 16);
	assert_string_equal(text, "prev_comm=perf prev_pid=137 prev_prio=120 prev_state=R+ ==> "
				  "next_comm=migration/0 next_pid=16 next_prio=0");
}

/* Prints the first event of that name. */
static void first(const char *path, const char *name, const struct sonde_tracepoint_print_opts *opts, char text[256])
{
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_tracepoint *tp;
	const struct sonde_sample *s;
	struct sonde_iter *it;
	const struct sonde_event *ev;
	bool found = false;

	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	it = sonde_iter_new(t, &(struct sonde_query){ .sz = sizeof(struct sonde_query), .order = SONDE_ORDER_TIME });
	while (!found && sonde_iter_next(it, &ev) > 0) {
		tp = ev->kind == SONDE_KIND_SAMPLE ? sonde_trace_tracepoint(t, ev->evsel) : NULL;
		found = tp && strcmp(sonde_tracepoint_name(tp), name) == 0;
		if (!found)
			continue;
		assert_int_equal(sonde_event_sample(ev, &s), 0);
		assert_null(sonde_tracepoint_unprintable(tp));
		assert_true(sonde_tracepoint_print(tp, &s->raw, opts, text, 256) > 0);
	}
	assert_true(found);
	sonde_iter_free(it);
	sonde_trace_free(t);
}

static bool everything_is_here(void *ctx, uint64_t address, struct sonde_str *name, uint64_t *offset)
{
	(void)address;
	*name = (struct sonde_str){ ctx, strlen(ctx) };
	*offset = 0;
	return true;
}

static void test_styles_and_symbols(void **state)
{
	char path[PATH_MAX], text[256], here[] = "here";
	struct sonde_tracepoint_print_opts opts = { .sz = sizeof(opts), .style = SONDE_TRACEPOINT_TRACE_CMD };

	(void)state;
	if (!recording("armhf-t7func.dat", path)) {
		print_message("no corpus: set SONDE_CORPUS to its folder\n");
		skip();
	}
	first(path, "ftrace:function", NULL, text);
	assert_string_equal(text, " vfs_open <-- vfs_path_parent_lookup");
	first(path, "ftrace:function", &opts, text);
	assert_string_equal(text, "vfs_open");
	opts.symbol = everything_is_here;
	opts.ctx = here;
	opts.depth = 1;
	first(path, "ftrace:function", &opts, text);
	assert_string_equal(text, "   here");
	opts.sz = offsetof(struct sonde_tracepoint_print_opts, style);   /* a program older than styles */
	first(path, "ftrace:function", &opts, text);
	assert_string_equal(text, " here <-- here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_text_and_fields_of_a_switch),
		cmocka_unit_test(test_styles_and_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
