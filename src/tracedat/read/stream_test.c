/* SPDX-License-Identifier: MIT */
#include "base/hash.h"
#include "tracedat/read/event.h"
#include "tracedat/read/ticks_test.h"
#include "tracedat/read/walk.h"

/* The records that a walk gave, and its losses. */
struct result {
	uint64_t records, hash;
	char losses[4096];
};

static void add(struct result *r, const void *p, size_t n)
{
	r->hash = hash_two(r->hash, hash_bytes(p, n));
}

static void name_losses(struct result *out, const struct ledger *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->rows.n && n < sizeof(out->losses); i++)
		n += (size_t)snprintf(out->losses + n, sizeof(out->losses) - n, "%llu %s at 0x%llx, ",
				      (unsigned long long)l->rows.at[i].count, l->rows.at[i].text,
				      (unsigned long long)l->rows.at[i].file_offset);
}

static void take_records(struct reader *r, struct walk *walk, uint64_t min, uint64_t max, struct result *out)
{
	struct record_ref ref;

	*out = (struct result){ .hash = 1 };
	while (dat_walk_next(walk, &ref, NULL) > 0) {
		struct loaded_event e;
		const struct sonde_event *ev = &e.pub;

		if (ref.time < min || ref.time > max)
			continue;
		dat_load(r, &ref, &e);
		add(out, &ev->time, sizeof(ev->time));
		add(out, &ev->cpu, sizeof(ev->cpu));
		add(out, &ev->file_offset, sizeof(ev->file_offset));
		add(out, ev->raw, ref.kind == DAT_EVENT ? ev->raw_size : 0);
		out->records++;
	}
	name_losses(out, &r->ledger);
	dat_walk_free(walk);
}

static struct walk *new_walk(struct reader *r, bool by_time)
{
	struct walk *walk;

	assert_int_equal(by_time ? dat_walk_new_by_time(r, &walk, NULL) : dat_walk_new(r, &walk, NULL), 0);
	return walk;
}

static void read_all(const struct bytes_of_file *b, bool in_memory, bool by_time, uint64_t max_memory,
		     struct result *out)
{
	struct reader *r = open_bytes(b, in_memory);

	r->max_memory = max_memory;
	take_records(r, new_walk(r, by_time), 0, UINT64_MAX, out);
	r->ops->free(r);
}

/* With a thread, and without one because there is little memory. */
static void check_both(const struct bytes_of_file *b, uint64_t records, const char *loss)
{
	struct result with, without;

	for (int i = 0; i < 4; i++) {
		read_all(b, i & 1, i & 2, 0, &with);
		read_all(b, i & 1, i & 2, 1 << 20, &without);
		assert_int_equal(with.records, without.records);
		assert_int_equal(with.hash, without.hash);
		assert_string_equal(with.losses, without.losses);
		assert_int_equal(with.records, records);
		if (loss)
			assert_non_null(strstr(with.losses, loss));
	}
}

static void the_same_comes_decompressed_ahead(void **state)
{
	static const enum sonde_compression all[] = { SONDE_COMPRESSION_ZSTD, SONDE_COMPRESSION_ZLIB };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct bytes_of_file b = make_file(all[i]);

		check_both(&b, CPUS * (EVENTS + EVENTS / 10000), "events lost");
		free(b.p);
	}
}

static uint64_t count(const struct bytes_of_file *b)
{
	struct result r;

	read_all(b, true, false, 1 << 20, &r);
	return r.records;
}

static void damage_costs_its_chunk(void **state)
{
	struct bytes_of_file b = make_file(SONDE_COMPRESSION_ZSTD);
	size_t at = find_chunk(&b, 11);

	(void)state;
	memset(b.p + at + 20, 0xa5, 40);
	check_both(&b, count(&b), "cannot be decompressed");
	at = find_chunk(&b, 14);
	memset(b.p + at + 4, 0xff, 4);
	check_both(&b, count(&b), "larger than can be");
	at = find_chunk(&b, 18);
	memset(b.p + at + 4, 0, 4);
	check_both(&b, count(&b), NULL);
	b.n = find_chunk(&b, 21) + 30;
	check_both(&b, count(&b), "missing");
	free(b.p);
}

/* Blocks that are pinned are not used for other pages. */
static void pinned_records_stay(void **state)
{
	struct bytes_of_file b = make_file(SONDE_COMPRESSION_ZSTD);
	struct reader *r = open_bytes(&b, false);
	VEC(struct record_ref) kept = { 0 };
	struct record_ref ref;
	struct walk *walk;

	(void)state;
	assert_int_equal(dat_walk_new(r, &walk, NULL), 0);
	for (uint32_t i = 0; dat_walk_next(walk, &ref, NULL) > 0 && i < EVENTS; i++)
		if (i % 5000 == 0 && ref.kind == DAT_EVENT) {
			dat_pin(r, &ref);
			assert_int_equal(vec_push(&kept, ref), 0);
		}
	dat_walk_free(walk);  /* before its end: with jobs that nobody waits for any more */
	for (size_t i = 0; i < kept.n; i++) {
		struct page_event ev = dat_page_event_at(&dat_of(r)->layout, kept.at[i].p);
		uint32_t number = (uint32_t)(kept.at[i].time / STEP_NS - 1);

		assert_int_equal(load_u32(ev.data + 8, false), number * 2654435761u);
		dat_unpin(r, &kept.at[i], 1);
	}
	assert_true(kept.n > 8);
	vec_free(&kept);
	r->ops->free(r);
	free(b.p);
}

/* The same records with and without being told what time range is wanted; @loss: what is not told then. */
static void check_range(const struct bytes_of_file *b, uint64_t min, uint64_t max, const char *loss)
{
	for (int i = 0; i < 2; i++) {
		struct reader *r = open_bytes(b, i);
		struct walk *walk = new_walk(r, i);
		struct result all, narrow;

		take_records(r, walk, min, max, &all);
		walk = new_walk(r, i);
		assert_int_equal(dat_walk_narrow(walk, min, max, NULL), 0);
		take_records(r, walk, min, max, &narrow);
		assert_int_equal(narrow.records, all.records);
		assert_int_equal(narrow.hash, all.hash);
		if (loss)
			assert_non_null(strstr(all.losses, loss));
		if (loss)
			assert_null(strstr(narrow.losses, loss));
		r->ops->free(r);
	}
}

static void check_ranges(const struct bytes_of_file *b)
{
	static const uint64_t ranges[][2] = {
		{ 0, 0 },
		{ 1, 10 },
		{ 29000, 31000 },
		{ 30000, 30000 },
		{ 0, 29999 },
		{ 59990, 2 * EVENTS },
		{ EVENTS + 1, 2 * EVENTS },
		{ 10000, 9000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		check_range(b, ranges[i][0] * STEP_NS, ranges[i][1] * STEP_NS, NULL);
	check_range(b, UINT64_C(30000) * STEP_NS, UINT64_MAX, NULL);
}

/* Damage outside of the range is not found: those bytes are not read. */
static void what_is_outside_of_a_range_is_not_read(void **state)
{
	struct bytes_of_file b = make_file(SONDE_COMPRESSION_NONE);
	struct reader *r = open_bytes(&b, true);
	size_t page = (size_t)dat_of(r)->extents.at[1].offset + 10 * 4096, chunk;

	(void)state;
	r->ops->free(r);
	check_ranges(&b);
	memset(b.p + page + 400, 0, 8);  /* no event is like that */
	check_range(&b, UINT64_C(30000) * STEP_NS, UINT64_C(31000) * STEP_NS, "no event");
	free(b.p);
	b = make_file(SONDE_COMPRESSION_ZSTD);
	check_ranges(&b);
	chunk = find_chunk(&b, 5);  /* none of those that are looked at to find the range */
	memset(b.p + chunk + 20, 0xa5, 40);
	check_range(&b, UINT64_C(50000) * STEP_NS, UINT64_C(51000) * STEP_NS, "cannot be decompressed");
	free(b.p);
}

static void a_clock_that_went_back_costs_time_only(void **state)
{
	(void)state;
	check_clocks_that_went_back(check_ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_comes_decompressed_ahead),
		cmocka_unit_test(damage_costs_its_chunk),
		cmocka_unit_test(pinned_records_stay),
		cmocka_unit_test(what_is_outside_of_a_range_is_not_read),
		cmocka_unit_test(a_clock_that_went_back_costs_time_only),
	};

	return cmocka_run_group_tests(tests, make_name, remove_file);
}
