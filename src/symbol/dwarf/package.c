/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/package.h"

#include <stdlib.h>

bool package_open(struct package *p, const char *path)
{
	*p = (struct package){ 0 };
	if (elf_file_open(&p->elf, path, NULL) < 0)
		return false;
	debug_sections_open(&p->sections, &p->elf, ".dwo");
	if (debug_sections_get(&p->sections, DEBUG_CU_INDEX).n)
		return true;
	package_close(p);
	return false;
}

void package_close(struct package *p)
{
	if (!package_is_open(p))
		return;
	debug_sections_close(&p->sections);
	elf_file_close(&p->elf);
}

struct cu_index {
	struct dwarf_scan tables;    /* from the hashes on */
	uint32_t version, columns, units, slots;
};

/* The header; false: damaged. */
static bool read_index(struct package *p, struct cu_index *x)
{
	struct debug_bytes b = debug_sections_get(&p->sections, DEBUG_CU_INDEX);
	struct dwarf_scan s = scan_from(b.p, b.n, 0, p->sections.swap);

	x->version = (uint32_t)scan_uint(&s, 4);
	if (x->version != 2) {  /* of 2 bytes, and padding */
		s = scan_from(b.p, b.n, 0, p->sections.swap);
		x->version = (uint32_t)scan_uint(&s, 2);
		scan_skip(&s, 2);
	}
	x->columns = (uint32_t)scan_uint(&s, 4);
	x->units = (uint32_t)scan_uint(&s, 4);
	x->slots = (uint32_t)scan_uint(&s, 4);
	x->tables = s;
	return !s.failed && (x->version == 2 || x->version == 5) && x->slots && !(x->slots & (x->slots - 1)) &&
	       x->slots <= scan_left(&s) / 12 &&
	       x->columns <= 16 && x->units <= scan_left(&s);
}

/* The row of a unit in the tables of offsets and sizes, from 1; 0: there is none. */
static uint32_t find_row(const struct cu_index *x, uint64_t id)
{
	const uint8_t *hashes = x->tables.p, *rows = hashes + 8 * (size_t)x->slots;
	uint64_t mask = x->slots - 1, slot = id & mask, step = (id >> 32 & mask) | 1;
	uint32_t row;

	for (uint32_t i = 0; i < x->slots; i++, slot = (slot + step) & mask) {
		row = load_u32(rows + 4 * slot, x->tables.swap);
		if (!row || load_u64(hashes + 8 * slot, x->tables.swap) == id)
			return row <= x->units ? row : 0;
	}
	return 0;
}

/* The section that a column has parts of; NR_DEBUG_SECTIONS: none that is used. */
static enum debug_section section_of(uint32_t number, uint32_t version)
{
	switch (number) {
	case DW_SECT_INFO:
		return DEBUG_INFO;
	case DW_SECT_ABBREV:
		return DEBUG_ABBREV;
	case DW_SECT_STR_OFFSETS:
		return DEBUG_STR_OFFSETS;
	case DW_SECT_RNGLISTS:  /* of macros in version 2 */
		return version == 5 ? DEBUG_RNGLISTS : NR_DEBUG_SECTIONS;
	default:
		return NR_DEBUG_SECTIONS;
	}
}

static uint32_t table_u32(const struct cu_index *x, uint64_t at)
{
	struct dwarf_scan s = x->tables;

	scan_skip(&s, at);
	return (uint32_t)scan_uint(&s, 4);
}

int package_unit(struct package *p, uint64_t id, struct debug_file *file)
{
	struct cu_index x;
	uint32_t row = read_index(p, &x) ? find_row(&x, id) : 0;
	uint64_t numbers, offsets, sizes;
	enum debug_section which;

	if (!row)
		return -SONDE_MISSING;
	numbers = 12 * (uint64_t)x.slots;
	offsets = numbers + 4 * (uint64_t)x.columns * row;  /* a row of numbers, then those of the units */
	sizes = offsets + 4 * (uint64_t)x.columns * x.units;
	debug_file_begin(file, &p->sections);
	for (uint64_t at = 0; at < 4 * (uint64_t)x.columns; at += 4) {
		which = section_of(table_u32(&x, numbers + at), x.version);
		if (which < NR_DEBUG_SECTIONS)
			debug_sections_add_part(&file->sections, which, &p->sections, table_u32(&x, offsets + at),
						table_u32(&x, sizes + at));
	}
	debug_sections_share(&file->sections, DEBUG_STR, &p->sections);
	return 0;
}
