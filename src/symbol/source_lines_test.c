/* SPDX-License-Identifier: MIT */
/* Lines and inlined functions of libraries made by the compiler of this build, whose sources are known. */
#include "symbol/source_lines.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/work_dir_test.h"
#include "symbol/dwarf/index_make.h"
#include "symbol/elf/file.h"

static const char source[] = "volatile int sink;\n"
			     "static inline __attribute__((always_inline)) int inner(int x)\n"
			     "{\n"
			     "	sink = x;\n"
			     "	return x + 1;\n"
			     "}\n"
			     "static inline __attribute__((always_inline)) int middle(int x)\n"
			     "{\n"
			     "	return inner(x) * 2;\n"
			     "}\n"
			     "int outer(int x)\n"
			     "{\n"
			     "	return middle(x);\n"
			     "}\n";

/* The path of a file of this test. It holds until the same thread asks for four more. */
static const char *in_dir(const char *name)
{
	static _Thread_local char paths[4][128];
	static _Thread_local int next;

	next = (next + 1) % 4;
	snprintf(paths[next], sizeof(paths[0]), "%s/%s", dir, name);
	return paths[next];
}

/* One reader of lines, as a run of a command has it. */
struct lines_reader {
	struct symbols *symbols;
	struct source_lines *lines;
	struct binary binary;
	char path[128], debug_dir[128];
	struct symtab *table;
};

static void open_reader(struct lines_reader *r, const char *library, const char *cache)
{
	const char *debug_dirs[2] = { r->debug_dir, NULL };
	struct symbols_opts o = { .buildid_dir = "", .debug_dirs = debug_dirs,
				  .cache_dir = cache ? in_dir(cache) : "" };
	struct elf_file f;

	snprintf(r->debug_dir, sizeof(r->debug_dir), "%s", in_dir("debug"));
	snprintf(r->path, sizeof(r->path), "%s", in_dir(library));
	r->binary = (struct binary){ .kind = BINARY_FILE, .name = r->path, .pid = -1 };
	assert_int_equal(elf_file_open(&f, r->path, NULL), 0);
	r->binary.build_id_size = f.build_id_size;
	memcpy(r->binary.build_id, f.build_id, sizeof(f.build_id));
	elf_file_close(&f);
	r->symbols = symbols_new(&o);
	r->lines = r->symbols ? source_lines_new(r->symbols) : NULL;
	assert_non_null(r->lines);
	r->table = symbols_table(r->symbols, &r->binary);
}

static void close_reader(struct lines_reader *r)
{
	source_lines_free(r->lines);
	symbols_free(r->symbols);
}

static bool is_frame(const struct source_frame *f, const char *function, uint32_t line)
{
	return f->function && !strcmp(f->function, function) && f->file && !strcmp(f->file, in_dir("one.c")) &&
	       f->line == line;
}

/* Every byte of outer() is of outer(); some are of inner() in middle() in outer(). */
static bool check_outer(struct lines_reader *r)
{
	const struct source_frame *frames;
	int deep = 0, bytes = 0;

	for (uint32_t i = 0; i < r->table->n; i++) {
		if (strcmp(symtab_name(r->table, i), "outer"))
			continue;
		for (uint64_t at = symtab_start(r->table, i); at < symtab_end(r->table, i); at++, bytes++) {
			size_t n = source_lines_find(r->lines, &r->binary, at, &frames);

			if (n == 0 || strcmp(frames[n - 1].function, "outer"))
				return false;
			deep += n == 3 && (is_frame(&frames[0], "inner", 4) || is_frame(&frames[0], "inner", 5)) &&
				is_frame(&frames[1], "middle", 9) && is_frame(&frames[2], "outer", 13);
		}
	}
	return bytes > 0 && deep > 0;
}

static void inlined_functions(void **state)
{
	static const char *const libraries[] = { "v5.so", "v4.so", "v3.so", "v2.so" };
	struct lines_reader r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		open_reader(&r, libraries[i], NULL);
		assert_true(check_outer(&r));
		close_reader(&r);
	}
}

/* A kernel lies elsewhere than it was linked for. */
static void kernel_image(void **state)
{
	struct symbols_opts o = { .buildid_dir = "", .cache_dir = "", .vmlinux = in_dir("v5.so") };
	struct binary kernel = { .kind = BINARY_KERNEL, .name = "[kernel.kallsyms]", .pid = -1,
				 .ref_symbol = "outer" };
	struct symbols *symbols = symbols_new(&o);
	struct source_lines *lines = source_lines_new(symbols);
	const struct source_frame *frames;
	size_t n;

	(void)state;
	kernel.ref_addr = 0xffffffff81000000;
	n = source_lines_find(lines, &kernel, kernel.ref_addr, &frames);
	assert_int_not_equal(n, 0);
	assert_string_equal(frames[n - 1].function, "outer");
	assert_int_equal(source_lines_find(lines, &kernel, 0xffffffff82000000, &frames), 0);
	source_lines_free(lines);
	symbols_free(symbols);
}

static void nothing_is_known(void **state)
{
	const struct source_frame *frames;
	struct lines_reader r;

	(void)state;
	open_reader(&r, "bare.so", NULL);
	for (uint64_t at = 0; at < 5000; at++)
		assert_int_equal(source_lines_find(r.lines, &r.binary, at, &frames), 0);
	close_reader(&r);
	open_reader(&r, "v5.so", NULL);
	assert_int_equal(source_lines_find(r.lines, &r.binary, 0, &frames), 0);
	assert_int_equal(source_lines_find(r.lines, &r.binary, UINT64_MAX, &frames), 0);
	r.binary.build_id[0] ^= 1;           /* the binary has changed since */
	r.binary.index = 1;
	assert_int_equal(source_lines_find(r.lines, &r.binary, symtab_start(r.table, 0), &frames), 0);
	close_reader(&r);
}

static void debug_file_by_build_id(void **state)
{
	struct lines_reader r;

	(void)state;
	open_reader(&r, "stripped.so", NULL);
	assert_true(check_outer(&r));
	close_reader(&r);
}

static ino_t inode_of(const char *path, off_t *size)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	*size = st.st_size;
	return st.st_ino;
}

/* The first run asks about a unit and notes it, the second one keeps an index of all, later ones use it. */
static void kept_on_disk(void **state)
{
	char file[256], id[BUILD_ID_TEXT];
	off_t size = 0, again = 0;
	struct lines_reader r;
	ino_t inode;
	FILE *f;

	(void)state;
	open_reader(&r, "v5.so", "cache/new");
	build_id_print(id, r.binary.build_id, r.binary.build_id_size);
	snprintf(file, sizeof(file), "%s/%s.lines", in_dir("cache/new"), id);
	assert_true(check_outer(&r));
	assert_int_equal(inode_of(file, &size), 0);
	close_reader(&r);

	open_reader(&r, "v5.so", "cache/new");
	assert_true(check_outer(&r));
	close_reader(&r);
	inode = inode_of(file, &size);
	assert_int_not_equal(inode, 0);

	open_reader(&r, "v5.so", "cache/new");
	assert_true(check_outer(&r));
	close_reader(&r);
	assert_true(inode_of(file, &again) == inode && again == size);

	/* damaged: removed, and built again when it is asked for again */
	f = fopen(file, "r+");
	assert_non_null(f);
	fseek(f, (long)size / 2, SEEK_SET);
	fputs("damage", f);
	fclose(f);
	for (int i = 0; i < 2; i++) {
		open_reader(&r, "v5.so", "cache/new");
		assert_true(check_outer(&r));
		close_reader(&r);
		assert_int_equal(inode_of(file, &again) != 0, i == 1);
	}
	assert_int_equal(truncate(file, 20), 0);
	open_reader(&r, "v5.so", "cache/new");
	assert_true(check_outer(&r));
	close_reader(&r);
}

static void any_number_of_threads(void **state)
{
	static const uint64_t identity[2] = { 1, 2 };
	struct elf_file f;
	struct dwarf *d;
	uint8_t *bytes[2];
	size_t size[2];

	(void)state;
	assert_int_equal(elf_file_open(&f, in_dir("units.so"), NULL), 0);
	d = dwarf_new(&f, in_dir("units.so"), &(struct dwarf_opts){ 0 }, NULL);
	assert_non_null(d);
	assert_int_equal(dwarf_nr_units(d), 8);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(index_make(d, i ? 4 : 1, identity, &bytes[i], &size[i]), 0);
	assert_int_equal(size[0], size[1]);
	assert_memory_equal(bytes[0], bytes[1], size[0]);
	free(bytes[0]);
	free(bytes[1]);
	dwarf_free(d);
	elf_file_close(&f);
}

struct asker { pthread_t thread; struct lines_reader *r; bool good; };

static void *ask(void *arg)
{
	struct asker *a = arg;

	a->good = check_outer(a->r);
	return NULL;
}

static void several_threads(void **state)
{
	struct asker askers[4];
	struct lines_reader r;

	(void)state;
	open_reader(&r, "v4.so", "cache/threads");
	for (size_t i = 0; i < ARRAY_SIZE(askers); i++) {
		askers[i] = (struct asker){ .r = &r };
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(askers); i++) {
		pthread_join(askers[i].thread, NULL);
		assert_true(askers[i].good);
	}
	close_reader(&r);
}

static int set_up(void **state)
{
	FILE *f;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	f = fopen(in_dir("one.c"), "w");
	if (!f || fputs(source, f) == EOF || fclose(f))
		return -1;
	for (int i = 1; i <= 8; i++)
		if (run("cc -O1 -g -fPIC -Dsink=sink%d -Douter=outer%d -c one.c -o unit%d.o", i, i, i))
			return -1;
	if (run("cc -shared unit?.o -o units.so"))
		return -1;
	for (int version = 2; version <= 5; version++)
		if (run("cc -O1 -gdwarf-%d -shared -fPIC -Wl,--build-id one.c -o v%d.so", version, version))
			return -1;
	return run("cc -O1 -shared -fPIC -Wl,--build-id one.c -o bare.so && "
		   "strip -o stripped.so v5.so && "
		   "id=$(readelf -n v5.so | sed -n 's/.*Build ID: //p') && "
		   "mkdir -p debug/.build-id/$(echo $id | cut -c1-2) && "
		   "objcopy --only-keep-debug v5.so "
		   "debug/.build-id/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-).debug");
}

static int tear_down(void **state)
{
	(void)state;
	return run("rm -rf %s", dir);
}

struct dump {
	struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } header;
	struct { uint32_t id, size; uint64_t time, addr, nr; } lines;
	struct { uint64_t addr; uint32_t line, column; char file[8]; } entry[2];
	struct { uint32_t id, size; uint64_t time; uint32_t pid, tid; uint64_t vma, addr, size_of_code, index; } load;
	char name[8], code[16];
};

/* Code that a process made has the lines that its jitdump tells. */
static void lines_of_a_jitdump(void **state)
{
	static const struct dump dump = {
		.header = { 0x4a695444, 1, 40, 62, 0, 7, 1, 0 },
		.lines = { 2, sizeof(dump.lines) + sizeof(dump.entry), 5, 0x1000, 2 },
		.entry = { { 0x1000, 11, 3, "made.py" }, { 0x1008, 12, 4, "made.py" } },
		.load = { 0, sizeof(dump.load) + 8 + 16, 6, 7, 7, 0x1000, 0x1000, 16, 1 },
		.name = "py::one",
	};
	struct binary b = { .kind = BINARY_JITDUMP, .name = in_dir("jit-7.dump"), .pid = 7 };
	struct symbols *symbols = symbols_new(&(struct symbols_opts){ .cache_dir = "", .buildid_dir = "" });
	struct source_lines *lines = source_lines_new(symbols);
	const struct source_frame *frames;
	FILE *file = fopen(b.name, "w");

	(void)state;
	assert_non_null(file);
	assert_int_equal(fwrite(&dump, sizeof(dump), 1, file), 1);
	fclose(file);
	for (uint64_t i = 0; i < 16; i++) {
		assert_int_equal(source_lines_find(lines, &b, offsetof(struct dump, code) + i, &frames), 1);
		assert_string_equal(frames[0].function, "py::one");
		assert_string_equal(frames[0].file, "made.py");
		assert_int_equal(frames[0].line, i < 8 ? 11 : 12);
		assert_int_equal(frames[0].column, i < 8 ? 3 : 4);
	}
	assert_int_equal(source_lines_find(lines, &b, offsetof(struct dump, code) + 16, &frames), 0);
	source_lines_free(lines);
	symbols_free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inlined_functions),
		cmocka_unit_test(kernel_image),
		cmocka_unit_test(nothing_is_known),
		cmocka_unit_test(debug_file_by_build_id),
		cmocka_unit_test(kept_on_disk),
		cmocka_unit_test(any_number_of_threads),
		cmocka_unit_test(several_threads),
		cmocka_unit_test(lines_of_a_jitdump),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
