/* SPDX-License-Identifier: MIT */
/* binaries_test.h - for tests: a source of binaries, and the symbols of binaries in a directory of the test */
#ifndef SYMBOL_BINARIES_TEST_H
#define SYMBOL_BINARIES_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/work_dir_test.h"
#include "symbol/symbols.h"
#include "symbol/table/symtab.h"

static const char source[] = "int counter;\n"
			     "__attribute__((noinline)) static int hidden_one(int x) { return x * counter; }\n"
			     "int shown_one(int x) { return hidden_one(x) + 1; }\n"
			     "extern int alias_one(int x) __attribute__((weak, alias(\"shown_one\")));\n"
			     "int cpp_one(int x) __asm__(\"_ZN5space5Thing3runEi\");\n"
			     "int cpp_one(int x) { return shown_one(x) * 3; }\n"
			     "extern int puts(const char *);\n"
			     "int call_out(void) { return puts(\"x\"); }\n";

static struct arena paths;

static char *in_dir(const char *name)
{
	char *path = arena_alloc(&paths, sizeof(dir) + strlen(name) + 1);

	assert_non_null(path);
	sprintf(path, "%s/%s", dir, name);
	return path;
}

static void write_file(const char *name, const void *bytes, size_t n)
{
	FILE *f = fopen(in_dir(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static struct symbols *symbols_in_dir(const char *cache_dir)
{
	static const char *debug_dirs[2];
	struct symbols_opts o = { .buildid_dir = in_dir("buildid"), .cache_dir = cache_dir, .map_dir = dir };

	debug_dirs[0] = in_dir("debug");
	o.debug_dirs = debug_dirs;
	return symbols_new(&o);
}

static const char *name_at(struct symtab *t, uint64_t addr)
{
	uint32_t i = symtab_find(t, addr);

	return i == SYMTAB_NONE ? "-" : symtab_name(t, i);
}

static bool has(struct symtab *t, const char *name)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (!strcmp(symtab_name(t, i), name))
			return true;
	return false;
}

static struct binary binary_of(const char *name)
{
	struct binary b = { .kind = BINARY_FILE, .name = in_dir(name), .pid = -1 };

	return b;
}

static int remove_all(void **state)
{
	(void)state;
	arena_free(&paths);
	return run("rm -r %s", dir) ? -1 : 0;
}

#endif
