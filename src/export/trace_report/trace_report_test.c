/* SPDX-License-Identifier: MIT */
#include "export/trace_report/trace_report.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "model/reader.h"

#define COMMON \
	"format:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char probe_format[] = "name: probe\nID: 1\n" COMMON
	"\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"value=%llu\", REC->value\n";
static const char wakeup_format[] = "name: sched_wakeup\nID: 2\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"comm=%s\", REC->comm\n";
static const char entry_format[] = "name: funcgraph_entry\nID: 3\n" COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"--> %p\", REC->func\n";
static const char exit_format[] = "name: funcgraph_exit\nID: 4\n" COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:32;\tsize:4;\tsigned:1;\n\nprint fmt: \"<-- %p\", REC->func\n";

static const char stack_format[] = "name: kernel_stack\nID: 5\n" COMMON
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\nprint fmt: \"%p\", REC->caller\n";

enum { PROBE, WAKEUP, ENTRY, EXIT, STACK, NR_EVENTS };

static const char inst[] = "inst", top[] = "";

/* One record; all fields of the formats above. */
struct report_record {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	union {
		uint64_t value;
		struct { char comm[16]; int32_t pid, prio, cpu; } wakeup;
		struct { uint64_t func, calltime, rettime; int32_t depth; } exit;
		struct { uint64_t func; int32_t depth; } entry;
	};
};

struct bench {
	struct tracefmt *formats;
	struct sonde_attr attrs[NR_EVENTS];
	struct sonde_evsel evsels[2 * NR_EVENTS];
	const struct sonde_evsel *list[2 * NR_EVENTS];
	struct meta_buffer buffers[2];
	struct meta meta;
	struct report_input inputs[2];
	struct reader reader;
	struct trace_report report;
	struct buf out;
	struct loaded_event events[16];
	size_t parts[16];            /* the trace of each record */
	size_t part;                 /* the trace of the last one */
	size_t nr_events, nr_given;
	unsigned threads;
};

static int body(const struct reader *r, const struct sonde_event *ev, enum event_body what, void *out)
{
	(void)r;
	if (what == BODY_LOST)
		*(struct sonde_lost *)out = (struct sonde_lost){ .id = SONDE_NONE, .lost = ev->addr };
	else
		*(struct sonde_comm *)out = (struct sonde_comm){ .pid = ev->pid, .tid = ev->tid,
							     .comm = { "sleep", 5 } };
	return 0;
}

static const struct reader_ops ops = { .body = body };

static void add_format(struct bench *b, const char *system, const char *text)
{
	assert_int_equal(tracefmt_add_format(b->formats, system, (struct sonde_str){ text, strlen(text) }, NULL), 0);
}

static void begin_by(struct bench *b, const struct sonde_script_opts *opts, size_t nr_buffers, unsigned threads,
		     const char *clock, size_t nr_inputs)
{
	*b = (struct bench){ .reader = { .ops = &ops }, .out = BUF_MEMORY,
			     .buffers = { { .name = top }, { .name = inst } } };
	b->formats = tracefmt_new(host_is_big_endian(), 8);
	add_format(b, "my", probe_format);
	add_format(b, "sched", wakeup_format);
	add_format(b, "ftrace", entry_format);
	add_format(b, "ftrace", exit_format);
	add_format(b, "ftrace", stack_format);
	for (uint32_t i = 0; i < nr_buffers * NR_EVENTS; i++) {
		struct sonde_attr *attr = &b->attrs[i % NR_EVENTS];

		*attr = (struct sonde_attr){ .type = PERF_TYPE_TRACEPOINT, .config = i % NR_EVENTS + 1 };
		b->evsels[i] = (struct sonde_evsel){ .index = i,
						       .attr = attr,
						       .buffer = b->buffers[i / NR_EVENTS].name };
		b->list[i] = &b->evsels[i];
	}
	b->meta.buffers = b->buffers;
	b->meta.nr_buffers = nr_buffers;
	b->meta.nr_cpus_available = 2;
	b->meta.trace_clock = clock;
	b->inputs[0] = b->inputs[1] = (struct report_input){ .path = "/tmp/one.dat",
							     .meta = &b->meta,
							     .formats = b->formats,
							     .evsels = b->list,
							     .nr_evsels = nr_buffers * NR_EVENTS };
	b->inputs[1].path = "guest.dat";
	assert_int_equal(trace_report_init(&b->report, opts, b->inputs, nr_inputs, &b->out, NULL), 0);
	b->threads = threads;
}

static const struct sonde_script_opts as_3_1 = { .sz = sizeof(as_3_1), .layout = SONDE_LAYOUT_TRACE_CMD_3_1 };

static void begin(struct bench *b, const struct sonde_script_opts *opts, size_t nr_buffers, unsigned threads)
{
	begin_by(b, opts, nr_buffers, threads, NULL, 1);
}

static int next(void *ctx, const struct sonde_event **ev, size_t *part)
{
	struct bench *b = ctx;

	if (b->nr_given == b->nr_events)
		return 0;
	*part = b->parts[b->nr_given];
	*ev = &b->events[b->nr_given++].pub;
	return 1;
}

static void add(struct bench *b, struct sonde_event ev)
{
	b->parts[b->nr_events] = b->part;
	b->events[b->nr_events++] = (struct loaded_event){ .pub = ev, .reader = &b->reader };
}

static void feed(struct bench *b, uint64_t time, int32_t cpu, int buffer, const struct report_record *r)
{
	add(b,
	    (struct sonde_event){
		    .time = time,
		    .cpu = cpu,
		    .pid = r->pid,
		    .tid = r->pid,
		    .kind = SONDE_KIND_SAMPLE,
		    .type = PERF_RECORD_SAMPLE,
		    .evsel = r->type <= NR_EVENTS ? &b->evsels[buffer * NR_EVENTS + r->type - 1] : NULL,
		    .raw = (const uint8_t *)r,
		    .raw_size = sizeof(*r),
	    });
}

static void feed_name(struct bench *b, int32_t pid)
{
	add(b,
	    (struct sonde_event){
		    .pid = pid, .tid = pid, .cpu = -1, .kind = SONDE_KIND_SIDEBAND, .type = PERF_RECORD_COMM });
}

static void feed_loss(struct bench *b, uint64_t time, int32_t cpu, const void *page, size_t size, uint64_t count)
{
	add(b,
	    (struct sonde_event){ .time = time,
				  .cpu = cpu,
				  .kind = SONDE_KIND_LOSS,
				  .type = PERF_RECORD_LOST,
				  .raw = page,
				  .raw_size = (uint32_t)size,
				  .addr = count });
}

static void end(struct bench *b, const char *expected)
{
	assert_int_equal(trace_report_run(&b->report, next, b, b->threads), 0);
	buf_char(&b->out, '\0');
	assert_string_equal(b->out.p, expected);
	trace_report_free(&b->report);
	buf_free(&b->out);
	tracefmt_free(b->formats);
}

static void test_columns_are_those_of_trace_cmd(void **state)
{
	const struct report_record r = { .type = 1, .flags = 0x0d, .preempt_count = 0xa1, .pid = 7, .value = 5 };
	const struct sonde_script_opts shapes[] = {
		{ .sz = sizeof(shapes[0]) },
		{ .sz = sizeof(shapes[0]), .layout = SONDE_LAYOUT_TRACE_CMD_3_1 },
		{ .sz = sizeof(shapes[0]), .latency = true, .ns = true },
		{ .sz = sizeof(shapes[0]), .raw = true },
		{ .sz = sizeof(shapes[0]), .clock = SONDE_CLOCK_DELTA },
	};
	static const char *const expected[] = {
		"cpus=2\n           sleep-7     [001] dNh1a    12.000002: probe:                value=5\n",
		"cpus=2\n           sleep-7     [001]    12.000002: probe:                value=5\n",
		"cpus=2\n   sleep-7       1dNh1a    12.000001500: probe:                value=5\n",
		"cpus=2\n           sleep-7     [001]-0xd    12.000002: probe:                 value=5\n",
		"cpus=2\n           sleep-7     [001] dNh1a    12.000002:          probe:                value=5\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct bench b;

		begin(&b, &shapes[i], 1, i % 2);
		feed_name(&b, 7);
		feed(&b, UINT64_C(12000001500), 1, 0, &r);
		end(&b, expected[i]);
	}
}

static void test_stamps_of_other_clocks_are_printed_as_they_are(void **state)
{
	const struct report_record r = { .type = 1, .pid = 0, .value = 5 };
	struct bench b;

	(void)state;
	begin_by(&b, NULL, 1, 0, "x86-tsc", 1);
	feed(&b, 42, 0, 0, &r);
	feed(&b, UINT64_C(1234567890123), 1000, 0, &r);
	end(&b, "cpus=2\n          <idle>-0     [000] .....          42: probe:                value=5\n"
		"          <idle>-0     [1000] .....1234567890123: probe:                value=5\n");
}

static void test_a_task_is_named_by_the_first_event_that_does(void **state)
{
	const struct report_record by = { .type = 1, .pid = 9 };
	const struct report_record wakeup = { .type = 2, .pid = 9, .wakeup = { "the first", 9, 120, 1 } };
	const struct report_record again = { .type = 2, .pid = 9, .wakeup = { "second", 9, 120, 1 } };
	struct bench b;

	(void)state;
	begin(&b, &as_3_1, 1, 1);
	feed(&b, 0, 0, 0, &by);
	feed(&b, 0, 0, 0, &wakeup);
	feed(&b, 0, 0, 0, &again);
	feed(&b, 0, 0, 0, &by);
	end(&b, "cpus=2\n"
		"           <...>-9     [000]     0.000000: probe:                value=0\n"
		"       the first-9     [000]     0.000000: sched_wakeup:         the first:9 [120] CPU:001\n"
		"       the first-9     [000]     0.000000: sched_wakeup:         second:9 [120] CPU:001\n"
		"       the first-9     [000]     0.000000: probe:                value=0\n");
}

static void test_the_next_event_of_the_buffer_tells_whether_a_function_is_a_leaf(void **state)
{
	const struct report_record entry = { .type = 3, .pid = 1, .entry = { 0x1234, 0 } };
	const struct report_record leave = { .type = 4, .pid = 1, .exit = { 0x1234, 1000, 3500, 0 } };
	const struct report_record other = { .type = 4, .pid = 1, .exit = { 0x5678, 1000, 3500, 0 } };
	const struct report_record probe = { .type = 1, .pid = 1, .value = 8 };
	struct bench b;

	(void)state;
	begin(&b, &as_3_1, 2, 1);
	feed(&b, 0, 0, 0, &entry);
	feed(&b, 1000, 0, 1, &probe);
	feed(&b, 2000, 0, 0, &leave);
	feed(&b, 3000, 0, 0, &entry);
	feed(&b, 4000, 0, 0, &other);
	feed(&b, 5000, 0, 0, &entry);
	end(&b, "cpus=2\n"
		"                 <...>-1     [000]     0.000000: funcgraph_entry:        2.500 us   |  0x1234();\n"
		"inst:            <...>-1     [000]     0.000001: probe:                value=8\n"
		"                 <...>-1     [000]     0.000003: funcgraph_entry:                   |  0x1234() {\n"
		"                 <...>-1     [000]     0.000004: funcgraph_exit:         2.500 us   |  }\n"
		"                 <...>-1     [000]     0.000005: funcgraph_entry:                   |  0x1234() {\n");
}

static void test_losses_stand_before_the_first_event_behind_them(void **state)
{
	const struct report_record page[2] = { { .type = 1, .pid = 0, .value = 1 },
					       { .type = 1, .pid = 0, .value = 2 } };
	const struct report_record other = { .type = 1, .pid = 0, .value = 3 };
	struct bench b;

	(void)state;
	begin(&b, &as_3_1, 1, 1);
	feed_loss(&b, 1000, 1, page, sizeof(page), 83);
	feed(&b, 1000, 0, 0, &other);
	feed(&b, 1000, 1, 0, &page[0]);
	feed(&b, 2000, 1, 0, &page[1]);
	feed_loss(&b, 3000, 0, page, 0, SONDE_NONE);
	feed(&b, 4000, 0, 0, &other);
	end(&b, "cpus=2\n"
		"          <idle>-0     [000]     0.000001: probe:                value=3\n"
		"CPU:1 [83 EVENTS DROPPED]\n"
		"          <idle>-0     [001]     0.000001: probe:                value=1\n"
		"          <idle>-0     [001]     0.000002: probe:                value=2\n"
		"CPU:0 [EVENTS DROPPED]\n"
		"          <idle>-0     [000]     0.000004: probe:                value=3\n");
}

static void test_an_event_without_format_has_a_line(void **state)
{
	const struct report_record r = { .type = 99, .pid = 0 };
	struct bench b;

	(void)state;
	begin(&b, NULL, 1, 1);
	feed(&b, 0, 0, 0, &r);
	end(&b, "cpus=2\n[UNKNOWN EVENT][UNKNOWN EVENT][UNKNOWN EVENT] (NULL):               [UNKNOWN EVENT]\n");
}

static void test_differences_are_those_of_the_times_that_are_shown(void **state)
{
	const struct report_record r = { .type = 1, .pid = 0, .value = 5 };
	const struct sonde_script_opts shapes[] = {
		{ .sz = sizeof(shapes[0]), .layout = SONDE_LAYOUT_TRACE_CMD_3_1, .ts_diff = true },
		{ .sz = sizeof(shapes[0]),
		  .layout = SONDE_LAYOUT_TRACE_CMD_3_1,
		  .ts_diff = true,
		  .clock = SONDE_CLOCK_RELATIVE },
	};
	static const char *const expected[] = {
		"cpus=2\n"
		"          <idle>-0     [000]     1.000001:          probe:                value=5\n"
		"          <idle>-0     [000]     1.000003: (+2)     probe:                value=5\n"
		"          <idle>-0     [000]     1.000004: (+1)     probe:                value=5\n",
		/* the first line shows 0, which trace-cmd takes for no time */
		"cpus=2\n"
		"          <idle>-0     [000]     0.000000:          probe:                value=5\n"
		"          <idle>-0     [000]     0.000001:          probe:                value=5\n"
		"          <idle>-0     [000]     0.000003: (+2)     probe:                value=5\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct bench b;

		begin(&b, &shapes[i], 1, 1);
		feed(&b, UINT64_C(1000001100), 0, 0, &r);
		feed(&b, UINT64_C(1000002500), 0, 0, &r);
		feed(&b, UINT64_C(1000003600), 0, 0, &r);
		end(&b, expected[i]);
	}
}

static void test_lines_of_several_traces_have_the_names_of_their_files(void **state)
{
	const struct report_record r = { .type = 1, .pid = 7, .value = 5 }, unknown = { .type = 99 };
	const struct report_record wakeup = { .type = 2, .pid = 0, .wakeup = { "there", 7, 120, 1 } };
	struct bench b;

	(void)state;
	begin_by(&b,
		 &(struct sonde_script_opts){ .sz = sizeof(struct sonde_script_opts),
					      .layout = SONDE_LAYOUT_TRACE_CMD_3_1 },
		 2, 1, NULL, 2);
	feed_name(&b, 7);
	feed(&b, 1000, 0, 0, &r);
	b.part = 1;
	feed(&b, 2000, 0, 0, &wakeup);
	feed(&b, 3000, 0, 0, &r);
	feed(&b, 4000, 0, 1, &r);
	feed(&b, 5000, 0, 0, &unknown);
	feed_loss(&b, 6000, 1, NULL, 0, 83);
	end(&b, "  one.dat: cpus=2\n"
		"guest.dat: cpus=2\n"
		"  one.dat:            sleep-7     [000]     0.000001: probe:                value=5\n"
		"guest.dat:           <idle>-0     [000]     0.000002: sched_wakeup:         there:7 [120] CPU:001\n"
		"guest.dat:            there-7     [000]     0.000003: probe:                value=5\n"
		"     inst:            there-7     [000]     0.000004: probe:                value=5\n"
		"guest.dat: [UNKNOWN EVENT][UNKNOWN EVENT] (NULL):               [UNKNOWN EVENT]\n"
		"guest.dat: CPU:1 [83 EVENTS DROPPED]\n");
}

static void test_filters_choose_the_lines(void **state)
{
	static const struct sonde_event_filter sixes[] = { { "probe: value == 6", false } },
					       others[] = { { "my/.*: value == 6", true } };
	static const struct sonde_event_filter both[] = { { "probe: value >= 6", false },
							  { "sched", false },
							  { "probe: CPU == 1", true } };
	const struct sonde_script_opts shapes[] = {
		{ .sz = sizeof(shapes[0]), .layout = SONDE_LAYOUT_TRACE_CMD_3_1, .filters = sixes, .nr_filters = 1 },
		{ .sz = sizeof(shapes[0]), .layout = SONDE_LAYOUT_TRACE_CMD_3_1, .filters = others, .nr_filters = 1 },
		{ .sz = sizeof(shapes[0]), .layout = SONDE_LAYOUT_TRACE_CMD_3_1, .filters = both, .nr_filters = 3 },
		{ .sz = sizeof(shapes[0]), .layout = SONDE_LAYOUT_TRACE_CMD_3_1, .no_hardirq = true },
		{ .sz = sizeof(shapes[0]), .layout = SONDE_LAYOUT_TRACE_CMD_3_1, .no_softirq = true },
	};
	static const char first[] = "          <idle>-0     [000]     0.000001: probe:                value=5\n";
	static const char second[] = "          <idle>-0     [000]     0.000002: probe:                value=6\n";
	static const char third[] = "          <idle>-0     [001]     0.000003: probe:                value=7\n";
	static const bool shown[][3] = { { false, true, false },
					 { true, false, true },
					 { false, true, false },
					 { true, false, true },
					 { false, true, true } };
	const struct report_record five = { .type = 1, .flags = 0x10, .value = 5 },
			    six = { .type = 1, .flags = 0x0d, .value = 6 }, seven = { .type = 1, .value = 7 };

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		char expected[512] = "cpus=2\n";
		struct bench b;

		begin(&b, &shapes[i], 1, i % 2);
		feed(&b, 1000, 0, 0, &five);
		feed(&b, 2000, 0, 0, &six);
		feed(&b, 3000, 1, 0, &seven);
		strcat(expected, shown[i][0] ? first : "");
		strcat(expected, shown[i][1] ? second : "");
		strcat(expected, shown[i][2] ? third : "");
		end(&b, expected);
	}
}

static void test_a_stack_has_a_line_if_its_event_has_one(void **state)
{
	static const struct sonde_event_filter filters[] = { { "probe: value == 6", false } };
	const struct report_record five = { .type = 1, .value = 5 }, six = { .type = 1, .value = 6 };
	const struct report_record stack = { .type = 5, .exit = { .func = 0 } };
	struct bench b;

	(void)state;
	begin(&b,
	      &(struct sonde_script_opts){ .sz = sizeof(struct sonde_script_opts),
					   .layout = SONDE_LAYOUT_TRACE_CMD_3_1,
					   .filters = filters,
					   .nr_filters = 1 },
	      1, 1);
	feed(&b, 1000, 0, 0, &six);
	feed(&b, 2000, 1, 0, &five);
	feed(&b, 3000, 0, 0, &stack);
	feed(&b, 4000, 0, 0, &stack);
	feed(&b, 5000, 1, 0, &stack);
	end(&b, "cpus=2\n"
		"          <idle>-0     [000]     0.000001: probe:                value=6\n"
		"          <idle>-0     [000]     0.000003: kernel_stack:         <stack trace >\n"
		"          <idle>-0     [000]     0.000004: kernel_stack:         <stack trace >\n");
}

static void test_a_filter_about_nothing_is_refused(void **state)
{
	static const struct sonde_event_filter bad[] = { { "nothing", false }, { "probe: value ==", false } };
	struct sonde_error err = { .file_offset = SONDE_NONE };
	struct bench b;

	(void)state;
	begin(&b, NULL, 1, 0);
	for (size_t i = 0; i < 2; i++) {
		const struct sonde_script_opts opts = { .sz = sizeof(opts), .filters = &bad[i], .nr_filters = 1 };
		struct trace_report report;

		assert_int_equal(trace_report_init(&report, &opts, b.inputs, 1, &b.out, &err), -SONDE_USAGE);
		assert_non_null(strstr(err.text, "filter"));
		trace_report_free(&report);
	}
	end(&b, "cpus=2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_are_those_of_trace_cmd),
		cmocka_unit_test(test_stamps_of_other_clocks_are_printed_as_they_are),
		cmocka_unit_test(test_a_task_is_named_by_the_first_event_that_does),
		cmocka_unit_test(test_the_next_event_of_the_buffer_tells_whether_a_function_is_a_leaf),
		cmocka_unit_test(test_losses_stand_before_the_first_event_behind_them),
		cmocka_unit_test(test_an_event_without_format_has_a_line),
		cmocka_unit_test(test_differences_are_those_of_the_times_that_are_shown),
		cmocka_unit_test(test_lines_of_several_traces_have_the_names_of_their_files),
		cmocka_unit_test(test_filters_choose_the_lines),
		cmocka_unit_test(test_a_stack_has_a_line_if_its_event_has_one),
		cmocka_unit_test(test_a_filter_about_nothing_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
