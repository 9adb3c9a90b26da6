/* SPDX-License-Identifier: MIT */
#include "symbol/types/dwarf.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

/* Namespaces within namespaces: more are not looked into. */
enum { NAMESPACES_MAX = 16 };

static int by_start(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));  /* each range begins with its start */
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

#define SORT(v) ((v)->n ? qsort((v)->at, (v)->n, sizeof(*(v)->at), by_start) : (void)0)

/* The last range that begins at or before an address; SIZE_MAX: there is none. */
#define LAST_BEFORE(v, addr) (sorted_nr_at_most((v)->at, (v)->n, start, addr) - 1)

/* Ranges may overlap: of those that begin before an address this many are looked at. */
enum { OVERLAPS_MAX = 64 };

static int add_unit(struct types_dwarf *d, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0, next;

	if (vec_push(&d->units, ((struct types_unit){ .die = *die })) < 0)
		return -SONDE_NOMEM;
	while ((next = dwarf_ranges(die, at, &base, &start, &end)) > at) {
		at = next;
		if (start < end && vec_push(&d->unit_ranges, ((struct types_unit_range){
								start, end, (uint32_t)d->units.n - 1 })) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static int index_units(struct types_dwarf *d)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die die;
	int r = 0;

	while (r == 0 && dwarf_nextcu(d->dw, at, &next, &header, NULL, NULL, NULL) == 0 && next > at) {
		if (dwarf_offdie(d->dw, at + header, &die))
			r = add_unit(d, &die);
		at = next;
	}
	SORT(&d->unit_ranges);
	return r;
}

static uint64_t size_of_section(const struct elf_file *f, const char *name)
{
	GElf_Shdr shdr;

	return elf_file_section(f, name, &shdr) ? shdr.sh_size : 0;
}

int types_dwarf_open(struct types_dwarf *d, const struct elf_file *code, const struct elf_file *debug)
{
	int r = -SONDE_MISSING;

	*d = (struct types_dwarf){ .dw = dwarf_begin_elf(debug->elf, DWARF_C_READ, NULL) };
	if (d->dw) {
		d->cfa_steps = 16 + (size_of_section(debug, ".debug_frame") + size_of_section(code, ".eh_frame")) / 256;
		d->debug_frame = dwarf_getcfi(d->dw);
		d->eh_frame = dwarf_getcfi_elf(code->elf);
		r = index_units(d);
	}
	if (r < 0)
		types_dwarf_close(d);
	return r;
}

void types_dwarf_close(struct types_dwarf *d)
{
	for (size_t i = 0; i < d->units.n; i++) {
		vec_free(&d->units.at[i].functions);
		vec_free(&d->units.at[i].names);
	}
	vec_free(&d->units);
	vec_free(&d->unit_ranges);
	vec_free(&d->globals);
	dwarf_cfi_end(d->eh_frame);
	dwarf_end(d->dw);
	*d = (struct types_dwarf){ 0 };
}

struct types_unit *types_dwarf_unit_at(struct types_dwarf *d, uint64_t addr)
{
	size_t last = LAST_BEFORE(&d->unit_ranges, addr);

	for (size_t i = last, n = 0; i != SIZE_MAX && n < OVERLAPS_MAX; i--, n++)
		if (addr < d->unit_ranges.at[i].end)
			return &d->units.at[d->unit_ranges.at[i].unit];
	return NULL;
}

static int add_function(struct types_unit *unit, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0, next;

	while ((next = dwarf_ranges(die, at, &base, &start, &end)) > at) {
		at = next;
		if (start < end && vec_push(&unit->functions,
					    ((struct types_range){ start, end, dwarf_dieoffset(die) })) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static int add_named(struct types_unit *unit, Dwarf_Die *die, int tag)
{
	const char *name = dwarf_diename(die);

	if (name && vec_push(&unit->names, ((struct types_name){ name, tag, dwarf_dieoffset(die) })) < 0)
		return -SONDE_NOMEM;
	return tag == DW_TAG_subprogram ? add_function(unit, die) : 0;
}

static int compare_name(const struct types_name *a, const char *name, int tag)
{
	int r = strcmp(a->name, name);

	return r ? r : a->tag - tag;
}

static int by_name(const void *a, const void *b)
{
	const struct types_name *x = a, *y = b;
	int r = compare_name(x, y->name, y->tag);

	return r ? r : (x->die > y->die) - (x->die < y->die);
}

/* seen: the last entry; the file must not lead back. */
static int index_functions(struct types_unit *unit, Dwarf_Die *parent, int depth, Dwarf_Off *seen)
{
	Dwarf_Die die;
	int r = 0;
	bool more;

	for (more = die_first(parent, &die); more && r == 0 && dwarf_dieoffset(&die) > *seen; more = die_next(&die)) {
		int tag = dwarf_tag(&die);

		*seen = dwarf_dieoffset(&die);
		if (tag == DW_TAG_subprogram || tag == DW_TAG_variable)
			r = add_named(unit, &die, tag);
		else if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < NAMESPACES_MAX)
			r = index_functions(unit, &die, depth + 1, seen);
	}
	return r;
}

static void index_unit(struct types_unit *unit)
{
	Dwarf_Off seen = 0;

	if (unit->indexed)
		return;
	unit->indexed = true;
	if (index_functions(unit, &unit->die, 0, &seen) < 0)
		unit->functions.n = unit->names.n = 0;
	SORT(&unit->functions);
	if (unit->names.n)
		qsort(unit->names.at, unit->names.n, sizeof(*unit->names.at), by_name);
}

bool types_dwarf_function_at(struct types_dwarf *d, struct types_unit *unit, uint64_t addr, Dwarf_Die *function)
{
	size_t last;

	index_unit(unit);
	last = LAST_BEFORE(&unit->functions, addr);
	for (size_t i = last, n = 0; i != SIZE_MAX && n < OVERLAPS_MAX; i--, n++)
		if (addr < unit->functions.at[i].end)
			return dwarf_offdie(d->dw, unit->functions.at[i].die, function) != NULL;
	return false;
}

/* As perf has it, typedefs of globals are resolved. */
static int add_global(struct types_dwarf *d, Dwarf_Die *die)
{
	uint64_t addr, size;
	Dwarf_Die type;

	if (!variable_address(die, &addr) || !die_type(die, &type) || !die_real(&type, &type))
		return 0;
	size = die_size(&type);
	if (!size || addr + size < addr)
		return 0;
	return vec_push(&d->globals, ((struct types_global){ addr, addr + size, type }));
}

static int index_globals(struct types_dwarf *d, Dwarf_Die *parent, int depth, Dwarf_Off *seen)
{
	Dwarf_Die die;
	int r = 0;
	bool more;

	for (more = die_first(parent, &die); more && r == 0 && dwarf_dieoffset(&die) > *seen; more = die_next(&die)) {
		int tag = dwarf_tag(&die);

		*seen = dwarf_dieoffset(&die);
		if (tag == DW_TAG_variable)
			r = add_global(d, &die);
		else if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < NAMESPACES_MAX)
			r = index_globals(d, &die, depth + 1, seen);
	}
	return r;
}

bool types_dwarf_global_at(struct types_dwarf *d, uint64_t addr, Dwarf_Die *type, int64_t *offset)
{
	Dwarf_Off seen = 0;
	size_t last;

	for (size_t i = 0; i < d->units.n && !d->globals_indexed; i++)
		if (index_globals(d, &d->units.at[i].die, 0, &seen) < 0)
			break;
	if (!d->globals_indexed)
		SORT(&d->globals);
	d->globals_indexed = true;
	last = LAST_BEFORE(&d->globals, addr);
	for (size_t i = last, n = 0; i != SIZE_MAX && n < OVERLAPS_MAX; i--, n++) {
		const struct types_global *g = &d->globals.at[i];

		if (addr >= g->end)
			continue;
		*type = g->type;
		*offset = (int64_t)(addr - g->start);
		return true;
	}
	return false;
}

bool types_dwarf_named_type(struct types_dwarf *d, struct types_unit *unit, int tag, const char *name, Dwarf_Die *type)
{
	size_t low = 0, high;
	Dwarf_Die die;

	index_unit(unit);
	for (high = unit->names.n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (compare_name(&unit->names.at[middle], name, tag) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < unit->names.n && compare_name(&unit->names.at[low], name, tag) == 0 &&
	       dwarf_offdie(d->dw, unit->names.at[low].die, &die) && die_type(&die, type);
}

static bool cfa_in(Dwarf_CFI *cfi, uint64_t addr, struct types_dwarf *d)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start, end;
	Dwarf_Op *ops;
	bool found = false;
	size_t n;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &frame) != 0)
		return false;
	if (dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1 && dwarf_frame_info(frame, &start, &end, NULL) >= 0) {
		found = true;
		d->cfa.start = start;
		d->cfa.end = end;
		if (ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31)
			d->cfa.frame = (struct types_frame){ ops->atom - DW_OP_breg0, (int64_t)ops->number };
		else if (ops->atom == DW_OP_bregx)
			d->cfa.frame = (struct types_frame){ (int)ops->number, (int64_t)ops->number2 };
		else
			found = false;
	}
	free(frame);
	return found;
}

/* Compilers write .debug_frame where there is no .eh_frame; a file may have both, each of some functions. */
bool types_dwarf_cfa_at(struct types_dwarf *d, uint64_t addr, struct types_frame *frame)
{
	if (addr < d->cfa.start || addr >= d->cfa.end) {
		if (!die_work(&d->work, d->cfa_steps))
			return false;
		d->cfa.start = addr;
		d->cfa.end = addr + 1;
		d->cfa.known = cfa_in(d->debug_frame, addr, d) || cfa_in(d->eh_frame, addr, d);
	}
	*frame = d->cfa.frame;
	return d->cfa.known;
}
