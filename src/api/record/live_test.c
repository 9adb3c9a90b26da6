/* SPDX-License-Identifier: MIT */
/* live_test.c - a recorder that is used while it runs: events to a function, to memory, changes of its events */
#include <sonde/perf_recorder.h>
#include <sonde/symbol.h>
#include <sonde/trace.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

static struct sonde_perf_recorder *recorder;
static pthread_t runner;
static int run_result;
static int32_t self;

/* Written by the thread that gets the events. */
static atomic_uint nr_samples, nr_of_hot, nr_disordered, nr_comms;
static atomic_ulong nr_lost;
static atomic_bool held;
static uint64_t last_time;
static int answer;

static volatile double sum;

__attribute__((noinline)) void hot_function_of_the_test(void);
__attribute__((noinline)) void hot_function_of_the_test(void)
{
	for (int i = 1; i < 200000; i++)
		sum += 1.0 / i;
}

static int take(void *ctx, const struct sonde_event *ev, const struct sonde_live *live)
{
	const struct sonde_frame *f;
	const struct sonde_sample *s;
	const struct sonde_lost *lost;

	assert_ptr_equal(ctx, &recorder);
	while (atomic_load(&held))
		usleep(1000);
	if (ev->kind == SONDE_KIND_LOSS && sonde_event_lost(ev, &lost) == 0)
		nr_lost += lost->lost;
	nr_comms += ev->type == PERF_RECORD_COMM;
	if (ev->kind != SONDE_KIND_SAMPLE)
		return 0;
	assert_int_equal(sonde_event_sample(ev, &s), 0);
	nr_disordered += ev->time < last_time;
	last_time = ev->time;
	if (live->symbols && sonde_symbols_resolve_of(live->symbols, live->tasks, ev, ev->cpumode, ev->ip, &f) == 0)
		nr_of_hot += f->symbol && strcmp(f->symbol, "hot_function_of_the_test") == 0;
	nr_samples++;
	return answer && nr_of_hot > 5 ? answer : 0;
}

static void *run(void *ctx)
{
	run_result = sonde_perf_recorder_run(ctx);
	return NULL;
}

static void start(struct sonde_perf_recorder_opts *opts)
{
	int e;

	opts->sz = sizeof(*opts);
	opts->target.tids = &self;
	opts->target.nr_tids = 1;
	opts->target.no_inherit = true;
	opts->calls.ctx = &recorder;
	e = sonde_perf_recorder_open(recorder, opts);
	if (e < 0 && e != -SONDE_USAGE) {
		print_message("not possible here: %s\n", sonde_perf_recorder_error(recorder)->text);
		skip();
	}
	assert_int_equal(e, 0);
	assert_int_equal(pthread_create(&runner, NULL, run, recorder), 0);
}

static void finish(int result)
{
	pthread_join(runner, NULL);
	assert_int_equal(run_result, result);
	assert_int_equal(nr_disordered, 0);
	sonde_perf_recorder_free(recorder);
	recorder = NULL;
}

static int set_up(void **state)
{
	(void)state;
	nr_samples = nr_of_hot = nr_disordered = nr_comms = 0;
	nr_lost = 0;
	held = false;
	last_time = 0;
	answer = 0;
	self = (int32_t)syscall(SYS_gettid);
	recorder = sonde_perf_recorder_new();
	return recorder ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	sonde_perf_recorder_free(recorder);
	return 0;
}

static void add_clock(void)
{
	const struct sonde_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
					 .sample_period = 500000, .flags = SONDE_ATTR_EXCLUDE_KERNEL };

	assert_int_equal(sonde_perf_recorder_add_attr(recorder, &attr, "clock"), 0);
}

/* The program works until enough samples have come, so they come while it is recorded. */
static void events_come_while_it_runs(void **state)
{
	struct sonde_perf_recorder_opts opts = { .calls.event = take, .calls.symbols = true,
						 .stack.callgraph = SONDE_CALLGRAPH_FP };

	(void)state;
	add_clock();
	start(&opts);
	while (atomic_load(&nr_of_hot) < 5)
		hot_function_of_the_test();
	sonde_perf_recorder_stop(recorder);
	finish(0);
	assert_true(nr_comms > 0);
}

static void the_function_ends_the_recording(void **state)
{
	struct sonde_perf_recorder_opts opts = { .calls.event = take, .calls.symbols = true };

	(void)state;
	answer = 42;
	add_clock();
	start(&opts);
	while (pthread_tryjoin_np(runner, NULL) == EBUSY)
		hot_function_of_the_test();
	assert_int_equal(run_result, 42);
}

/* A recorder that is opened and not run delivers nothing more, and its threads end. */
static void a_recorder_may_be_left_unused(void **state)
{
	struct sonde_perf_recorder_opts opts = { .sz = sizeof(opts), .calls.event = take, .calls.ctx = &recorder,
						 .target.tids = &self,
						 .target.nr_tids = 1 };

	(void)state;
	add_clock();
	assert_int_not_equal(sonde_perf_recorder_open(recorder, &opts), -SONDE_USAGE);
}

static void not_to_a_file_as_well(void **state)
{
	struct sonde_perf_recorder_opts opts = { .sz = sizeof(opts), .calls.event = take, .output = "perf.data" };

	(void)state;
	assert_int_equal(sonde_perf_recorder_open(recorder, &opts), -SONDE_USAGE);
	assert_string_equal(sonde_perf_recorder_error(recorder)->text,
			    "events go to a file or to a function, not to both");
	assert_int_equal(sonde_perf_recorder_run(recorder), -SONDE_USAGE);
}

/* Touches each page for the first time. Returns the address of the last one. */
static uint64_t fault(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = pages * page;
	volatile char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	madvise((void *)p, bytes, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < bytes; at += page)
		p[at] = 1;
	munmap((void *)p, bytes);
	return (uint64_t)(uintptr_t)p + bytes - page;
}

/* A function that hangs costs events, and they are told: the buffers do not grow on. */
static void a_slow_function_costs_events(void **state)
{
	struct sonde_perf_recorder_opts opts = { .calls.event = take, .stack.callgraph = SONDE_CALLGRAPH_DWARF,
						 .stack.stack_bytes = 32768, .rings.ring_bytes = 1 << 17 };
	const size_t pages = 6000;   /* 190 MB */

	(void)state;
	held = true;
	assert_int_equal(sonde_perf_recorder_add_event(recorder, "page-faults/period=1/"), 0);
	start(&opts);
	fault(pages);
	held = false;
	sonde_perf_recorder_stop(recorder);
	pthread_join(runner, NULL);
	assert_int_equal(run_result, 0);
	assert_int_equal(nr_disordered, 0);
	assert_true(nr_samples > 0);
	if (nr_samples + nr_lost > pages / 2)    /* else the kernel has stopped the event most of the time */
		assert_true(nr_lost > 0);
	assert_int_equal(nr_lost, sonde_perf_recorder_stats(recorder)->lost);
	assert_int_equal(nr_samples, sonde_perf_recorder_stats(recorder)->samples);
}

static void wait_for_samples(unsigned int n)
{
	while (atomic_load(&nr_samples) < n)
		usleep(1000);
}

/* Events are turned on and off, by name and by number. The runner needs no faults of this thread. */
static void events_change_while_it_runs(void **state)
{
	struct sonde_perf_recorder_opts opts = { .calls.event = take, .when.start_disabled = true };
	unsigned int before;

	(void)state;
	assert_int_equal(sonde_perf_recorder_add_event(recorder, "page-faults/period=1,name=faults/u"), 0);
	assert_int_equal(sonde_perf_recorder_enable_at(recorder, 0, true), -SONDE_USAGE);
	start(&opts);
	fault(400);                  /* not recorded */
	assert_int_equal(sonde_perf_recorder_enable(recorder, "faults", true), 0);
	fault(20);
	assert_int_equal(sonde_perf_recorder_enable_at(recorder, 0, false), 0);
	wait_for_samples(20);
	before = nr_samples;
	assert_true(before < 200);
	assert_int_equal(sonde_perf_recorder_set_period_at(recorder, 0, 100), 0);
	assert_int_equal(sonde_perf_recorder_enable_at(recorder, 0, true), 0);
	fault(400);
	assert_int_equal(sonde_perf_recorder_enable(recorder, NULL, false), 0);
	wait_for_samples(before + 3);
	assert_int_equal(sonde_perf_recorder_enable_at(recorder, 1, true), -SONDE_MISSING);
	assert_int_equal(sonde_perf_recorder_enable(recorder, "none", true), -SONDE_MISSING);
	assert_int_equal(sonde_perf_recorder_set_filter_at(recorder, 0, "1"), -SONDE_MISSING);
	sonde_perf_recorder_stop(recorder);
	finish(0);
	assert_true(nr_samples < before + 100);
}

static void tracepoints_are_filtered_while_it_runs(void **state)
{
	struct sonde_perf_recorder_opts opts = { .calls.event = take, .when.start_disabled = true };
	char filter[32];

	(void)state;
	if (sonde_perf_recorder_add_event(recorder, "raw_syscalls:sys_enter") < 0)
		skip();
	snprintf(filter, sizeof(filter), "id == %d", SYS_getppid);
	start(&opts);
	assert_int_equal(sonde_perf_recorder_set_filter(recorder, NULL, "no such field"), -SONDE_USAGE);
	assert_int_equal(sonde_perf_recorder_set_filter_at(recorder, 0, filter), 0);
	assert_int_equal(sonde_perf_recorder_set_filter(recorder, NULL, "id == 1"), -SONDE_UNSUPPORTED);
	assert_int_equal(sonde_perf_recorder_enable(recorder, NULL, true), 0);
	for (int i = 0; i < 100; i++) {
		syscall(SYS_getppid);
		syscall(SYS_getuid);
	}
	assert_int_equal(sonde_perf_recorder_enable(recorder, NULL, false), 0);
	sonde_perf_recorder_stop(recorder);
	finish(0);
	assert_int_equal(nr_samples + nr_lost, 100);
}

static uint64_t bytes_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

struct stream_samples {
	size_t nr;
	uint64_t oldest, newest;     /* times */
	bool has_addr;               /* one is for the address */
};

/* Samples of a recorder's stream from time_min on. */
static struct stream_samples read_stream(int fd, uint64_t time_min, uint64_t addr)
{
	const struct sonde_query query = { .sz = sizeof(query), .samples_only = true, .time_min = time_min,
					   .order = SONDE_ORDER_TIME };
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_event *ev;
	struct sonde_iter *it;
	struct stream_samples samples = { .oldest = UINT64_MAX };

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(sonde_trace_open_fd(t, fd, "memory", NULL), 0);
	it = sonde_iter_new(t, &query);
	for (; sonde_iter_next(it, &ev) > 0; samples.nr++) {
		samples.oldest = ev->time < samples.oldest ? ev->time : samples.oldest;
		samples.newest = ev->time;
		samples.has_addr |= ev->addr == addr;
	}
	sonde_iter_free(it);
	sonde_trace_free(t);
	return samples;
}

/* The ring keeps the newest events, which come to memory when somebody asks. */
static void the_newest_events_come_on_demand(void **state)
{
	struct sonde_perf_recorder_opts opts = { .file.to_fd = true, .rings.overwrite = true, .rings.snapshot = true,
						 .target.per_thread = true,
						 .fields.data_addresses = true, .rings.ring_bytes = 1 << 14 };
	struct stream_samples all, newest;
	uint64_t before, last_page = 0, middle;

	(void)state;
	opts.file.output_fd = memfd_create("samples", MFD_CLOEXEC);
	assert_true(opts.file.output_fd >= 0);
	assert_int_equal(sonde_perf_recorder_add_event(recorder, "page-faults/period=1,name=faults/u"), 0);
	start(&opts);
	for (int i = 0; i < 30; i++) {       /* with pauses: the kernel stops an event that comes too often */
		last_page = fault(100);
		usleep(10000);
	}
	assert_int_equal(sonde_perf_recorder_enable(recorder, NULL, false), 0);
	before = bytes_of(opts.file.output_fd);
	sonde_perf_recorder_snapshot(recorder);
	while (bytes_of(opts.file.output_fd) < before + 10000)
		usleep(1000);
	sonde_perf_recorder_stop(recorder);
	finish(0);

	all = read_stream(opts.file.output_fd, 0, last_page);
	assert_in_range(all.nr, 200, 1000);  /* of 3000 */
	assert_true(all.has_addr);
	middle = all.oldest + (all.newest - all.oldest) / 2;
	newest = read_stream(opts.file.output_fd, middle + 1, last_page);
	assert_in_range(newest.nr, 1, all.nr - 1);
	assert_true(newest.oldest > middle && newest.newest == all.newest);
	close(opts.file.output_fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_come_while_it_runs),
		TEST(the_function_ends_the_recording),
		TEST(a_recorder_may_be_left_unused),
		TEST(not_to_a_file_as_well),
		TEST(a_slow_function_costs_events),
		TEST(events_change_while_it_runs),
		TEST(tracepoints_are_filtered_while_it_runs),
		TEST(the_newest_events_come_on_demand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
