/* SPDX-License-Identifier: MIT */
#include "symbol/list/bpf_code.h"

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

enum { CODE_SIZE = 8, LENS_AT = 8, STARTS_AT = 16, DATA_SIZE = 32 };

/* A program of two functions of 3 and 5 bytes, the second one at the lower address. */
struct fake {
	uint8_t info[256], data[DATA_SIZE];
	struct sonde_bpf_prog prog;
	struct meta meta;
};

static void put(struct fake *f, size_t field, uint32_t v, bool swap)
{
	store_u32(f->info + field, v, swap);
}

static void make(struct fake *f, bool swap, uint32_t code_size, uint32_t second_size)
{
	*f = (struct fake){ 0 };
	put(f, offsetof(struct bpf_prog_info, id), 9, swap);
	put(f, offsetof(struct bpf_prog_info, jited_prog_len), code_size, swap);
	put(f, offsetof(struct bpf_prog_info, nr_jited_ksyms), 2, swap);
	put(f, offsetof(struct bpf_prog_info, nr_jited_func_lens), 2, swap);
	store_u64(f->info + offsetof(struct bpf_prog_info, jited_func_lens), LENS_AT, swap);
	store_u64(f->info + offsetof(struct bpf_prog_info, jited_ksyms), STARTS_AT, swap);
	memcpy(f->data, "aaabbbbb", CODE_SIZE);
	store_u32(f->data + LENS_AT, 3, swap);
	store_u32(f->data + LENS_AT + 4, second_size, swap);
	store_u64(f->data + STARTS_AT, TWO, swap);
	store_u64(f->data + STARTS_AT + 8, ONE, swap);
	f->prog = (struct sonde_bpf_prog){ .id = 9, .arrays = 1 << 0 | 1 << 3 | 1 << 4,
					   .info = { f->info, sizeof(f->info) }, .data = { f->data, DATA_SIZE } };
	f->meta.bpf_progs = &f->prog;
	f->meta.nr_bpf_progs = 1;
}

static void code_by_address(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		const struct bpf_function *one, *two;
		struct bpf_code c = { 0 };
		struct fake f;

		make(&f, swap, CODE_SIZE, 5);
		assert_int_equal(bpf_code_add(&c, &f.meta), 0);
		one = bpf_code_find(&c, ONE);
		two = bpf_code_find(&c, TWO);
		assert_true(one && two);
		assert_int_equal(two->size, 3);
		assert_memory_equal(two->code, "aaa", 3);
		assert_int_equal(one->size, 5);
		assert_memory_equal(one->code, "bbbbb", 5);
		assert_null(bpf_code_find(&c, ONE + 1));
		bpf_code_free(&c);
	}
}

/* Sizes that the program does not have. */
static void lying_sizes(void **state)
{
	struct bpf_code c = { 0 };
	struct fake f;

	(void)state;
	make(&f, false, CODE_SIZE, 6);
	assert_int_equal(bpf_code_add(&c, &f.meta), 0);
	assert_non_null(bpf_code_find(&c, TWO));
	assert_null(bpf_code_find(&c, ONE));
	bpf_code_free(&c);
	make(&f, false, DATA_SIZE + 1, 5);
	assert_int_equal(bpf_code_add(&c, &f.meta), 0);
	assert_null(bpf_code_find(&c, TWO));
	bpf_code_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(code_by_address), cmocka_unit_test(lying_sizes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
