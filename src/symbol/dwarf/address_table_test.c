/* SPDX-License-Identifier: MIT */
/* Tables of addresses that are made by hand: sound ones, and each kind of damage. */
#include "symbol/dwarf/address_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A table while it is written. */
struct written_table { uint8_t bytes[512]; size_t n; bool swap; };

static void put(struct written_table *t, uint64_t v, unsigned size)
{
	bool big = t->swap != host_is_big_endian();

	assert_true(t->n + size <= sizeof(t->bytes));
	for (unsigned i = 0; i < size; i++)
		t->bytes[t->n++] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
}

static int read_bytes(struct address_table *t, enum debug_section which, const uint8_t *p, size_t n, bool swap)
{
	struct debug_sections s = { .swap = swap };
	uint8_t *exact = malloc(n ? n : 1);  /* memory that ends where the table does */
	int r;

	assert_non_null(exact);
	if (n)
		memcpy(exact, p, n);
	s.sections[which] = (struct debug_section_state){ .size = n, .read = true, .bytes = { exact, n } };
	r = address_table_read(t, &s);
	free(exact);
	return r;
}

static int read_table(struct address_table *t, enum debug_section which, const struct written_table *from)
{
	return read_bytes(t, which, from->bytes, from->n, from->swap);
}

static void check_row(const struct address_table *t, size_t i, uint64_t start, uint64_t end, uint64_t unit)
{
	assert_true(i < t->rows.n);
	assert_int_equal(t->rows.at[i].start, start);
	assert_int_equal(t->rows.at[i].end, end);
	assert_int_equal(t->rows.at[i].unit, unit);
}

/* A set of .debug_aranges with the rows 0x1000 to 0x1010 and 0x2000 to 0x2008. */
static void put_set(struct written_table *t, uint64_t unit, unsigned address_size, bool wide)
{
	unsigned offset_size = wide ? 8 : 4;
	size_t before = t->n, length_at, header;

	if (wide)
		put(t, 0xffffffff, 4);
	length_at = t->n;
	put(t, 0, offset_size);
	put(t, 2, 2);
	put(t, unit, offset_size);
	put(t, address_size, 1);
	put(t, 0, 1);
	for (header = t->n - before; header % (2 * address_size); header++)
		put(t, 0, 1);
	put(t, 0x1000, address_size);
	put(t, 0x10, address_size);
	put(t, 0x2000, address_size);
	put(t, 8, address_size);
	put(t, 0, address_size);
	put(t, 0, address_size);
	header = t->n;
	t->n = length_at;
	put(t, header - length_at - offset_size, offset_size);
	t->n = header;
}

static void sets_of_the_compiler(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
		struct written_table from = { .swap = i & 1 };
		struct address_table t;
		unsigned size = i < 4 ? 2 : i < 8 ? 4 : 8;

		put_set(&from, 0x40, size, i & 2);
		put_set(&from, 0x99, size, false);
		assert_int_equal(read_table(&t, DEBUG_ARANGES, &from), 0);
		assert_int_equal(t.rows.n, 4);
		check_row(&t, 0, 0x1000, 0x1010, 0x40);
		check_row(&t, 3, 0x2000, 0x2008, 0x99);
		assert_int_equal(t.units.n, 2);
		assert_int_equal(t.units.at[1], 0x99);
		assert_false(t.complete);
		address_table_free(&t);
	}
}

static void a_damaged_set_makes_the_table_useless(void **state)
{
	/* the place of a byte, and a value that cannot be */
	static const struct { size_t at; uint8_t value; } damage[] = {
		{ 4, 3 },            /* version */
		{ 10, 3 },           /* size of addresses */
		{ 10, 0 },
		{ 11, 4 },           /* segments */
		{ 3, 0x7f },         /* length */
		{ 0, 30 },           /* no end of the rows */
	};
	struct address_table t;
	struct written_table from = { .swap = host_is_big_endian() };

	(void)state;
	put_set(&from, 0x40, 8, false);
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		struct written_table bad = from;

		bad.bytes[damage[i].at] = damage[i].value;
		assert_int_equal(read_table(&t, DEBUG_ARANGES, &bad), -SONDE_CORRUPT);
	}
	memset(from.bytes + 24, 0xff, 8);    /* a row around the end of all addresses */
	assert_int_equal(read_table(&t, DEBUG_ARANGES, &from), -SONDE_CORRUPT);
}

enum { UNITS_AT = 24, ROWS_AT = UNITS_AT + 2 * 16, END_AT = ROWS_AT + 3 * 20 };

static struct written_table gdb_table(void)
{
	static const uint32_t header[] = { 8, UNITS_AT, ROWS_AT, ROWS_AT, END_AT, END_AT };
	struct written_table t = { .swap = host_is_big_endian() }; /* little-endian everywhere */

	for (size_t i = 0; i < sizeof(header) / sizeof(header[0]); i++)
		put(&t, header[i], 4);
	for (uint64_t unit = 0; unit < 2; unit++) {
		put(&t, 0x100 * unit, 8);
		put(&t, 0x100, 8);
	}
	for (uint64_t row = 0; row < 3; row++) {
		put(&t, 0x1000 * (row + 1), 8);
		put(&t, 0x1000 * (row + 1) + 0x10, 8);
		put(&t, row & 1, 4);
	}
	return t;
}

static void the_index_of_gdb(void **state)
{
	struct written_table from = gdb_table();
	struct address_table t;

	(void)state;
	assert_int_equal(read_table(&t, DEBUG_GDB_INDEX, &from), 0);
	assert_int_equal(t.rows.n, 3);
	check_row(&t, 0, 0x1000, 0x1010, 0);
	check_row(&t, 1, 0x2000, 0x2010, 0x100);
	check_row(&t, 2, 0x3000, 0x3010, 0);
	assert_int_equal(t.units.n, 2);
	assert_true(t.complete);
	address_table_free(&t);
}

static void a_damaged_index_of_gdb_is_useless(void **state)
{
	static const struct { size_t at; uint32_t value; } damage[] = {
		{ 0, 3 }, { 0, 10 }, { 0, UINT32_MAX },         /* version */
		{ 4, ROWS_AT + 1 }, { 4, UINT32_MAX },          /* units begin behind their end */
		{ 8, UNITS_AT + 16 }, { 8, UINT32_MAX },        /* one unit is missing; they end outside */
		{ 12, END_AT + 1 }, { 12, ROWS_AT + 1 },        /* rows begin behind their end; half a row */
		{ 16, UINT32_MAX }, { 16, END_AT + 20 },        /* rows end outside */
		{ ROWS_AT + 16, 2 }, { ROWS_AT + 36, UINT32_MAX },      /* number of a unit */
	};
	struct address_table t;

	(void)state;
	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
		struct written_table bad = gdb_table();

		bad.n = damage[i].at;
		put(&bad, damage[i].value, 4);
		bad.n = END_AT;
		assert_int_equal(read_table(&t, DEBUG_GDB_INDEX, &bad), -SONDE_CORRUPT);
	}
}

static void every_prefix(void **state)
{
	struct written_table gdb = gdb_table(), sets = { .swap = false };
	struct address_table t;

	(void)state;
	put_set(&sets, 0x40, 8, false);
	put_set(&sets, 0x99, 4, true);
	for (size_t n = 0; n < gdb.n; n++)
		assert_int_equal(read_bytes(&t, DEBUG_GDB_INDEX, gdb.bytes, n, gdb.swap),
				 n ? -SONDE_CORRUPT : -SONDE_MISSING);
	for (size_t n = 0; n < sets.n; n++) {
		int r = read_bytes(&t, DEBUG_ARANGES, sets.bytes, n, false);

		if (r == 0)  /* cut between the sets */
			assert_int_equal(t.rows.n, 2);
		else
			assert_int_equal(r, n ? -SONDE_CORRUPT : -SONDE_MISSING);
		address_table_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_of_the_compiler),
		cmocka_unit_test(a_damaged_set_makes_the_table_useless),
		cmocka_unit_test(the_index_of_gdb),
		cmocka_unit_test(a_damaged_index_of_gdb_is_useless),
		cmocka_unit_test(every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
