/* SPDX-License-Identifier: MIT */
#include "analyze/profile/counting.h"
#include "analyze/profile/profile_heads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include <linux/perf_event.h>

#include "analyze/profile/gathering.h"
#include "model/meta.h"

#define MISC_COMM_EXEC 0x2000
#define PROT_EXEC_BIT 4

static struct gathering p;

/* A reader whose records are the bodies themselves. */
static union {
	struct sonde_mmap mmap;
	struct sonde_comm comm;
	struct sonde_task task;
} body;

static int give_body(const struct reader *r, const struct sonde_event *ev, enum event_body which, void *out)
{
	(void)r, (void)ev;
	memcpy(out, &body, which == BODY_MMAP ? sizeof(body.mmap) :
			   which == BODY_COMM ? sizeof(body.comm) :
						sizeof(body.task));
	return 0;
}

static const struct reader_ops ops = { .body = give_body };
static const struct reader reader = { .ops = &ops };

static const struct sonde_evsel evsels[] = {
	{ .index = 0, .name = "cycles", .leader = 0 },
	{ .index = 1, .name = "faults", .leader = 1 },
};

static void start(bool any_task)
{
	const struct symbols_opts none = { .cache_dir = "" };
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .by = SONDE_BY_SYMBOL_OFFSET,
						 .any_task = any_task };

	assert_int_equal(gathering_init(&p, &opts, symbols_new(&none)), 0);
	assert_int_equal(profile_begin_trace(&p, NULL), 0);
}

static void end(void)
{
	profile_end_counting(&p);
	gathering_free(&p);
}

static struct sonde_str str(const char *s)
{
	return (struct sonde_str){ s, strlen(s) };
}

static void apply(uint32_t type, uint16_t misc)
{
	static const struct meta meta;
	struct loaded_event e = {
		.pub = { .type = type, .misc = misc, .kind = SONDE_KIND_SIDEBAND, .cpumode = CPUMODE_USER,
			 .time = SONDE_NONE },
		.reader = &reader,
	};

	assert_int_equal(profile_event(&p, &e.pub, &meta), 0);
}

static void map(int32_t pid, uint64_t addr, const char *name)
{
	body.mmap = (struct sonde_mmap){ .pid = pid, .tid = pid, .addr = addr, .len = 0x1000, .prot = PROT_EXEC_BIT,
					 .filename = str(name) };
	apply(PERF_RECORD_MMAP2, 0);
}

static void name(int32_t pid, const char *comm, bool exec)
{
	body.comm = (struct sonde_comm){ pid, pid, exec, str(comm) };
	apply(PERF_RECORD_COMM, exec ? MISC_COMM_EXEC : 0);
}

static struct sample_head head(int evsel, int32_t pid, uint64_t ip, uint8_t cpumode)
{
	return (struct sample_head){ .evsel = &evsels[evsel], .ip = ip, .time = 1, .period = 10, .pid = pid,
				     .tid = pid, .cpu = 0, .cpumode = cpumode };
}

static void give(const struct sample_head *heads, size_t n)
{
	assert_true(counting_takes_heads(&p));
	assert_int_equal(profile_heads(&p, &reader, heads, n), 0);
}

static void give_one(int32_t pid, uint64_t ip)
{
	struct sample_head h = head(0, pid, ip, CPUMODE_USER);

	give(&h, 1);
}

/* The samples in code of a binary; NULL: where nothing is mapped. */
static uint64_t samples_of(const char *binary)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p.cells.n; i++) {
		const struct binary *b = p.frames.list.at[p.cells.at[i].frame].binary;

		if (binary ? b && strcmp(b->name, binary) == 0 : !b)
			n += p.cells.at[i].samples;
	}
	return n;
}

static void test_an_address_is_looked_up_in_the_maps_of_its_moment(void **state)
{
	(void)state;
	start(false);
	map(10, 0x400000, "/bin/first");
	give_one(10, 0x400123);
	give_one(10, 0x400123);
	map(10, 0x400000, "/bin/second");
	give_one(10, 0x400123);
	map(10, 0x400000, "/bin/first");
	give_one(10, 0x400123);
	assert_int_equal(samples_of("/bin/first"), 3);
	assert_int_equal(samples_of("/bin/second"), 1);
	end();
}

static void test_an_exec_forgets_what_was_mapped(void **state)
{
	(void)state;
	start(true);
	map(10, 0x400000, "/bin/sh");
	give_one(10, 0x400123);
	name(10, "new", true);
	map(10, 0x600000, "/bin/new");
	give_one(10, 0x400123);
	give_one(10, 0x600123);
	assert_int_equal(samples_of("/bin/sh"), 1);
	assert_int_equal(samples_of("/bin/new"), 1);
	assert_int_equal(samples_of(NULL), 1);
	end();
}

static void test_a_process_has_its_own_maps(void **state)
{
	(void)state;
	start(true);
	map(10, 0x400000, "/bin/ten");
	body.task = (struct sonde_task){ 20, 10, 20, 10, 0 };
	apply(PERF_RECORD_FORK, 0);
	give_one(10, 0x400123);
	give_one(20, 0x400123);
	assert_int_equal(samples_of("/bin/ten"), 2);
	map(20, 0x400000, "/bin/twenty");
	for (int i = 0; i < 5; i++) {
		give_one(10, 0x400123);
		give_one(20, 0x400123);
	}
	assert_int_equal(samples_of("/bin/ten"), 7);
	assert_int_equal(samples_of("/bin/twenty"), 5);
	end();
}

/* One address again and again, each time with something else that has a cell of its own. */
static void test_a_cell_has_one_event_task_and_mode(void **state)
{
	enum { TIMES = 50 };
	const struct sample_head heads[] = {
		head(0, 10, 1, CPUMODE_USER), head(1, 10, 1, CPUMODE_USER),   head(0, 20, 1, CPUMODE_USER),
		head(0, 10, 2, CPUMODE_USER), head(0, 10, 1, CPUMODE_KERNEL), head(0, 10, 0, CPUMODE_USER),
	};
	enum { KINDS = sizeof(heads) / sizeof(heads[0]) };
	struct sample_head many[TIMES * KINDS];

	(void)state;
	for (size_t i = 0; i < TIMES * KINDS; i++)
		many[i] = heads[i % KINDS];
	start(false);
	give(many, TIMES * KINDS);
	assert_int_equal(p.cells.n, KINDS);
	for (size_t i = 0; i < KINDS; i++) {
		assert_int_equal(p.cells.at[i].samples, TIMES);
		assert_int_equal(p.cells.at[i].period, 10 * TIMES);
		assert_int_equal(p.who.at[p.cells.at[i].task].pid, heads[i].pid);
	}
	assert_int_equal(p.events.at[0].samples, (KINDS - 1) * TIMES);
	assert_int_equal(p.events.at[1].all_period, 10 * TIMES);
	end();
}

static void test_tasks_share_cells_where_any_task_will_do(void **state)
{
	const struct sample_head heads[] = { head(0, 10, 1, CPUMODE_USER), head(0, 20, 1, CPUMODE_USER) };

	(void)state;
	start(true);
	give(heads, 2);
	assert_int_equal(p.cells.n, 1);
	assert_int_equal(p.cells.at[0].samples, 2);
	assert_int_equal(p.cells.at[0].task, 0);
	end();
}

/* More addresses than are remembered; each comes again after all others. */
static void test_addresses_that_were_forgotten_are_found_again(void **state)
{
	enum { ADDRESSES = 3 * PLAIN_SLOTS };

	(void)state;
	start(false);
	for (int round = 0; round < 2; round++)
		for (uint64_t ip = 1; ip <= ADDRESSES; ip++)
			give_one(10, ip);
	assert_int_equal(p.cells.n, ADDRESSES);
	for (size_t i = 0; i < ADDRESSES; i++) {
		assert_int_equal(p.cells.at[i].samples, 2);
		assert_int_equal(p.frames.list.at[p.cells.at[i].frame].addr, i + 1);
	}
	end();
}

/* Many processes map the same program and library, each at other addresses: each binary has one cell. */
static void test_processes_share_the_cells_of_a_program(void **state)
{
	enum { PROCESSES = 3 * PLAIN_RANGES };

	(void)state;
	start(true);
	for (int32_t i = 0; i < PROCESSES; i++) {
		uint64_t at = 0x400000 + (uint64_t)i * 0x1000;

		map(10 + i, at, "/bin/program");
		map(10 + i, at + 0x1000, "/bin/library");
		give_one(10 + i, at + 0x123);
		give_one(10 + i, at + 0x1123);
		give_one(10 + i, at + 0x123);
	}
	give_one(10, 0x400123);
	assert_int_equal(p.cells.n, 2);
	assert_int_equal(samples_of("/bin/program"), 2 * PROCESSES + 1);
	assert_int_equal(samples_of("/bin/library"), PROCESSES);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_address_is_looked_up_in_the_maps_of_its_moment),
		cmocka_unit_test(test_an_exec_forgets_what_was_mapped),
		cmocka_unit_test(test_a_process_has_its_own_maps),
		cmocka_unit_test(test_processes_share_the_cells_of_a_program),
		cmocka_unit_test(test_a_cell_has_one_event_task_and_mode),
		cmocka_unit_test(test_tasks_share_cells_where_any_task_will_do),
		cmocka_unit_test(test_addresses_that_were_forgotten_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
