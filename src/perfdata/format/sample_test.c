/* SPDX-License-Identifier: MIT */
#include "perfdata/format/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* A record that is put together word by word, in host order or in the other. */
struct draft {
	uint8_t p[512];
	size_t n;
	bool swap;
};

static struct draft draft_new(bool swap)
{
	return (struct draft){ .n = RECORD_HEADER_BYTES, .swap = swap };
}

static void put64(struct draft *d, uint64_t v)
{
	v = d->swap ? bswap_64(v) : v;
	memcpy(d->p + d->n, &v, 8);
	d->n += 8;
}

static void put32(struct draft *d, uint32_t v)
{
	v = d->swap ? bswap_32(v) : v;
	memcpy(d->p + d->n, &v, 4);
	d->n += 4;
}

static void test_the_order_is_not_that_of_the_bits(void **state)
{
	struct sonde_attr attr = { .sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME |
					   SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_PERIOD };
	struct sample s;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct draft d = draft_new(swap);

		put64(&d, 1);
		put64(&d, 2);
		put32(&d, 3);
		put32(&d, 4);
		for (uint64_t v = 5; v <= 8; v++)
			put64(&d, v);
		put32(&d, 9);
		put32(&d, 0);
		put64(&d, 10);
		assert_int_equal(sample_decode(d.p, d.n, &attr, swap, &s), 0);
		assert_int_equal(s.identifier, 1);
		assert_int_equal(s.ip, 2);
		assert_int_equal(s.pid, 3);
		assert_int_equal(s.tid, 4);
		assert_int_equal(s.time, 5);
		assert_int_equal(s.addr, 6);
		assert_int_equal(s.id, 7);
		assert_int_equal(s.stream_id, 8);
		assert_int_equal(s.cpu, 9);
		assert_int_equal(s.period, 10);
		assert_int_equal(s.present, attr.sample_type);
	}
}

static void test_what_is_absent_has_its_default(void **state)
{
	struct sonde_attr attr = { .sample_type = SAMPLE_IP, .sample_period = 4000 };
	struct draft d = draft_new(false);
	struct sample s;

	(void)state;
	put64(&d, 0x400000);
	assert_int_equal(sample_decode(d.p, d.n, &attr, false, &s), 0);
	assert_int_equal(s.period, 4000);
	assert_int_equal(s.pid, -1);
	assert_int_equal(s.cpu, -1);
	assert_int_equal(s.time, SONDE_NONE);
	attr.flags = SONDE_ATTR_FREQ;  /* 4000 is a frequency then */
	assert_int_equal(sample_decode(d.p, d.n, &attr, false, &s), 0);
	assert_int_equal(s.period, 0);
}

static void test_a_count_that_lies_costs_its_field_and_what_follows(void **state)
{
	struct sonde_attr attr = { .sample_type = SAMPLE_IP | SAMPLE_CALLCHAIN | SAMPLE_WEIGHT };
	struct draft d = draft_new(false);
	struct sample s;

	(void)state;
	put64(&d, 0x400000);
	put64(&d, UINT64_MAX / 8 + 1);  /* times 8 wraps to 0 */
	put64(&d, 7);
	assert_int_equal(sample_decode(d.p, d.n, &attr, false, &s), -SONDE_CORRUPT);
	assert_int_equal(s.present, SAMPLE_IP);
	assert_int_equal(s.ip, 0x400000);
	assert_int_equal(s.callchain.nr, 0);
	assert_int_equal(s.weight, 0);
}

static void test_every_field_behind_the_fixed_ones(void **state)
{
	struct sonde_attr attr = {
		.sample_type = SAMPLE_CALLCHAIN | SAMPLE_RAW | SAMPLE_BRANCH_STACK | SAMPLE_REGS_USER |
			SAMPLE_STACK_USER | SAMPLE_WEIGHT_STRUCT | SAMPLE_DATA_SRC | SAMPLE_TRANSACTION |
			SAMPLE_REGS_INTR | SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE |
			SAMPLE_CODE_PAGE_SIZE | SAMPLE_AUX,
		.branch_sample_type = BRANCH_HW_INDEX | BRANCH_COUNTERS,
		.sample_regs_user = 0x5,
		.sample_regs_intr = 0x8000,
	};
	struct draft d = draft_new(false);
	struct sample s;

	(void)state;
	put64(&d, 2), put64(&d, 0x11), put64(&d, 0x12);                            /* callchain */
	put32(&d, 4), put32(&d, 0xabcd);                                          /* raw */
	put64(&d, 1), put64(&d, 7), put64(&d, 0x21), put64(&d, 0x22), put64(&d, 3), put64(&d, 0x24); /* branches */
	put64(&d, 2), put64(&d, 0x31), put64(&d, 0x33);                            /* user registers 0 and 2 */
	put64(&d, 16), put64(&d, 0x41), put64(&d, 0x42), put64(&d, 8);  /* stack: 16 bytes, 8 of them valid */
	for (uint64_t v = 51; v <= 53; v++)
		put64(&d, v);
	put64(&d, 0);                                                             /* no interrupt registers */
	for (uint64_t v = 54; v <= 57; v++)
		put64(&d, v);
	put64(&d, 8), put64(&d, 0x61);                                            /* aux */
	assert_int_equal(sample_decode(d.p, d.n, &attr, false, &s), 0);
	assert_int_equal(s.callchain.nr, 2);
	assert_int_equal(s.raw.len, 4);
	assert_int_equal(s.branches.nr, 1);
	assert_int_equal(s.branches.hw_idx, 7);
	assert_int_equal(load_u64(s.branches.counters, false), 0x24);
	assert_int_equal(s.user_regs.values.nr, 2);
	assert_int_equal(load_u64(s.user_regs.values.p + 8, false), 0x33);
	assert_int_equal(s.user_stack.len, 8);
	assert_int_equal(s.user_stack_size, 16);
	assert_int_equal(s.weight, 51);
	assert_int_equal(s.transaction, 53);
	assert_int_equal(s.intr_regs.values.nr, 0);
	assert_int_equal(s.phys_addr, 54);
	assert_int_equal(s.code_page_size, 57);
	assert_int_equal(s.aux.len, 8);
	/* one word less: only the last field is gone */
	assert_int_equal(sample_decode(d.p, d.n - 8, &attr, false, &s), -SONDE_CORRUPT);
	assert_int_equal(s.present, attr.sample_type & ~(uint64_t)SAMPLE_AUX);
}

static void test_no_branches_may_come_without_hw_idx(void **state)
{
	struct sonde_attr attr = { .sample_type = SAMPLE_BRANCH_STACK | SAMPLE_WEIGHT,
				   .branch_sample_type = BRANCH_HW_INDEX };
	struct draft without = draft_new(false), with = draft_new(false);
	struct sample s;

	(void)state;
	put64(&without, 0), put64(&without, 99);
	assert_int_equal(sample_decode(without.p, without.n, &attr, false, &s), 0);
	assert_int_equal(s.branches.hw_idx, SONDE_NONE);
	assert_int_equal(s.weight, 99);
	put64(&with, 0), put64(&with, 5), put64(&with, 99);
	assert_int_equal(sample_decode(with.p, with.n, &attr, false, &s), 0);
	assert_int_equal(s.branches.hw_idx, 5);
	assert_int_equal(s.weight, 99);
}

static void test_a_group_read(void **state)
{
	struct draft d = draft_new(false);
	const uint8_t *p = d.p + RECORD_HEADER_BYTES;
	struct read_counts r;

	(void)state;
	put64(&d, 2), put64(&d, 1000), put64(&d, 900);
	put64(&d, 50), put64(&d, 1), put64(&d, 60), put64(&d, 2);
	assert_true(read_decode(&p, d.p + d.n, READ_GROUP | READ_ENABLED | READ_RUNNING | READ_ID, false, &r));
	assert_ptr_equal(p, d.p + d.n);
	assert_int_equal(r.nr, 2);
	assert_int_equal(r.time_running, 900);
	p = d.p + RECORD_HEADER_BYTES;
	assert_false(read_decode(&p, d.p + d.n - 8, READ_GROUP | READ_ENABLED | READ_RUNNING | READ_ID, false, &r));
}

static void test_the_trailer_is_counted_from_the_end(void **state)
{
	struct sonde_attr attr = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IDENTIFIER,
				   .flags = SONDE_ATTR_SAMPLE_ID_ALL };
	struct sample_layout l = sample_layout_compile(&attr);

	(void)state;
	assert_int_equal(l.trailer_bytes, 32);
	assert_int_equal(l.trailer[AT_TID], 32);
	assert_int_equal(l.trailer[AT_TIME], 24);
	assert_int_equal(l.trailer[AT_CPU], 16);
	assert_int_equal(l.trailer[AT_IDENTIFIER], 8);
	assert_int_equal(l.sample[AT_IDENTIFIER], 8);
	assert_int_equal(l.sample[AT_CPU], 40);
	attr.flags = 0;
	assert_int_equal(sample_layout_compile(&attr).trailer_bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_order_is_not_that_of_the_bits),
		cmocka_unit_test(test_what_is_absent_has_its_default),
		cmocka_unit_test(test_a_count_that_lies_costs_its_field_and_what_follows),
		cmocka_unit_test(test_every_field_behind_the_fixed_ones),
		cmocka_unit_test(test_no_branches_may_come_without_hw_idx),
		cmocka_unit_test(test_a_group_read),
		cmocka_unit_test(test_the_trailer_is_counted_from_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
