/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/byte_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/rewrite/feature_order.h"
#include "perfdata/rewrite/swapper.h"

/* One event with the evlist that hold it. */
struct held_event {
	struct reader holder;
	struct evlist evlist;
};

static void set_up_event(struct held_event *e, uint64_t sample_type)
{
	const struct sonde_attr attr = { .size = 128, .sample_type = sample_type, .flags = SONDE_ATTR_SAMPLE_ID_ALL,
					 .branch_sample_type = BRANCH_HW_INDEX };

	*e = (struct held_event){ 0 };
	e->evlist.reader = &e->holder;
	assert_non_null(evlist_add(&e->evlist, &attr));
}

static void free_event(struct held_event *e)
{
	evlist_free(&e->evlist);
	arena_free(&e->holder.arena);
}

static void put(uint8_t *p, size_t *n, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		p[(*n)++] = (uint8_t)(v >> (host_is_big_endian() ? 8 * (bytes - 1 - i) : 8 * i));
}

static void put_header(uint8_t *p, size_t *n, uint32_t type, uint16_t misc, uint16_t size)
{
	put(p, n, type, 4);
	put(p, n, misc, 2);
	put(p, n, size, 2);
}

/* Swaps a record of the host's order; a second time gives the same bytes. */
static const char *swap_twice(struct evlist *s, const uint8_t *p, size_t n, uint8_t *other)
{
	uint8_t back[512];
	const char *what;

	memcpy(other, p, n);
	what = swap_record(s, other, n, false, 0);
	memcpy(back, other, n);
	swap_record(s, back, n, true, 0);
	assert_memory_equal(back, p, n);
	return what;
}

static void a_mapping_by_the_widths_of_its_fields(void **state)
{
	uint8_t p[256], other[256];
	struct held_event e;
	size_t n = 0;

	(void)state;
	set_up_event(&e, SAMPLE_TID | SAMPLE_TIME);
	put_header(p, &n, RECORD_MMAP2, MISC_MMAP_BUILD_ID, 96);
	put(p, &n, 7, 4);
	put(p, &n, 8, 4);
	for (int i = 0; i < 3; i++)
		put(p, &n, 0x1000, 8);
	memcpy(p + n, "\x14\0\0\0abcdefghijklmnopqrst", 24);
	n += 24;
	put(p, &n, 5, 4);
	put(p, &n, 2, 4);
	memcpy(p + n, "/bin/ls\0", 8);
	n += 8;
	put(p, &n, 7, 4);
	put(p, &n, 9, 4);
	put(p, &n, 12345, 8);
	assert_int_equal(n, 96);
	assert_null(swap_twice(&e.evlist, p, n, other));
	assert_int_equal(record_header(other, true).size, 96);
	assert_int_equal(load_u32(other + 8, true), 7);
	assert_memory_equal(other + 40, p + 40, 24);   /* a build id has no byte order */
	assert_int_equal(load_u32(other + 64, true), 5);
	assert_string_equal((const char *)other + 72, "/bin/ls");
	assert_int_equal(load_u32(other + 84, true), 9);
	assert_int_equal(load_u64(other + 88, true), 12345);
	free_event(&e);
}

/* Raw data and stacks stay, counts before them do not; flags of branches are bit-fields. */
static void a_sample_field_by_field(void **state)
{
	uint8_t p[256], other[256];
	struct held_event e;
	size_t n = 0, raw_at, flags_at, stack_at;

	(void)state;
	set_up_event(&e, SAMPLE_IP | SAMPLE_TID | SAMPLE_RAW | SAMPLE_BRANCH_STACK | SAMPLE_STACK_USER);
	put_header(p, &n, RECORD_SAMPLE, 2, 104);
	put(p, &n, 0x400123, 8);
	put(p, &n, 1, 4);
	put(p, &n, 2, 4);
	raw_at = n;
	put(p, &n, 4, 4);
	put(p, &n, 0xaabbccdd, 4);
	put(p, &n, 1, 8);
	put(p, &n, UINT64_MAX, 8);                     /* hw_idx */
	put(p, &n, 0x1111, 8);
	put(p, &n, 0x2222, 8);
	flags_at = n;
	put(p, &n, 0x1 | 100 << 4 | 3 << 20, 8);       /* mispred, 100 cycles, type 3 */
	stack_at = n;
	put(p, &n, 16, 8);
	memcpy(p + n, "0123456789abcdef", 16);
	n += 16;
	put(p, &n, 8, 8);
	assert_int_equal(n, 104);
	assert_null(swap_twice(&e.evlist, p, n, other));
	assert_int_equal(load_u32(other + 20, true), 2);
	assert_int_equal(load_u32(other + raw_at, true), 4);
	assert_memory_equal(other + raw_at + 4, p + raw_at + 4, 4);
	if (!host_is_big_endian())
		assert_int_equal(load_u64(other + flags_at, true),
				 UINT64_C(1) << 63 | UINT64_C(100) << 44 | UINT64_C(3) << 40);
	assert_int_equal(load_u64(other + stack_at, true), 16);
	assert_memory_equal(other + stack_at + 8, "0123456789abcdef", 16);
	assert_int_equal(load_u64(other + stack_at + 24, true), 8);
	free_event(&e);
}

static void what_is_not_known_is_named(void **state)
{
	uint8_t p[64], other[64];
	struct held_event e;
	size_t n = 0;

	(void)state;
	set_up_event(&e, SAMPLE_IP);
	put_header(p, &n, 99, 0, 16);
	put(p, &n, 0x0102030405060708, 8);
	assert_non_null(swap_twice(&e.evlist, p, n, other));
	assert_memory_equal(other + 8, p + 8, 8);
	assert_int_equal(record_header(other, true).type, 99);
	assert_non_null(swap_feature(200, p, 8, false, 0));
	free_event(&e);
}

static void cpu_maps_and_scales(void **state)
{
	uint8_t p[64], other[64];
	struct held_event e;
	size_t n = 0;

	(void)state;
	set_up_event(&e, SAMPLE_IP);
	put_header(p, &n, RECORD_CPU_MAP, 0, 16);
	put(p, &n, 2, 2);                              /* RANGE */
	put(p, &n, 1, 1);
	put(p, &n, 0, 1);
	put(p, &n, 3, 2);
	put(p, &n, 9, 2);
	assert_null(swap_twice(&e.evlist, p, n, other));
	assert_int_equal(load_u16(other + 8, true), 2);
	assert_int_equal(other[10], 1);
	assert_int_equal(load_u16(other + 14, true), 9);
	n = 0;
	put_header(p, &n, RECORD_EVENT_UPDATE, 0, 32);
	put(p, &n, 1, 8);                              /* SCALE */
	put(p, &n, 5, 8);
	put(p, &n, UINT64_C(0x3eb0c6f7a0b5ed8d), 8);
	assert_null(swap_twice(&e.evlist, p, n, other));
	assert_int_equal(load_u64(other + 24, true), UINT64_C(0x3eb0c6f7a0b5ed8d));
	free_event(&e);
}

static void features_in_place(void **state)
{
	uint8_t p[128] = { 0 }, other[128];
	size_t n = 0;

	(void)state;
	put(p, &n, 1, 4);                              /* PMU_MAPPINGS: count, { type, text } */
	put(p, &n, 6, 4);
	put(p, &n, 8, 4);
	memcpy(p + n, "uprobe\0", 8);
	n += 8;
	memcpy(other, p, n);
	assert_null(swap_feature(SONDE_FEAT_PMU_MAPPINGS, other, n, false, 0));
	assert_int_equal(load_u32(other, true), 1);
	assert_int_equal(load_u32(other + 4, true), 6);
	assert_string_equal((const char *)other + 12, "uprobe");
	assert_null(swap_feature(SONDE_FEAT_PMU_MAPPINGS, other, n, true, 0));
	assert_memory_equal(other, p, n);
	/* a count that lies is found out, and what was swapped goes back again */
	p[host_is_big_endian() ? 3 : 0] = 100;
	memcpy(other, p, n);
	assert_non_null(swap_feature(SONDE_FEAT_PMU_MAPPINGS, other, n, false, 0));
	swap_feature(SONDE_FEAT_PMU_MAPPINGS, other, n, true, 0);
	assert_memory_equal(other, p, n);
}

/* Before version 17 of /proc/schedstat, domains had no names, but masks and lists of CPUs. */
static void domains_without_names(void **state)
{
	uint8_t p[128] = { 0 };
	struct meta meta = { 0 };
	struct arena a = { 0 };
	size_t n = 0;

	(void)state;
	meta.nr_cpus_available = meta.nr_cpus_online = 1;
	feature_set(&meta, SONDE_FEAT_NRCPUS);
	put(p, &n, 15, 4);                             /* version, domains at the most */
	put(p, &n, 1, 4);
	put(p, &n, 0, 4);                              /* CPU, number of its domains */
	put(p, &n, 1, 4);
	put(p, &n, 0, 4);
	for (int i = 0; i < 2; i++) {
		put(p, &n, 4, 4);
		memcpy(p + n, "0-1\0", 4);
		n += 4;
	}
	assert_null(swap_feature(SONDE_FEAT_CPU_DOMAIN_INFO, p, n, false, 1));
	assert_int_equal(feature_decode(SONDE_FEAT_CPU_DOMAIN_INFO, p, n, 0, true, &meta, &a, NULL), 0);
	assert_int_equal(meta.nr_cpu_domains, 1);
	assert_string_equal(meta.cpu_domains[0].domains[0].cpulist, "0-1");
	arena_free(&a);
}

/* The number of CPUs is another feature's, any number: a loop over it ends with the bytes. */
static void cores_of_more_cpus_than_there_are_bytes(void **state)
{
	uint8_t p[64], other[64];
	size_t n = 0;

	(void)state;
	put(p, &n, 0, 4);                              /* no cores, no threads, one CPU */
	put(p, &n, 0, 4);
	put(p, &n, 3, 4);
	put(p, &n, 1, 4);
	memcpy(other, p, n);
	alarm(20);
	assert_non_null(swap_feature(SONDE_FEAT_CPU_TOPOLOGY, other, n, false, UINT32_MAX));
	assert_int_equal(load_u32(other + 8, true), 3);
	assert_non_null(swap_feature(SONDE_FEAT_CPU_TOPOLOGY, other, n, true, UINT32_MAX));
	assert_memory_equal(other, p, n);
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++)  /* nor does any other feature trust its counts */
		for (n = 0; n <= sizeof(p); n += 4) {
			memset(other, 0xff, sizeof(other));
			swap_feature(id, other, n, false, UINT32_MAX);
			memset(other, 0, sizeof(other));
			other[host_is_big_endian() ? 0 : 3] = 0x7f;
			swap_feature(id, other, n, false, UINT32_MAX);
		}
	alarm(0);
}

static void flags_of_attrs_are_mirrored(void **state)
{
	struct sonde_attr attr = { .size = 128, .type = 1, .sample_type = 7, .flags = 1 << 10 | 1 << 15, .clockid = 4 },
			  read;
	uint8_t p[ATTR_SIZE_KNOWN], before[ATTR_SIZE_KNOWN];

	(void)state;
	attr_store(p, &attr, false);
	memcpy(before, p, sizeof(p));
	assert_null(swap_attr(p, 128, false));
	attr_load(p, true, &read);
	assert_int_equal(read.flags, attr.flags);
	assert_int_equal(read.clockid, 4);
	assert_null(swap_attr(p, 128, true));
	assert_memory_equal(p, before, sizeof(p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_by_the_widths_of_its_fields),
		cmocka_unit_test(a_sample_field_by_field),
		cmocka_unit_test(what_is_not_known_is_named),
		cmocka_unit_test(cpu_maps_and_scales),
		cmocka_unit_test(features_in_place),
		cmocka_unit_test(domains_without_names),
		cmocka_unit_test(cores_of_more_cpus_than_there_are_bytes),
		cmocka_unit_test(flags_of_attrs_are_mirrored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
