/* SPDX-License-Identifier: MIT */
#include "record/perf/event_attr.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "record/event/kernel_attr.h"

static const struct event_roots nowhere = { "/nonexistent", NULL };

/* The attrs of a list of events under some options; the last one carries the side band. */
static struct events configured(const char *text, const struct sonde_perf_recorder_opts *opts,
				const struct attr_plan *more)
{
	struct events list = { 0 };
	struct sonde_error err = { 0 };
	struct attr_plan plan = more ? *more : (struct attr_plan){ 0 };

	plan.opts = opts;
	assert_int_equal(events_parse(&list, text, &nowhere, &err), 0);
	assert_int_equal(attrs_configure(&list, &plan, &err), 0);
	return list;
}

static void frequency_is_the_default(void **state)
{
	struct sonde_perf_recorder_opts o = { .sz = sizeof(o) };
	struct events l = configured("cpu-clock,cs/period=7/,cycles/freq=99/", &o,
				     &(struct attr_plan){ .inherit = true });

	(void)state;
	assert_int_equal(l.n, 4);
	assert_int_equal(l.at[0].attr.sample_period, 4000);
	assert_true(l.at[0].attr.flags & SONDE_ATTR_FREQ);
	assert_true(l.at[0].attr.flags & SONDE_ATTR_INHERIT);
	assert_true(l.at[0].attr.sample_type & PERF_SAMPLE_PERIOD);
	assert_int_equal(l.at[1].attr.sample_period, 7);
	assert_false(l.at[1].attr.flags & SONDE_ATTR_FREQ);
	/* With it the kernel would take a sample for each single occurrence. */
	assert_false(l.at[1].attr.sample_type & PERF_SAMPLE_PERIOD);
	assert_int_equal(l.at[2].attr.sample_period, 99);
	events_free(&l);
}

static void frequency_stays_within_the_limit(void **state)
{
	struct sonde_perf_recorder_opts o = { .sz = sizeof(o), .rate.freq_hz = 50000 };
	struct events l = configured("cpu-clock", &o, &(struct attr_plan){ .max_freq_hz = 10000 });

	(void)state;
	assert_int_equal(l.at[0].attr.sample_period, 10000);
	events_free(&l);
}

static void breakpoints_come_each_time_with_their_address(void **state)
{
	struct sonde_perf_recorder_opts o = { .sz = sizeof(o) };
	struct events l = configured("mem:0x1000", &o, NULL);

	(void)state;
	assert_int_equal(l.at[0].attr.sample_period, 1);
	assert_false(l.at[0].attr.flags & SONDE_ATTR_FREQ);
	assert_true(l.at[0].attr.sample_type & PERF_SAMPLE_ADDR);
	events_free(&l);
}

static void stacks_for_unwinding(void **state)
{
	struct sonde_perf_recorder_opts o = { .sz = sizeof(o), .stack.callgraph = SONDE_CALLGRAPH_DWARF };
	struct events l = configured("cpu-clock,cs/call-graph=no/,page-faults/stack-size=1024/", &o, NULL);
	const uint64_t parts = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	(void)state;
	assert_true((l.at[0].attr.sample_type & parts) == parts);
	assert_int_equal(l.at[0].attr.sample_stack_user, 8192);
	assert_true(l.at[0].attr.flags & ATTR_EXCLUDE_CHAIN_USER);
	assert_false(l.at[1].attr.sample_type & parts);
	assert_int_equal(l.at[2].attr.sample_stack_user, 1024);
	assert_false(l.at[3].attr.sample_type & parts);
	assert_true(l.at[3].attr.flags & ATTR_MMAP_DATA);  /* .eh_frame lies in mappings without code */
	assert_true(attr_sample_bytes(&l.at[0].attr) > 8192);
	events_free(&l);

	l = configured("cpu-clock/call-graph=no/", &o, NULL);
	assert_false(l.at[1].attr.flags & ATTR_MMAP_DATA);
	events_free(&l);
}

static void branches_and_call_chains_are_both_kept(void **state)
{
	struct sonde_perf_recorder_opts o = { .sz = sizeof(o), .stack.callgraph = SONDE_CALLGRAPH_LBR };
	const struct sonde_attr *a;
	struct events l;

	(void)state;
	l = configured("cycles", &o, NULL);
	a = &l.at[0].attr;
	assert_true(a->sample_type & PERF_SAMPLE_CALLCHAIN && a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	assert_false(a->flags & ATTR_EXCLUDE_CHAIN_USER);  /* for samples without branch records */
	events_free(&l);

	o.fields.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER;
	l = configured("cycles", &o, NULL);
	a = &l.at[0].attr;
	assert_true(a->sample_type & PERF_SAMPLE_CALLCHAIN && a->sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_int_equal(a->branch_sample_type, o.fields.branch_sample_type);
	assert_false(a->flags & ATTR_EXCLUDE_CHAIN_USER);  /* by frame pointers, then */
	events_free(&l);
}

/* The fields after the body of every record but samples. */
static uint64_t trailer_of(const struct event *e)
{
	return e->attr.sample_type &
		(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
		 PERF_SAMPLE_IDENTIFIER);
}

static void all_records_end_alike(void **state)
{
	const struct sonde_perf_recorder_opts o = { .sz = sizeof(o) };
	const struct attr_plan plan = { .opts = &o };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sonde_error err = { 0 };
		struct events l = { 0 };

		assert_int_equal(events_parse(&l, i ? "2:77,cpu-clock" : "cpu-clock,2:77", &nowhere, &err), 0);
		assert_int_equal(attrs_configure(&l, &plan, &err), 0);
		assert_int_equal(trailer_of(&l.at[2]), trailer_of(&l.at[0]));
		assert_int_equal(trailer_of(&l.at[2]), trailer_of(&l.at[1]));
		assert_true(trailer_of(&l.at[2]) & PERF_SAMPLE_CPU);  /* each tracepoint says its CPU */
		events_free(&l);
	}
}

static void a_group_that_is_read_samples_by_its_leader(void **state)
{
	struct sonde_perf_recorder_opts o = { .sz = sizeof(o) };
	struct events l = configured("{cpu-clock,cs}:S", &o, &(struct attr_plan){ .read_format = PERF_FORMAT_GROUP });

	(void)state;
	assert_true(l.at[0].attr.sample_type & PERF_SAMPLE_READ);
	assert_int_equal(l.at[0].attr.sample_period, 4000);
	assert_true(l.at[0].attr.flags & SONDE_ATTR_DISABLED);
	assert_int_equal(l.at[1].attr.sample_period, 0);
	assert_false(l.at[1].attr.flags & (SONDE_ATTR_FREQ | SONDE_ATTR_DISABLED));
	assert_int_equal(l.at[1].attr.read_format, PERF_FORMAT_GROUP);
	events_free(&l);
}

static void the_side_band_is_on_from_the_start(void **state)
{
	static const char *const command[] = { "true", NULL };
	struct sonde_perf_recorder_opts attach = { .sz = sizeof(attach), .target.all_cpus = true },
					run = { .sz = sizeof(run), .target.command = command };
	struct events l = configured("cpu-clock", &attach, &(struct attr_plan){ .per_cpu_target = true });
	const struct sonde_attr *a = &l.at[1].attr;

	(void)state;
	assert_int_equal(a->config, PERF_COUNT_SW_DUMMY);
	assert_true(a->flags & ATTR_MMAP2 && a->flags & ATTR_COMM && a->flags & ATTR_TASK);
	assert_false(a->flags & SONDE_ATTR_DISABLED);
	assert_true(a->flags & SONDE_ATTR_EXCLUDE_KERNEL);  /* needs no permission */
	assert_true(a->sample_type & PERF_SAMPLE_IDENTIFIER);
	assert_false(l.at[0].attr.flags & ATTR_MMAP);
	events_free(&l);

	l = configured("cpu-clock", &run, &(struct attr_plan){ .starts_with_exec = true });
	assert_true(l.at[0].attr.flags & ATTR_ENABLE_ON_EXEC);
	assert_true(l.at[1].attr.flags & ATTR_ENABLE_ON_EXEC);
	events_free(&l);
}

static void privileges_leave_modifiers_alone(void **state)
{
	struct sonde_perf_recorder_opts o = { .sz = sizeof(o), .user_only = true };
	struct events l = configured("cpu-clock,cpu-clock:k", &o, NULL);

	(void)state;
	assert_true(l.at[0].attr.flags & SONDE_ATTR_EXCLUDE_KERNEL);
	assert_false(l.at[1].attr.flags & SONDE_ATTR_EXCLUDE_KERNEL);
	assert_true(l.at[1].attr.flags & SONDE_ATTR_EXCLUDE_USER);
	events_free(&l);
}

static void the_kernel_gets_the_same_bytes(void **state)
{
	struct sonde_attr a = { .type = 4,
				.config = 0x1122,
				.sample_period = 5,
				.flags = SONDE_ATTR_INHERIT | ATTR_CGROUP | ATTR_AUX_OUTPUT | ATTR_INHERIT_THREAD |
					 ATTR_REMOVE_ON_EXEC | ATTR_SIGTRAP,
				.sig_data = 0x5166,
				.config3 = 3,
				.config4 = 4,
				.aux_action = 1 };
	struct perf_event_attr k;
	uint8_t bytes[KERNEL_ATTR_BYTES];

	(void)state;
	kernel_attr_encode(&a, bytes);
	memcpy(&k, bytes, sizeof(k) < sizeof(bytes) ? sizeof(k) : sizeof(bytes));
	assert_int_equal(k.type, 4);
	assert_int_equal(k.size, KERNEL_ATTR_BYTES);
	assert_int_equal(k.config, 0x1122);
	assert_int_equal(k.sample_period, 5);
	assert_int_equal(k.inherit, 1);
	assert_int_equal(k.pinned, 0);
	assert_int_equal(load_u64(bytes + 120, false), 0x5166);
	if (!host_is_big_endian())
		assert_int_equal(load_u64(bytes + 40, false) >> 31 & 0x7f, 0x73);  /* and cgroup */
	assert_int_equal(bytes[128], host_is_big_endian() ? 0 : 3);
	assert_int_equal(bytes[136], host_is_big_endian() ? 0 : 4);
}

static void one_event_puts_out_deferred_call_chains(void **state)
{
	struct sonde_perf_recorder_opts o = { .sz = sizeof(o), .stack.callgraph = SONDE_CALLGRAPH_FP,
					      .stack.defer_callchains = true };
	struct events l = configured("cs/call-graph=no/,cpu-clock,task-clock,faults/call-graph=fp/", &o, NULL);
	const uint64_t both = SONDE_ATTR_DEFER_CALLCHAIN | ATTR_DEFER_OUTPUT;
	uint8_t bytes[KERNEL_ATTR_BYTES];

	(void)state;
	assert_int_equal(l.at[0].attr.flags & both, 0);
	assert_int_equal(l.at[1].attr.flags & both, both);
	assert_int_equal(l.at[2].attr.flags & both, SONDE_ATTR_DEFER_CALLCHAIN);
	assert_int_equal(l.at[3].attr.flags & both, 0);  /* its own words say how */
	assert_int_equal(l.at[4].attr.flags & both, 0);
	if (!host_is_big_endian()) {
		kernel_attr_encode(&l.at[1].attr, bytes);
		assert_int_equal(bytes[44] & 0xc0, 0xc0);  /* bits 38 and 39 of the flags */
	}
	events_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequency_is_the_default),
		cmocka_unit_test(frequency_stays_within_the_limit),
		cmocka_unit_test(breakpoints_come_each_time_with_their_address),
		cmocka_unit_test(stacks_for_unwinding),
		cmocka_unit_test(branches_and_call_chains_are_both_kept),
		cmocka_unit_test(all_records_end_alike),
		cmocka_unit_test(a_group_that_is_read_samples_by_its_leader),
		cmocka_unit_test(the_side_band_is_on_from_the_start),
		cmocka_unit_test(privileges_leave_modifiers_alone),
		cmocka_unit_test(the_kernel_gets_the_same_bytes),
		cmocka_unit_test(one_event_puts_out_deferred_call_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
