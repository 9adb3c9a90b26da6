/* SPDX-License-Identifier: MIT */
#include "record/event/event.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "record/event/event_name.h"
#include "record/host/pmu.h"

/* A made-up machine: one core PMU, an uncore unit in two pieces, three tracepoints. */
static char root[] = "/tmp/sonde-event-test-XXXXXX";
static char sysfs[64], tracefs[64];
static struct event_roots fake = { sysfs, tracefs };

static const struct fake_file {
	const char *path, *text;
} files[] = {
	{ "sys/bus/event_source/devices/cpu/type", "4\n" },
	{ "sys/bus/event_source/devices/cpu/format/event", "config:0-7,32-35\n" },
	{ "sys/bus/event_source/devices/cpu/format/umask", "config:8-15\n" },
	{ "sys/bus/event_source/devices/cpu/format/edge", "config:18\n" },
	{ "sys/bus/event_source/devices/cpu/format/ldlat", "config1:0-15\n" },
	{ "sys/bus/event_source/devices/cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "sys/bus/event_source/devices/cpu/events/slots", "event=0x00,umask=0x4\n" },
	{ "sys/bus/event_source/devices/cpu/events/asks", "event=?,edge\n" },
	{ "sys/bus/event_source/devices/uncore_imc_0/type", "21\n" },
	{ "sys/bus/event_source/devices/uncore_imc_0/cpumask", "0,28\n" },
	{ "sys/bus/event_source/devices/uncore_imc_0/format/event", "config:0-7\n" },
	{ "sys/bus/event_source/devices/uncore_imc_0/events/reads", "event=0x4\n" },
	{ "sys/bus/event_source/devices/uncore_imc_0/events/reads.unit", "MiB\n" },
	{ "sys/bus/event_source/devices/uncore_imc_0/events/reads.scale", "6.103515625e-5\n" },
	{ "sys/bus/event_source/devices/uncore_imc_1/type", "22\n" },
	{ "sys/bus/event_source/devices/uncore_imc_1/format/event", "config:0-7\n" },
	{ "tracing/events/sched/sched_switch/id", "316\n" },
	{ "tracing/events/sched/sched_wakeup/id", "318\n" },
	{ "tracing/events/sched/enable", "0\n" },
	{ "tracing/events/irq/softirq_entry/id", "150\n" },
	{ "tracing/events/enable", "0\n" },
	/* a machine with two kinds of CPU */
	{ "hybrid/bus/event_source/devices/cpu_atom/type", "10\n" },
	{ "hybrid/bus/event_source/devices/cpu_atom/cpus", "2-3\n" },
	{ "hybrid/bus/event_source/devices/cpu_atom/format/event", "config:0-7\n" },
	{ "hybrid/bus/event_source/devices/cpu_core/type", "4\n" },
	{ "hybrid/bus/event_source/devices/cpu_core/cpus", "0-1\n" },
	{ "hybrid/bus/event_source/devices/cpu_core/format/event", "config:0-7\n" },
	{ "hybrid/bus/event_source/devices/uncore_imc/type", "20\n" },
	{ "hybrid/bus/event_source/devices/uncore_imc/cpumask", "0\n" },
	{ "hybrid/bus/event_source/devices/uncore_imc/events/energy", "event=?x\n" },
	{ "hybrid/bus/event_source/devices/uncore_imc/format/event", "config:0-7\n" },
	{ "hybrid/bus/event_source/devices/uncore_imc/events/temp", "event=6\n" },
	{ "hybrid/bus/event_source/devices/uncore_imc/events/temp.snapshot", "1\n" },
	{ "hybrid/bus/event_source/devices/uncore_imc/events/temp.per-pkg", "1\n" },
};
static char hybrid_sysfs[64];
static struct event_roots hybrid = { hybrid_sysfs, NULL };

static void make_file(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(sysfs, sizeof(sysfs), "%s/sys", root);
	snprintf(tracefs, sizeof(tracefs), "%s/tracing", root);
	snprintf(hybrid_sysfs, sizeof(hybrid_sysfs), "%s/hybrid", root);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		make_file(files[i].path, files[i].text);
	return 0;
}

static int tear_down(void **state)
{
	char full[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(full, sizeof(full), "%s/%s", root, files[i].path);
		unlink(full);
		for (char *p; (p = strrchr(full, '/')) && p > full + strlen(root) - 1;) {
			*p = '\0';
			rmdir(full);
		}
	}
	return 0;
}

/* Rows: text, then what its last event is. */
static const struct good {
	const char *text;
	size_t nr;
	const char *name;            /* of the last event; NULL: the text */
	uint32_t type;
	uint64_t config;
} goods[] = {
	{ "cycles", 1, NULL, PERF_TYPE_HARDWARE, 0 },
	{ "cpu-cycles:P", 1, NULL, PERF_TYPE_HARDWARE, 0 },
	{ "cs", 1, NULL, PERF_TYPE_SOFTWARE, 3 },
	{ "page-faults,cpu-clock", 2, "cpu-clock", PERF_TYPE_SOFTWARE, 0 },
	{ " cycles , instructions ", 2, "instructions", PERF_TYPE_HARDWARE, 1 },
	{ "L1-dcache-load-misses", 1, NULL, PERF_TYPE_HW_CACHE, 0x10000 },
	{ "L1-dcache-loads", 1, NULL, PERF_TYPE_HW_CACHE, 0 },
	{ "LLC-stores", 1, NULL, PERF_TYPE_HW_CACHE, 0x102 },
	{ "dTLB-miss-store", 1, NULL, PERF_TYPE_HW_CACHE, 0x10103 },
	{ "node-prefetch-misses:u", 1, NULL, PERF_TYPE_HW_CACHE, 0x10206 },
	{ "branch-load-misses", 1, NULL, PERF_TYPE_HW_CACHE, 0x10005 },
	{ "r1a8", 1, NULL, PERF_TYPE_RAW, 0x1a8 },
	{ "r0xFFFFFFFFFFFFFFFF:k", 1, NULL, PERF_TYPE_RAW, UINT64_MAX },
	{ "1:0", 1, NULL, PERF_TYPE_SOFTWARE, 0 },
	{ "0x1:0x3", 1, NULL, PERF_TYPE_SOFTWARE, 3 },
	{ "4:0x3c:u", 1, NULL, PERF_TYPE_RAW, 0x3c },
	{ "mem:0x1000", 1, NULL, PERF_TYPE_BREAKPOINT, 0 },
	{ "mem:0x601040/8:w:u", 1, NULL, PERF_TYPE_BREAKPOINT, 0 },
	{ "cycles/period=1000/u", 1, NULL, PERF_TYPE_HARDWARE, 0 },
	{ "cycles/name='a, b:c'/", 1, "a, b:c", PERF_TYPE_HARDWARE, 0 },
	{ "cpu/event=0x1a3,umask=8/", 1, NULL, 4, 0x1000008a3 },  /* the ninth bit of `event` is bit 32 */
	{ "cpu/mem-loads/", 1, NULL, 4, 0x1cd },
	{ "cpu/mem-loads,umask=2/k", 1, NULL, 4, 0x2cd },
	{ "cpu/asks,event=7/", 1, NULL, 4, 0x40007 },
	{ "cpu/r1a8/", 1, NULL, 4, 0x1a8 },
	{ "cpu/config=0xff/:u", 1, NULL, 4, 0xff },
	{ "cpu/event=0x3f1,edge/", 1, NULL, 4, 0x3000400f1 },
	{ "slots:k", 1, NULL, 4, 0x400 },
	{ "imc/event=9/", 2, NULL, 22, 9 },
	{ "uncore_imc/event=9/", 2, NULL, 22, 9 },
	{ "uncore_imc_*/event=9/", 2, NULL, 22, 9 },
	{ "sched:sched_switch", 1, NULL, PERF_TYPE_TRACEPOINT, 316 },
	{ "sched:sched_switch:u", 1, "sched:sched_switch", PERF_TYPE_TRACEPOINT, 316 },
	{ "sched:*", 2, "sched:sched_wakeup", PERF_TYPE_TRACEPOINT, 318 },
	{ "*:*entry", 1, "irq:softirq_entry", PERF_TYPE_TRACEPOINT, 150 },
	{ "sched:sched_switch/call-graph=no/", 1, "sched:sched_switch", PERF_TYPE_TRACEPOINT, 316 },
	{ "{cycles,instructions}:S", 2, "instructions", PERF_TYPE_HARDWARE, 1 },
	{ "pair{cycles:u,cs},cpu-clock", 3, "cpu-clock", PERF_TYPE_SOFTWARE, 0 },
};

static void parses_the_known_spellings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(goods); i++) {
		const struct good *g = &goods[i];
		struct events list = { 0 };
		struct sonde_error err = { 0 };
		const struct event *last;
		int r = events_parse(&list, g->text, &fake, &err);

		if (r < 0)
			fail_msg("%s: %s", g->text, err.text);
		assert_int_equal(list.n, g->nr);
		last = &list.at[list.n - 1];
		assert_string_equal(last->name, g->name ? g->name : g->text);
		assert_int_equal(last->attr.type, g->type);
		if (last->attr.config != g->config)
			fail_msg("%s: config %#lx", g->text, (unsigned long)last->attr.config);
		events_free(&list);
	}
}

static const struct wrong {
	const char *text, *says;
} wrongs[] = {
	{ "", "column 1" },
	{ "cycles,", "column 8" },
	{ "cycels", "did you mean 'cycles'?" },
	{ "sched_switch", "no such event; did you mean 'sched:sched_switch'?" },
	{ "sched_swich", "did you mean 'sched:sched_switch'?" },
	{ "sched_switch:u", "did you mean 'sched:sched_switch'?" },
	{ "sched", "did you mean 'sched:*'?" },
	{ "sched:sched_wakup", "no tracepoint sched:sched_wakup; did you mean 'sched:sched_wakeup'?" },
	{ "sched:softirq_entry", "did you mean 'irq:softirq_entry'?" },
	{ "shed:sched_switch", "did you mean 'sched:sched_switch'?" },
	{ "sched:enabel", "no tracepoint sched:enabel (is its kernel option or module there?)" },
	{ "cycles:", "column 8" },
	{ "cycles:uu", "each at most once" },
	{ "cycles:pppp", "up to three" },
	{ "cycles:u:k", "unexpected ':'" },
	{ "cycles:z", "modifiers are" },
	{ "{cycles", "ends the group" },
	{ "{cycles,{cs}}", "column 9" },
	{ "{}", "column 2" },
	{ "cycles/period=0/", "above 0" },
	{ "cycles/zzz=1/", "unknown term 'zzz'" },
	{ "cycles/period=1", "slash that ends" },
	{ "cpu/umask=0x100/", "does not fit its 8 bits" },
	{ "cpu/umask/", "needs a value" },
	{ "cpu/zzz=1/", "this PMU has edge,event,ldlat,umask" },
	{ "nopmu/event=1/", "no PMU 'nopmu'" },
	{ "cpu/asks/", "needs event=VALUE" },
	{ "asks", "cpu/asks,event=VALUE/" },
	{ "../cpu/event=1/", "no PMU" },
	{ "cpu/../../type=1/", "column" },
	{ "mem:zzz", "expected an address" },
	{ "mem:0x10/3", "1, 2, 4 or 8" },
	{ "mem:0x10:ww", "twice" },
	{ "sched:nothing", "no tracepoint sched:nothing" },
	{ "sched:no*", "no tracepoint matches" },
	{ "..:id", "no tracepoint" },
	{ "sched:sched_switch/period=5/", "unknown term" },
	{ "L1-icache-stores", "no such event" },
	{ "99999999999:1", "two numbers" },
	{ "1:zz", "two numbers" },
	{ "r12345678901234567", "no such event" },
	{ "cpu/umsk=1/", "unknown term 'umsk'; did you mean 'umask'?" },
	{ "cpu/mem-load/", "did you mean 'mem-loads'?" },
	{ "cycles/perod=1/", "did you mean 'period'?" },
	{ "uncore_imk_0/event=1/", "no PMU 'uncore_imk_0'; did you mean 'uncore_imc_0'?" },
	{ "mem-lods", "did you mean 'mem-loads'?" },
	{ "cycles:ukq", "column 10" },
	{ "cycles/branch_type=zzz/", "branch filter" },
	{ "cycles/aux-action=stop/", "start-paused, pause or resume" },
	{ "cycles/nr=0/", "above 0" },
	{ "cycles/cpu=x/", "number of a CPU" },
	{ "cycles/name='a/", "quote is not closed" },
	{ "cycles/@/", "setting of the driver" },
	{ "cycles/config=18446744073709551616/", "expects a number" },
	{ "duration_time/period=0/", "above 0" },
};

static void names_the_mistake_and_its_column(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
		struct events list = { 0 };
		struct sonde_error err = { 0 };
		int r = events_parse(&list, wrongs[i].text, &fake, &err);

		if (r >= 0)
			fail_msg("'%s' was taken", wrongs[i].text);
		if (!strstr(err.text, wrongs[i].says))
			fail_msg("'%s' says: %s", wrongs[i].text, err.text);
		assert_int_equal(list.n, 0);
		events_free(&list);
	}
}

static void modifiers_of_a_group_add_to_each_member(void **state)
{
	struct events list = { 0 };
	struct sonde_error err = { 0 };

	(void)state;
	assert_int_equal(events_parse(&list, "{cycles,cs:k}:uD", &fake, &err), 0);
	assert_int_equal(list.at[0].attr.flags & (SONDE_ATTR_EXCLUDE_USER | SONDE_ATTR_EXCLUDE_KERNEL),
			 SONDE_ATTR_EXCLUDE_KERNEL);
	assert_int_equal(list.at[1].attr.flags & (SONDE_ATTR_EXCLUDE_USER | SONDE_ATTR_EXCLUDE_KERNEL), 0);
	assert_true(list.at[0].attr.flags & SONDE_ATTR_BIT(2));
	assert_false(list.at[1].attr.flags & SONDE_ATTR_BIT(2));
	assert_int_equal(list.at[1].leader, 0);
	events_free(&list);
}

static void terms_and_breakpoints_reach_the_attr(void **state)
{
	struct events list = { 0 };
	struct sonde_error err = { 0 };

	(void)state;
	assert_int_equal(events_parse(&list,
				      "cycles/freq=99,call-graph=dwarf,stack-size=4095,max-stack=12,no-inherit/ppp,"
				      "mem:0x601040/8:w:u,imc/event=2/",
				      &fake, &err),
			 0);
	assert_int_equal(list.at[0].freq, 99);
	assert_int_equal(list.at[0].callgraph, CALLGRAPH_DWARF);
	assert_int_equal(list.at[0].stack_size, 4096);
	assert_int_equal(list.at[0].max_stack, 12);
	assert_int_equal(list.at[0].inherit, 0);
	assert_int_equal(list.at[0].attr.flags >> 15 & 3, 3);
	assert_int_equal(list.at[1].attr.bp_type, 2);
	assert_int_equal(list.at[1].attr.config1, 0x601040);
	assert_int_equal(list.at[1].attr.config2, 8);
	events_free(&list);
}

static void uncore_events_know_their_cpus_and_unit(void **state)
{
	struct events list = { 0 };
	struct sonde_error err = { 0 };

	(void)state;
	assert_int_equal(events_parse(&list, "uncore_imc_0/reads/", &fake, &err), 0);
	assert_true(list.at[0].system_wide);
	assert_int_equal(list.at[0].cpus.n, 2);
	assert_int_equal(list.at[0].cpus.at[1], 28);
	assert_string_equal(list.at[0].unit, "MiB");
	assert_true(list.at[0].scale > 6.1e-5 && list.at[0].scale < 6.2e-5);
	events_free(&list);
}

static void each_kind_of_cpu_has_the_generic_events(void **state)
{
	struct events list = { 0 };
	struct sonde_error err = { 0 };

	(void)state;
	assert_int_equal(events_parse(&list, "cycles:u,L1-dcache-loads,cpu_core/instructions/,r1a8", &hybrid, &err), 0);
	assert_int_equal(list.n, 7);
	assert_string_equal(list.at[0].name, "cpu_atom/cycles/u");
	assert_int_equal(list.at[0].attr.type, PERF_TYPE_HARDWARE);
	assert_true(list.at[0].attr.config == UINT64_C(10) << 32);
	assert_int_equal(list.at[0].cpus.at[0], 2);
	assert_true(list.at[1].attr.config == UINT64_C(4) << 32);
	assert_int_equal(list.at[2].attr.type, PERF_TYPE_HW_CACHE);
	assert_true(list.at[4].attr.config == (UINT64_C(4) << 32 | 1));
	assert_string_equal(list.at[4].name, "cpu_core/instructions/");
	assert_int_equal(list.at[5].attr.type, 10);
	assert_int_equal(list.at[6].attr.type, 4);
	assert_int_equal(list.at[6].attr.config, 0x1a8);
	events_free(&list);
}

static void one_kind_of_cpu_can_be_chosen(void **state)
{
	struct event_roots only_core = hybrid, only_imc_1 = fake;
	struct events list = { 0 };
	struct sonde_error err = { 0 };

	(void)state;
	only_core.only_pmu = "cpu_core";
	assert_int_equal(events_parse(&list, "cycles:u,L1-dcache-loads,cpu_atom/instructions/,r1a8", &only_core, &err),
			 0);
	assert_int_equal(list.n, 4);
	assert_string_equal(list.at[0].name, "cpu_core/cycles/u");
	assert_true(list.at[0].attr.config == UINT64_C(4) << 32);
	assert_string_equal(list.at[2].name, "cpu_atom/instructions/");
	assert_int_equal(list.at[3].attr.type, 4);
	events_free(&list);
	only_imc_1.only_pmu = "uncore_imc_1";
	memset(&list, 0, sizeof(list));
	assert_int_equal(events_parse(&list, "imc/event=3/", &only_imc_1, &err), 0);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.at[0].attr.type, 22);
	events_free(&list);
	only_core.only_pmu = "uncore_imc";
	memset(&list, 0, sizeof(list));
	assert_true(events_parse(&list, "cycles", &only_core, &err) < 0);
	assert_non_null(strstr(err.text, "the PMU 'uncore_imc' does not have this event"));
	events_free(&list);
}

static void a_group_is_of_one_pmu(void **state)
{
	static const struct {
		const char *text;
		uint32_t leaders[8];
	} rows[] = {
		{ "{cycles,instructions}", { 0, 0, 2, 2 } },
		{ "{cycles,cs,instructions}", { 0, 0, 2, 2, 2 } },
		{ "{cs,cpu_core/event=1/,uncore_imc/event=2/,page-faults,cpu_core/event=3/}", { 0, 0, 0, 3, 3 } },
		{ "{cs,page-faults}", { 0, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct events list = { 0 };
		struct sonde_error err = { 0 };

		assert_int_equal(events_parse(&list, rows[i].text, &hybrid, &err), 0);
		for (size_t k = 0; k < list.n; k++)
			assert_int_equal(list.at[k].leader, rows[i].leaders[k]);
		events_free(&list);
	}
}

static void terms_of_aux_branches_and_others(void **state)
{
	struct events list = { 0 };
	struct sonde_error err = { 0 };

	(void)state;
	assert_int_equal(events_parse(&list,
				      "cycles/branch_type='any_call,u',nr=5,overwrite,percore,metric-id=m/bRX,"
				      "cs/aux-output,aux-action=pause,aux-sample-size=4096,cpu=1-2/,"
				      "cpu/event=1,@sink=tmc0,@fast/,duration_time,user_time:u,cpu/cycles/,"
				      "cpu/raw=0x77/",
				      &fake, &err),
			 0);
	assert_int_equal(list.at[0].attr.branch_sample_type, 1 | 1 << 4);
	assert_int_equal(list.at[0].max_samples, 5);
	assert_int_equal(list.at[0].overwrite, 1);
	assert_true(list.at[0].percore);
	assert_string_equal(list.at[0].metric_id, "m");
	assert_int_equal(list.at[0].modifiers, MOD_BPF | MOD_RETIRE_LATENCY | MOD_OWN_GROUP);
	assert_true(list.at[1].attr.flags & ATTR_AUX_OUTPUT);
	assert_int_equal(list.at[1].attr.aux_action, 2);
	assert_int_equal(list.at[1].attr.aux_sample_size, 4096);
	assert_int_equal(list.at[1].cpus.n, 2);
	assert_string_equal(list.at[2].driver_config, "sink=tmc0,fast");
	assert_int_equal(list.at[3].attr.type, EVENT_TYPE_TOOL);
	assert_int_equal(list.at[4].attr.config, EVENT_USER_TIME);
	assert_int_equal(list.at[5].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(list.at[6].attr.config, 0x77);
	events_free(&list);

	assert_int_equal(events_parse(&list, "uncore_imc/temp/", &hybrid, &err), 0);
	assert_true(list.at[0].per_pkg && list.at[0].snapshot && list.at[0].system_wide);
	events_free(&list);
}

static int known_symbol(const char *name, uint64_t *addr)
{
	*addr = 0xffffffff81000000;
	return !strcmp(name, "hidden") ? -SONDE_DENIED : strcmp(name, "jiffies") ? -SONDE_MISSING : 0;
}

static void breakpoints_by_symbol(void **state)
{
	struct event_roots roots = fake;
	struct events list = { 0 };
	struct sonde_error err = { 0 };

	(void)state;
	roots.kernel_symbol = known_symbol;
	assert_int_equal(events_parse(&list, "mem:jiffies/8:w,mem:jiffies+0x10:u", &roots, &err), 0);
	assert_true(list.at[0].attr.config1 == 0xffffffff81000000);
	assert_int_equal(list.at[0].attr.config2, 8);
	assert_true(list.at[1].attr.config1 == 0xffffffff81000010);
	assert_string_equal(list.at[0].name, "mem:jiffies/8:w");
	assert_int_equal(events_parse(&list, "mem:jifies", &roots, &err), -SONDE_MISSING);
	assert_non_null(strstr(err.text, "column 5: "));
	err = (struct sonde_error){ 0 };
	assert_int_equal(events_parse(&list, "mem:hidden", &roots, &err), -SONDE_DENIED);
	err = (struct sonde_error){ 0 };
	assert_int_equal(events_parse(&list, "mem:jiffies+x", &roots, &err), -SONDE_USAGE);
	events_free(&list);
}

/* Work is proportional to the text, whatever is in it. */
static void texts_of_64_kb(void **state)
{
	static const char *const units[] = { "cycles,", "{", "{cs,", "cpu/", "a", "/", ":", "cycles/period=1,", "mem:",
					     "'", "r", "uprobe:", "probe:", "sched:*,", "@", "\xff" };
	size_t size = 65536;
	char *text = malloc(size + 1);

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		struct events list = { 0 };
		struct sonde_error err = { 0 };
		size_t unit = strlen(units[i]);

		for (size_t n = 0; n < size; n++)
			text[n] = units[i][n % unit];
		text[size] = '\0';
		assert_true(events_parse(&list, text, &fake, &err) < 0);
		assert_int_equal(list.n, 0);
		assert_true(strlen(err.text) > 0);
		events_free(&list);
	}
	free(text);
}

static void cpu_lists(void **state)
{
	static const char *const wrong_lists[] = { "", "a", "1-", "3-1", "1,,2", "1,", "70000", "-1" };
	struct cpus c = { 0 };

	(void)state;
	assert_int_equal(cpus_parse(&c, "8,0-2,1"), 0);
	assert_int_equal(c.n, 4);
	assert_int_equal(c.at[2], 2);
	assert_int_equal(c.at[3], 8);
	for (size_t i = 0; i < ARRAY_SIZE(wrong_lists); i++)
		assert_true(cpus_parse(&c, wrong_lists[i]) < 0);
	vec_free(&c);
}

static void formats(void **state)
{
	uint64_t words[5] = { 0 };
	struct pmu_format f;

	(void)state;
	assert_true(pmu_format_parse("config2:0-63", &f));
	assert_int_equal(f.word, 2);
	assert_true(f.mask == UINT64_MAX);
	assert_true(pmu_format_apply(&f, UINT64_MAX, words));
	assert_true(words[2] == UINT64_MAX);
	assert_false(pmu_format_parse("config:3-1", &f));
	assert_false(pmu_format_parse("config:64", &f));
	assert_false(pmu_format_parse("conf:1", &f));
	assert_false(pmu_format_parse("config5:1", &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_the_known_spellings),
		cmocka_unit_test(names_the_mistake_and_its_column),
		cmocka_unit_test(modifiers_of_a_group_add_to_each_member),
		cmocka_unit_test(terms_and_breakpoints_reach_the_attr),
		cmocka_unit_test(uncore_events_know_their_cpus_and_unit),
		cmocka_unit_test(each_kind_of_cpu_has_the_generic_events),
		cmocka_unit_test(one_kind_of_cpu_can_be_chosen),
		cmocka_unit_test(a_group_is_of_one_pmu),
		cmocka_unit_test(terms_of_aux_branches_and_others),
		cmocka_unit_test(breakpoints_by_symbol),
		cmocka_unit_test(texts_of_64_kb),
		cmocka_unit_test(cpu_lists),
		cmocka_unit_test(formats),
	};

	return cmocka_run_group_tests_name("event (with a made-up sysfs and tracefs)", tests, set_up, tear_down);
}
