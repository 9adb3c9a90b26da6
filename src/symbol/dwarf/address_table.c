/* SPDX-License-Identifier: MIT */
#include "symbol/dwarf/address_table.h"

#include "symbol/dwarf/scan.h"

static int add_row(struct address_table *t, uint64_t start, uint64_t end, uint64_t unit)
{
	return start < end ? vec_push(&t->rows, ((struct address_row){ start, end, unit })) : 0;
}

/* .gdb_index is little-endian on every machine. */
enum { GDB_OLDEST = 4, GDB_NEWEST = 9, GDB_UNIT_BYTES = 16, GDB_ROW_BYTES = 20 };

static struct dwarf_scan gdb_area(struct debug_bytes b, uint64_t start, uint64_t end)
{
	return end > b.n || start > end ? (struct dwarf_scan){ .failed = true } :
					  scan_from(b.p, (size_t)end, start, host_is_big_endian());
}

/* Version; offsets of the units, type units, rows of addresses, and of two other tables; rows name a unit by number. */
static int read_gdb_index(struct address_table *t, struct debug_bytes b)
{
	struct dwarf_scan header = gdb_area(b, 0, b.n), units, rows;
	uint64_t version = scan_uint(&header, 4), at_units = scan_uint(&header, 4), at_types = scan_uint(&header, 4);
	uint64_t at_rows = scan_uint(&header, 4), at_symbols = scan_uint(&header, 4);
	int r = 0;

	if (header.failed || version < GDB_OLDEST || version > GDB_NEWEST)
		return -SONDE_CORRUPT;
	units = gdb_area(b, at_units, at_types);
	rows = gdb_area(b, at_rows, at_symbols);
	if (units.failed || rows.failed || scan_left(&rows) % GDB_ROW_BYTES)
		return -SONDE_CORRUPT;
	for (struct dwarf_scan unit = units; r == 0 && scan_left(&unit) >= GDB_UNIT_BYTES; scan_skip(&unit, 8))
		r = vec_push(&t->units, scan_uint(&unit, 8));
	while (r == 0 && scan_left(&rows)) {
		uint64_t start = scan_uint(&rows, 8), end = scan_uint(&rows, 8), number = scan_uint(&rows, 4);
		struct dwarf_scan unit = units;

		scan_skip(&unit, number * GDB_UNIT_BYTES);
		r = add_row(t, start, end, scan_uint(&unit, 8));
		if (r == 0 && unit.failed)
			return -SONDE_CORRUPT;
	}
	t->complete = true;
	return r;
}

/* A header and rows of one unit; (0, 0) ends them. */
static int read_set(struct address_table *t, struct dwarf_scan s, uint8_t offset_size, size_t length_bytes)
{
	size_t rows = t->rows.n;
	const uint8_t *start = s.p - length_bytes;
	uint64_t version = scan_uint(&s, 2), unit = scan_uint(&s, offset_size);
	unsigned size = scan_u8(&s), segment_size = scan_u8(&s);
	int r = 0;

	if (s.failed || version != 2 || segment_size || (size != 2 && size != 4 && size != 8))
		return -SONDE_CORRUPT;
	scan_skip(&s, (2 * size - (size_t)(s.p - start) % (2 * size)) % (2 * size));
	while (r == 0) {
		uint64_t low = scan_uint(&s, size), bytes = scan_uint(&s, size);

		if (s.failed || low + bytes < low)
			return -SONDE_CORRUPT;
		if (!low && !bytes)
			break;
		r = add_row(t, low, low + bytes, unit);
	}
	/* a unit without rows may have code all the same: compilers leave such sets where they do not know */
	return r == 0 && t->rows.n > rows ? vec_push(&t->units, unit) : r;
}

static int read_aranges(struct address_table *t, struct debug_bytes b, bool swap)
{
	struct dwarf_scan s = scan_from(b.p, b.n, 0, swap);
	int r = 0;

	while (r == 0 && !s.failed && scan_left(&s)) {
		uint8_t offset_size;
		uint64_t length = scan_length(&s, &offset_size);
		struct dwarf_scan set = s;

		scan_skip(&s, length);
		set.end = s.p;
		r = s.failed ? -SONDE_CORRUPT : read_set(t, set, offset_size, offset_size == 8 ? 12 : 4);
	}
	return r;
}

int address_table_read(struct address_table *t, struct debug_sections *s)
{
	struct debug_bytes gdb = debug_sections_get(s, DEBUG_GDB_INDEX);
	struct debug_bytes aranges = gdb.n ? gdb : debug_sections_get(s, DEBUG_ARANGES);
	int r;

	*t = (struct address_table){ 0 };
	if (!aranges.n)
		return -SONDE_MISSING;
	r = gdb.n ? read_gdb_index(t, gdb) : read_aranges(t, aranges, s->swap);
	if (r < 0)
		address_table_free(t);
	return r;
}

void address_table_free(struct address_table *t)
{
	vec_free(&t->rows);
	vec_free(&t->units);
}
