/* SPDX-License-Identifier: MIT */
/* The units of an address: by the tables of compilers, linkers and gdb, by tables that lie, and without a table. */
#include "symbol/dwarf/dwarf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "symbol/dwarf/opened_test.h"

enum { UNITS = 4, FUNCTIONS = 300 };

/* Writes the unit and the function of every 8th address of the code. */
static void write_functions(const char *program, const char *to)
{
	struct opened o;
	struct unit_tree trees[UNITS + 1] = { 0 };
	size_t nr_ranges, found = 0;
	const struct unit_range *ranges;
	char path[256];
	uint64_t start, end;
	FILE *f;

	open_dwarf(&o, program);
	assert_int_equal(dwarf_nr_units(o.dwarf), UNITS + 1);
	ranges = dwarf_unit_ranges(o.dwarf, &nr_ranges);
	assert_true(nr_ranges > UNITS);
	start = ranges[0].start - 64;
	end = ranges[nr_ranges - 1].end + 64;
	close_dwarf(&o);
	open_dwarf(&o, program);     /* has not looked at the ranges of all units */
	for (uint32_t i = 0; i <= UNITS; i++)
		assert_int_equal(dwarf_unit_tree(o.dwarf, i, &trees[i]), 0);
	snprintf(path, sizeof(path), "%s/%s", dir, to);
	f = fopen(path, "w");
	assert_non_null(f);
	for (uint64_t addr = start; addr < end; addr += 8) {
		uint32_t units[UNITS_OF_ADDRESS_MAX];
		size_t n = dwarf_units_at(o.dwarf, addr, units);

		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < trees[units[i]].nodes.n; k++)
				if (covers(&trees[units[i]], &trees[units[i]].nodes.at[k], addr)) {
					fprintf(f, "%#jx %u %s\n", (uintmax_t)addr, units[i],
						trees[units[i]].nodes.at[k].name);
					found++;
				}
	}
	fclose(f);
	assert_true(found > UNITS * FUNCTIONS);
	for (uint32_t i = 0; i <= UNITS; i++)
		unit_tree_free(&trees[i]);
	close_dwarf(&o);
}

/* The program and a copy of it without a table have the same functions. */
static void check_program(const char *program)
{
	write_functions(program, "by_table");
	assert_int_equal(run("objcopy -R .debug_aranges -R .gdb_index -R .debug_names %s plain", program), 0);
	write_functions("plain", "by_units");
	if (run("cmp by_table by_units"))
		fail_msg("%s: other functions by its table", program);
}

static void make_program(void)
{
	char path[256];
	FILE *f;

	for (int unit = 0; unit < UNITS; unit++) {
		snprintf(path, sizeof(path), "%s/unit%d.c", dir, unit);
		f = fopen(path, "w");
		assert_non_null(f);
		for (int i = 0; i < FUNCTIONS; i++)
			fprintf(f, "int unit%d_%d(int a, int b, int c, int d, int e, int f) { return a + %d; }\n",
				unit, i, i);
		fclose(f);
	}
	assert_int_equal(run("echo 'int main(void) { return 0; }' >main.c && gcc -g -gdwarf-5 *.c -o program"), 0);
}

static void tables_of_compilers_and_linkers(void **state)
{
	/* what is needed, how the program is made, and a section that it must have then */
	static const struct { const char *tools, *make, *section; } ways[] = {
		{ "gcc", "cp program made", "debug_aranges" },
		{ "gcc", "gcc -g -gdwarf-4 -ffunction-sections *.c -o made", "debug_aranges" },
		{ "gcc", "gcc -g -gdwarf-5 -gsplit-dwarf *.c -o made", "debug_aranges" },
		{ "clang", "clang -g -gdwarf-5 -gdwarf-aranges *.c -o made", "debug_aranges" },
		{ "clang", "clang -g -gdwarf-5 -gpubnames *.c -o made", "debug_names" },
		{ "gdb", "cp program made && gdb-add-index made", "gdb_index" },
		{ "ld.lld", "gcc -g -ggnu-pubnames -fuse-ld=lld -Wl,--gdb-index *.c -o made", "gdb_index" },
	};
	size_t made = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (run("command -v %s >/dev/null && %s 2>errors && readelf -SW made | grep -q %s", ways[i].tools,
			ways[i].make, ways[i].section)) {
			print_message("not here: %s\n", ways[i].make);
			continue;
		}
		check_program("made");
		made++;
	}
	assert_true(made > 0);
}

/* In the places of a table, each with another program. */
static void tables_that_lie(void **state)
{
	/* changes of the bytes t of .debug_aranges; the sets have 48 bytes: header, row, end */
	static const char *const changes[] = {
		"t[16] ^= 0x40",                             /* starts elsewhere */
		"t[24:32] = bytes(8)",                       /* has no rows */
		"t[24] ^= 0x20",                             /* is shorter or longer */
		"t[25] ^= 0x40",                             /* covers the units behind it */
		"t[6:10], t[54:58] = t[54:58], t[6:10]",     /* that of another unit */
		"t[6] ^= 1",                                 /* no unit begins there */
		"del t[:48]",                                /* a unit is missing */
		"t[48:96] = t[:48]",                         /* a unit is there twice, another one is not */
		"t[4] = 9",                                  /* version */
		"t[:] = b'\\xff' * len(t)",
	};

	(void)state;
	if (run("command -v python3 >/dev/null"))
		skip();
	assert_int_equal(run("objcopy --dump-section .debug_aranges=table program"), 0);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		FILE *f;
		char path[256];

		snprintf(path, sizeof(path), "%s/change.py", dir);
		f = fopen(path, "w");
		assert_non_null(f);
		fprintf(f, "t = bytearray(open('table', 'rb').read())\n%s\nopen('lies', 'wb').write(t)\n", changes[i]);
		fclose(f);
		assert_int_equal(run("python3 change.py && cp program liar && "
				     "objcopy --update-section .debug_aranges=lies liar"), 0);
		check_program("liar");
	}
}

static uint64_t bytes_read(void)
{
	unsigned long long n = 0;
	FILE *f = fopen("/proc/self/io", "r");

	if (!f || fscanf(f, "rchar: %llu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

/* Of one address: not the entries of all other units. */
static void other_units_are_not_read(void **state)
{
	struct unit_tree t = { 0 };
	uint32_t units[UNITS_OF_ADDRESS_MAX];
	struct opened o;
	uint64_t before, first, whole, addr;
	GElf_Shdr info;

	(void)state;
	if (!bytes_read())
		skip();      /* the kernel does not count them */
	open_dwarf(&o, "program");
	addr = dwarf_unit_ranges(o.dwarf, &(size_t){ 0 })[2].start;
	assert_non_null(elf_file_section(&o.elf, ".debug_info", &info));
	close_dwarf(&o);
	before = bytes_read();
	open_dwarf(&o, "program");
	assert_int_equal(dwarf_units_at(o.dwarf, addr, units), 1);
	assert_int_equal(dwarf_unit_tree(o.dwarf, units[0], &t), 0);
	first = bytes_read() - before;
	before = bytes_read();
	dwarf_load_all(o.dwarf);
	whole = bytes_read() - before;
	assert_true(info.sh_size > 80 * 1024);
	assert_true(first < info.sh_size / 2);
	assert_true(whole > info.sh_size / 2);
	assert_true(t.nodes.n >= 1);
	unit_tree_free(&t);
	close_dwarf(&o);
}

/* The file becomes shorter after it was opened. */
static void a_unit_behind_the_end_of_the_file_has_nothing(void **state)
{
	struct unit_tree t = { 0 };
	struct opened o;
	GElf_Shdr info;

	(void)state;
	assert_int_equal(run("cp program short"), 0);
	open_dwarf(&o, "short");
	assert_non_null(elf_file_section(&o.elf, ".debug_info", &info));
	assert_int_equal(run("truncate -s %ju short", (uintmax_t)(info.sh_offset + info.sh_size / 2)), 0);
	dwarf_unit_tree(o.dwarf, UNITS, &t);
	assert_int_equal(t.nodes.n, 0);
	unit_tree_free(&t);
	close_dwarf(&o);
}

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	make_program();
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	return run("rm -rf %s", dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_compilers_and_linkers),
		cmocka_unit_test(tables_that_lie),
		cmocka_unit_test(other_units_are_not_read),
		cmocka_unit_test(a_unit_behind_the_end_of_the_file_has_nothing),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
