/* SPDX-License-Identifier: MIT */
#include "symbol/list/jitdump.h"
#include "symbol/list/jitdump_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/bytes.h"

/* A writer by the specification; @swap: as a machine of the other byte order writes it. */
struct jit_writer {
	struct buf out;
	bool swap;
};

static void put_u32(struct jit_writer *w, uint32_t v)
{
	v = w->swap ? __builtin_bswap32(v) : v;
	buf_put(&w->out, &v, sizeof(v));
}

static void put_u64(struct jit_writer *w, uint64_t v)
{
	v = w->swap ? __builtin_bswap64(v) : v;
	buf_put(&w->out, &v, sizeof(v));
}

static void put_header(struct jit_writer *w, uint64_t flags)
{
	const uint32_t words[] = { 0x4a695444, 1, 48, 62, 0, 4711 };

	for (size_t i = 0; i < 6; i++)
		put_u32(w, words[i]);
	put_u64(w, 1);
	put_u64(w, flags);
	put_u64(w, 0);  /* a header may grow */
}

static void put_prefix(struct jit_writer *w, uint32_t id, size_t size, uint64_t time)
{
	put_u32(w, id);
	put_u32(w, (uint32_t)size + 16);
	put_u64(w, time);
}

static void put_load(struct jit_writer *w, uint64_t time, uint64_t addr, uint64_t size, uint64_t index,
		     const char *name)
{
	put_prefix(w, 0, 40 + strlen(name) + 1 + size, time);
	put_u32(w, 4711);
	put_u32(w, 4711);
	put_u64(w, addr);
	put_u64(w, addr);
	put_u64(w, size);
	put_u64(w, index);
	buf_put(&w->out, name, strlen(name) + 1);
	for (uint64_t i = 0; i < size; i++)
		buf_char(&w->out, (char)(index + i));
}

static void put_move(struct jit_writer *w, uint64_t time, uint64_t to, uint64_t size, uint64_t index)
{
	put_prefix(w, 1, 48, time);
	put_u64(w, 0);
	put_u64(w, 0);
	put_u64(w, 0);
	put_u64(w, to);
	put_u64(w, size);
	put_u64(w, index);
}

static void put_all(struct jit_writer *w)
{
	put_header(w, 0);
	put_load(w, 100, 0x1000, 32, 1, "first");
	put_prefix(w, 4, 24 + 8, 150);
	put_u64(w, 8);
	put_u64(w, 3);
	put_u64(w, 0);
	put_u64(w, 0x1122334455667788);
	put_load(w, 200, 0x1000, 16, 2, "second");
	put_prefix(w, 99, 4, 250);  /* of a later version */
	put_u32(w, 0);
	put_move(w, 300, 0x2000, 32, 1);
	put_load(w, 290, 0x3000, 8, 3, "late");
	put_prefix(w, 3, 0, 400);
}

static void read_it(struct jitdump *d, const struct jit_writer *w, size_t size)
{
	assert_int_equal(jitdump_read(d, input_of_memory("jit-4711.dump", w->out.p, size), NULL), 0);
}

static void check_all(bool swap)
{
	static const uint64_t times[] = { 100, 200, 290, 300 }, starts[] = { 0x1000, 0x1000, 0x3000, 0x2000 };
	struct jit_writer w = { .out = BUF_MEMORY, .swap = swap };
	struct symtab_builder b = { 0 };
	struct symtab *t;
	struct jitdump d;
	uint8_t byte;

	put_all(&w);
	read_it(&d, &w, w.out.n);
	assert_int_equal(d.nr_bad, 0);
	assert_int_equal(d.pid, 4711);
	assert_int_equal(d.machine, 62);
	assert_int_equal(d.functions.n, 3);
	assert_int_equal(d.changes.n, 4);
	assert_false(d.changes.other_clock);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(d.changes.at[i].time, times[i]);
		assert_int_equal(d.changes.at[i].start, starts[i]);
	}
	/* a function that was moved is the same code */
	assert_int_equal(d.changes.at[3].offset, d.changes.at[0].offset);
	assert_int_equal(d.changes.at[3].end, 0x2020);
	assert_int_equal(d.functions.at[0].unwind_size, 0);
	assert_int_equal(d.functions.at[1].unwind_size, 8);
	assert_int_equal(d.functions.at[1].hdr_size, 3);
	assert_int_equal(d.functions.at[2].unwind_size, 0);
	assert_ptr_equal(jitdump_find(&d, d.functions.at[1].offset + 15), &d.functions.at[1]);
	assert_null(jitdump_find(&d, d.functions.at[1].offset + 16));
	assert_true(jitdump_bytes(&d, d.functions.at[1].offset + 5, &byte, 1));
	assert_int_equal(byte, 2 + 5);
	assert_false(jitdump_bytes(&d, w.out.n - 1, &byte, 2));

	jitdump_add(&d, &b);
	t = symtab_build(&b, SYMTAB_SAME_LAST);
	assert_int_equal(t->n, 3);
	assert_string_equal(symtab_name(t, symtab_find(t, d.changes.at[1].offset + 15)), "second");
	assert_string_equal(symtab_name(t, symtab_find(t, d.changes.at[3].offset)), "first");
	symtab_free(t);
	jitdump_close(&d);
	buf_free(&w.out);
}

static void test_records(void **state)
{
	(void)state;
	check_all(false);
	check_all(true);
}

/* A dump that is cut off has the functions before its end. */
static void test_every_prefix(void **state)
{
	struct jit_writer w = { .out = BUF_MEMORY };
	size_t functions = 0;

	(void)state;
	put_all(&w);
	for (size_t n = 0; n < w.out.n; n++) {
		struct sonde_error err = { 0 };
		struct jitdump d;
		char *copy = malloc(n ? n : 1);
		int r;

		memcpy(copy, w.out.p, n);
		r = jitdump_read(&d, input_of_memory("jit-1.dump", copy, n), &err);
		assert_int_equal(r, n < 40 ? -SONDE_FORMAT : 0);
		assert_true(d.functions.n >= functions);
		assert_int_equal(d.nr_bad, 0);
		functions = d.functions.n;
		jitdump_close(&d);
		free(copy);
	}
	assert_int_equal(functions, 3);
	buf_free(&w.out);
}

static void test_refused(void **state)
{
	static const struct { size_t at, bytes; uint64_t value; const char *message; } rows[] = {
		{ 0, 4, 0, "is not a jitdump" },
		{ 4, 4, 2, "is a jitdump of version 2, not 1" },
		{ 8, 4, 39, "the header of a jitdump has 40 bytes, not 39" },
		{ 32, 8, 2, "has unknown flags (0x2)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct jit_writer w = { .out = BUF_MEMORY };
		struct sonde_error err = { 0 };
		struct jitdump d;

		put_all(&w);
		if (rows[i].bytes == 4)
			store_u32(w.out.p + rows[i].at, (uint32_t)rows[i].value, false);
		else
			store_u64(w.out.p + rows[i].at, rows[i].value, false);
		assert_true(jitdump_read(&d, input_of_memory("", w.out.p, w.out.n), &err) < 0);
		assert_string_equal(err.text, rows[i].message);
		jitdump_close(&d);
		buf_free(&w.out);
	}
}

/* Lengths that lie: each is of a field of the first LOAD, and the functions after it are still read. */
static void test_lies(void **state)
{
	static const struct { size_t at; uint64_t value; size_t bad, functions; } rows[] = {
		{ 48 + 4, 15, 1, 0 },                        /* size of the record: nothing can follow */
		{ 48 + 16 + 16, UINT64_MAX, 2, 2 },          /* address: it ends past the last one; nor can it move */
		{ 48 + 16 + 24, 34, 2, 2 },                  /* code in the name */
		{ 48 + 16 + 24, UINT64_MAX, 2, 2 },          /* code beyond the record */
		{ 48 + 16 + 24, 0, 1, 2 },                   /* no code */
		{ 48 + 16 + 40, 0, 2, 2 },                   /* no name */
		{ 48 + 16 + 40, UINT64_MAX, 2, 2 },          /* a name without end */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct jit_writer w = { .out = BUF_MEMORY };
		struct jitdump d;

		put_all(&w);
		memcpy(w.out.p + rows[i].at, &rows[i].value, rows[i].at == 52 ? 4 : 8);
		read_it(&d, &w, w.out.n);
		assert_int_equal(d.nr_bad, rows[i].bad);
		assert_int_equal(d.functions.n, rows[i].functions);
		jitdump_close(&d);
		buf_free(&w.out);
	}
}

struct jit_line {
	uint64_t addr;
	uint32_t line;
	const char *file;
};

static void put_lines(struct jit_writer *w, uint64_t addr, const struct jit_line *lines, size_t n)
{
	size_t size = 16;

	for (size_t i = 0; i < n; i++)
		size += 16 + strlen(lines[i].file) + 1;
	put_prefix(w, 2, size, 5);
	put_u64(w, addr);
	put_u64(w, n);
	for (size_t i = 0; i < n; i++) {
		put_u64(w, lines[i].addr);
		put_u32(w, lines[i].line);
		put_u32(w, 7);
		buf_put(&w->out, lines[i].file, strlen(lines[i].file) + 1);
	}
}

static void expect_line(const struct jitdump *d, uint64_t offset, const char *file, uint32_t number)
{
	struct jitdump_lines lines = { 0 };
	struct jitdump_line line;

	assert_int_equal(jitdump_line(&lines, d, offset, &line), file != NULL);
	if (file) {
		assert_string_equal(line.file, file);
		assert_int_equal(line.line, number);
		assert_int_equal(line.column, 7);
	}
	jitdump_lines_free(&lines);
}

static void test_lines(void **state)
{
	static const struct jit_line one[] = {
		{ 0x1000, 3, "one.js" }, { 0x1008, 4, "\xff" }, { 0x1010, 9, "two.js" }, { 0x1018, 5, "\xff" },
	};
	/* entries that make no sense, and addresses that begin with 0x40, as V8 writes them */
	static const struct jit_line v8[] = {
		{ 0x2044, 3, "v8.js" }, { 0x99999999, 6, "nowhere" }, { 0x2048, 8, "\x01" }, { 0x2050, 4, "v8.js" },
	};
	struct jit_writer w = { .out = BUF_MEMORY };
	const struct jitdump_function *f;
	struct jitdump d;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		w.swap = swap;
		w.out.n = 0;
		put_header(&w, 0);
		put_lines(&w, 0x1000, one, 4);
		put_load(&w, 10, 0x1000, 32, 1, "one");
		put_lines(&w, 0x2000, v8, 4);
		put_load(&w, 20, 0x2000, 64, 2, "v8");
		put_lines(&w, 0x7000, one, 4);  /* of a function that does not come */
		put_load(&w, 30, 0x3000, 64, 3, "none");
		read_it(&d, &w, w.out.n);
		f = d.functions.at;
		assert_int_equal(d.functions.n, 3);
		expect_line(&d, f[0].offset, "one.js", 3);
		expect_line(&d, f[0].offset + 7, "one.js", 3);
		expect_line(&d, f[0].offset + 8, "one.js", 4);
		expect_line(&d, f[0].offset + 0x10, "two.js", 9);
		expect_line(&d, f[0].offset + 0x1f, "two.js", 5);
		expect_line(&d, f[0].offset + 0x20, NULL, 0);
		expect_line(&d, f[1].offset + 3, NULL, 0);
		expect_line(&d, f[1].offset + 4, "v8.js", 3);
		expect_line(&d, f[1].offset + 0xf, "v8.js", 3);
		expect_line(&d, f[1].offset + 0x10, "v8.js", 4);
		expect_line(&d, f[2].offset, NULL, 0);
		jitdump_close(&d);
	}
	buf_free(&w.out);
}

static void test_other_clock(void **state)
{
	struct jit_writer w = { .out = BUF_MEMORY };
	struct jitdump d;

	(void)state;
	put_header(&w, 1);
	put_load(&w, 5, 0x1000, 16, 1, "one");
	read_it(&d, &w, w.out.n);
	assert_true(d.changes.other_clock);
	assert_int_equal(d.changes.n, 1);
	jitdump_close(&d);
	buf_free(&w.out);
}

/* Wherever the writer stands when it is read for the first time: read on, it says what the whole one says. */
static void test_a_dump_that_grows(void **state)
{
	struct jit_writer w = { .out = BUF_MEMORY };
	struct jitdump whole, d;

	(void)state;
	put_all(&w);
	read_it(&whole, &w, w.out.n);
	for (size_t n = 48; n <= w.out.n; n++) {
		FILE *file = tmpfile();
		struct input in = INPUT_NONE;
		size_t found;

		assert_non_null(file);
		in.fd = dup(fileno(file));
		in.size = n;
		assert_int_equal(write(in.fd, w.out.p, n), n);
		assert_int_equal(jitdump_read(&d, in, NULL), 0);
		assert_int_equal(jitdump_read_on(&d), 0);
		found = d.list.n;
		assert_int_equal(write(d.in.fd, w.out.p + n, w.out.n - n), w.out.n - n);
		assert_int_equal(jitdump_read_on(&d), whole.list.n > found);
		assert_int_equal(jitdump_read_on(&d), 0);
		assert_int_equal(d.nr_bad, 0);
		assert_int_equal(d.changes.n, whole.changes.n);
		assert_ptr_equal(d.changes.at, d.list.at);
		assert_int_equal(d.functions.n, whole.functions.n);
		assert_memory_equal(d.functions.at, whole.functions.at, d.functions.n * sizeof(*d.functions.at));
		assert_int_equal(d.names.n, whole.names.n);
		assert_memory_equal(d.names.at, whole.names.at, d.names.n);
		jitdump_close(&d);
		fclose(file);
	}
	jitdump_close(&whole);
	buf_free(&w.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_dump_that_grows),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_other_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
