/* SPDX-License-Identifier: MIT */
#include "threads/tasks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <string.h>

#include "model/reader.h"

#define MISC_COMM_EXEC 0x2000
#define MISC_FORK_EXEC 0x2000
#define PROT_EXEC_BIT 4

/* A reader whose records are the bodies themselves. */
static union {
	struct sonde_mmap mmap;
	struct sonde_comm comm;
	struct sonde_task task;
	struct sonde_ksymbol ksymbol;
} body;

static int give_body(const struct reader *r, const struct sonde_event *ev, enum event_body which, void *out)
{
	static const size_t sizes[] = { [BODY_MMAP] = sizeof(body.mmap), [BODY_COMM] = sizeof(body.comm),
					[BODY_TASK] = sizeof(body.task), [BODY_KSYMBOL] = sizeof(body.ksymbol) };

	(void)r, (void)ev;
	memcpy(out, &body, sizes[which]);
	return 0;
}

static const struct reader_ops ops = { .body = give_body };
static const struct reader reader = { .ops = &ops };

static int32_t machine;  /* that the next events are of */

static void apply(struct tasks *t, uint32_t type, uint16_t misc, uint8_t cpumode)
{
	struct loaded_event e = { .pub = { .type = type, .misc = misc, .cpumode = cpumode, .machine_pid = machine },
				  .reader = &reader };

	assert_int_equal(tasks_apply(t, &e.pub), 0);
}

static struct sonde_str str(const char *s)
{
	return (struct sonde_str){ s, strlen(s) };
}

static void comm(struct tasks *t, int32_t pid, int32_t tid, const char *name, bool exec)
{
	body.comm = (struct sonde_comm){ pid, tid, exec, str(name) };
	apply(t, PERF_RECORD_COMM, exec ? MISC_COMM_EXEC : 0, CPUMODE_USER);
}

static void new_task(struct tasks *t, int32_t pid, int32_t ppid, int32_t tid, int32_t ptid, uint16_t misc)
{
	body.task = (struct sonde_task){ pid, ppid, tid, ptid, 0 };
	apply(t, PERF_RECORD_FORK, misc, CPUMODE_USER);
}

static void mmap2(struct tasks *t, int32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff, uint32_t prot,
		  const char *name, uint8_t cpumode)
{
	body.mmap = (struct sonde_mmap){
		.pid = pid, .addr = addr, .len = len, .pgoff = pgoff, .prot = prot, .filename = str(name)
	};
	apply(t, PERF_RECORD_MMAP2, 0, cpumode);
}

static const struct mapping *user_at(const struct tasks *t, int32_t pid, uint64_t addr)
{
	return maps_find(tasks_root_of(t, 0, pid, CPUMODE_USER, 0), addr);
}

static int setup(void **state)
{
	static struct tasks t;

	*state = &t;
	return tasks_init(&t);
}

static int teardown(void **state)
{
	tasks_free(*state);
	return 0;
}

static void test_names(void **state)
{
	struct tasks *t = *state;

	assert_string_equal(tasks_comm(t, 0, 0, 0), "swapper");
	assert_null(tasks_comm(t, 0, 10, 10));
	comm(t, 10, 10, "shell", false);
	new_task(t, 10, 10, 11, 10, 0);
	new_task(t, 20, 10, 20, 10, 0);
	/* a thread and a child begin with their parent's name */
	assert_string_equal(tasks_comm(t, 0, 10, 11), "shell");
	assert_string_equal(tasks_comm(t, 0, 20, 20), "shell");
	comm(t, 20, 20, "child", true);
	assert_string_equal(tasks_comm(t, 0, 10, 10), "shell");
	assert_string_equal(tasks_comm(t, 0, 20, 20), "child");
	assert_null(tasks_comm(t, 0, 21, 20));  /* that thread number belongs to another process now */
}

static void test_maps_of_dead_tasks_are_freed(void **state)
{
	struct tasks *t = *state;
	size_t before;

	mmap2(t, -1, 0xffff0000, 0x1000, 0, PROT_EXEC_BIT, "[kernel.kallsyms]_text", CPUMODE_KERNEL);
	for (int32_t pid = 10; pid < 200; pid++) {
		for (uint64_t i = 1; i <= 20; i++)
			mmap2(t, pid, i << 16, 0x1000, 0, PROT_EXEC_BIT, "/lib", CPUMODE_USER);
		new_task(t, pid + 1000, pid, pid + 1000, pid, 0);
		if (pid == 12 || pid == 13)
			continue;
		body.task = (struct sonde_task){ pid, pid, pid, pid, 0 };
		apply(t, PERF_RECORD_EXIT, 0, CPUMODE_USER);
		body.task = (struct sonde_task){ pid + 1000, pid, pid + 1000, pid, 0 };
		apply(t, PERF_RECORD_EXIT, 0, CPUMODE_USER);
	}
	/* a thread's exit is not that of its process */
	body.task = (struct sonde_task){ 13, 13, 1300, 13, 0 };
	apply(t, PERF_RECORD_EXIT, 0, CPUMODE_USER);
	assert_non_null(user_at(t, 50, 5 << 16));
	before = t->pool.nodes.bytes;
	assert_int_equal(tasks_compact(t), 0);
	assert_true(t->pool.nodes.bytes < before / 20);
	assert_null(user_at(t, 50, 5 << 16));
	for (uint64_t i = 1; i <= 20; i++) {
		assert_int_equal(user_at(t, 13, (i << 16) + 0xfff)->start, i << 16);
		assert_string_equal(user_at(t, 1012, i << 16)->binary->name, "/lib");
		assert_null(user_at(t, 12, (i << 16) + 0x1000));
	}
	assert_ptr_equal(tasks_maps(t, 0, 12), tasks_maps(t, 0, 1012));
	assert_non_null(maps_find(t->kernel, 0xffff0010));
	/* a number that comes back is a task that lives */
	new_task(t, 50, 13, 50, 13, 0);
	assert_int_equal(tasks_compact(t), 0);
	assert_non_null(user_at(t, 50, 5 << 16));
}

static void test_a_fork_shares_and_an_exec_forgets(void **state)
{
	struct tasks *t = *state;

	mmap2(t, 10, 0x400000, 0x1000, 0x2000, PROT_EXEC_BIT, "/bin/sh", CPUMODE_USER);
	new_task(t, 20, 10, 20, 10, 0);
	assert_string_equal(user_at(t, 20, 0x400123)->binary->name, "/bin/sh");
	assert_int_equal(mapping_to_binary(user_at(t, 20, 0x400123), 0x400123), 0x2123);
	mmap2(t, 20, 0x400000, 0x1000, 0, PROT_EXEC_BIT, "/bin/true", CPUMODE_USER);
	assert_string_equal(user_at(t, 10, 0x400123)->binary->name, "/bin/sh");
	comm(t, 10, 10, "new", true);
	assert_string_equal(user_at(t, 10, 0x400123)->binary->name, "/bin/sh");  /* the caller of execve() */
	mmap2(t, 10, 0x600000, 0x1000, 0, PROT_EXEC_BIT, "/bin/new", CPUMODE_USER);
	assert_null(user_at(t, 10, 0x400123));
	assert_string_equal(user_at(t, 10, 0x600123)->binary->name, "/bin/new");
	assert_string_equal(user_at(t, 20, 0x400123)->binary->name, "/bin/true");
}

static void test_a_synthesized_fork_has_no_maps_yet(void **state)
{
	struct tasks *t = *state;

	mmap2(t, 10, 0x400000, 0x1000, 0, PROT_EXEC_BIT, "/bin/sh", CPUMODE_USER);
	new_task(t, 20, 10, 20, 10, MISC_FORK_EXEC);
	assert_null(user_at(t, 20, 0x400000));
}

static void test_kinds_of_binaries(void **state)
{
	static const struct {
		const char *name;
		uint32_t prot;
		enum binary_kind kind;
		const char *shown;
	} rows[] = {
		{ "/usr/bin/cat", PROT_EXEC_BIT, BINARY_FILE, "/usr/bin/cat" },
		{ "[vdso]", PROT_EXEC_BIT, BINARY_VDSO, "[vdso]" },
		{ "//anon", PROT_EXEC_BIT, BINARY_JIT, "/tmp/perf-7.map" },
		{ "[heap]", PROT_EXEC_BIT, BINARY_JIT, "/tmp/perf-7.map" },
		{ "//anon", 1, BINARY_OTHER, "//anon" },
		{ "/dev/zero (deleted)", PROT_EXEC_BIT, BINARY_JIT, "/tmp/perf-7.map" },
		{ "/anon_hugepage (deleted)", PROT_EXEC_BIT, BINARY_JIT, "/tmp/perf-7.map" },
		{ "anon_inode:[code]", PROT_EXEC_BIT, BINARY_JIT, "anon_inode:[code]" },
		{ "anon_inode:[code]", 1, BINARY_OTHER, "anon_inode:[code]" },
		{ "[anon:v8 code]", PROT_EXEC_BIT, BINARY_JIT, "[anon:v8 code]" },
		{ "[anon:v8 code]", 1, BINARY_OTHER, "[anon:v8 code]" },
		{ "/memfd:doublemapper (deleted)", PROT_EXEC_BIT, BINARY_JIT, "/memfd:doublemapper (deleted)" },
		{ "/memfd:doublemapper (deleted)", 1, BINARY_FILE, "/memfd:doublemapper (deleted)" },
		{ "/tmp/jit-7.dump", PROT_EXEC_BIT, BINARY_JITDUMP, "/tmp/jit-7.dump" },
		{ "/tmp/jit-7.dump", 1, BINARY_FILE, "/tmp/jit-7.dump" },
		{ "/tmp/jit-.dump", PROT_EXEC_BIT, BINARY_FILE, "/tmp/jit-.dump" },
		{ "/tmp/jit-7.dump2", PROT_EXEC_BIT, BINARY_FILE, "/tmp/jit-7.dump2" },
		{ "/tmp/my-jit-7.dump", PROT_EXEC_BIT, BINARY_FILE, "/tmp/my-jit-7.dump" },
	};
	struct tasks *t = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t addr = 0x10000 * (i + 1);

		mmap2(t, 7, addr, 0x1000, 0x3000, rows[i].prot, rows[i].name, CPUMODE_USER);
		assert_int_equal(user_at(t, 7, addr)->binary->kind, rows[i].kind);
		assert_string_equal(user_at(t, 7, addr)->binary->name, rows[i].shown);
	}
}

static void test_text_that_was_copied_to_pages_without_a_file(void **state)
{
	struct tasks *t = *state;

	mmap2(t, 7, 0x400000, 0x800000, 0x1000, PROT_EXEC_BIT, "/bin/mysqld", CPUMODE_USER);
	mmap2(t, 7, 0x600000, 0x200000, 0, PROT_EXEC_BIT, "/anon_hugepage (deleted)", CPUMODE_USER);
	assert_string_equal(user_at(t, 7, 0x600000)->binary->name, "/bin/mysqld");
	assert_int_equal(mapping_to_binary(user_at(t, 7, 0x600010), 0x600010), 0x201010);
	/* code of a compiler beside it, over its end, and in the place of its data */
	mmap2(t, 7, 0xc00000, 0x1000, 0, PROT_EXEC_BIT, "//anon", CPUMODE_USER);
	assert_int_equal(user_at(t, 7, 0xc00000)->binary->kind, BINARY_JIT);
	mmap2(t, 7, 0xbff000, 0x2000, 0, PROT_EXEC_BIT, "//anon", CPUMODE_USER);
	assert_int_equal(user_at(t, 7, 0xbff000)->binary->kind, BINARY_JIT);
	mmap2(t, 7, 0x200000, 0x2000, 0, 1, "/bin/mysqld", CPUMODE_USER);
	mmap2(t, 7, 0x200000, 0x1000, 0, PROT_EXEC_BIT, "//anon", CPUMODE_USER);
	assert_int_equal(user_at(t, 7, 0x200000)->binary->kind, BINARY_JIT);
}

static void test_the_kernel_and_what_is_loaded_into_it(void **state)
{
	const uint64_t text = 0xffffffff81000000, module = 0xffffffffa0000000, bpf = 0xffffffffc0000000;
	struct tasks *t = *state;
	const struct mapping *m;

	mmap2(t, -1, text, 0x3f000000, text, 0, "[kernel.kallsyms]_text", CPUMODE_KERNEL);
	mmap2(t, -1, module, 0x5000, 0, 0, "/lib/modules/6.1/kernel/fs/xfs/xfs.ko", CPUMODE_KERNEL);
	m = maps_find(tasks_root_of(t, 0, 123, CPUMODE_KERNEL, 0), text + 16);
	assert_int_equal(m->binary->kind, BINARY_KERNEL);
	assert_string_equal(m->binary->name, "[kernel.kallsyms]");
	assert_string_equal(m->binary->ref_symbol, "_text");
	assert_int_equal(m->binary->ref_addr, text);
	m = maps_find(tasks_root_of(t, 0, 123, CPUMODE_KERNEL, 0), module + 16);
	assert_int_equal(m->binary->kind, BINARY_MODULE);
	assert_int_equal(m->binary->ref_addr, module);
	assert_null(tasks_root_of(t, 0, 123, CPUMODE_USER, 0));

	body.ksymbol = (struct sonde_ksymbol){ .addr = bpf, .len = 64, .ksym_type = 1, .name = str("bpf_prog_1") };
	apply(t, PERF_RECORD_KSYMBOL, 0, CPUMODE_KERNEL);
	m = maps_find(tasks_root_of(t, 0, 0, CPUMODE_KERNEL, 0), bpf + 63);
	assert_int_equal(m->binary->kind, BINARY_KSYMBOL);
	assert_string_equal(m->binary->name, "bpf_prog_1");
	body.ksymbol.flags = 1;
	apply(t, PERF_RECORD_KSYMBOL, 0, CPUMODE_KERNEL);
	m = maps_find(tasks_root_of(t, 0, 0, CPUMODE_KERNEL, 0), bpf + 63);
	assert_true(!m || m->binary->kind != BINARY_KSYMBOL);
}

static void test_build_ids_that_come_by_name(void **state)
{
	struct sonde_build_id ids[] = { { .size = 20, .id = { 1, 2, 3 }, .filename = "/bin/sh" },
					{ .size = 20, .id = { 9 }, .filename = "/bin/late" } };
	struct meta meta = { .build_ids = ids, .nr_build_ids = 1 };
	struct tasks *t = *state;

	assert_int_equal(binaries_note_build_ids(&t->binaries, &meta), 0);
	mmap2(t, 1, 0x1000, 0x1000, 0, PROT_EXEC_BIT, "/bin/sh", CPUMODE_USER);
	mmap2(t, 1, 0x2000, 0x1000, 0, PROT_EXEC_BIT, "/bin/late", CPUMODE_USER);
	assert_int_equal(user_at(t, 1, 0x1000)->binary->build_id[2], 3);
	assert_int_equal(user_at(t, 1, 0x2000)->binary->build_id_size, 0);
	meta.nr_build_ids = 2;  /* as in a pipe, where they come in between */
	assert_int_equal(binaries_note_build_ids(&t->binaries, &meta), 0);
	assert_int_equal(user_at(t, 1, 0x2000)->binary->build_id[0], 9);
	mmap2(t, 1, 0x3000, 0x1000, 0, PROT_EXEC_BIT, "/bin/late", CPUMODE_USER);
	assert_ptr_equal(user_at(t, 1, 0x3000)->binary, user_at(t, 1, 0x2000)->binary);
}

static void test_guests_are_other_machines(void **state)
{
	const uint64_t text = 0xffffffff81000000;
	struct tasks *t = *state;
	const struct mapping *m;

	comm(t, 7, 7, "qemu", true);
	mmap2(t, 7, 0x1000, 0x1000, 0, PROT_EXEC_BIT, "/usr/bin/qemu", CPUMODE_USER);
	mmap2(t, -1, text, 0x1000000, text, 0, "[kernel.kallsyms]_text", CPUMODE_KERNEL);
	/* a guest of any process, and that of process 7, which lies elsewhere */
	mmap2(t, 0, text + 0x1000000, 0x1000000, text, 0, "[guest.kernel.kallsyms]_text", CPUMODE_GUEST_KERNEL);
	mmap2(t, 7, text + 0x2000000, 0x1000000, text, 0, "[guest.kernel.kallsyms.7]_text", CPUMODE_GUEST_KERNEL);
	m = maps_find(tasks_root_of(t, 0, 7, CPUMODE_GUEST_KERNEL, 0), text + 0x2000010);
	assert_non_null(m);
	assert_true(m->binary->guest);
	assert_null(maps_find(tasks_root_of(t, 0, 7, CPUMODE_GUEST_KERNEL, 0), text + 0x1000010));
	assert_non_null(maps_find(tasks_root_of(t, 0, 9, CPUMODE_GUEST_KERNEL, 0), text + 0x1000010));
	assert_null(maps_find(tasks_root_of(t, 0, 7, CPUMODE_KERNEL, 0), text + 0x2000010));
	assert_null(tasks_root_of(t, 0, 7, CPUMODE_GUEST_USER, 0));

	/* what has the number 7 inside a guest is not the host's 7 */
	body.comm = (struct sonde_comm){ 7, 7, true, str("init") };
	apply(t, PERF_RECORD_COMM, MISC_COMM_EXEC, CPUMODE_GUEST_USER);
	mmap2(t, 7, 0x1000, 0x1000, 0, PROT_EXEC_BIT, "/sbin/init", CPUMODE_GUEST_USER);
	body.task = (struct sonde_task){ 8, 7, 8, 7, 0 };
	apply(t, PERF_RECORD_FORK, 0, CPUMODE_GUEST_USER);
	assert_string_equal(tasks_comm(t, 0, 7, 7), "qemu");
	assert_string_equal(user_at(t, 7, 0x1000)->binary->name, "/usr/bin/qemu");
	assert_null(tasks_maps(t, 0, 8));

	/* of a machine that is known by its number there are tasks too */
	machine = 7;
	body.comm = (struct sonde_comm){ 7, 7, true, str("init") };
	apply(t, PERF_RECORD_COMM, MISC_COMM_EXEC, CPUMODE_GUEST_USER);
	mmap2(t, 7, 0x1000, 0x1000, 0, PROT_EXEC_BIT, "/sbin/init", CPUMODE_GUEST_USER);
	body.task = (struct sonde_task){ 8, 7, 8, 7, 0 };
	apply(t, PERF_RECORD_FORK, 0, CPUMODE_GUEST_USER);
	machine = 0;
	assert_string_equal(tasks_comm(t, 0, 7, 7), "qemu");
	assert_string_equal(tasks_comm(t, 7, 7, 7), "init");
	assert_string_equal(tasks_comm(t, 7, 8, 8), "init");
	assert_null(tasks_comm(t, 9, 7, 7));
	assert_string_equal(maps_find(tasks_root_of(t, 7, 8, CPUMODE_GUEST_USER, 0), 0x1000)->binary->name,
			    "/sbin/init");
	assert_true(maps_find(tasks_root_of(t, 7, 8, CPUMODE_USER, 0), 0x1000)->binary->guest);
	assert_string_equal(user_at(t, 7, 0x1000)->binary->name, "/usr/bin/qemu");
	assert_ptr_equal(tasks_root_of(t, 7, 8, CPUMODE_KERNEL, 0), tasks_root_of(t, 0, 7, CPUMODE_GUEST_KERNEL, 0));
	assert_int_equal(tasks_restart(t), 0);
	assert_null(tasks_root_of(t, 0, 7, CPUMODE_GUEST_KERNEL, 0));
}

static void test_recordings_have_tasks_of_their_own(void **state)
{
	struct tasks *t = *state;

	body.comm = (struct sonde_comm){ 7, 7, false, str("one") };
	apply(t, PERF_RECORD_COMM, 0, CPUMODE_USER);
	mmap2(t, 7, 0x1000, 0x1000, 0, PROT_EXEC_BIT, "/bin/one", CPUMODE_USER);
	assert_int_equal(tasks_turn_to(t, 1), 0);
	assert_null(tasks_comm(t, 0, 7, 7));
	assert_null(tasks_maps(t, 0, 7));
	assert_null(t->kernel);
	body.comm = (struct sonde_comm){ 7, 7, false, str("two") };
	apply(t, PERF_RECORD_COMM, 0, CPUMODE_USER);
	mmap2(t, 7, 0x1000, 0x1000, 0, PROT_EXEC_BIT, "/bin/two", CPUMODE_USER);
	assert_string_equal(tasks_comm(t, 0, 7, 7), "two");
	assert_int_equal(tasks_turn_to(t, 0), 0);
	assert_string_equal(tasks_comm(t, 0, 7, 7), "one");
	assert_string_equal(user_at(t, 7, 0x1000)->binary->name, "/bin/one");
	assert_int_equal(tasks_compact(t), 0);
	assert_int_equal(tasks_turn_to(t, 1), 0);
	assert_string_equal(user_at(t, 7, 0x1000)->binary->name, "/bin/two");
	assert_string_equal(tasks_comm(t, 0, 0, 0), "swapper");
}

/* Of two recordings with a binary of one name and different build ids, each has its own. */
static void test_build_ids_of_two_recordings(void **state)
{
	struct sonde_build_id ids[2] = { { .filename = "/bin/x", .id = { 1 }, .size = 20 },
					 { .filename = "/bin/x", .id = { 2 }, .size = 20 } };
	struct tasks *t = *state;

	for (uint32_t i = 0; i < 2; i++) {
		struct meta meta = { .build_ids = &ids[i], .nr_build_ids = 1 };

		assert_int_equal(tasks_turn_to(t, i), 0);
		assert_int_equal(binaries_note_build_ids(&t->binaries, &meta), 0);
		mmap2(t, 7, 0x1000, 0x1000, 0, PROT_EXEC_BIT, "/bin/x", CPUMODE_USER);
	}
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(tasks_turn_to(t, i), 0);
		assert_int_equal(user_at(t, 7, 0x1000)->binary->build_id[0], i + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_fork_shares_and_an_exec_forgets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_maps_of_dead_tasks_are_freed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_synthesized_fork_has_no_maps_yet, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kinds_of_binaries, setup, teardown),
		cmocka_unit_test_setup_teardown(test_text_that_was_copied_to_pages_without_a_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_kernel_and_what_is_loaded_into_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_build_ids_that_come_by_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_guests_are_other_machines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_recordings_have_tasks_of_their_own, setup, teardown),
		cmocka_unit_test_setup_teardown(test_build_ids_of_two_recordings, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
