/* SPDX-License-Identifier: MIT */
/* Programs made by the compilers of this machine: the functions at every address, compared with addr2line. */
#include "symbol/dwarf/dwarf.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "symbol/dwarf/decompress.h"
#include "symbol/dwarf/opened_test.h"

static const char c_source[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) void leaf(int x) { sink += x; sink ^= 7; }\n"
	"static inline __attribute__((always_inline)) int middle(int x)\n"
	"{\n"
	"	for (int i = 0; i < x; i++) { int y = x * i; leaf(y); sink += 3; leaf(i); }\n"
	"	return sink;\n"
	"}\n"
	"static __attribute__((noinline)) int outer(int x) { sink = x; return middle(x) + middle(2 * x); }\n"
	"struct thing { int a; struct { int b; } in; };\n"
	"int other(struct thing *t) { leaf(t->a); return t->in.b; }\n"
	"__attribute__((section(\".other\"))) int far_away(int x) { leaf(x); return outer(x) + 1; }\n"
	"int dropped(int x) { leaf(x); return x; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	struct thing t = { argc, { 2 } };\n"
	"	(void)argv;\n"
	"	return outer(argc) + other(&t) + far_away(argc);\n"
	"}\n";

static const char cpp_source[] =
	"volatile int sink;\n"
	"namespace space {\n"
	"template<class T> inline __attribute__((always_inline)) void leaf(T x) { sink += x; sink ^= 7; }\n"
	"struct thing {\n"
	"	int a;\n"
	"	__attribute__((noinline)) int method(int x) { leaf(x); return a + x; }\n"
	"	struct inner { static int far(int x); };\n"
	"	thing(int x) : a(x) { leaf(3L); sink = 2; }\n"
	"};\n"
	"namespace { __attribute__((noinline)) int hidden(int x) { leaf(x); return sink; } }\n"
	"int thing::inner::far(int x) { leaf(x); return hidden(x); }\n"
	"}\n"
	"int main(int argc, char **)\n"
	"{\n"
	"	auto twice = [&](int x) __attribute__((noinline)) { space::leaf(x); return 2 * x; };\n"
	"	space::thing t(argc);\n"
	"	return t.method(argc) + space::thing::inner::far(twice(argc));\n"
	"}\n";

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	fclose(f);
}

#define FRAMES_MAX 16

/* The functions at an address, innermost first. */
static size_t frames_in(const struct unit_tree *t, uint64_t addr, const char *names[FRAMES_MAX])
{
	uint32_t i = (uint32_t)t->nodes.n;
	size_t n = 0;

	while (i > 0 && !covers(t, &t->nodes.at[i - 1], addr))
		i--;
	for (uint32_t at = i - 1; i > 0 && at != TREE_NO_PARENT; at = t->nodes.at[at].parent) {
		assert_true(n < FRAMES_MAX);
		assert_true(covers(t, &t->nodes.at[at], addr));
		names[n++] = t->nodes.at[at].name;
	}
	return n;
}

static size_t frames_at(struct opened *o, uint64_t addr, const char *names[FRAMES_MAX])
{
	uint32_t units[UNITS_OF_ADDRESS_MAX];
	size_t nr = dwarf_units_at(o->dwarf, addr, units), n = 0;

	for (size_t i = 0; i < nr && !n; i++) {
		struct unit_tree t = { 0 };

		assert_int_equal(dwarf_unit_tree(o->dwarf, units[i], &t), 0);
		n = frames_in(&t, addr, names);
		unit_tree_free(&t);
	}
	return n;
}

/* "leaf;middle;outer" for an address. */
static void print_frames(struct opened *o, uint64_t addr, char *text, size_t size)
{
	const char *names[FRAMES_MAX];
	size_t n = frames_at(o, addr, names), at = 0;

	text[0] = 0;
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ";" : "", names[i] ? names[i] : "??");
}

/* The next address of addr2line -a -i -f, with its functions. */
static bool next_of_addr2line(FILE *f, char *line, size_t size, uint64_t *addr, char *text)
{
	char *end = text;

	if (!line[0] && !fgets(line, (int)size, f))
		return false;
	*addr = strtoull(line, NULL, 16);
	line[0] = text[0] = 0;
	while (fgets(line, (int)size, f) && strncmp(line, "0x", 2)) {
		line[strcspn(line, "\n")] = 0;
		end += sprintf(end, "%s%s", end == text ? "" : ";", line);
		line[0] = 0;
		assert_non_null(fgets(line, (int)size, f));  /* its place in the source */
		line[0] = 0;
	}
	return true;
}

/* addr2line leaves out the scopes of functions without a linkage name, as those of unnamed namespaces. */
static void leave_out_scopes(char *frames)
{
	char *to = frames, *frame = frames;

	for (const char *p = frames; *p; p++) {
		if (p[0] == ':' && p[1] == ':') {
			to = frame;
			p++;
			continue;
		}
		*to++ = *p;
		if (*p == ';')
			frame = to;
	}
	*to = 0;
}

/* For the outermost function of C++, addr2line may have the symbol. */
static bool same_functions(const char *have, const char *want)
{
	const char *outer = strrchr(have, ';'), *wanted = strrchr(want, ';');

	outer = outer ? outer + 1 : have;
	wanted = wanted ? wanted + 1 : want;
	return outer - have == wanted - want && !strncmp(have, want, (size_t)(outer - have)) &&
	       (!strcmp(outer, wanted) || !strncmp(wanted, "_Z", 2));
}

static void list_addresses(const char *program)
{
	assert_int_equal(run("objdump -d -j .text -j .other %s | sed -n 's/^ *\\([0-9a-f]*\\):.*/0x\\1/p' >addresses",
			     program), 0);
}

static void compare_with_addr2line(const char *program)
{
	char command[1024], line[512] = "", want[1024], have[1024];
	size_t compared = 0, inlined = 0;
	struct opened o;
	uint64_t addr;
	FILE *f;

	list_addresses(program);
	snprintf(command, sizeof(command), "addr2line -a -i -f -e %s/%s <%s/addresses", dir, program, dir);
	open_dwarf(&o, program);
	f = popen(command, "r");
	assert_non_null(f);
	while (next_of_addr2line(f, line, sizeof(line), &addr, want)) {
		print_frames(&o, addr, have, sizeof(have));
		/* without DWARF, addr2line has the symbol */
		if (!have[0] && !strchr(want, ';'))
			continue;
		leave_out_scopes(have);
		if (!same_functions(have, want))
			fail_msg("%s: 0x%llx: %s instead of %s", program, (unsigned long long)addr, have, want);
		compared++;
		inlined += strchr(have, ';') != NULL;
	}
	pclose(f);
	assert_in_range(compared, 20, 1000);
	assert_in_range(inlined, 10, 1000);
	close_dwarf(&o);
}

/* The functions at each address of the list, in a file. */
static void write_frames(const char *program, const char *to)
{
	char path[256], line[512], text[1024];
	struct opened o;
	FILE *in, *out;

	snprintf(path, sizeof(path), "%s/addresses", dir);
	in = fopen(path, "r");
	snprintf(path, sizeof(path), "%s/%s", dir, to);
	out = fopen(path, "w");
	assert_true(in && out);
	open_dwarf(&o, program);
	while (fgets(line, sizeof(line), in)) {
		print_frames(&o, strtoull(line, NULL, 16), text, sizeof(text));
		fprintf(out, "%.*s %s\n", (int)strcspn(line, "\n"), line, text);
	}
	close_dwarf(&o);
	fclose(in);
	fclose(out);
}

/* The same code with its DWARF written in another way: the same functions. False: the compiler cannot. */
static bool same_frames(const char *compiler, const char *options)
{
	if (run("rm -f small; %s -O2 -ffunction-sections -Wl,--gc-sections small.c -o small %s 2>errors", compiler,
		options))
		return false;
	write_frames("small", "frames");
	if (run("diff first_frames frames"))
		fail_msg("%s %s: other functions", compiler, options);
	return true;
}

/* The program as it is after some commands. */
static void frames_after(const char *what, const char *commands)
{
	if (run("%s", commands))
		fail_msg("%s: cannot be made", what);
	write_frames("small", "frames");
	if (run("diff first_frames frames"))
		fail_msg("%s: other functions", what);
}

static const char *const compilers[] = { "gcc", "clang" };
static const char *const cpp_compilers[] = { "g++", "clang++" };

static void functions_are_those_of_addr2line(void **state)
{
	(void)state;
	for (size_t c = 0; c < 2; c++)
		for (int version = 2; version <= 5; version++) {
			/* binutils 2.40 does not know all forms that clang uses for DWARF 5 */
			if (run("command -v %s >/dev/null", compilers[c]) || (c == 1 && version == 5))
				continue;
			assert_int_equal(run("%s -gdwarf-%d -O2 -ffunction-sections -Wl,--gc-sections small.c -o small",
					     compilers[c], version), 0);
			compare_with_addr2line("small");
		}
	if (!run("clang -gdwarf-4 -gmlt -O2 small.c -o small 2>errors"))
		compare_with_addr2line("small");
}

static void cpp_functions_are_those_of_addr2line(void **state)
{
	(void)state;
	write_file("small.cc", cpp_source);
	for (size_t c = 0; c < 2; c++)
		for (int version = 3; version <= 4; version++) {
			if (run("command -v %s >/dev/null", cpp_compilers[c]))
				continue;
			assert_int_equal(run("%s -gdwarf-%d -O2 small.cc -o small", cpp_compilers[c], version), 0);
			compare_with_addr2line("small");
		}
}

/* The entries of functions in <artificial> units have names in the units of the sources. */
static void functions_of_link_time_optimization(void **state)
{
	(void)state;
	if (run("gcc -flto -gdwarf-5 -O2 -ffunction-sections small.c -o small 2>errors"))
		skip();
	compare_with_addr2line("small");
}

/* Whether some address of the list has these functions. */
static bool list_has(const char *frames)
{
	return run("grep -qF ' %s' first_frames", frames) == 0;
}

static void a_function_without_a_linkage_name_has_its_scopes(void **state)
{
	(void)state;
	write_file("small.cc", cpp_source);
	if (run("clang++ -gdwarf-5 -O2 -mllvm -dwarf-linkage-names=Abstract small.cc -o small 2>errors"))
		skip();
	list_addresses("small");
	write_frames("small", "first_frames");
	assert_true(list_has("_ZN5space4leafIiEEvT_;space::(anonymous namespace)::hidden"));
	assert_true(list_has("space::thing::method"));
}

/* GCC gives no linkage name to a template that has a lambda for an argument. */
static void a_scope_ends_before_the_function_behind_it(void **state)
{
	(void)state;
	write_file("scope.cc",
		   "volatile int sink;\n"
		   "namespace space {\n"
		   "template<class T> struct box { T value; int get() { return value; } };\n"
		   "template<class F> __attribute__((noinline)) int apply(F f, box<int> *b) { return f(b->get()); }\n"
		   "}\n"
		   "int main(int argc, char **)\n"
		   "{\n"
		   "	space::box<int> b = { argc };\n"
		   "	return space::apply([](int x) { sink = x; return x + 1; }, &b);\n"
		   "}\n");
	if (run("g++ -g -O2 scope.cc -o scope 2>errors"))
		skip();
	list_addresses("scope");
	write_frames("scope", "first_frames");
	assert_true(list_has("space::apply<"));
}

/* A section of the size of 16 addresses, and one unit of DWARF 4 with the abbreviations below. */
static const char odd_begin[] =
	"	.section .text,\"ax\"\n"
	"	.globl _start\n"
	"_start: code: .skip 16\n"
	"	.section .debug_abbrev,\"\"\n"
	"	/* unit */ .uleb128 1, 0x11; .byte 1; .uleb128 0x11, 1, 0x12, 7, 0, 0\n"
	"	/* function */ .uleb128 2, 0x2e; .byte 1; .uleb128 3, 8, 0x11, 1, 0x12, 7, 0, 0\n"
	"	/* block */ .uleb128 3, 0x0b; .byte 1; .uleb128 0, 0\n"
	"	/* inlined */ .uleb128 4, 0x1d; .byte 0; .uleb128 0x31, 0x13, 0x11, 1, 0x12, 7, 0, 0\n"
	"	/* with an origin */ .uleb128 5, 0x2e; .byte 0; .uleb128 0x31, 0x13, 0, 0\n"
	"	/* variable with a sibling */ .uleb128 6, 0x34; .byte 1; .uleb128 1, 0x13, 0, 0\n"
	"	/* with a declaration */ .uleb128 7, 0x2e; .byte 0; .uleb128 0x47, 0x13, 0x11, 1, 0x12, 7, 0, 0\n"
	"	/* with a name */ .uleb128 1 << 40, 0x2e; .byte 0; .uleb128 3, 8, 0, 0\n"
	"	.byte 0\n"
	"	.section .debug_info,\"\"\n"
	"unit:	.4byte end - version\n"
	"version: .2byte 4; .4byte 0; .byte 8\n"
	"	.uleb128 1; .8byte code, 16\n";

/* The tree of a unit whose entries an assembler writes. */
static int odd_tree(struct opened *o, const char *entries, struct unit_tree *t)
{
	char *text = NULL;

	assert_true(asprintf(&text, "%s%send:\n", odd_begin, entries) > 0);
	write_file("odd.s", text);
	free(text);
	assert_int_equal(run("gcc -nostdlib -static odd.s -o odd"), 0);
	open_dwarf(o, "odd");
	return dwarf_unit_tree(o->dwarf, 0, t);
}

static void a_deep_tree_is_read_to_its_end(void **state)
{
	struct unit_tree t = { 0 };
	struct opened o;

	(void)state;
	assert_int_equal(odd_tree(&o, ".uleb128 2; .asciz \"deep\"; .8byte code, 8\n"
				      ".rept 1000000\n.uleb128 3\n.endr\n"
				      ".uleb128 4; .4byte named - unit; .8byte code + 4, 8\n"
				      ".rept 1000001\n.byte 0\n.endr\n"
				      "named: .uleb128 1 << 40; .asciz \"in\"\n"
				      ".uleb128 2; .asciz \"second\"; .8byte code + 8, 8\n.byte 0, 0\n", &t), 0);
	assert_int_equal(t.nodes.n, 3);
	assert_string_equal(t.nodes.at[0].name, "deep");
	assert_string_equal(t.nodes.at[1].name, "in");
	assert_int_equal(t.nodes.at[1].parent, 0);
	assert_int_equal(t.nodes.at[1].nr_ranges, 1);
	assert_int_equal(t.ranges.at[1].start, t.ranges.at[0].start + 4);
	assert_int_equal(t.ranges.at[1].end, t.ranges.at[0].end);  /* clipped to that of the function */
	assert_string_equal(t.nodes.at[2].name, "second");
	assert_int_equal(t.nodes.at[2].parent, TREE_NO_PARENT);
	unit_tree_free(&t);
	close_dwarf(&o);
}

/* A method whose class declares it has no abstract origin, not that of the entry before it. */
static void a_declared_function_has_the_name_of_its_declaration(void **state)
{
	struct unit_tree t = { 0 };
	struct opened o;

	(void)state;
	assert_int_equal(odd_tree(&o, ".uleb128 2; .asciz \"outer\"; .8byte code, 8\n"
				      ".uleb128 4; .4byte inlined - unit; .8byte code + 4, 4\n"
				      ".byte 0\n"
				      ".uleb128 7; .4byte declared - unit; .8byte code + 8, 8\n"
				      "inlined: .uleb128 1 << 40; .asciz \"inlined\"\n"
				      "declared: .uleb128 1 << 40; .asciz \"declared\"\n.byte 0\n", &t), 0);
	assert_int_equal(t.nodes.n, 3);
	assert_string_equal(t.nodes.at[1].name, "inlined");
	assert_string_equal(t.nodes.at[2].name, "declared");
	unit_tree_free(&t);
	close_dwarf(&o);
}

static void references_that_lead_back_are_not_followed_for_ever(void **state)
{
	struct unit_tree t = { 0 };
	struct opened o;

	(void)state;
	assert_int_equal(odd_tree(&o, "back: .uleb128 6; .4byte back - unit\n.byte 0\n"
				      ".uleb128 2; .asciz \"outer\"; .8byte code, 16\n"
				      ".uleb128 4; .4byte a - unit; .8byte code, 8\n"
				      ".uleb128 4; .4byte 0x7fffffff; .8byte code + 8, 4\n"
				      ".byte 0\n"
				      "a: .uleb128 5; .4byte b - unit\n"
				      "b: .uleb128 5; .4byte a - unit\n.byte 0\n", &t), 0);
	assert_int_equal(t.nodes.n, 3);
	assert_string_equal(t.nodes.at[0].name, "outer");
	assert_null(t.nodes.at[1].name);
	assert_null(t.nodes.at[2].name);
	unit_tree_free(&t);
	close_dwarf(&o);
}

static void damage_costs_what_comes_after_it(void **state)
{
	struct unit_tree t = { 0 };
	struct opened o;

	(void)state;
	assert_int_equal(odd_tree(&o, ".uleb128 2; .asciz \"before\"; .8byte code, 16\n.byte 0\n"
				      ".uleb128 77\n"
				      ".uleb128 2; .asciz \"after\"; .8byte code, 16\n.byte 0, 0\n", &t),
			 -SONDE_CORRUPT);
	assert_int_equal(t.nodes.n, 1);
	assert_string_equal(t.nodes.at[0].name, "before");
	unit_tree_free(&t);
	close_dwarf(&o);
}

/* Each linker has an address of its own for functions that it drops. */
static void dropped_functions_are_left_out(void **state)
{
	static const char *const linkers[] = { "bfd", "gold", "lld", "mold" };

	(void)state;
	for (size_t i = 0; i < sizeof(linkers) / sizeof(linkers[0]); i++) {
		struct unit_tree t = { 0 };
		struct opened o;
		bool has_main = false;

		if (run("gcc -g -O2 -ffunction-sections -Wl,--gc-sections -fuse-ld=%s small.c -o small 2>errors",
			linkers[i]))
			continue;
		open_dwarf(&o, "small");
		assert_int_equal(dwarf_unit_tree(o.dwarf, 0, &t), 0);
		for (size_t n = 0; n < t.nodes.n; n++) {
			assert_string_not_equal(t.nodes.at[n].name, "dropped");
			has_main |= !strcmp(t.nodes.at[n].name, "main");
		}
		assert_true(has_main);
		unit_tree_free(&t);
		close_dwarf(&o);
	}
}

/* A section that claims to be of a size that its bytes cannot become is not read. */
static void a_compressed_section_of_an_impossible_size_is_left_out(void **state)
{
	static const uint8_t huge[] = { 'Z', 'L', 'I', 'B', 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0x78, 0x9c, 3, 0 };
	const struct compressed_layout zdebug = { .zdebug = true };
	uint8_t packed[64] = "ZLIB\0\0\0\0\0\0\0\5";
	uLongf n = sizeof(packed) - 12;
	uint8_t *out;
	size_t size = 0;

	(void)state;
	assert_null(decompress_section(huge, sizeof(huge), &zdebug, &size));
	assert_int_equal(compress(packed + 12, &n, (const uint8_t *)"abcde", 5), Z_OK);
	out = decompress_section(packed, 12 + n, &zdebug, &size);
	assert_non_null(out);
	assert_int_equal(size, 5);
	assert_string_equal((const char *)out, "abcde");
	free(out);
	for (size_t cut = 0; cut < 12 + n; cut++)
		assert_null(decompress_section(packed, cut, &zdebug, &size));
	packed[11] = 6;  /* one more than there are */
	assert_null(decompress_section(packed, 12 + n, &zdebug, &size));
	packed[11] = 4;
	assert_null(decompress_section(packed, 12 + n, &zdebug, &size));
}

enum { UNITS = 6, READERS = 4 };

/* Bytes that depend on all nodes of all units, and on the order of neither. */
static void *sum_of_trees(void *arg)
{
	struct dwarf *d = arg;
	uintptr_t sum = 0;
	size_t n;

	dwarf_unit_ranges(d, &n);
	for (uint32_t u = 0; u < dwarf_nr_units(d); u++) {
		struct unit_tree t = { 0 };

		if (dwarf_unit_tree(d, u, &t) < 0)
			break;
		for (size_t i = 0; i < t.nodes.n; i++)
			sum += strlen(t.nodes.at[i].name) * (i + 1) + t.nodes.at[i].call_line + t.nodes.at[i].nr_ranges;
		sum += t.nodes.n + n;
		unit_tree_free(&t);
	}
	return (void *)sum;
}

static void several_threads_read_units_at_once(void **state)
{
	pthread_t readers[READERS];
	struct opened one, all;
	void *sum, *want;

	(void)state;
	for (int i = 0; i < UNITS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "part%d.c", i);
		write_file(name, c_source);
	}
	if (run("for i in part*.c; do gcc -g -O1 -gsplit-dwarf -gz=zlib -Dmain=main_${i%%.c} -Dother=other_${i%%.c}"
		" -Ddropped=dropped_${i%%.c} -Dfar_away=far_${i%%.c} -Dsink=sink_${i%%.c} -c $i || exit 1; done;"
		"echo 'int main(void) { return 0; }' >start.c && gcc -g start.c part*.o -o parts"))
		fail_msg("the program cannot be made");
	open_dwarf(&one, "parts");
	want = sum_of_trees(one.dwarf);
	assert_int_equal(dwarf_nr_units(one.dwarf), UNITS + 1);
	assert_in_range((uintptr_t)want, UNITS * 100, UINTPTR_MAX / 2);
	open_dwarf(&all, "parts");
	for (size_t i = 0; i < READERS; i++)
		assert_int_equal(pthread_create(&readers[i], NULL, sum_of_trees, all.dwarf), 0);
	for (size_t i = 0; i < READERS; i++) {
		assert_int_equal(pthread_join(readers[i], &sum), 0);
		assert_ptr_equal(sum, want);
	}
	close_dwarf(&all);
	close_dwarf(&one);
}

/* A .dwo file of another compilation has other functions. */
static void a_split_file_of_another_id_is_not_taken(void **state)
{
	struct opened o;
	struct unit_tree t = { 0 };

	(void)state;
	assert_int_equal(run("gcc -g -O2 -gsplit-dwarf -c small.c -o small.o && gcc small.o -o small &&"
			     "gcc -g -O1 -gsplit-dwarf -c small.c -o small.o"), 0);
	open_dwarf(&o, "small");
	assert_int_equal(dwarf_nr_units(o.dwarf), 1);
	assert_int_equal(dwarf_unit_tree(o.dwarf, 0, &t), 0);
	assert_int_equal(t.nodes.n, 0);
	close_dwarf(&o);
}

static void all_ways_to_write_dwarf_give_the_same_functions(void **state)
{
	static const char *const options[] = {
		"-gdwarf-2", "-gdwarf-3", "-gdwarf-5", "-gdwarf-5 -gdwarf64", "-gdwarf-5 -gz=zlib",
		"-gdwarf-4 -gz=zlib-gnu", "-gdwarf-5 -Wl,--compress-debug-sections=zstd",
		"-gdwarf-4 -gsplit-dwarf", "-gdwarf-5 -gsplit-dwarf", "-gdwarf-5 -gsplit-dwarf -gz=zlib",
	};

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		if (run("command -v %s >/dev/null", compilers[c]))
			continue;
		assert_int_equal(run("%s -gdwarf-4 -O2 -ffunction-sections -Wl,--gc-sections small.c -o small",
				     compilers[c]), 0);
		list_addresses("small");
		write_frames("small", "first_frames");
		for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
			if (!same_frames(compilers[c], options[i]))
				print_message("%s has no %s\n", compilers[c], options[i]);
	}
}

/* dwz moves what several files have into another one. */
static void functions_whose_names_dwz_moved(void **state)
{
	(void)state;
	if (run("command -v dwz >/dev/null"))
		skip();
	for (int version = 4; version <= 5; version++) {
		assert_int_equal(run("gcc -O2 -gdwarf-%d small.c -o small && cp small plain", version), 0);
		list_addresses("small");
		write_frames("small", "first_frames");
		frames_after("dwz", "dwz -q small");
		frames_after("dwz -m", "cp plain small; cp plain other; dwz -r -m common.debug small other;"
				       "readelf -SW small | grep -q gnu_debugaltlink");
		frames_after("dwz -5 -m", "cp plain small; cp plain other; dwz -5 -r -m common.debug small other;"
					  "readelf -SW small | grep -q debug_sup");
	}
}

/* The .dwo files are gone: only a package has the functions. */
static void functions_of_a_package(void **state)
{
	static const char *const packers[] = { "llvm-dwp", "dwp" };
	size_t packed = 0;

	(void)state;
	for (size_t c = 0; c < 2; c++)
		for (int version = 4; version <= 5; version++)
			for (size_t p = 0; p < 2; p++) {
				if (run("rm -f *.dwo; command -v %s %s >/dev/null", compilers[c], packers[p]))
					continue;
				assert_int_equal(run("%s -O2 -gdwarf-%d small.c -o small", compilers[c], version), 0);
				list_addresses("small");
				write_frames("small", "first_frames");
				assert_int_equal(run("%s -O2 -gdwarf-%d -gsplit-dwarf small.c -o small", compilers[c],
						     version), 0);
				if (run("%s -e small -o small.dwp 2>errors", packers[p])) {
					print_message("%s cannot pack DWARF %d of %s\n", packers[p], version,
						      compilers[c]);
					continue;
				}
				frames_after(packers[p], "rm *.dwo");
				packed++;
			}
	run("rm -f small.dwp");
	if (!packed)
		skip();
}

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	write_file("small.c", c_source);
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
		cmocka_unit_test(functions_are_those_of_addr2line),
		cmocka_unit_test(cpp_functions_are_those_of_addr2line),
		cmocka_unit_test(functions_of_link_time_optimization),
		cmocka_unit_test(a_function_without_a_linkage_name_has_its_scopes),
		cmocka_unit_test(a_scope_ends_before_the_function_behind_it),
		cmocka_unit_test(a_deep_tree_is_read_to_its_end),
		cmocka_unit_test(a_declared_function_has_the_name_of_its_declaration),
		cmocka_unit_test(references_that_lead_back_are_not_followed_for_ever),
		cmocka_unit_test(damage_costs_what_comes_after_it),
		cmocka_unit_test(dropped_functions_are_left_out),
		cmocka_unit_test(a_compressed_section_of_an_impossible_size_is_left_out),
		cmocka_unit_test(several_threads_read_units_at_once),
		cmocka_unit_test(a_split_file_of_another_id_is_not_taken),
		cmocka_unit_test(all_ways_to_write_dwarf_give_the_same_functions),
		cmocka_unit_test(functions_whose_names_dwz_moved),
		cmocka_unit_test(functions_of_a_package),
	};

#ifdef __SANITIZE_THREAD__
	/* the others have one thread, and start some 80 compilers */
	cmocka_set_test_filter("several_threads_*");
#endif
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
