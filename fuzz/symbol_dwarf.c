/* SPDX-License-Identifier: MIT */
/* Any bytes as an ELF file with DWARF: the ranges and functions of its units. */
#include <string.h>

#include "elf_input.h"
#include "symbol/dwarf/dwarf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ranges are sorted, apart from each other, and inside those of the parent. */
static void look_at_node(const struct unit_tree *t, uint32_t i)
{
	const struct tree_node *n = &t->nodes.at[i], *parent = NULL;
	const struct tree_range *r = t->ranges.at + n->first_range;
	uint32_t in = 0;

	if (n->parent != TREE_NO_PARENT)
		parent = n->parent < i ? &t->nodes.at[n->parent] : (abort(), NULL);
	if (!n->nr_ranges || n->first_range + n->nr_ranges > t->ranges.n || (n->name && strlen(n->name) > SIZE_MAX / 2))
		abort();
	for (uint32_t k = 0; k < n->nr_ranges; k++) {
		if (r[k].start >= r[k].end || (k && r[k].start < r[k - 1].end))
			abort();
		while (parent && in < parent->nr_ranges && t->ranges.at[parent->first_range + in].end < r[k].end)
			in++;
		if (parent && (in == parent->nr_ranges || t->ranges.at[parent->first_range + in].start > r[k].start))
			abort();
	}
}

/* Addresses by the ranges of the units, and by the tables of the file, which may lie, until one of them does. */
static void look_up(const struct elf_file *f, struct dwarf *by_units)
{
	struct dwarf *by_table = dwarf_new(f, "", &(struct dwarf_opts){ 0 }, NULL);
	uint32_t units[UNITS_OF_ADDRESS_MAX];
	size_t nr_ranges;
	const struct unit_range *ranges = dwarf_unit_ranges(by_units, &nr_ranges);

	for (size_t i = 0; i < nr_ranges && i < 100; i++) {
		if (!dwarf_units_at(by_units, ranges[i].start, units))
			abort();
		for (size_t n = by_table ? dwarf_units_at(by_table, ranges[i].start, units) : 0; n-- > 0;)
			if (units[n] >= dwarf_nr_units(by_table))
				abort();
	}
	dwarf_free(by_table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file f;
	struct dwarf *d;
	struct unit_lines lines;

	if (elf_input_open(&f, data, size) < 0)
		return 0;
	d = dwarf_new(&f, "", &(struct dwarf_opts){ 0 }, NULL);
	for (uint32_t i = 0; d && i < dwarf_nr_units(d); i++) {
		struct unit_tree t = { 0 };

		dwarf_unit_tree(d, i, &t);
		for (uint32_t n = 0; n < t.nodes.n; n++)
			look_at_node(&t, n);
		unit_tree_free(&t);
		dwarf_unit_lines(d, i, &lines);
	}
	if (d)
		look_up(&f, d);
	dwarf_free(d);
	elf_file_close(&f);
	return 0;
}
