/* SPDX-License-Identifier: MIT */
#include "symbol/list/bpf_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <linux/bpf.h>

#include "base/bytes.h"

#define ONE UINT64_C(0xffffffffc0001000)
#define TWO UINT64_C(0xffffffffc0002000)

static const char strings[] = "\0/src/one.bpf.c\0\treturn 0;\0/src/two.h";

static const struct { uint64_t addr; uint32_t file, line, column; } lines[] = {
	{ ONE, 1, 10, 2 }, { ONE + 0x10, 1, 11, 3 }, { TWO, 27, 300, 1023 }, { TWO + 8, 1, 7, 1 },
	{ TWO + 0x1000, 1, 99, 1 },  /* in no function */
	{ ONE + 0x18, 1000, 98, 1 }, /* without a file */
};

/* The part of a recording about a program of two functions. */
struct fake_recording {
	bool swap;
	uint8_t info[256], data[512], btf[24 + sizeof(strings)];
	struct sonde_bpf_prog prog;
	struct sonde_btf types;
	struct meta meta;
};

static void put32(struct fake_recording *f, uint8_t *at, uint32_t v)
{
	store_u32(at, v, f->swap);
}

#define PUT32(f, field, v) put32(f, (f)->info + offsetof(struct bpf_prog_info, field), v)
#define PUT64(f, field, v) store_u64((f)->info + offsetof(struct bpf_prog_info, field), v, (f)->swap)

static void make(struct fake_recording *f, bool swap)
{
	*f = (struct fake_recording){ .swap = swap };
	PUT32(f, id, 77);
	PUT32(f, btf_id, 5);
	PUT32(f, nr_jited_ksyms, 2);
	PUT32(f, nr_jited_func_lens, 2);
	PUT64(f, jited_ksyms, 0);
	PUT64(f, jited_func_lens, 16);
	PUT32(f, nr_line_info, ARRAY_SIZE(lines));
	PUT32(f, nr_jited_line_info, ARRAY_SIZE(lines));
	PUT64(f, line_info, 24);
	PUT64(f, jited_line_info, 256);
	PUT32(f, line_info_rec_size, 16);
	PUT32(f, jited_line_info_rec_size, 8);
	store_u64(f->data, TWO, swap);
	store_u64(f->data + 8, ONE, swap);
	put32(f, f->data + 16, 0x20);
	put32(f, f->data + 20, 0x30);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		put32(f, f->data + 24 + i * 16 + 4, lines[i].file);
		put32(f, f->data + 24 + i * 16 + 8, i ? 0 : 16);
		put32(f, f->data + 24 + i * 16 + 12, lines[i].line << 10 | lines[i].column);
		store_u64(f->data + 256 + i * 8, lines[i].addr, swap);
	}
	store_u16(f->btf, 0xeb9f, swap);
	put32(f, f->btf + 4, 24);
	put32(f, f->btf + 20, sizeof(strings));
	memcpy(f->btf + 24, strings, sizeof(strings));
	f->prog = (struct sonde_bpf_prog){ .id = 77, .arrays = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7,
					   .info = { f->info, sizeof(f->info) },
					   .data = { f->data, 256 + ARRAY_SIZE(lines) * 8 } };
	f->types = (struct sonde_btf){ .id = 5, .data = { f->btf, sizeof(f->btf) } };
	f->meta.bpf_progs = &f->prog;
	f->meta.nr_bpf_progs = 1;
	f->meta.btfs = &f->types;
	f->meta.nr_btfs = 1;
}

static void expect(const struct bpf_lines *l, uint64_t start, uint64_t addr, const char *file, uint32_t line,
		   uint32_t column)
{
	const struct bpf_line *found = bpf_lines_find(l, start, addr);

	assert_int_equal(found != NULL, file != NULL);
	if (file) {
		assert_string_equal(found->file, file);
		assert_int_equal(found->line, line);
		assert_int_equal(found->column, column);
	}
}

static void test_lines(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct bpf_lines l = { 0 };
		struct fake_recording f;

		make(&f, swap);
		assert_int_equal(bpf_lines_add(&l, &f.meta), 0);
		assert_int_equal(l.list.n, 4);
		expect(&l, ONE, ONE - 1, NULL, 0, 0);
		expect(&l, ONE, ONE, "/src/one.bpf.c", 10, 2);
		expect(&l, ONE, ONE + 0xf, "/src/one.bpf.c", 10, 2);
		expect(&l, ONE, ONE + 0x10, "/src/one.bpf.c", 11, 3);
		expect(&l, ONE, ONE + 0x2f, "/src/one.bpf.c", 11, 3);
		expect(&l, ONE, ONE + 0x30, NULL, 0, 0);
		expect(&l, TWO, TWO, "/src/two.h", 300, 1023);
		expect(&l, TWO, TWO + 0x1f, "/src/one.bpf.c", 7, 1);
		expect(&l, TWO, TWO + 0x20, NULL, 0, 0);
		assert_string_equal(bpf_lines_find(&l, ONE, ONE)->text, "\treturn 0;");
		assert_string_equal(bpf_lines_find(&l, ONE, ONE + 0x10)->text, "");
		bpf_lines_free(&l);
	}
}

/* Another program lies where the first one was, 8 bytes further. */
static void test_memory_of_two_programs(void **state)
{
	struct sonde_bpf_prog both[2];
	struct bpf_lines l = { 0 };
	struct fake_recording one, two;

	(void)state;
	make(&one, false);
	make(&two, false);
	store_u64(two.data, TWO + 8, false);
	store_u64(two.data + 8, ONE + 8, false);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		store_u64(two.data + 256 + i * 8, lines[i].addr + 8, false);
	both[0] = one.prog;
	both[1] = two.prog;
	one.meta.bpf_progs = both;
	one.meta.nr_bpf_progs = 2;
	assert_int_equal(bpf_lines_add(&l, &one.meta), 0);
	expect(&l, ONE, ONE + 8, "/src/one.bpf.c", 10, 2);
	expect(&l, ONE, ONE + 0x17, "/src/one.bpf.c", 11, 3);
	expect(&l, ONE + 8, ONE + 0x17, "/src/one.bpf.c", 10, 2);
	expect(&l, ONE + 8, ONE + 0x18, "/src/one.bpf.c", 11, 3);
	expect(&l, ONE + 8, ONE + 7, NULL, 0, 0);
	expect(&l, ONE + 4, ONE + 8, NULL, 0, 0);
	bpf_lines_free(&l);
}

/* Reads copies of their exact size, so that a byte beyond an end is seen. */
static void read_copies(struct fake_recording *f)
{
	struct sonde_bytes *parts[] = { &f->prog.info, &f->prog.data, &f->types.data };
	struct bpf_lines l = { 0 };
	uint8_t *copies[3];

	for (size_t i = 0; i < 3; i++) {
		copies[i] = malloc(parts[i]->len ? parts[i]->len : 1);
		memcpy(copies[i], parts[i]->p, parts[i]->len);
		parts[i]->p = copies[i];
	}
	assert_int_equal(bpf_lines_add(&l, &f->meta), 0);
	assert_true(l.list.n <= ARRAY_SIZE(lines));
	bpf_lines_free(&l);
	for (size_t i = 0; i < 3; i++)
		free(copies[i]);
}

static void test_every_prefix(void **state)
{
	struct fake_recording f;

	(void)state;
	for (size_t n = 0; n < sizeof(f.data); n++) {
		make(&f, false);
		f.prog.data.len = n < f.prog.data.len ? n : f.prog.data.len;
		read_copies(&f);
		make(&f, false);
		f.prog.info.len = n < f.prog.info.len ? n : f.prog.info.len;
		read_copies(&f);
		make(&f, false);
		f.types.data.len = n < f.types.data.len ? n : f.types.data.len;
		read_copies(&f);
	}
}

static void test_every_bit(void **state)
{
	struct fake_recording f;

	(void)state;
	for (size_t bit = 0; bit < (sizeof(f.info) + sizeof(f.btf)) * 8; bit++) {
		make(&f, false);
		if (bit / 8 < sizeof(f.info))
			f.info[bit / 8] ^= (uint8_t)(1 << bit % 8);
		else
			f.btf[bit / 8 - sizeof(f.info)] ^= (uint8_t)(1 << bit % 8);
		read_copies(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_memory_of_two_programs),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_every_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
