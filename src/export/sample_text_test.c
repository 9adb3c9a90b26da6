/* SPDX-License-Identifier: MIT */
#include "export/sample_text.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bytes.h"

static void expect_text(struct buf *out, const char *want)
{
	buf_char(out, '\0');
	assert_string_equal(out->p, want);
	out->n = 0;
}

/* The texts are what perf 7.2 prints of these numbers. */
static void data_src(void **state)
{
	static const struct {
		uint64_t number;
		const char *text;
	} cases[] = {
		{ 0, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A" },
		{ 0x5080021, "|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A" },
		{ 0x6, "|OP LOAD|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  N/A" },
		{ 0x11868100242, "|OP LOAD|LVL LFB/MAB hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A" },
		{ 0x1026a100142, "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK Yes|BLK  N/A" },
		{ 0x540, "|OP No|LVL L1 or L2 hit|SNP N/A|TLB N/A|LCK No|BLK  N/A" },
		{ 0x4000, "|OP No|LVL Remote RAM (2 hops) |SNP N/A|TLB N/A|LCK No|BLK  N/A" },
		{ 0x102200000000, "|OP No|LVL Remote node, same socket L1 |SNP N/A|TLB N/A|LCK No|BLK  N/A" },
		{ 0x1a00000080, "|OP No|LVL RAM miss|SNP N/A|TLB N/A|LCK No|BLK  N/A" },
		{ 0x4000200000, "|OP No|LVL N/A|SNP Hit or Fwd|TLB N/A|LCK No|BLK  N/A" },
		{ 0x90000000, "|OP No|LVL N/A|SNP N/A|TLB Walker miss|LCK No|BLK  N/A" },
		{ 0x60000000000, "|OP No|LVL N/A|SNP N/A|TLB N/A|LCK No|BLK  Data Addr" },
	};
	struct buf out = BUF_MEMORY;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		text_data_src(&out, cases[i].number);
		expect_text(&out, cases[i].text);
	}
	for (unsigned bit = 0; bit < 64; bit++)
		text_data_src(&out, UINT64_C(1) << bit | UINT64_C(1) << (63 - bit));
	buf_free(&out);
}

static void branch_flags(void **state)
{
	struct buf out = BUF_MEMORY;

	(void)state;
	text_branch_flags(&out, 0);
	expect_text(&out, "/-/-/-/0//-");
	text_branch_flags(&out, 2 | 4 | 8 | 7 << 4 | 4 << 20 | 2 << 24);
	expect_text(&out, "/P/X/A/7/CALL/NON_SPEC_CORRECT_PATH");
	text_branch_flags(&out, 1 | 15 << 20 | 2 << 26);
	expect_text(&out, "/M/-/-/0/FAULT_INST/-");
	text_branch_flags(&out, UINT64_MAX);
	expect_text(&out, "/M/X/A/65535//SPEC_CORRECT_PATH");
	buf_free(&out);
}

static void small_words(void **state)
{
	struct buf out = BUF_MEMORY;

	(void)state;
	text_page_size(&out, 0);
	expect_text(&out, "N/A");
	text_page_size(&out, 4096);
	expect_text(&out, "4K");
	text_page_size(&out, UINT64_MAX);
	expect_text(&out, "15E");
	text_transaction(&out, 1 | 32 | UINT64_C(5) << 32);
	expect_text(&out, "ELISION|CONFLICT");
	text_misc(&out, PERF_RECORD_SAMPLE, 0x4001);
	expect_text(&out, "K");
	text_misc(&out, PERF_RECORD_MMAP2, 0x2002);
	expect_text(&out, "UM");
	text_misc(&out, PERF_RECORD_SWITCH, 0x6000);
	expect_text(&out, "Sp");
	text_misc(&out, PERF_RECORD_COMM, 0x2000);
	expect_text(&out, "E");
	buf_free(&out);
}

static void registers(void **state)
{
	(void)state;
	assert_string_equal(text_register("x86_64", 8), "IP");
	assert_string_equal(text_register("x86", 16), "R8");
	assert_string_equal(text_register("aarch64", 32), "pc");
	assert_string_equal(text_register("armv7l", 15), "pc");
	assert_string_equal(text_register("s390x", 33), "PC");
	assert_null(text_register("x86_64", 24));
	assert_null(text_register("x86_64", 64));
	assert_null(text_register("pdp11", 0));
	assert_null(text_register(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_src),
		cmocka_unit_test(branch_flags),
		cmocka_unit_test(small_words),
		cmocka_unit_test(registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
