/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/unit.h"

#include <stdlib.h>

#include "base/sorted.h"

void debug_file_open(struct debug_file *d, const struct elf_file *f, const char *suffix)
{
	*d = (struct debug_file){ 0 };
	pthread_mutex_init(&d->lock, NULL);
	pthread_mutex_init(&d->first_lock, NULL);
	debug_sections_open(&d->sections, f, suffix);
}

void debug_file_begin(struct debug_file *d, const struct debug_sections *like)
{
	*d = (struct debug_file){ 0 };
	pthread_mutex_init(&d->lock, NULL);
	pthread_mutex_init(&d->first_lock, NULL);
	debug_sections_begin(&d->sections, like);
}

void debug_file_close(struct debug_file *d)
{
	for (size_t i = 0; i < d->tables.n; i++)
		abbrev_table_free(d->tables.at[i].table);
	vec_free(&d->tables);
	hash_index_free(&d->tables_index);
	for (size_t i = 0; i < d->units.n; i++)
		free(d->units.at[i].scopes);
	vec_free(&d->units);
	u64map_free(&d->first_seen);
	if (d->sections.open) {
		pthread_mutex_destroy(&d->lock);
		pthread_mutex_destroy(&d->first_lock);
	}
	debug_sections_close(&d->sections);
	*d = (struct debug_file){ 0 };
}

static struct dwarf_scan abbrev_scan(const struct unit *u)
{
	struct debug_bytes b = debug_sections_get(&u->file->sections, DEBUG_ABBREV);

	return scan_from(b.p, b.n, u->abbrev_offset, u->file->sections.swap);
}

static struct abbrev_table *compile(struct debug_file *d, const struct unit *u)
{
	struct abbrev_table *t;
	struct dwarf_scan s = abbrev_scan(u);
	size_t used;

	if (s.failed || !d->abbrev_bytes)
		return NULL;
	if (scan_left(&s) > d->abbrev_bytes)
		s.end = s.p + d->abbrev_bytes;
	t = abbrev_table_new(s, &u->sizes, 0, &used);
	d->abbrev_bytes -= used;
	return t;
}

static struct abbrev_table *find_table(struct debug_file *d, const struct unit *u)
{
	uint64_t sizes = (uint64_t)u->sizes.address << 16 | (uint64_t)u->sizes.offset << 8 | u->sizes.ref_addr;
	uint64_t hash = hash_two(hash_index_seed(&d->tables_index) ^ sizes, u->abbrev_offset);
	struct abbrev_key key = { .offset = u->abbrev_offset, .sizes = u->sizes };
	uint32_t i;

	hash_index_each(&d->tables_index, hash, i)
		if (d->tables.at[i].offset == u->abbrev_offset &&
		    !memcmp(&d->tables.at[i].sizes, &u->sizes, sizeof(u->sizes)))
			return d->tables.at[i].table;
	key.table = compile(d, u);
	if (!key.table)
		return NULL;
	if (vec_push(&d->tables, key) < 0) {
		abbrev_table_free(key.table);
		return NULL;
	}
	/* without a place in the index it is compiled again, until the bytes are used up */
	hash_index_add(&d->tables_index, hash, (uint32_t)d->tables.n - 1);
	return key.table;
}

const struct abbrev_table *unit_abbrevs(struct unit *u)
{
	struct abbrev_table *t = __atomic_load_n(&u->abbrevs, __ATOMIC_ACQUIRE);

	if (t)
		return t;
	pthread_mutex_lock(&u->file->lock);
	t = find_table(u->file, u);
	pthread_mutex_unlock(&u->file->lock);
	__atomic_store_n(&u->abbrevs, t, __ATOMIC_RELEASE);
	return t;
}

struct dwarf_scan unit_scan(struct unit *u, uint64_t offset)
{
	struct debug_sections *of = &u->file->sections;
	struct debug_bytes b = debug_sections_place(of, DEBUG_INFO);

	if (offset < u->first || u->end > b.n)
		return (struct dwarf_scan){ .failed = true };
	if (!__atomic_load_n(&u->loaded, __ATOMIC_ACQUIRE)) {
		if (!debug_sections_load(of, DEBUG_INFO, u->offset, u->end - u->offset))
			return (struct dwarf_scan){ .failed = true };
		__atomic_store_n(&u->loaded, true, __ATOMIC_RELEASE);
	}
	return scan_from(b.p, (size_t)u->end, offset, of->swap);
}

void die_read(struct die *die, struct dwarf_scan *s, const struct unit *u, const struct abbrev_table *t,
	      const struct abbrev *a)
{
	const struct abbrev_step *step = t->steps.at + a->first_step, *end = step + a->nr_steps;

	die->abbrev = a;
	die->present = 0;
	for (; step < end; step++) {
		uint16_t form = step->form;

		scan_skip(s, step->skip);
		if (step->attr == ATTR_NONE) {
			if (form)
				form_skip(s, form, &u->sizes);
			continue;
		}
		die->value[step->attr] = step->size ? scan_uint(s, (unsigned)step->size) :
					 form == DW_FORM_implicit_const ? (uint64_t)step->implicit :
									  form_read(s, &form, &u->sizes);
		die->form[step->attr] = form;
		die->present |= 1u << step->attr;
	}
	if (s->failed)
		die->present = 0;
}

uint64_t die_skip(struct dwarf_scan *s, const struct unit *u, const struct abbrev_table *t, const struct abbrev *a)
{
	const struct abbrev_step *step = t->steps.at + a->first_step, *end = step + a->nr_steps;
	uint64_t sibling = 0;

	for (; step < end; step++) {
		uint16_t form = step->form;

		scan_skip(s, step->skip);
		if (step->attr == ATTR_SIBLING && form != DW_FORM_ref_addr)
			sibling = u->offset + form_read(s, &form, &u->sizes);
		else if (form)
			form_skip(s, form, &u->sizes);
	}
	return sibling;
}

bool die_at(struct die *die, struct unit *u, uint64_t offset)
{
	const struct abbrev_table *t = unit_abbrevs(u);
	struct dwarf_scan s = unit_scan(u, offset);
	const struct abbrev *a = t && !s.failed ? abbrev_find(t, scan_uleb(&s)) : NULL;

	if (!a)
		return false;
	die_read(die, &s, u, t, a);
	die->offset = offset;
	return !s.failed;
}

struct unit *debug_file_unit(const struct debug_file *d, uint64_t offset)
{
	size_t n = sorted_nr_at_most(d->units.at, d->units.n, offset, offset);

	return n && offset < d->units.at[n - 1].end && unit_ready(&d->units.at[n - 1]) ? &d->units.at[n - 1] : NULL;
}

bool die_referred(const struct unit *u, const struct die *die, enum die_attr attr, struct unit **to, uint64_t *offset)
{
	const struct debug_file *file = u->file;
	uint64_t value = die->value[attr];

	if (!DIE_HAS(die, attr))
		return false;
	switch (die->form[attr]) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*offset = u->offset + value;
		*to = (struct unit *)(uintptr_t)u;
		return value < u->end - u->offset;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		file = file->supplement;
		break;
	case DW_FORM_ref_addr:
		break;
	default:
		return false;
	}
	*offset = value;
	*to = file ? debug_file_unit(file, value) : NULL;
	return *to != NULL;
}

/* A number of a table: NULL if it is not there. */
static const uint8_t *table_entry(struct debug_bytes b, uint64_t base, uint64_t index, unsigned size)
{
	return base <= b.n && index < (b.n - base) / size ? b.p + base + index * size : NULL;
}

static const char *indexed_string(const struct unit *u, uint64_t index)
{
	struct debug_bytes b = debug_sections_get(&u->file->sections, DEBUG_STR_OFFSETS);
	const uint8_t *p = table_entry(b, u->str_offsets_base, index, u->sizes.offset);

	return p ? debug_sections_string(&u->file->sections, DEBUG_STR,
					 load_integer(p, u->sizes.offset, false, u->file->sections.swap)) : NULL;
}

const char *die_string(const struct unit *u, const struct die *die, enum die_attr attr)
{
	uint64_t value = die->value[attr];

	if (!DIE_HAS(die, attr))
		return NULL;
	switch (die->form[attr]) {
	case DW_FORM_string:
		return (const char *)(uintptr_t)value;
	case DW_FORM_strp:
		return debug_sections_string(&u->file->sections, DEBUG_STR, value);
	case DW_FORM_line_strp:
		return debug_sections_string(&u->file->sections, DEBUG_LINE_STR, value);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return u->file->supplement ?
			debug_sections_string(&u->file->supplement->sections, DEBUG_STR, value) : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_string(u, value);
	default:
		return NULL;
	}
}

bool unit_indexed_address(const struct unit *u, uint64_t index, uint64_t *addr)
{
	struct debug_bytes b = debug_sections_get(&u->addresses->sections, DEBUG_ADDR);
	const uint8_t *p = table_entry(b, u->addr_base, index, u->sizes.address);

	if (p)
		*addr = load_integer(p, u->sizes.address, false, u->addresses->sections.swap);
	return p;
}

bool die_address(const struct unit *u, const struct die *die, enum die_attr attr, uint64_t *addr)
{
	if (!DIE_HAS(die, attr))
		return false;
	switch (die->form[attr]) {
	case DW_FORM_addr:
		*addr = die->value[attr];
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return unit_indexed_address(u, die->value[attr], addr);
	default:
		return false;
	}
}

/* The fields after the length; false: nothing of it is of use. */
static bool read_header(struct unit *u, struct dwarf_scan *s)
{
	u->version = (uint16_t)scan_uint(s, 2);
	u->type = DW_UT_compile;
	if (u->version < 2 || u->version > 5)
		return false;
	if (u->version == 5) {
		u->type = scan_u8(s);
		u->sizes.address = scan_u8(s);
		u->abbrev_offset = scan_uint(s, u->sizes.offset);
		if (u->type == DW_UT_skeleton || u->type == DW_UT_split_compile)
			u->id = scan_uint(s, 8);
	} else {
		u->abbrev_offset = scan_uint(s, u->sizes.offset);
		u->sizes.address = scan_u8(s);
	}
	u->sizes.ref_addr = u->version == 2 ? u->sizes.address : u->sizes.offset;
	return !s->failed && u->type != DW_UT_type && u->type != DW_UT_split_type &&
	       (u->sizes.address == 2 || u->sizes.address == 4 || u->sizes.address == 8);
}

/* Numbers that elfutils 0.188 has no names for. */
enum { LANGUAGE_C17 = 0x2c, LANGUAGE_C23 = 0x3e };

static bool language_is_c(uint64_t language)
{
	return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
	       language == DW_LANG_C11 || language == LANGUAGE_C17 || language == LANGUAGE_C23 ||
	       language == DW_LANG_Mips_Assembler;
}

static uint64_t base_of(const struct die *die, enum die_attr attr, uint64_t otherwise)
{
	return DIE_HAS(die, attr) ? die->value[attr] : otherwise;
}

/* Tables of strings and ranges begin after their headers if the unit does not say otherwise: in split units. */
static void read_bases(struct unit *u)
{
	uint64_t header = u->version < 5 ? 0 : u->sizes.offset == 8 ? 16 : 8;

	u->str_offsets_base = base_of(&u->die, ATTR_STR_OFFSETS_BASE, header);
	u->addr_base = base_of(&u->die, ATTR_ADDR_BASE, header);
	u->rnglists_base = base_of(&u->die, ATTR_RNGLISTS_BASE, u->sizes.offset == 8 ? 20 : 12);
	u->id = base_of(&u->die, ATTR_DWO_ID, u->id);
	u->is_c = DIE_HAS(&u->die, ATTR_LANGUAGE) && language_is_c(u->die.value[ATTR_LANGUAGE]);
}

/*
 * The table with the abbreviation of the first entry. All the others are only needed when the unit is walked: they
 * are left out, unless several units share the table.
 */
static const struct abbrev_table *first_abbrev(struct unit *u, uint64_t code, struct abbrev_table **only)
{
	struct u64map *seen = &u->file->first_seen;
	struct dwarf_scan s = abbrev_scan(u);
	size_t used;

	if (s.failed || u64map_get(seen, u->abbrev_offset) != U64MAP_NONE ||
	    scan_left(&s) > u->file->first_bytes || u64map_set(seen, u->abbrev_offset, 1) < 0)
		return unit_abbrevs(u);
	*only = abbrev_table_new(s, &u->sizes, code, &used);
	u->file->first_bytes -= used;
	return *only;
}

/* False: the bytes up to the end of the scan do not suffice. */
static bool read_first_in(struct unit *u, struct dwarf_scan s)
{
	struct abbrev_table *only = NULL;
	uint64_t code = scan_uleb(&s);
	const struct abbrev_table *t = s.failed ? NULL : first_abbrev(u, code, &only);
	const struct abbrev *a = t ? abbrev_find(t, code) : NULL;

	if (a && (a->kind == DIE_UNIT || a->kind == DIE_PARTIAL_UNIT)) {
		die_read(&u->die, &s, u, t, a);
		u->die.offset = u->first;
		u->readable = !s.failed;
		u->partial = a->kind == DIE_PARTIAL_UNIT || u->type == DW_UT_partial;
	}
	u->die.abbrev = NULL;  /* its table may be gone */
	abbrev_table_free(only);
	return !s.failed;
}

/* Most are short; texts in them may be long. */
enum { FIRST_BYTES = 256 };

static void read_first(struct unit *u)
{
	struct debug_sections *of = &u->file->sections;
	struct debug_bytes b = debug_sections_place(of, DEBUG_INFO);
	uint64_t end = u->end - u->first > FIRST_BYTES ? u->first + FIRST_BYTES : u->end;

	if (!debug_sections_load(of, DEBUG_INFO, u->first, end - u->first))
		return;
	if (!read_first_in(u, scan_from(b.p, (size_t)end, u->first, of->swap)) && end < u->end)
		read_first_in(u, unit_scan(u, u->first));
	read_bases(u);
	die_address(u, &u->die, ATTR_LOW_PC, &u->low_pc);
}

bool unit_ready(struct unit *u)
{
	if (!__atomic_load_n(&u->has_first, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&u->file->first_lock);
		if (!u->has_first)
			read_first(u);
		__atomic_store_n(&u->has_first, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&u->file->first_lock);
	}
	return u->readable;
}

/* A length and what follows it, in the longest header. */
enum { HEADER_BYTES = 12 + 2 + 2 + 8 + 8 };

int debug_file_read_units(struct debug_file *d)
{
	struct debug_bytes b = debug_sections_place(&d->sections, DEBUG_INFO);
	struct dwarf_scan s = scan_from(b.p, b.n, 0, d->sections.swap);
	int r = 0;

	/* Tables do not overlap. Units with other sizes of addresses or offsets compile one again, which is rare. */
	d->abbrev_bytes = d->first_bytes = 4096 + 4 * debug_sections_get(&d->sections, DEBUG_ABBREV).n;
	while (r == 0 && !s.failed && scan_left(&s)) {
		struct unit u = { .file = d, .addresses = d, .offset = (uint64_t)(s.p - b.p) };
		struct dwarf_scan body;
		uint64_t length;

		if (!debug_sections_load(&d->sections, DEBUG_INFO, u.offset,
					 scan_left(&s) < HEADER_BYTES ? scan_left(&s) : HEADER_BYTES))
			break;
		length = scan_length(&s, &u.sizes.offset);
		body = s;
		scan_skip(&s, length);
		if (s.failed)
			break;  /* the rest is damaged */
		body.end = s.p;
		u.end = (uint64_t)(s.p - b.p);
		if (!read_header(&u, &body))
			continue;
		u.first = (uint64_t)(body.p - b.p);
		r = vec_push(&d->units, u);
	}
	return r;
}
