/* SPDX-License-Identifier: MIT */
/* Indexes made of trees and tables that a test writes down: what was put in comes out, and damage does no harm. */
#include "symbol/dwarf/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "symbol/dwarf/index_builder.h"

static const uint64_t identity[2] = { 17, 18 };

/* The tree and the table of a unit, while they are written. */
struct unit_of_test {
	struct unit_tree tree;
	struct line_table table;
};

/* Adds a function, or, to a parent, an inlined one, with up to two ranges; returns its number. */
static uint32_t add(struct unit_of_test *u, uint32_t parent, const char *name, uint32_t call, uint64_t start,
		    uint64_t end, uint64_t start2, uint64_t end2)
{
	struct tree_node n = { .name = name, .parent = parent, .first_range = (uint32_t)u->tree.ranges.n,
			       .nr_ranges = start2 < end2 ? 2 : 1, .call_file = call ? 1 + call % 2 : 0,
			       .call_line = call, .call_column = call / 10 };

	assert_int_equal(vec_push(&u->tree.ranges, ((struct tree_range){ start, end })), 0);
	if (start2 < end2)
		assert_int_equal(vec_push(&u->tree.ranges, ((struct tree_range){ start2, end2 })), 0);
	assert_int_equal(vec_push(&u->tree.nodes, n), 0);
	return (uint32_t)u->tree.nodes.n - 1;
}

static void row(struct unit_of_test *u, uint64_t address, uint32_t file, uint32_t line, uint32_t column)
{
	struct line_row r = { .address = address, .file = file, .line = line, .column = column, .end = !file };

	if (!u->table.header.files.n) {
		assert_int_equal(vec_push(&u->table.header.files, ((struct line_file){ 0 })), 0);
		assert_int_equal(vec_push(&u->table.header.files, ((struct line_file){ .name = "/src/one.c" })), 0);
		assert_int_equal(vec_push(&u->table.header.files, ((struct line_file){ .name = "/src/two.c" })), 0);
	}
	assert_int_equal(vec_push(&u->table.rows, r), 0);
}

struct opened_index {
	uint8_t *bytes;
	size_t size;
	struct index x;
};

static void make(struct opened_index *o, struct unit_of_test *units, size_t n)
{
	struct index_builder b = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct index_piece p;

		assert_int_equal(index_piece_make(&p, &units[i].tree, &units[i].table), 0);
		assert_int_equal(index_builder_add(&b, &p), 0);
		unit_tree_free(&units[i].tree);
		line_table_free(&units[i].table);
	}
	assert_int_equal(index_builder_seal(&b, identity, &o->bytes, &o->size), 0);
	index_builder_free(&b);
	assert_true(index_open(&o->x, o->bytes, o->size));
	assert_memory_equal(o->x.header.identity, identity, sizeof(identity));
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

/* "function file:line:column <- ..." */
static const char *frames(const struct opened_index *o, uint64_t addr)
{
	static char text[4096];
	struct index_answer a;
	size_t at = 0;

	text[0] = '\0';
	index_find(&o->x, addr, &a);
	for (size_t i = 0; i < a.n && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %s:%u:%u", i ? " <- " : "",
				       a.frames[i].function ? a.frames[i].function : "?",
				       base_name(a.frames[i].file), a.frames[i].line, a.frames[i].column);
	return text;
}

static void chains_of_inlined_functions(void **state)
{
	struct unit_of_test u = { 0 };
	struct opened_index o;
	uint32_t f, a, b;

	(void)state;
	f = add(&u, TREE_NO_PARENT, "f", 0, 0x10001000, 0x10001100, 0, 0);
	a = add(&u, f, "a", 21, 0x10001010, 0x10001020, 0x10001040, 0x10001060);
	b = add(&u, a, "b", 32, 0x10001050, 0x10001060, 0, 0);
	add(&u, b, "c", 43, 0x10001058, 0x10001059, 0, 0);
	add(&u, f, "a", 54, 0x10001080, 0x10001090, 0, 0);
	row(&u, 0x10001000, 1, 10, 1);
	row(&u, 0x10001050, 2, 5, 3);
	row(&u, 0x10001058, 2, 0, 0);
	row(&u, 0x10001100, 0, 0, 0);
	make(&o, &u, 1);
	assert_string_equal(frames(&o, 0x10000fff), "");
	assert_string_equal(frames(&o, 0x10001000), "f one.c:10:1");
	assert_string_equal(frames(&o, 0x10001010), "a one.c:10:1 <- f two.c:21:2");
	assert_string_equal(frames(&o, 0x10001020), "f one.c:10:1");
	assert_string_equal(frames(&o, 0x1000104f), "a one.c:10:1 <- f two.c:21:2");
	assert_string_equal(frames(&o, 0x10001050), "b two.c:5:3 <- a one.c:32:3 <- f two.c:21:2");
	assert_string_equal(frames(&o, 0x10001058),
			    "c two.c:0:0 <- b two.c:43:4 <- a one.c:32:3 <- f two.c:21:2");
	assert_string_equal(frames(&o, 0x10001085), "a two.c:0:0 <- f one.c:54:5");
	assert_string_equal(frames(&o, 0x100010ff), "f two.c:0:0");
	assert_string_equal(frames(&o, 0x10001100), "");
	free(o.bytes);
}

/* A function within another one, two at the same address, one that another unit has too, lines without a function. */
static void who_has_an_address(void **state)
{
	struct unit_of_test u[2] = { 0 };
	struct opened_index o;
	uint32_t outer, nested;

	(void)state;
	outer = add(&u[0], TREE_NO_PARENT, "outer", 0, 0x1000, 0x1100, 0x3000, 0x3010);
	nested = add(&u[0], TREE_NO_PARENT, "nested", 0, 0x1040, 0x1080, 0, 0);
	add(&u[0], nested, "in_nested", 7, 0x1050, 0x1060, 0, 0);
	add(&u[0], outer, "in_outer", 8, 0x1010, 0x1020, 0x1030, 0x1090);
	add(&u[0], TREE_NO_PARENT, "first", 0, 0x2000, 0x2010, 0, 0);
	add(&u[0], TREE_NO_PARENT, "folded", 0, 0x2000, 0x2010, 0, 0);
	add(&u[1], TREE_NO_PARENT, "shorter", 0, 0x2000, 0x2008, 0, 0);
	add(&u[1], TREE_NO_PARENT, NULL, 0, 0x4000, 0x4010, 0, 0);
	row(&u[0], 0x1000, 1, 1, 0);
	row(&u[0], 0x3010, 0, 0, 0);
	row(&u[1], 0x2000, 2, 9, 0);
	row(&u[1], 0x5000, 0, 0, 0);
	make(&o, u, 2);
	assert_string_equal(frames(&o, 0x1015), "in_outer one.c:1:0 <- outer one.c:8:0");
	assert_string_equal(frames(&o, 0x1045), "nested one.c:1:0");
	assert_string_equal(frames(&o, 0x1055), "in_nested one.c:1:0 <- nested two.c:7:0");
	assert_string_equal(frames(&o, 0x1085), "in_outer one.c:1:0 <- outer one.c:8:0");
	assert_string_equal(frames(&o, 0x10f0), "outer one.c:1:0");
	assert_string_equal(frames(&o, 0x1500), "? one.c:1:0");
	assert_string_equal(frames(&o, 0x2000), "shorter two.c:9:0");
	assert_string_equal(frames(&o, 0x2008), "first one.c:1:0");
	assert_string_equal(frames(&o, 0x2800), "? two.c:9:0");  /* both units have lines there, and it begins last */
	assert_string_equal(frames(&o, 0x3005), "outer one.c:1:0");
	assert_string_equal(frames(&o, 0x4005), "? two.c:9:0");
	assert_string_equal(frames(&o, 0x4fff), "? two.c:9:0");
	assert_string_equal(frames(&o, 0x5000), "");
	free(o.bytes);
}

/* More rows than a block has, and gaps between them. */
static void many_rows(void **state)
{
	struct unit_of_test u = { 0 };
	struct opened_index o;
	char want[64];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		row(&u, 0x1000 + 10 * i, 1 + i % 3 / 2, 5000 - 7 * i % 4000, i % 5);
		if (i % 50 == 49)
			row(&u, 0x1000 + 10 * i + 5, 0, 0, 0);
	}
	row(&u, 0x1000 + 10000, 0, 0, 0);
	make(&o, &u, 1);
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(want, sizeof(want), "? %s:%u:%u", i % 3 == 2 ? "two.c" : "one.c", 5000 - 7 * i % 4000, i % 5);
		assert_string_equal(frames(&o, 0x1000 + 10 * i), want);
		assert_string_equal(frames(&o, 0x1000 + 10 * i + 4), want);
		assert_string_equal(frames(&o, 0x1000 + 10 * i + 9), i % 50 == 49 ? "" : want);
	}
	free(o.bytes);
}

static void deep_nesting(void **state)
{
	struct unit_of_test u = { 0 };
	struct index_answer a;
	struct opened_index o;
	uint32_t parent = add(&u, TREE_NO_PARENT, "bottom", 0, 0x1000, 0x2000, 0, 0);

	(void)state;
	for (uint32_t i = 1; i < 3000; i++)
		parent = add(&u, parent, "deeper", i, 0x1000, 0x2000 - i, 0, 0);
	make(&o, &u, 1);
	index_find(&o.x, 0x1000, &a);
	assert_int_equal(a.n, INDEX_FRAMES_MAX);
	assert_string_equal(a.frames[a.n - 1].function, "bottom");
	index_find(&o.x, 0x2000 - 100, &a);
	assert_int_equal(a.n, 100);
	assert_int_equal(a.frames[98].line, 2);
	free(o.bytes);
}

/* Names that begin within one long text: without a bound they would be many times as long as the input. */
static void long_names_run_out(void **state)
{
	enum { NAMES = 5000, LENGTH = 1 << 20 };
	struct unit_of_test u = { 0 };
	char *text = malloc(LENGTH + 1);
	struct index_answer a;
	struct opened_index o;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', LENGTH);
	text[LENGTH] = '\0';
	add(&u, TREE_NO_PARENT, "short", 0, 0x1000, 0x1010, 0, 0);
	for (uint32_t i = 0; i < NAMES; i++)
		add(&u, TREE_NO_PARENT, text + i, 0, 0x2000 + i, 0x2001 + i, 0, 0);
	make(&o, &u, 1);
	assert_true(o.size < 4 * LENGTH);
	index_find(&o.x, 0x1000, &a);
	assert_string_equal(a.frames[0].function, "short");
	free(text);
	free(o.bytes);
}

static void nothing_at_all(void **state)
{
	struct opened_index o;

	(void)state;
	make(&o, NULL, 0);
	assert_string_equal(frames(&o, 0), "");
	assert_string_equal(frames(&o, UINT64_MAX), "");
	free(o.bytes);
}

static void addresses_too_far_apart(void **state)
{
	struct unit_of_test u = { 0 };
	struct index_builder b = { 0 };
	struct index_piece p;
	uint8_t *bytes;
	size_t size;

	(void)state;
	add(&u, TREE_NO_PARENT, "near", 0, 0x1000, 0x1010, 0, 0);
	add(&u, TREE_NO_PARENT, "far", 0, UINT64_C(1) << 40, (UINT64_C(1) << 40) + 16, 0, 0);
	assert_int_equal(index_piece_make(&p, &u.tree, &u.table), 0);
	assert_int_equal(index_builder_add(&b, &p), 0);
	assert_int_equal(index_builder_seal(&b, identity, &bytes, &size), -SONDE_UNSUPPORTED);
	index_builder_free(&b);
	unit_tree_free(&u.tree);
}

/* Each byte that is changed is noticed; with a hash that fits, the numbers are still not believed. */
static void damage(void **state)
{
	struct unit_of_test u = { 0 };
	struct index_header *h;
	struct opened_index o;
	struct index x;
	uint32_t f;

	(void)state;
	f = add(&u, TREE_NO_PARENT, "f", 0, 0x1000, 0x1100, 0, 0);
	add(&u, add(&u, f, "a", 1, 0x1000, 0x1080, 0x1090, 0x10a0), "b", 2, 0x1010, 0x1020, 0, 0);
	for (uint32_t i = 0; i < 100; i++)
		row(&u, 0x1000 + i, 1 + i % 2, i, i % 7);
	row(&u, 0x1100, 0, 0, 0);
	make(&o, &u, 1);
	h = (struct index_header *)o.bytes;
	for (size_t n = 0; n < o.size; n++)
		assert_false(index_open(&x, o.bytes, n));
	for (size_t i = 0; i < o.size; i++) {
		for (unsigned v = 1; v < 256; v = v * 5 + 3) {
			o.bytes[i] ^= (uint8_t)v;
			assert_false(index_open(&x, o.bytes, o.size));
			if (i >= offsetof(struct index_header, size)) {
				uint64_t hash = h->hash;

				h->hash = index_hash(o.bytes, o.size);
				if (index_open(&o.x, o.bytes, o.size))
					for (uint64_t at = 0xff0; at < 0x1110; at += 7)
						frames(&o, at);
				h->hash = hash;
			}
			o.bytes[i] ^= (uint8_t)v;
		}
	}
	assert_true(index_open(&x, o.bytes, o.size));
	free(o.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_of_inlined_functions),
		cmocka_unit_test(who_has_an_address),
		cmocka_unit_test(many_rows),
		cmocka_unit_test(deep_nesting),
		cmocka_unit_test(long_names_run_out),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(addresses_too_far_apart),
		cmocka_unit_test(damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
