/* SPDX-License-Identifier: MIT */
/* opened_test.h - for tests: the DWARF of a program in the directory of a test. After cmocka.h. */
#ifndef SYMBOL_DWARF_OPENED_TEST_H
#define SYMBOL_DWARF_OPENED_TEST_H

#include "base/work_dir_test.h"
#include "symbol/dwarf/dwarf.h"

struct opened { struct elf_file elf; struct dwarf *dwarf; };

static void open_dwarf(struct opened *o, const char *name)
{
	struct sonde_error err = { 0 };
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(elf_file_open(&o->elf, path, &err), 0);
	o->dwarf = dwarf_new(&o->elf, path, &(struct dwarf_opts){ 0 }, &err);
	if (!o->dwarf)
		fail_msg("%s: %s", name, err.text);
}

static void close_dwarf(struct opened *o)
{
	dwarf_free(o->dwarf);
	elf_file_close(&o->elf);
}

static bool covers(const struct unit_tree *t, const struct tree_node *n, uint64_t addr)
{
	for (uint32_t i = 0; i < n->nr_ranges; i++)
		if (addr - t->ranges.at[n->first_range + i].start <
		    t->ranges.at[n->first_range + i].end - t->ranges.at[n->first_range + i].start)
			return true;
	return false;
}

#endif
