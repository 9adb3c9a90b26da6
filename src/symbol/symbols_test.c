/* SPDX-License-Identifier: MIT */
/* Binaries made by the compiler of this build, compared with what nm says of them. */
#include "symbol/symbols.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "symbol/binaries_test.h"
#include "symbol/elf/file.h"
#include "symbol/load.h"

static uint64_t to_offset(const char *path, uint64_t value)
{
	struct elf_file f;
	GElf_Phdr ph;
	size_t n;

	assert_int_equal(elf_file_open(&f, path, NULL), 0);
	assert_int_equal(elf_getphdrnum(f.elf, &n), 0);
	for (size_t i = 0; i < n; i++) {
		assert_non_null(gelf_getphdr(f.elf, (int)i, &ph));
		if (ph.p_type == PT_LOAD && value - ph.p_vaddr < ph.p_memsz) {
			elf_file_close(&f);
			return value - ph.p_vaddr + ph.p_offset;
		}
	}
	fail();
	return 0;
}

/* Every function with a size that nm lists must be found at its first and last byte. */
static int compare_with_nm(struct symtab *t, const char *unstripped)
{
	char command[512], name[256];
	unsigned long value, size;
	FILE *nm;
	int compared = 0;
	char type;

	snprintf(command, sizeof(command), "nm -S --defined-only %s", unstripped);
	nm = popen(command, "r");
	assert_non_null(nm);
	while (fgets(command, sizeof(command), nm)) {
		uint64_t at;
		uint32_t i;

		if (sscanf(command, "%lx %lx %c %255s", &value, &size, &type, name) != 4 || !strchr("tT", type))
			continue;
		at = to_offset(unstripped, value);
		i = symtab_find(t, at);
		assert_int_not_equal(i, SYMTAB_NONE);
		assert_string_equal(symtab_linkage_name(t, i), name);
		assert_int_equal(symtab_start(t, i), at);
		assert_int_equal(symtab_end(t, i), at + size);
		assert_int_equal(symtab_find(t, at + size - 1), i);
		compared++;
	}
	assert_int_equal(pclose(nm), 0);
	return compared;
}

static void set_id(struct binary *b, const char *path)
{
	struct elf_file f;

	assert_int_equal(elf_file_open(&f, path, NULL), 0);
	b->build_id_size = f.build_id_size;
	memcpy(b->build_id, f.build_id, sizeof(b->build_id));
	elf_file_close(&f);
}

static void test_symtab_of_a_library(void **state)
{
	struct symbols *s = symbols_in_dir("");
	struct binary b = binary_of("full.so");
	struct symtab *t = symbols_table(s, &b);

	(void)state;
	assert_true(compare_with_nm(t, b.name) >= 4);
	assert_true(has(t, "space::Thing::run"));
	assert_true(has(t, "puts@plt"));
	assert_false(has(t, "alias_one"));
	assert_non_null(strstr(t->source, "full.so (.symtab)"));
	assert_string_equal(t->reason, "");
	assert_ptr_equal(t, symbols_table(s, &b));
	symbols_free(s);
}

static void test_stripped(void **state)
{
	struct symbols *s = symbols_in_dir("");
	struct binary b = binary_of("bare.so");
	struct symtab *t = symbols_table(s, &b);

	(void)state;
	assert_false(has(t, "hidden_one"));
	assert_true(has(t, "shown_one"));
	assert_non_null(strstr(t->source, "(.dynsym)"));
	symbols_free(s);
}

/* The ranges of functions of which only the unwinder knows, against what nm says before they lose their names. */
static void compare_ranges(struct symtab *t, const char *unstripped, int least)
{
	char command[512], name[256];
	unsigned long value, size;
	FILE *nm;
	int compared = 0;
	char type;

	snprintf(command, sizeof(command), "nm -S --defined-only %s", unstripped);
	nm = popen(command, "r");
	assert_non_null(nm);
	while (fgets(command, sizeof(command), nm)) {
		uint64_t at;
		uint32_t i;

		if (sscanf(command, "%lx %lx %c %255s", &value, &size, &type, name) != 4 || !strchr("tT", type))
			continue;
		at = to_offset(unstripped, value);
		i = symtab_find(t, at + size / 2);
		assert_int_not_equal(i, SYMTAB_NONE);
		assert_int_equal(symtab_start(t, i), at);
		assert_int_equal(symtab_end(t, i), at + size);
		assert_string_equal(symtab_name(t, i), "");
		compared++;
	}
	assert_int_equal(pclose(nm), 0);
	assert_true(compared >= least);
}

static void test_functions_without_symbols(void **state)
{
	struct symbols *s = symbols_in_dir(in_dir("functions-cache"));
	struct binary b = binary_of("bare.so");

	(void)state;
	compare_ranges(symbols_functions(s, &b), in_dir("full.so"), 4);
	b = binary_of("many.so");
	b.index = 1;
	compare_ranges(symbols_functions(s, &b), b.name, 1000);
	assert_null(symbols_functions(s, &b)->file);
	b = binary_of("missing.so");
	b.index = 2;
	assert_int_equal(symbols_functions(s, &b)->n, 0);
	symbols_free(s);
	/* a large one is not read again */
	s = symbols_in_dir(in_dir("functions-cache"));
	b = binary_of("many.so");
	assert_non_null(symbols_functions(s, &b)->file);
	compare_ranges(symbols_functions(s, &b), b.name, 1000);
	assert_string_not_equal(name_at(symbols_table(s, &b), symtab_start(symbols_functions(s, &b), 500)), "");
	symbols_free(s);
}

static void test_debug_file_by_link(void **state)
{
	struct binary b = binary_of("linked.so");
	struct symbols *s = symbols_in_dir("");
	struct symtab *t = symbols_table(s, &b);

	(void)state;
	assert_true(compare_with_nm(t, in_dir("full.so")) >= 4);
	assert_non_null(strstr(t->source, "full.debug"));
	assert_true(has(t, "puts@plt"));
	symbols_free(s);
	/* without build ids the checksum in the link decides */
	b = binary_of("noid-linked.so");
	s = symbols_in_dir("");
	assert_true(has(symbols_table(s, &b), "hidden_one"));
	symbols_free(s);
	assert_int_equal(run("mv noid.debug moved && cp full.debug noid.debug"), 0);
	s = symbols_in_dir("");
	assert_false(has(symbols_table(s, &b), "hidden_one"));
	symbols_free(s);
	assert_int_equal(run("mv moved noid.debug"), 0);
}

static void test_debug_file_by_build_id(void **state)
{
	struct binary b = binary_of("bare.so");
	char id[BUILD_ID_TEXT];
	struct symbols *s;
	struct symtab *t;

	(void)state;
	set_id(&b, b.name);
	build_id_print(id, b.build_id, b.build_id_size);
	assert_int_equal(
		run("mkdir -p debug/.build-id/%.2s && cp full.debug debug/.build-id/%.2s/%s.debug", id, id, id + 2), 0);
	s = symbols_in_dir("");
	t = symbols_table(s, &b);
	assert_true(compare_with_nm(t, in_dir("full.so")) >= 4);
	assert_non_null(strstr(t->source, ".build-id"));
	symbols_free(s);
	assert_int_equal(run("rm -r debug"), 0);
	/* the program is gone, but perf's cache has it */
	assert_int_equal(run("mkdir -p buildid/.build-id/%.2s/%s && cp full.so buildid/.build-id/%.2s/%s/elf", id,
			     id + 2, id, id + 2),
			 0);
	b.name = "/nowhere/at/all.so";
	s = symbols_in_dir("");
	assert_true(has(symbols_table(s, &b), "hidden_one"));
	symbols_free(s);
	assert_int_equal(run("rm -r buildid"), 0);
}

/* The symbols of the stripped library without its debug file, and with it. */
static bool names_below(const char *place, const char *name)
{
	struct symbols_opts o = { .cache_dir = "", .buildid_dir = "", .symfs = in_dir("root") };
	struct binary b = { .kind = BINARY_FILE, .name = name, .pid = -1 };
	struct symbols *s;
	bool found;

	assert_int_equal(run("mkdir -p root/$(dirname %s) root/$(dirname %s) && cp bare.so root/%s && "
			     "cp full.debug root/%s", place, name, name, place), 0);
	s = symbols_new(&o);
	found = has(symbols_table(s, &b), "hidden_one");
	symbols_free(s);
	assert_int_equal(run("rm -r root"), 0);
	return found;
}

static void test_debug_file_at_the_places_of_distributions(void **state)
{
	(void)state;
	assert_true(names_below("usr/lib/debug/usr/lib/x.so.debug", "/usr/lib/x.so"));
	assert_true(names_below("usr/lib/debug/usr/lib/x.so", "/usr/lib/x.so"));
	assert_true(names_below("usr/lib/debug/lib/x.so", "/usr/lib/x.so"));
	assert_true(names_below("usr/lib/.debug/x.so", "/usr/lib/x.so"));
	assert_false(names_below("usr/lib/debug/x.so", "/usr/lib/x.so"));
}

/* A recorded id of 8 or 16 bytes may be padded to 20; one of another size is not the same. */
static void test_build_ids_of_every_size(void **state)
{
	static const uint8_t sizes[] = { 8, 16, 20 };

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct binary b = { .kind = BINARY_FILE, .name = in_dir("id.so"), .pid = -1 };
		struct symbols *s = symbols_in_dir("");

		assert_int_equal(run("cc -g -O1 -shared -fPIC -Wl,--build-id=0x%.*s one.c -o id.so", 2 * sizes[i],
				     "0102030405060708090a0b0c0d0e0f1011121314"), 0);
		for (uint8_t k = 0; k < 20; k++)
			b.build_id[k] = k < sizes[i] ? (uint8_t)(k + 1) : 0;
		b.build_id_size = sizes[i];
		assert_true(has(symbols_table(s, &b), "hidden_one"));
		b.build_id_size = 20;
		b.index = 1;
		assert_true(has(symbols_table(s, &b), "hidden_one"));
		b.build_id[sizes[i] - 1]++;
		b.index = 2;
		assert_false(has(symbols_table(s, &b), "hidden_one"));
		symbols_free(s);
	}
}

/* The kernel's mark is no part of the path, and only a build id tells that the file has come back. */
static void test_deleted_file(void **state)
{
	struct binary b = { .kind = BINARY_FILE, .name = in_dir("full.so (deleted)"), .pid = -1 };
	struct symbols *s = symbols_in_dir("");

	(void)state;
	assert_false(has(symbols_table(s, &b), "hidden_one"));
	set_id(&b, in_dir("full.so"));
	b.index = 1;
	assert_true(has(symbols_table(s, &b), "hidden_one"));
	symbols_free(s);
}

static void test_mini_debuginfo(void **state)
{
	struct binary b = binary_of("mini.so");
	struct symbols *s = symbols_in_dir("");
	struct symtab *t = symbols_table(s, &b);

	(void)state;
	assert_non_null(strstr(t->source, ".gnu_debugdata"));
	assert_true(compare_with_nm(t, in_dir("full.so")) >= 4);
	symbols_free(s);
}

static void test_another_build_is_not_used(void **state)
{
	struct binary b = binary_of("full.so");
	struct symbols *s = symbols_in_dir("");
	struct symtab *t;

	(void)state;
	b.build_id_size = 20;
	memset(b.build_id, 0xab, sizeof(b.build_id));
	t = symbols_table(s, &b);
	assert_int_equal(t->n, 0);
	assert_non_null(strstr(t->reason, "recorded was abababab"));
	b = binary_of("missing.so");
	b.index = 1;
	t = symbols_table(s, &b);
	assert_int_equal(t->n, 0);
	assert_non_null(strstr(t->reason, "No such file"));
	symbols_free(s);
}

static void test_map_of_a_jit(void **state)
{
	static const char map[] = "1000 10 jitted\n";
	struct binary b = { .kind = BINARY_JIT, .name = "/tmp/perf-77.map", .pid = 77 };
	struct symbols *s = symbols_in_dir("");
	struct symtab *t;

	(void)state;
	write_file("perf-77.map", map, sizeof(map) - 1);
	assert_string_equal(name_at(symbols_table(s, &b), 0x100f), "jitted");
	symbols_free(s);
	assert_int_equal(run("ln -s perf-77.map perf-78.map"), 0);
	s = symbols_in_dir("");
	b.pid = 78;
	assert_int_equal(symbols_table(s, &b)->n, 0);
	symbols_free(s);
	if (geteuid() != 0 || chown(in_dir("perf-77.map"), 12345, 12345) < 0)
		return;
	b.pid = 77;
	s = symbols_in_dir("");
	if (chmod(dir, 0755) < 0 || seteuid(23456) < 0)
		fail();
	t = symbols_table(s, &b);
	assert_int_equal(seteuid(0), 0);  /* before anything can fail */
	assert_int_equal(t->n, 0);
	assert_non_null(strstr(t->reason, "belongs to user 12345"));
	symbols_free(s);
}

/* Names of the files in the cache; how many. */
static int files_in(const char *path, char name[256])
{
	DIR *d = opendir(path);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && ++n)
			snprintf(name, 256, "%s", e->d_name);
	if (d)
		closedir(d);
	return n;
}

static struct symtab *table_through_cache(struct symbols **s, const struct binary *b)
{
	*s = symbols_in_dir(in_dir("cache/symbols"));
	return symbols_table(*s, b);
}

static void test_the_second_run_takes_what_the_first_one_stored(void **state)
{
	struct binary b = binary_of("many.so");
	char name[256], path[600];
	struct symbols *s;
	struct symtab *t;
	struct stat st;
	uint32_t n;
	FILE *f;

	(void)state;
	set_id(&b, b.name);
	t = table_through_cache(&s, &b);
	assert_null(t->file);
	n = t->n;
	assert_true(n > 2000);
	symbols_free(s);
	assert_int_equal(files_in(in_dir("cache/symbols"), name), 1);
	snprintf(path, sizeof(path), "%s/%s", in_dir("cache/symbols"), name);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);

	t = table_through_cache(&s, &b);
	assert_non_null(t->file);
	assert_int_equal(t->n, n);
	assert_true(compare_with_nm(t, b.name) > 2000);
	assert_non_null(strstr(t->source, "many.so (.symtab)"));
	symbols_free(s);

	/* whatever is wrong with the file: no crash, and the symbols are there */
	for (off_t size = 0; size < st.st_size; size += size < 128 ? 1 : 4099) {
		assert_int_equal(truncate(path, size), 0);
		t = table_through_cache(&s, &b);
		assert_int_equal(t->n, n);
		assert_null(t->file);
		symbols_free(s);
	}
	for (long at = 0; at < 4000; at += 13) {
		t = table_through_cache(&s, &b);
		symbols_free(s);
		f = fopen(path, "r+");
		assert_non_null(f);
		fseek(f, at, SEEK_SET);
		fputc(0xff, f);
		fseek(f, (long)(st.st_size / 2) + at, SEEK_SET);
		fputc(0xff, f);
		fclose(f);
		t = table_through_cache(&s, &b);
		for (uint32_t i = 0; i < t->n; i++)
			symtab_find(t, symtab_start(t, i) + (strlen(symtab_name(t, i)) & 1));
		symbols_free(s);
		unlink(path);
	}
	/* a file that others may write is not ours */
	t = table_through_cache(&s, &b);
	symbols_free(s);
	assert_int_equal(chmod(path, 0666), 0);
	t = table_through_cache(&s, &b);
	assert_null(t->file);
	symbols_free(s);
}

/* A copy has another inode and time, but the same build id and size: it is the same binary. */
static void test_copies_share_what_is_stored(void **state)
{
	struct binary b = binary_of("many.so"), copy = binary_of("copy.so");
	struct symbols *s;
	struct symtab *t;

	(void)state;
	assert_int_equal(run("cp many.so copy.so && touch -d 2001-01-01 copy.so"), 0);
	set_id(&b, b.name);
	set_id(&copy, copy.name);
	symbols_free((table_through_cache(&s, &b), s));
	for (int i = 0; i < 2; i++) {
		t = table_through_cache(&s, i ? &b : &copy);
		assert_non_null(t->file);
		symbols_free(s);
	}
	/* a stripped copy has fewer symbols */
	assert_int_equal(run("strip copy.so"), 0);
	t = table_through_cache(&s, &copy);
	assert_null(t->file);
	symbols_free(s);
}

static void test_damaged_files(void **state)
{
	static const char *const names[] = { "full.so", "mini.so", "mod.ko.xz" };
	struct symbols *s = symbols_in_dir("");
	uint32_t index = 0;

	(void)state;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		static uint8_t bytes[65536], bad[65536];
		FILE *f = fopen(in_dir(names[k]), "r");
		size_t n;

		assert_non_null(f);
		n = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
		for (unsigned round = 0; round < 400; round++) {
			struct binary b = binary_of(k == 2 ? "bad.ko.xz" : "bad.so");
			unsigned seed = round * 2654435761u;

			b.index = index++;
			b.kind = k == 2 ? BINARY_MODULE : BINARY_FILE;
			memcpy(bad, bytes, n);
			if (round & 1)
				for (int i = 0; i < 8; i++) {
					seed = seed * 1103515245u + 12345u;
					/* headers at both ends, where the damage matters */
					bad[(seed >> 8) % 3 ? (seed >> 10) % 600 % n :
							      (n - 1) - (seed >> 10) % 1900 % n] ^=
						(uint8_t)(1u << (seed >> 29));
				}
			write_file(k == 2 ? "bad.ko.xz" : "bad.so", bad, round & 1 ? n : n * round / 400);
			symbols_table(s, &b);
			symbols_functions(s, &b);
		}
	}
	symbols_free(s);
}

/* Damage where the ranges are: nothing of it may be believed further than it goes. */
static void test_damaged_ranges(void **state)
{
	struct symbols *s = symbols_in_dir("");
	static uint8_t bytes[65536], bad[65536];
	struct elf_file elf;
	GElf_Shdr frames;
	FILE *f = fopen(in_dir("full.so"), "r");
	size_t n = fread(bytes, 1, sizeof(bytes), f);

	(void)state;
	fclose(f);
	assert_int_equal(elf_file_open(&elf, in_dir("full.so"), NULL), 0);
	assert_non_null(elf_file_section(&elf, ".eh_frame", &frames));
	elf_file_close(&elf);
	for (uint32_t i = 0; i < frames.sh_size * 8; i += 5) {
		struct binary b = binary_of("bad.so");

		b.index = i;
		memcpy(bad, bytes, n);
		bad[frames.sh_offset + i / 8] ^= (uint8_t)(1u << i % 8);
		write_file("bad.so", bad, n);
		assert_in_range(symbols_functions(s, &b)->n, 0, frames.sh_size / 8);
	}
	symbols_free(s);
}

static int make_binaries(void **state)
{
	VEC(char) many = { 0 };
	char line[64];
	int bad;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	write_file("one.c", source, sizeof(source) - 1);
	for (int i = 0; i < 2200; i++)
		for (int n = snprintf(line, sizeof(line), "int f%d(void) { return %d; }\n", i, i), k = 0; k < n; k++)
			if (vec_push(&many, line[k]) < 0)
				return -1;
	write_file("many.c", many.at, many.n);
	vec_free(&many);
	bad = run("cc -g -O1 -shared -fPIC -Wl,--build-id one.c -o full.so") ||
		run("cc -O0 -shared -fPIC -Wl,--build-id many.c -o many.so") ||
		run("strip -o bare.so full.so && objcopy --only-keep-debug full.so full.debug") ||
		run("cp bare.so linked.so && objcopy --add-gnu-debuglink=full.debug linked.so") ||
		run("cc -g -O1 -shared -fPIC -Wl,--build-id=none one.c -o noid.so && objcopy --only-keep-debug noid.so "
		    "noid.debug") ||
		run("strip -o noid-linked.so noid.so && objcopy --add-gnu-debuglink=noid.debug noid-linked.so") ||
		run("objcopy --only-keep-debug --strip-debug full.so mini.debug; "
		    "objcopy --remove-section .gnu.build-id mini.debug; xz -kf mini.debug && "
		    "objcopy --add-section .gnu_debugdata=mini.debug.xz bare.so mini.so") ||
		run("cc -O1 -c -fno-pic one.c -o mod.ko && xz -f mod.ko");
	return bad ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symtab_of_a_library),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_functions_without_symbols),
		cmocka_unit_test(test_debug_file_by_link),
		cmocka_unit_test(test_debug_file_by_build_id),
		cmocka_unit_test(test_debug_file_at_the_places_of_distributions),
		cmocka_unit_test(test_build_ids_of_every_size),
		cmocka_unit_test(test_deleted_file),
		cmocka_unit_test(test_mini_debuginfo),
		cmocka_unit_test(test_another_build_is_not_used),
		cmocka_unit_test(test_map_of_a_jit),
		cmocka_unit_test(test_the_second_run_takes_what_the_first_one_stored),
		cmocka_unit_test(test_copies_share_what_is_stored),
		cmocka_unit_test(test_damaged_files),
		cmocka_unit_test(test_damaged_ranges),
	};

	return cmocka_run_group_tests(tests, make_binaries, remove_all);
}
