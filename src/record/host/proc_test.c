/* SPDX-License-Identifier: MIT */
#include "record/host/proc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/host/build_id.h"

static void status_of_a_task(void **state)
{
	struct proc_status s;

	(void)state;
	assert_true(proc_parse_status(
		"Name:\ta\\\\b\\nc\nUmask:\t0022\nTgid:\t77\nPid:\t78\nPPid:\t5\nVmPeak:\t 100 kB\n", &s));
	assert_string_equal(s.name, "a\\b\nc");
	assert_int_equal(s.tgid, 77);
	assert_int_equal(s.ppid, 5);
	assert_true(s.has_memory);
	assert_true(proc_parse_status("Name:\tkthreadd\nTgid:\t2\nPPid:\t0\n", &s));
	assert_false(s.has_memory);
	assert_false(proc_parse_status("", &s));
	assert_false(proc_parse_status("Name:\tx", &s));
	assert_false(proc_parse_status("Name:\tx\nTgid:\t2\n", &s));
}

static bool parse_map(const char *line, struct proc_map *m)
{
	return proc_parse_map(line, strlen(line), m);
}

static void lines_of_maps(void **state)
{
	struct proc_map m;

	(void)state;
	assert_true(parse_map(
		"7f0a5f228000-7f0a5f37d000 r-xp 00026000 fd:01 1835100                    /usr/lib/a b.so", &m));
	assert_true(m.start == 0x7f0a5f228000 && m.end == 0x7f0a5f37d000);
	assert_int_equal(m.pgoff, 0x26000);
	assert_int_equal(m.maj, 0xfd);
	assert_int_equal(m.min, 1);
	assert_int_equal(m.ino, 1835100);
	assert_int_equal(m.prot, PROT_READ | PROT_EXEC);
	assert_int_equal(m.flags, MAP_PRIVATE);
	assert_int_equal(m.name.len, strlen("/usr/lib/a b.so"));
	assert_memory_equal(m.name.p, "/usr/lib/a b.so", m.name.len);
	assert_true(parse_map("00400000-00401000 rw-s 00000000 00:00 0", &m));
	assert_int_equal(m.name.len, 0);
	assert_int_equal(m.flags, MAP_SHARED);
	assert_false(parse_map("", &m));
	assert_false(parse_map("00401000-00400000 rw-s 00000000 00:00 0", &m));
	assert_false(parse_map("00400000-00401000 rw-s", &m));
}

static void lines_of_modules(void **state)
{
	static const char line[] = "ext4 1130496 2 mbcache,jbd2, Live 0xffffffffc0a00000";
	struct proc_module m;

	(void)state;
	assert_true(proc_parse_module(line, strlen(line), &m));
	assert_string_equal(m.name, "ext4");
	assert_int_equal(m.size, 1130496);
	assert_true(m.addr == 0xffffffffc0a00000);
	assert_false(proc_parse_module("ext4", 4, &m));
}

static void write_temporary(char *path, const char *text)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static bool kernel_at(const char *kallsyms, const char *iomem, struct proc_kernel *k)
{
	char symbols[] = "/tmp/sonde-proc-test-XXXXXX", memory[] = "/tmp/sonde-proc-test-XXXXXX";
	bool r;

	write_temporary(symbols, kallsyms);
	write_temporary(memory, iomem);
	r = proc_kernel(symbols, memory, k);
	unlink(symbols);
	unlink(memory);
	return r;
}

static bool kernel_of(const char *kallsyms, struct proc_kernel *k)
{
	return kernel_at(kallsyms, "", k);
}

/* The end of the text without the symbols up to there. */
static void the_kernel_by_its_memory(void **state)
{
	static const char symbols[] = "ffffffff81000000 T _text\nffffffff82000000 T _etext\n";
	struct proc_kernel k;

	(void)state;
	assert_true(kernel_at(symbols, "00001000-0009ffff : System RAM\n  01000000-0220bb07 : Kernel code\n", &k));
#if defined(__x86_64__) || defined(__i386__)
	assert_true(k.end == 0xffffffff8220bb08);
#else
	assert_true(k.end == 0xffffffff82000000);
#endif
	assert_true(kernel_at(symbols, "  00000000-00000000 : Kernel code\n", &k));     /* for others than root */
	assert_true(k.end == 0xffffffff82000000);
	assert_true(kernel_at("0000000000000000 T _text\n", "  01000000-0220bb07 : Kernel code\n", &k));
	assert_int_equal(k.addr, 0);
}

/* With a made-up kallsyms. */
static void the_kernel_by_its_symbols(void **state)
{
	struct proc_kernel k;

	(void)state;
	assert_true(
		kernel_of("0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\nffffffff81000000 T _text\n"
			  "ffffffff81000040 T x\nffffffff82000000 T _etext\n",
			  &k));
	assert_string_equal(k.symbol, "_text");
	assert_true(k.addr == 0xffffffff81000000 && k.end == 0xffffffff82000000);
	assert_true(kernel_of("ffff800080010000 T _stext\nffff800081000000 D _etext\n", &k));
	assert_string_equal(k.symbol, "_stext");
	assert_true(kernel_of("0000000000000000 T _text\n0000000000000000 T _etext\n", &k));
	assert_int_equal(k.addr, 0);
	assert_false(kernel_of("ffffffffc0000000 t f\t[module]\n", &k));
	assert_false(kernel_of("", &k));
}

static void build_ids_in_notes(void **state)
{
	/* a perf map of another owner first; then the one that counts */
	struct {
		uint32_t other[5], sizes_and_type[3];
		char name[4];
		uint8_t id[8];
	} notes = { { 4, 4, 1, 0x58585858, 7 }, { 4, 5, 3 }, "GNU", { 1, 2, 3, 4, 5 } };
	uint8_t id[BUILD_ID_MAX];

	(void)state;
	assert_int_equal(build_id_of_notes((uint8_t *)&notes, sizeof(notes), id), 5);
	assert_int_equal(id[0], 1);
	assert_int_equal(id[4], 5);
	for (size_t n = 0; n < sizeof(notes); n++)
		assert_int_equal(build_id_of_notes((uint8_t *)&notes, n, id), 0);
	notes.sizes_and_type[1] = 21;  /* longer than any */
	assert_int_equal(build_id_of_notes((uint8_t *)&notes, sizeof(notes), id), 0);
	assert_int_equal(build_id_of_file("/dev/zero", id), 0);
	assert_int_equal(build_id_of_file("/proc/self/maps", id), 0);
}

static int count_line(void *ctx, const char *line, size_t len)
{
	(void)line;
	(void)len;
	return ++*(int *)ctx == 3 ? 9 : 0;
}

static void lines_of_text(void **state)
{
	int n = 0;

	(void)state;
	assert_int_equal(proc_lines("a\nb", 3, count_line, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(proc_lines("a\nb\n", 4, count_line, &n), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_of_a_task),
		cmocka_unit_test(lines_of_maps),
		cmocka_unit_test(lines_of_modules),
		cmocka_unit_test(the_kernel_by_its_symbols),
		cmocka_unit_test(the_kernel_by_its_memory),
		cmocka_unit_test(build_ids_in_notes),
		cmocka_unit_test(lines_of_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
