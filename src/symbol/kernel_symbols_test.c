/* SPDX-License-Identifier: MIT */
/* Symbols of kernels, modules and the vdso: whose list or image is believed, and which is not. */
#include "symbol/symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "symbol/binaries_test.h"
#include "symbol/load.h"

static void test_a_module_lies_where_it_was_loaded(void **state)
{
	struct binary b = binary_of("mod.ko");
	struct symbols *s = symbols_in_dir("");
	struct symtab *t;

	(void)state;
	b.kind = BINARY_MODULE;
	b.ref_addr = 0xffffffffc0100000;
	t = symbols_table(s, &b);
	assert_true(has(t, "shown_one"));
	assert_string_equal(name_at(t, 0xffffffffc0100000), "hidden_one");
	assert_string_equal(name_at(t, 0xffffffffc00fffff), "-");
	b = binary_of("mod.ko.xz");
	b.index = 1;
	b.kind = BINARY_MODULE;
	b.ref_addr = 0x1000;
	assert_string_equal(name_at(symbols_table(s, &b), 0x1000), "hidden_one");
	symbols_free(s);
}

static void test_kernel_from_given_files(void **state)
{
	static const char list[] =
		"ffffffff81000000 T _text\nffffffff81000040 T work\nffffffffc0000000 t other\t[mod]\n";
	struct binary b = {
		.kind = BINARY_KERNEL,
		.name = "[kernel.kallsyms]",
		.ref_symbol = "_text",
		.ref_addr = 0xffffffff91000000,
	};
	struct symbols_opts o = { .cache_dir = "", .kallsyms = in_dir("kallsyms") };
	struct symbols *s;
	struct symtab *t;

	(void)state;
	write_file("kallsyms", list, sizeof(list) - 1);
	s = symbols_new(&o);
	t = symbols_table(s, &b);
	assert_string_equal(name_at(t, 0xffffffff91000041), "work");
	assert_int_equal(symtab_start(t, symtab_find(t, 0xffffffff91000041)), 0xffffffff91000040);
	assert_string_equal(name_at(t, 0xffffffff81000041), "-");
	b = (struct binary){ .index = 1, .kind = BINARY_MODULE, .name = "[mod]", .ref_addr = 0xffffffffc0000000 };
	assert_string_equal(name_at(symbols_table(s, &b), 0xffffffffc0000001), "other");
	symbols_free(s);
	o = (struct symbols_opts){ .cache_dir = "", .vmlinux = in_dir("full.so") };
	s = symbols_new(&o);
	b = (struct binary){
		.kind = BINARY_KERNEL, .name = "[kernel.kallsyms]", .ref_symbol = "shown_one", .ref_addr = 0x70000
	};
	assert_string_equal(name_at(symbols_table(s, &b), 0x70000), "shown_one");
	symbols_free(s);
}

/* Only drivers in Rust have mangled names there: as perf, they are demangled when the user says so. */
static void test_names_of_the_kernel_are_demangled_on_request(void **state)
{
	static const char list[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000100 T _RNvCs1234_7mycrate4main\n"
				   "ffffffff81000200 T last\n";
	struct binary b = { .kind = BINARY_KERNEL, .name = "[kernel.kallsyms]", .ref_symbol = "_text",
			    .ref_addr = 0xffffffff81000000 };
	struct symbols_opts o = { .cache_dir = "", .kallsyms = in_dir("kallsyms") };
	struct symbols *s;

	(void)state;
	write_file("kallsyms", list, sizeof(list) - 1);
	for (int demangled = 0; demangled < 3; demangled++) {
		o.demangle_kernel = demangled > 0;
		o.no_demangle = demangled > 1;
		s = symbols_new(&o);
		assert_string_equal(name_at(symbols_table(s, &b), 0xffffffff81000101),
				    demangled == 1 ? "mycrate::main" : "_RNvCs1234_7mycrate4main");
		symbols_free(s);
	}
}

static void test_the_kernel_of_another_recording(void **state)
{
	struct binary b = {
		.kind = BINARY_KERNEL, .name = "[kernel.kallsyms]", .ref_symbol = "_text", .ref_addr = 0x1234
	};
	struct symbols *s = symbols_in_dir("");
	struct symtab *t = symbols_table(s, &b);

	(void)state;
	assert_int_equal(t->n, 0);
	assert_non_null(strstr(t->reason, "running kernel"));
	assert_true(s->kernel_read);
	symbols_free(s);
	/* a build id is enough to tell: no list is read */
	s = symbols_in_dir("");
	b.build_id_size = 20;
	t = symbols_table(s, &b);
	assert_int_equal(t->n, 0);
	assert_non_null(strstr(t->reason, "another build id"));
	assert_false(s->kernel_read);
	symbols_free(s);
}

/* By the release of the recorded kernel, where packages put it; an id that differs refuses it. */
static void test_image_of_a_kernel_release(void **state)
{
	static const char *const places[] = { "boot", "usr/lib/debug/boot", "usr/lib/debug/lib/modules/9.9-test" };
	struct symbols_opts o = { .cache_dir = "", .buildid_dir = "", .symfs = in_dir("root") };
	struct meta meta = { .osrelease = "9.9-test" };
	struct binary b = {
		.kind = BINARY_KERNEL, .name = "[kernel.kallsyms]", .ref_symbol = "shown_one", .ref_addr = 0x70000
	};
	struct symbols *s;
	struct symtab *t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *name = strstr(places[i], "modules") ? "vmlinux" : "vmlinux-9.9-test";

		assert_int_equal(run("mkdir -p root/%s && cp full.so root/%s/%s", places[i], places[i], name), 0);
		s = symbols_new(&o);
		assert_int_equal(symbols_carry(s, &meta, NULL), 0);
		t = symbols_table(s, &b);
		assert_string_equal(name_at(t, 0x70000), "shown_one");
		assert_non_null(strstr(t->doubt, "not verified"));
		symbols_free(s);
		s = symbols_new(&o);
		assert_int_equal(symbols_carry(s, &meta, NULL), 0);
		b.build_id_size = 20;
		t = symbols_table(s, &b);
		assert_int_equal(t->n, 0);
		assert_non_null(strstr(t->reason, "another build id"));
		b.build_id_size = 0;
		symbols_free(s);
		assert_int_equal(run("rm -r root"), 0);
	}
}

static void test_vdso(void **state)
{
	struct binary b = { .kind = BINARY_VDSO, .name = "[vdso]", .pid = -1 };
	struct meta other_kernel = { .osrelease = "9.9-test" };
	struct symbols *s = symbols_in_dir("");
	struct symtab *t = symbols_table(s, &b);

	(void)state;
	if (!t->n) {
		symbols_free(s);
		skip();  /* a sandbox without a vdso */
	}
	/* that of 32-bit x86 has __kernel_vsyscall and the like under one name only */
	assert_non_null(strchr("_abcdefghijklmnopqrstuvwxyz", symtab_name(t, t->n - 1)[0]));
	b.index = 1;
	b.build_id_size = 20;
	t = symbols_table(s, &b);
	assert_int_equal(t->n, 0);
	assert_non_null(strstr(t->reason, "another build id"));
	b.index = 2;
	b.build_id_size = 0;
	assert_int_equal(symbols_carry(s, &other_kernel, NULL), 0);
	t = symbols_table(s, &b);
	assert_int_equal(t->n, 0);
	assert_non_null(strstr(t->reason, "kernel 9.9-test"));
	symbols_free(s);
}

static int make_binaries(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	write_file("one.c", source, sizeof(source) - 1);
	return run("cc -g -O1 -shared -fPIC -Wl,--build-id one.c -o full.so && "
		   "cc -O1 -c -fno-pic one.c -o mod.ko && xz -kf mod.ko") ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_module_lies_where_it_was_loaded),
		cmocka_unit_test(test_kernel_from_given_files),
		cmocka_unit_test(test_names_of_the_kernel_are_demangled_on_request),
		cmocka_unit_test(test_the_kernel_of_another_recording),
		cmocka_unit_test(test_image_of_a_kernel_release),
		cmocka_unit_test(test_vdso),
	};

	return cmocka_run_group_tests(tests, make_binaries, remove_all);
}
