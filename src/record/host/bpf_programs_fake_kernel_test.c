/* SPDX-License-Identifier: MIT */
/* With answers of bpf(2) that a kernel gives seldom. tests/command/bpf_programs.py asks the running kernel. */
#include "record/host/bpf_programs.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "record/host/btf_name.h"

#define ADDRESS 0xffffffffc0001000u

/*
 * Programs 3 and 5, and those after them up to `newest`; 5 is unloaded when it is opened. The kernel keeps addresses to
 * itself with `restricted`.
 */
static bool restricted;
static uint32_t newest = 5, asked;

static long fill(struct bpf_prog_info *info, uint32_t id)
{
	info->id = id;
	memcpy(info->tag, "\1\2\3\4\5\6\7\10", BPF_TAG_SIZE);
	strcpy(info->name, "solo");
	if (info->jited_ksyms && !restricted)
		memcpy((void *)(uintptr_t)info->jited_ksyms, &(uint64_t){ ADDRESS }, 8);
	if (info->jited_func_lens && !restricted)
		memcpy((void *)(uintptr_t)info->jited_func_lens, &(uint32_t){ 77 }, 4);
	if (info->prog_tags)
		memcpy((void *)(uintptr_t)info->prog_tags, info->tag, BPF_TAG_SIZE);
	info->jited_prog_len = 64;
	info->nr_jited_ksyms = info->nr_jited_func_lens = info->nr_prog_tags = 1;
	if (restricted)
		info->jited_ksyms = info->jited_func_lens = info->jited_prog_insns = 0;
	return 0;
}

static long fake_kernel(int command, void *p, size_t size)
{
	union bpf_attr *attr = p;

	(void)size;
	if (command == BPF_PROG_GET_NEXT_ID) {
		asked++;
		attr->next_id = attr->start_id < 3 ? 3 : attr->start_id < 5 ? 5 : attr->start_id + 1;
		return attr->start_id < newest ? 0 : -ENOENT;
	}
	if (command == BPF_PROG_GET_FD_BY_ID)
		return attr->prog_id == 5 ? -ENOENT : 1000000 + (long)attr->prog_id;
	if (command == BPF_OBJ_GET_INFO_BY_FD)
		return fill((struct bpf_prog_info *)(uintptr_t)attr->info.info, attr->info.bpf_fd - 1000000);
	return -EPERM;
}

static long not_permitted(int command, void *p, size_t size)
{
	(void)command;
	(void)p;
	(void)size;
	return -EPERM;
}

static void a_program_that_is_unloaded_is_left_out(void **state)
{
	struct bpf_programs b = { .call = fake_kernel };
	struct loaded_function f;

	(void)state;
	restricted = false;
	assert_int_equal(bpf_programs_gather(&b), 0);
	assert_int_equal(bpf_programs_gather(&b), 0);
	assert_int_equal(b.progs.n, 1);
	assert_int_equal(b.progs.at[0].id, 3);
	assert_true(bpf_programs_function(&b, &b.progs.at[0], 0, &f));
	assert_int_equal(f.addr, ADDRESS);
	assert_int_equal(f.len, 77);
	assert_string_equal(f.name, "bpf_prog_0102030405060708_solo");
	assert_false(bpf_programs_function(&b, &b.progs.at[0], 1, &f));
	bpf_programs_free(&b);
}

static void only_new_programs_are_asked_for(void **state)
{
	struct bpf_programs b = { .call = fake_kernel };

	(void)state;
	assert_int_equal(bpf_programs_gather(&b), 0);
	newest = 7;
	asked = 0;
	assert_int_equal(bpf_programs_gather_new(&b), 0);
	assert_int_equal(asked, 3);
	assert_int_equal(b.progs.n, 3);
	assert_int_equal(b.nr_sorted, 1);
	assert_int_equal(b.progs.at[2].id, 7);
	b.bytes = 64u << 20;         /* no more memory is for new programs, but for those at the end */
	newest = 8;
	assert_int_equal(bpf_programs_gather_new(&b), 0);
	assert_int_equal(b.progs.n, 3);
	assert_int_equal(bpf_programs_gather(&b), 0);
	assert_int_equal(b.progs.n, 4);
	assert_int_equal(b.nr_sorted, 4);
	newest = 5;
	bpf_programs_free(&b);
	assert_int_equal(b.last_id, 0);
}

static void a_program_without_addresses_has_no_functions(void **state)
{
	struct bpf_programs b = { .call = fake_kernel };
	struct loaded_function f;

	(void)state;
	restricted = true;
	assert_int_equal(bpf_programs_gather(&b), 0);
	assert_int_equal(b.progs.n, 1);
	assert_int_equal(b.progs.at[0].arrays, 1u << 8);
	assert_false(bpf_programs_function(&b, &b.progs.at[0], 0, &f));
	bpf_programs_free(&b);
}

static void without_permission_there_are_none(void **state)
{
	struct bpf_programs b = { .call = not_permitted };

	(void)state;
	assert_int_equal(bpf_programs_gather(&b), 0);
	assert_int_equal(b.progs.n, 0);
	bpf_programs_free(&b);
}

/* BTF of an integer `int`, and a structure `s` of two members. */
static size_t make_btf(uint8_t out[256])
{
	static const char strings[] = "\0int\0s";
	const uint32_t types[] = { 1, BTF_KIND_INT << 24, 4, 32,  5, BTF_KIND_STRUCT << 24 | 2, 8, 1, 1, 0, 1, 1, 32,
				   5, BTF_KIND_TYPEDEF << 24, 2 };
	struct btf_header h = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h), .type_len = sizeof(types),
				.str_off = sizeof(types), .str_len = sizeof(strings) };

	memcpy(out, &h, sizeof(h));
	memcpy(out + sizeof(h), types, sizeof(types));
	memcpy(out + sizeof(h) + sizeof(types), strings, sizeof(strings));
	return sizeof(h) + sizeof(types) + sizeof(strings);
}

static void types_have_names(void **state)
{
	uint8_t bytes[256], *exact;
	size_t len = make_btf(bytes);
	struct sonde_bytes btf = { bytes, len };

	(void)state;
	assert_string_equal(btf_name(btf, 1), "int");
	assert_string_equal(btf_name(btf, 2), "s");
	assert_string_equal(btf_name(btf, 3), "s");
	assert_null(btf_name(btf, 0));
	assert_null(btf_name(btf, 4));
	/* each prefix, in memory of exactly its size */
	for (size_t n = 0; n < len; n++) {
		exact = malloc(n + !n);
		assert_non_null(exact);
		memcpy(exact, bytes, n);
		btf.p = exact;
		btf.len = n;
		assert_null(btf_name(btf, 3));
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_is_unloaded_is_left_out),
		cmocka_unit_test(only_new_programs_are_asked_for),
		cmocka_unit_test(a_program_without_addresses_has_no_functions),
		cmocka_unit_test(without_permission_there_are_none),
		cmocka_unit_test(types_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
