/* SPDX-License-Identifier: MIT */
/* chain_test.c - the call chain of a sample: recorded, of branches of calls, too long, unknown, absent */
#include <sonde/perf_writer.h>
#include <sonde/symbol.h>

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

enum { PID = 7, BEGIN = 0x400000, SECOND = BEGIN + 0x100, END = BEGIN + 0x200 };

static char dir[] = "/tmp/sonde-api-chain-XXXXXX";
static char path[64], map[64];

/* The functions are those of /tmp/perf-PID.map, below a root of its own. */
static int set_up(void **state)
{
	char tmp[64];
	FILE *f;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/chain.data", dir);
	snprintf(tmp, sizeof(tmp), "%s/tmp", dir);
	snprintf(map, sizeof(map), "%s/tmp/perf-%d.map", dir, PID);
	if (mkdir(tmp, 0700) < 0)
		return -1;
	f = fopen(map, "w");
	if (!f)
		return -1;
	fprintf(f, "%x 100 first\n%x 100 second\n", BEGIN, SECOND);
	return fclose(f);
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	unlink(map);
	map[strlen(dir) + strlen("/tmp")] = 0;
	rmdir(map);
	return rmdir(dir);
}

/* A recording of one sample. */
static void write_trace(const struct sonde_attr *attr, const struct sonde_sample *sample,
			const struct sonde_branch *branches)
{
	const struct sonde_mmap code = { .pid = PID, .tid = PID, .addr = BEGIN, .len = END - BEGIN, .prot = 5,
					 .filename = { "//anon", 6 } };
	const struct sonde_perf_record first = { .sz = sizeof(first), .time = 1 };
	const struct sonde_perf_record rec = { .sz = sizeof(rec), .misc = PERF_RECORD_MISC_USER,
					       .branches = branches };
	struct sonde_perf_writer *w = sonde_perf_writer_new();
	const uint64_t id = 1;

	assert_int_equal(sonde_perf_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, attr, sizeof(*attr), "cpu-clock", &id, 1), 0);
	assert_int_equal(sonde_perf_writer_mmap(w, &first, &code, sizeof(code)), 0);
	assert_int_equal(sonde_perf_writer_sample(w, &rec, sample, sizeof(*sample)), 0);
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
}

static struct sonde_attr attr_of(uint64_t sample_type)
{
	return (struct sonde_attr){ .type = PERF_TYPE_SOFTWARE, .sample_period = 1000,
				    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | sample_type,
				    .flags = SONDE_ATTR_SAMPLE_ID_ALL };
}

/* The frames of the sample as "OFFSET FUNCTION ", or the error. */
static int chain_text(const struct sonde_symbols_opts *opts, uint32_t max_stack, char *out, size_t size)
{
	struct sonde_symbols *symbols = sonde_symbols_new(opts);
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_event *ev;
	struct sonde_tasks *tasks;
	struct sonde_iter *it;
	int r = -SONDE_MISSING;
	size_t len = 0;

	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	tasks = sonde_tasks_new(t);
	it = sonde_iter_new(t, NULL);
	*out = 0;
	while (sonde_iter_next(it, &ev) > 0) {
		assert_int_equal(sonde_tasks_apply(tasks, ev), 0);
		if (ev->kind != SONDE_KIND_SAMPLE)
			continue;
		r = sonde_symbols_chain_of(symbols, tasks, ev, max_stack);
		for (int i = 0; i < r; i++) {
			const struct sonde_frame *f = sonde_symbols_chain_at(symbols, (size_t)i);

			len += (size_t)snprintf(out + len, size - len, "%x %s ", (unsigned)f->ip - BEGIN,
						f->symbol ? f->symbol : "?");
		}
		assert_null(sonde_symbols_chain_at(symbols, r < 0 ? 0 : (size_t)r));
	}
	sonde_iter_free(it);
	sonde_tasks_free(tasks);
	sonde_trace_free(t);
	sonde_symbols_free(symbols);
	return r;
}

static void expect_chain(int nr, const char *want, uint32_t max_stack)
{
	const struct sonde_symbols_opts opts = { .sz = sizeof(opts), .symfs = dir };
	char text[256];

	assert_int_equal(chain_text(&opts, max_stack, text, sizeof(text)), nr);
	assert_string_equal(text, want);
}

static void write_chain(const uint64_t *chain, size_t nr)
{
	const struct sonde_attr attr = attr_of(PERF_SAMPLE_CALLCHAIN);
	const struct sonde_sample sample = { .ip = BEGIN + 0x10, .pid = PID, .tid = PID, .time = 2,
					     .callchain = chain, .nr_callchain = nr };

	write_trace(&attr, &sample, NULL);
}

/* The call that ends `first` returns to the begin of `second`; END is behind the last function. */
static void callers_are_functions_of_calls(void **state)
{
	const uint64_t chain[] = { PERF_CONTEXT_USER, SECOND, SECOND, END, END + 1 };

	(void)state;
	write_chain(chain, ARRAY_SIZE(chain));
	expect_chain(4, "100 second 100 first 200 second 201 ? ", 0);
	expect_chain(2, "100 second 100 first ", 2);
}

static void chains_without_sense_are_empty(void **state)
{
	const uint64_t unknown[] = { PERF_CONTEXT_USER, SECOND, (uint64_t)-77, SECOND };

	(void)state;
	write_chain(unknown, ARRAY_SIZE(unknown));
	expect_chain(0, "", 0);
	write_chain(NULL, 0);
	expect_chain(0, "", 0);
}

static void branches_of_calls_are_followed(void **state)
{
	const struct sonde_branch calls[] = { { .from = BEGIN + 0x50, .to = SECOND },
					      { .from = SECOND + 0x60, .to = BEGIN } };
	const uint64_t chain[] = { PERF_CONTEXT_USER, SECOND + 4, 7 };
	struct sonde_attr attr = attr_of(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK);
	const struct sonde_sample sample = { .ip = SECOND + 4, .pid = PID, .tid = PID, .time = 2,
					     .callchain = chain, .nr_callchain = ARRAY_SIZE(chain),
					     .nr_branches = ARRAY_SIZE(calls) };

	(void)state;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	write_trace(&attr, &sample, calls);
	expect_chain(3, "104 second 50 first 160 second ", 0);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER;
	write_trace(&attr, &sample, calls);
	expect_chain(2, "104 second ffc00007 ? ", 0);
}

static void refused_options_are_told(void **state)
{
	const struct sonde_symbols_opts none = { .sz = 0 };
	char text[8];

	(void)state;
	write_chain(NULL, 0);
	assert_int_equal(chain_text(&none, 0, text, sizeof(text)), -SONDE_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_functions_of_calls),
		cmocka_unit_test(chains_without_sense_are_empty),
		cmocka_unit_test(branches_of_calls_are_followed),
		cmocka_unit_test(refused_options_are_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
