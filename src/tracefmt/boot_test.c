/* SPDX-License-Identifier: MIT */
/* Symbols of addresses from before the last boot, in each form that kernels have told them. */
#include "tracefmt/tracefmt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char kallsyms[] = "ffffffff81000000 T _text\nffffffff81000000 T startup_64\nffffffff81000100 T vfs_read\n"
			       "ffffffff81000200 T vfs_write\nffffffff81002000 B _end\n"
			       "ffffffffc0100000 t mod_first\t[mod]\nffffffffc0100040 t mod_second\t[mod]\n"
			       "ffffffffc0100080 t mod_last\t[mod]\n"
			       "ffffffffc0200000 t other_first\t[other]\nffffffffc0200100 t other_last\t[other]\n";
static const char modules[] = "mod 16384 1 - Live 0xffffffffc0100000\nother 16384 0 - Live 0xffffffffc0200000 (OE)\n"
			      "hidden 1 0 - Live 0x0000000000000000\nnonsense\n";

static int load(void *ctx, struct buf *out)
{
	(void)ctx;
	buf_put(out, kallsyms, sizeof(kallsyms) - 1);
	return 0;
}

static struct tracefmt *make(const char *info)
{
	struct tracefmt *t = tracefmt_new(false, 8);

	assert_non_null(t);
	tracefmt_symbols_from(t, load, NULL);
	assert_int_equal(tracefmt_add_modules(t, (struct sonde_str){ modules, sizeof(modules) - 1 }), 0);
	assert_int_equal(tracefmt_add_last_boot(t, "boot_map", (struct sonde_str){ info, strlen(info) }), 0);
	return t;
}

/* "name+0x12"; @want NULL: not known */
static void expect(const struct tracefmt *t, const char *buffer, uint64_t address, const char *want,
	uint64_t want_offset)
{
	struct sonde_str name;
	uint64_t offset;
	bool found = tracefmt_symbol(t, tracefmt_boot(t, buffer), address, &name, &offset);

	assert_int_equal(found, want != NULL);
	if (!want)
		return;
	assert_int_equal(name.len, strlen(want));
	assert_memory_equal(name.p, want, name.len);
	assert_int_equal(offset, want_offset);
}

static void test_places(void **state)
{
	/* in no order */
	struct tracefmt *t = make("ffffffffc0700000\tmod\nffffffff9b000000\t[kernel]\nffffffffc0800000\tgone\n");

	(void)state;
	expect(t, "boot_map", UINT64_C(0xffffffff9b000104), "vfs_read", 4);
	expect(t, "boot_map", UINT64_C(0xffffffff9b000200), "vfs_write", 0);
	expect(t, "boot_map", UINT64_C(0xffffffffc0700041), "mod_second", 1);
	/* a module that was not loaded again; addresses below everything, and between kernel and modules */
	expect(t, "boot_map", UINT64_C(0xffffffffc0800041), NULL, 0);
	expect(t, "boot_map", UINT64_C(0xffffffff81000104), NULL, 0);
	expect(t, "boot_map", UINT64_C(0xffffffffa0000000), NULL, 0);
	/* other buffers are of this boot */
	expect(t, "", UINT64_C(0xffffffff81000104), "vfs_read", 4);
	expect(t, "another", UINT64_C(0xffffffffc0100041), "mod_second", 1);
	tracefmt_free(t);
}

static void test_deltas(void **state)
{
	struct tracefmt *t = make("text delta:\t-436207616\ndata delta:\t-436207616\n");

	(void)state;
	expect(t, "boot_map", UINT64_C(0xffffffff9b000104), "vfs_read", 4);
	tracefmt_free(t);
	t = make("text delta:\t16777216\ndata delta:\t16777216\n");
	expect(t, "boot_map", UINT64_C(0xffffffff80000208), "vfs_write", 8);
	tracefmt_free(t);
}

static void test_of_this_boot(void **state)
{
	struct tracefmt *t = make("# Current\n");

	(void)state;
	assert_false(tracefmt_has_boots(t));
	expect(t, "boot_map", UINT64_C(0xffffffff81000104), "vfs_read", 4);
	tracefmt_free(t);
}

static void test_nonsense(void **state)
{
	static const char *const texts[] = { "", "\n\n", "[kernel]\n", "zz [kernel]\n", "text delta:\n",
		"text delta:\tfar\n",
					     "ffffffffffffffffffffffffffffffffffffffffffff [kernel]", "1\t" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct tracefmt *t = make(texts[i]);

		assert_false(tracefmt_has_boots(t));
		tracefmt_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_deltas),
		cmocka_unit_test(test_of_this_boot),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
