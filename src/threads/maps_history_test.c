/* SPDX-License-Identifier: MIT */
#include "threads/maps_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <string.h>

#include "model/reader.h"

#define PROT_EXEC_BIT 4

static union {
	struct sonde_mmap mmap;
	struct sonde_task task;
} body;

static int give_body(const struct reader *r, const struct sonde_event *ev, enum event_body which, void *out)
{
	(void)r, (void)ev;
	memcpy(out, &body, which == BODY_MMAP ? sizeof(body.mmap) : sizeof(body.task));
	return 0;
}

static const struct reader_ops ops = { .body = give_body };
static const struct reader reader = { .ops = &ops };

static struct tasks tasks;
static struct maps_history history;

static int start(void **state)
{
	(void)state;
	history = (struct maps_history){ 0 };
	return tasks_init(&tasks);
}

static int end(void **state)
{
	(void)state;
	maps_history_free(&history);
	tasks_free(&tasks);
	return 0;
}

static void apply(uint32_t type, uint8_t cpumode, uint64_t time)
{
	struct loaded_event e = { .pub = { .type = type, .cpumode = cpumode, .time = time }, .reader = &reader };

	assert_int_equal(maps_history_apply(&history, &tasks, &e.pub), 0);
}

static void map(int32_t pid, uint64_t addr, const char *name, uint64_t time)
{
	body.mmap = (struct sonde_mmap){ .pid = pid, .tid = pid, .addr = addr, .len = 0x1000, .prot = PROT_EXEC_BIT,
					 .filename = { name, strlen(name) } };
	apply(PERF_RECORD_MMAP2, pid < 0 ? CPUMODE_KERNEL : CPUMODE_USER, time);
}

static void fork_of(int32_t pid, int32_t parent, uint64_t time)
{
	body.task = (struct sonde_task){ pid, parent, pid, parent, time };
	apply(PERF_RECORD_FORK, 0, time);
}

/* The name that lies at an address in each of the maps of a process from one time to another. */
static void expect(int32_t pid, uint64_t first, uint64_t last, uint64_t addr, size_t nr, const char *const *names)
{
	size_t n;
	const struct maps_moment *at = maps_history_between(&history, pid, first, last, &n);

	assert_int_equal(n, nr);
	for (size_t i = 0; i < n; i++) {
		const struct mapping *m = maps_find(at[i].root, addr);

		assert_true(names[i] ? m && strcmp(m->binary->name, names[i]) == 0 : !m);
	}
}

#define EXPECT(pid, first, last, addr, ...) \
	expect((pid), (first), (last), (addr), sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), \
	       (const char *[]){ __VA_ARGS__ })

static void test_maps_at_each_moment(void **state)
{
	(void)state;
	map(7, 0x1000, "/a", SONDE_NONE);
	map(8, 0x1000, "/x", 15);
	map(7, 0x1000, "/b", 20);
	fork_of(9, 7, 25);
	map(7, 0x5000, "/c", 30);
	map(HISTORY_KERNEL, 0x7000, "[kernel.kallsyms]_text", 40);
	maps_history_end(&history);

	EXPECT(7, 10, 19, 0x1000, "/a");
	EXPECT(7, 10, 20, 0x1000, "/a", "/b");          /* which one came first is not known */
	EXPECT(7, 21, 29, 0x1000, "/b");
	EXPECT(7, 21, 30, 0x5000, NULL, "/c");
	EXPECT(7, 31, UINT64_MAX, 0x5000, "/c");
	EXPECT(8, 10, 14, 0x1000);
	EXPECT(8, 10, 99, 0x1000, "/x");
	EXPECT(9, 26, 99, 0x1000, "/b");
	EXPECT(6, 10, 99, 0x1000);
	EXPECT(HISTORY_KERNEL, 41, 99, 0x7000, "[kernel.kallsyms]");
}

static void test_nothing_has_changed(void **state)
{
	(void)state;
	maps_history_end(&history);
	EXPECT(7, 1, 2, 0x1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_maps_at_each_moment, start, end),
		cmocka_unit_test_setup_teardown(test_nothing_has_changed, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
