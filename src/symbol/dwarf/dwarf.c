/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/dwarf.h"

#include <stdlib.h>

#include "symbol/dwarf/code_units.h"
#include "symbol/dwarf/supplement.h"

struct dwarf {
	struct dwarf_paths paths;
	struct debug_file file;
	struct elf_file supplement_elf;
	struct debug_file supplement;    /* made by dwz */
	struct code_areas code;
	struct missing_parts missing;
	struct code_units units;
	struct unit_ranges ranges;
};

/* Without the file that dwz made, most functions have no names, but their ranges are there. */
static int open_supplement(struct dwarf *d, const struct elf_file *debug)
{
	if (supplement_open(&d->supplement_elf, debug, &d->paths, &d->missing) < 0)
		return 0;
	debug_file_open(&d->supplement, &d->supplement_elf, "");
	d->file.supplement = &d->supplement;
	return debug_file_read_units(&d->supplement);
}

struct dwarf *dwarf_new(const struct elf_file *debug, const char *path, const struct dwarf_opts *opts,
			struct sonde_error *err)
{
	struct dwarf *d = calloc(1, sizeof(*d));

	if (!d) {
		err_nomem(err);
		return NULL;
	}
	debug_file_open(&d->file, debug, "");
	missing_parts_init(&d->missing);
	code_units_init(&d->units, &d->file, &d->code, &d->paths, &d->missing);
	unit_ranges_init(&d->ranges, &d->units);
	if (dwarf_paths_init(&d->paths, path, opts) < 0 || code_areas_find(&d->code, debug) < 0 ||
	    open_supplement(d, debug) < 0 || code_units_find(&d->units) < 0)
		err_nomem(err);
	else if (code_units_any_readable(&d->units))
		return d;
	else
		err_set(err, SONDE_MISSING, SONDE_NONE, "has no DWARF units");
	dwarf_free(d);
	return NULL;
}

void dwarf_free(struct dwarf *d)
{
	if (!d)
		return;
	unit_ranges_free(&d->ranges);
	code_units_free(&d->units);
	missing_parts_free(&d->missing);
	code_areas_free(&d->code);
	debug_file_close(&d->file);
	debug_file_close(&d->supplement);
	if (d->supplement_elf.elf)
		elf_file_close(&d->supplement_elf);
	dwarf_paths_free(&d->paths);
	free(d);
}

const struct missing_parts *dwarf_missing_parts(const struct dwarf *d)
{
	return &d->missing;
}

uint32_t dwarf_nr_units(const struct dwarf *d)
{
	return (uint32_t)d->units.list.n;
}

const struct unit_range *dwarf_unit_ranges(struct dwarf *d, size_t *n)
{
	return unit_ranges_own(&d->ranges, n);
}

size_t dwarf_units_at(struct dwarf *d, uint64_t addr, uint32_t units[UNITS_OF_ADDRESS_MAX])
{
	return unit_ranges_at(&d->ranges, addr, units);
}

int dwarf_unit_tree(struct dwarf *d, uint32_t unit, struct unit_tree *tree)
{
	return code_unit_tree(&d->units, unit, tree);
}

/* Loads a line program, by the length that it begins with. */
static bool load_lines(struct debug_sections *s, uint64_t offset)
{
	struct debug_bytes b = debug_sections_place(s, DEBUG_LINE);
	struct dwarf_scan scan = scan_from(b.p, b.n, offset, s->swap);
	uint64_t before = scan_left(&scan) < 12 ? scan_left(&scan) : 12, length;
	uint8_t offset_size;

	if (scan.failed || !debug_sections_load(s, DEBUG_LINE, offset, before))
		return false;
	length = scan_length(&scan, &offset_size);
	return !scan.failed && debug_sections_load(s, DEBUG_LINE, (uint64_t)(scan.p - b.p), length);
}

const char *dwarf_unit_dir(struct dwarf *d, uint32_t unit)
{
	const struct unit *u = d->units.list.at[unit].unit;

	return code_unit_is_readable(&d->units, unit) ? die_string(u, &u->die, ATTR_COMP_DIR) : NULL;
}

void dwarf_unit_lines(struct dwarf *d, uint32_t unit, struct unit_lines *lines)
{
	const struct unit *u = d->units.list.at[unit].unit;
	struct debug_sections *s = &d->file.sections;
	bool known = code_unit_is_readable(&d->units, unit);
	uint64_t offset = known && DIE_HAS(&u->die, ATTR_STMT_LIST) ? u->die.value[ATTR_STMT_LIST] : UINT64_MAX;

	*lines = (struct unit_lines){
		.strings = s, .sup_strings = d->file.supplement ? &d->supplement.sections : NULL,
		.line = debug_sections_place(s, DEBUG_LINE), .offset = load_lines(s, offset) ? offset : UINT64_MAX,
		.swap = s->swap, .address_size = u->sizes.address,
		.comp_dir = dwarf_unit_dir(d, unit),
	};
}

void dwarf_load_all(struct dwarf *d)
{
	debug_sections_get(&d->file.sections, DEBUG_INFO);
	debug_sections_get(&d->file.sections, DEBUG_LINE);
	debug_sections_get(&d->file.sections, DEBUG_STR);
	debug_sections_get(&d->supplement.sections, DEBUG_INFO);
	debug_sections_get(&d->supplement.sections, DEBUG_STR);
}

bool dwarf_is_code(const struct dwarf *d, uint64_t addr)
{
	return code_areas_at(&d->code, addr);
}
