/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/range_list.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "symbol/elf/module_layout.h"

static int by_start(const void *a, const void *b)
{
	const struct tree_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Sorts ranges and joins those that overlap or touch. Lists are mostly sorted already. */
static size_t tidy(struct tree_range *r, size_t n)
{
	size_t kept = 0;

	for (size_t i = 1; i < n; i++)
		if (by_start(&r[i - 1], &r[i]) > 0) {
			qsort(r, n, sizeof(*r), by_start);
			break;
		}
	for (size_t i = 0; i < n; i++) {
		if (!kept || r[i].start > r[kept - 1].end)
			r[kept++] = r[i];
		else if (r[i].end > r[kept - 1].end)
			r[kept - 1].end = r[i].end;
	}
	return kept;
}

static int add_area(struct code_areas *c, uint64_t start, uint64_t size)
{
	struct tree_range r = { start, start + size };

	return r.end > start ? vec_push(&c->areas, r) : 0;
}

static int find_module_areas(struct code_areas *c, const struct elf_file *f)
{
	struct module_layout l;
	GElf_Shdr sh;
	int r = module_layout_read(&l, f);

	for (Elf_Scn *scn = NULL; r == 0 && (scn = elf_nextscn(f->elf, scn));)
		if (module_layout_is_code(&l, elf_ndxscn(scn)) && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR)
			r = add_area(c, l.at[elf_ndxscn(scn)], sh.sh_size);
	module_layout_free(&l);
	c->areas.n = tidy(c->areas.at, c->areas.n);
	return r;
}

int code_areas_find(struct code_areas *c, const struct elf_file *f)
{
	const uint64_t flags = SHF_ALLOC | SHF_EXECINSTR;
	GElf_Shdr sh;
	GElf_Phdr ph;
	size_t n;
	int r = 0;

	*c = (struct code_areas){ 0 };
	if (f->ehdr.e_type == ET_REL)
		return find_module_areas(c, f);
	for (Elf_Scn *scn = NULL; r == 0 && (scn = elf_nextscn(f->elf, scn));)
		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & flags) == flags)
			r = add_area(c, sh.sh_addr, sh.sh_size);
	if (c->areas.n == 0 && elf_getphdrnum(f->elf, &n) == 0)
		for (size_t i = 0; r == 0 && i < n && i < INT32_MAX; i++)
			if (gelf_getphdr(f->elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X)
				r = add_area(c, ph.p_vaddr, ph.p_memsz);
	c->areas.n = tidy(c->areas.at, c->areas.n);
	return r;
}

void code_areas_free(struct code_areas *c)
{
	vec_free(&c->areas);
}

const struct tree_range *code_areas_at(const struct code_areas *c, uint64_t addr)
{
	size_t n = sorted_nr_at_most(c->areas.at, c->areas.n, start, addr);

	return n && addr < c->areas.at[n - 1].end ? &c->areas.at[n - 1] : NULL;
}

int range_list_add(struct range_list *l, const struct code_areas *code, uint64_t start, uint64_t end)
{
	const struct tree_range *area;
	struct tree_range range = { start, end };

	if (range.start >= range.end || !(area = code_areas_at(code, range.start)))
		return 0;
	if (range.end > area->end)
		range.end = area->end;
	return vec_push(&l->ranges, range);
}

void range_list_tidy(struct range_list *l)
{
	l->ranges.n = tidy(l->ranges.at, l->ranges.n);
}

struct range_reading {
	struct range_list *list;
	const struct unit *unit;
	const struct code_areas *code;
	uint64_t *budget;
	uint64_t mask;               /* of an address */
	uint64_t base;
};

static int add(struct range_reading *r, uint64_t start, uint64_t end)
{
	return range_list_add(r->list, r->code, start & r->mask, end & r->mask);
}

static bool may_go_on(struct range_reading *r)
{
	if (!*r->budget)
		return false;
	--*r->budget;
	return true;
}

/* Pairs of addresses, relative to the base; an address of all ones sets the base; two zeros end the list. */
static int read_ranges(struct range_reading *r, uint64_t offset)
{
	struct debug_file *file = r->unit->addresses;
	struct debug_bytes b = debug_sections_get(&file->sections, DEBUG_RANGES);
	struct dwarf_scan s = scan_from(b.p, b.n, offset, file->sections.swap);
	unsigned size = r->unit->sizes.address;
	int e = 0;

	while (e == 0) {
		uint64_t start = scan_uint(&s, size), end = scan_uint(&s, size);

		if (s.failed || (!start && !end))
			break;
		if (!may_go_on(r))
			return -SONDE_CORRUPT;
		if (start == r->mask)
			r->base = end;
		else
			e = add(r, r->base + start, r->base + end);
	}
	return e;
}

/* One entry of a list of DWARF 5. 1: more may follow; 0: the end. */
static int read_rnglist_entry(struct range_reading *r, struct dwarf_scan *s)
{
	unsigned size = r->unit->sizes.address;
	uint64_t a, b;
	int e = 0;

	switch (scan_u8(s)) {
	case DW_RLE_base_addressx:
		unit_indexed_address(r->unit, scan_uleb(s), &r->base);
		break;
	case DW_RLE_startx_endx:
		a = scan_uleb(s);
		b = scan_uleb(s);
		if (unit_indexed_address(r->unit, a, &a) && unit_indexed_address(r->unit, b, &b))
			e = add(r, a, b);
		break;
	case DW_RLE_startx_length:
		a = scan_uleb(s);
		b = scan_uleb(s);
		if (unit_indexed_address(r->unit, a, &a))
			e = add(r, a, a + b);
		break;
	case DW_RLE_offset_pair:
		a = scan_uleb(s);
		e = add(r, r->base + a, r->base + scan_uleb(s));
		break;
	case DW_RLE_base_address:
		r->base = scan_uint(s, size);
		break;
	case DW_RLE_start_end:
		a = scan_uint(s, size);
		e = add(r, a, scan_uint(s, size));
		break;
	case DW_RLE_start_length:
		a = scan_uint(s, size);
		e = add(r, a, a + scan_uleb(s));
		break;
	default:
		return 0;
	}
	return e < 0 ? e : !s->failed;
}

static int read_rnglist(struct range_reading *r, uint64_t offset)
{
	struct debug_file *file = r->unit->file;
	struct debug_bytes b = debug_sections_get(&file->sections, DEBUG_RNGLISTS);
	struct dwarf_scan s = scan_from(b.p, b.n, offset, file->sections.swap);
	int e;

	do {
		if (!may_go_on(r))
			return -SONDE_CORRUPT;
		e = s.failed ? 0 : read_rnglist_entry(r, &s);
	} while (e > 0);
	return e;
}

/* The offset of the list with a number, by the table that follows the header of the unit's lists. */
static bool rnglist_offset(const struct unit *u, uint64_t index, uint64_t *offset)
{
	struct debug_bytes b = debug_sections_get(&u->file->sections, DEBUG_RNGLISTS);
	unsigned size = u->sizes.offset;

	if (u->rnglists_base > b.n || index >= (b.n - u->rnglists_base) / size)
		return false;
	*offset = u->rnglists_base + load_integer(b.p + u->rnglists_base + index * size, size, false,
						  u->file->sections.swap);
	return true;
}

static int read_attribute(struct range_reading *r, const struct die *die)
{
	uint64_t value = die->value[ATTR_RANGES];

	if (die->form[ATTR_RANGES] == DW_FORM_rnglistx && !rnglist_offset(r->unit, value, &value))
		return 0;
	return r->unit->version >= 5 ? read_rnglist(r, value) : read_ranges(r, value + r->unit->ranges_base);
}

static int read_low_high(struct range_reading *r, const struct die *die)
{
	uint64_t low, high;

	if (!die_address(r->unit, die, ATTR_LOW_PC, &low) || !DIE_HAS(die, ATTR_HIGH_PC))
		return 0;
	if (!die_address(r->unit, die, ATTR_HIGH_PC, &high))
		high = low + die->value[ATTR_HIGH_PC];
	return may_go_on(r) ? add(r, low, high) : -SONDE_CORRUPT;
}

int range_list_read(struct range_list *l, const struct unit *u, const struct die *die, const struct code_areas *code,
		    uint64_t *budget)
{
	struct range_reading r = { .list = l, .unit = u, .code = code, .budget = budget, .base = u->low_pc,
			     .mask = UINT64_MAX >> (64 - 8 * u->sizes.address) };
	int e;

	l->ranges.n = 0;
	e = DIE_HAS(die, ATTR_RANGES) ? read_attribute(&r, die) : read_low_high(&r, die);
	range_list_tidy(l);
	return e;
}
