/* SPDX-License-Identifier: MIT */
#include "record/perf/write_queue.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

/* A sink that checks that records arrive whole and in order, and can be slow or full. */
struct checking_sink {
	struct sink sink;
	uint64_t next, bytes, fail_at;
	unsigned delay_us;
};

static int check_records(struct sink *s, const void *bytes, size_t n, struct sonde_error *err)
{
	struct checking_sink *c = (struct checking_sink *)s;
	const uint8_t *p = bytes;

	if (c->fail_at && c->bytes + n > c->fail_at)
		return err_set(err, SONDE_SYSTEM, SONDE_NONE, "the disk is full");
	for (size_t at = 0; at < n; at += 16) {
		if (load_u64(p + at + 8, false) != c->next)
			return err_set(err, SONDE_CORRUPT, c->bytes + at, "out of order");
		c->next++;
	}
	c->bytes += n;
	if (c->delay_us)
		usleep(c->delay_us);
	return 0;
}

static const struct sink_ops checking_ops = { .records = check_records };

/* Puts numbered records of 16 bytes; how many were taken. */
static uint64_t put_many(struct write_queue *s, uint64_t nr)
{
	struct {
		struct perf_event_header h;
		uint64_t number;
	} record = { .h = { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) } };

	for (record.number = 0; record.number < nr; record.number++)
		if (write_queue_put(s, &record, sizeof(record)) < 0 ||
		    (record.number % 1000 == 0 && write_queue_flush(s) < 0))
			break;
	return record.number;
}

static void everything_arrives_in_order(void **state)
{
	enum { NR = 2000000 };  /* several buffers of 4 MiB */
	struct checking_sink c = { .sink.ops = &checking_ops, .delay_us = 500 };
	struct record_stats t = { .time_first = UINT64_MAX };
	struct sonde_error err = { 0 };
	struct write_queue s;

	(void)state;
	assert_int_equal(write_queue_start(&s, &c.sink, &t, 4096, &err), 0);
	assert_true(s.tid > 0 && s.tid != getpid());
	assert_int_equal(put_many(&s, NR), NR);
	assert_int_equal(write_queue_finish(&s, &err), 0);
	assert_int_equal(c.next, NR);
	assert_int_equal(write_queue_bytes(&s), 16 * (uint64_t)NR);
	assert_int_equal(t.samples, NR);
	write_queue_free(&s);
	record_stats_free(&t);
}

static void a_full_disk_ends_it(void **state)
{
	struct checking_sink c = { .sink.ops = &checking_ops, .fail_at = 1 << 20 };
	struct record_stats t = { .time_first = UINT64_MAX };
	struct sonde_error err = { 0 };
	struct write_queue s;

	(void)state;
	assert_int_equal(write_queue_start(&s, &c.sink, &t, 4096, &err), 0);
	assert_true(put_many(&s, UINT64_C(100000000)) < 100000000);
	assert_int_equal(write_queue_finish(&s, &err), -SONDE_SYSTEM);
	assert_string_equal(err.text, "the disk is full");
	assert_true(c.bytes <= 1 << 20);
	assert_int_equal(t.samples, c.next);  /* only what was written counts */
	write_queue_free(&s);
	record_stats_free(&t);
}

static void one_piece_is_never_split(void **state)
{
	struct checking_sink c = { .sink.ops = &checking_ops };
	struct record_stats t = { .time_first = UINT64_MAX };
	struct sonde_error err = { 0 };
	struct write_queue s;
	uint8_t *p;

	(void)state;
	assert_int_equal(write_queue_start(&s, &c.sink, &t, 8 << 20, &err), 0);
	p = write_queue_room(&s, 8 << 20);
	assert_non_null(p);
	memset(p, 0, 8 << 20);
	assert_null(write_queue_room(&s, (8 << 20) + 1));
	write_queue_free(&s);
	record_stats_free(&t);
}

/* A megabyte waits for no more records while the writing thread sleeps: it leaves the cache. */
static void a_megabyte_is_handed_over(void **state)
{
	struct checking_sink c = { .sink.ops = &checking_ops };
	struct record_stats t = { .time_first = UINT64_MAX };
	struct sonde_error err = { 0 };
	struct write_queue s;
	struct {
		struct perf_event_header h;
		uint64_t number;
	} record = { .h = { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) } };

	(void)state;
	assert_int_equal(write_queue_start(&s, &c.sink, &t, 4096, &err), 0);
	for (; record.number < (1 << 20) / sizeof(record); record.number++)
		assert_int_equal(write_queue_put(&s, &record, sizeof(record)), 0);
	assert_int_equal(s.filling->n, 1 << 20);
	assert_int_equal(write_queue_put(&s, &record, sizeof(record)), 0);
	assert_int_equal(s.filling->n, sizeof(record));
	assert_int_equal(write_queue_finish(&s, &err), 0);
	assert_int_equal(c.next, record.number + 1);
	write_queue_free(&s);
	record_stats_free(&t);
}

/* ---- what is counted on the way ---- */

struct mmap2 {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint8_t id_size, zero[3], id[20];
	uint32_t prot, flags;
	char name[16];
};

static void samples_times_and_losses(void **state)
{
	const uint64_t samples[] = { 0, 1, 300, 0, 1, 200 };
	struct {
		struct perf_event_header h;
		uint64_t id, lost;
	} lost = { { .type = PERF_RECORD_LOST, .size = sizeof(lost) }, 7, 5 };
	struct perf_event_header throttle = { .type = PERF_RECORD_THROTTLE, .size = 8 };
	struct perf_event_header sample = { .type = PERF_RECORD_SAMPLE, .size = 24 };
	struct record_stats t = { .time_first = UINT64_MAX, .time_at = 16, .nr_rings = 2 };
	uint8_t bytes[sizeof(samples)];

	(void)state;
	t.lost_by_ring = calloc(2, sizeof(*t.lost_by_ring));
	assert_int_equal(u64map_set(&t.ring_of_id, 7, 1), 0);
	memcpy(bytes, samples, sizeof(bytes));
	memcpy(bytes, &sample, 8);
	memcpy(bytes + 24, &sample, 8);
	assert_int_equal(record_stats_count(&t, bytes, sizeof(bytes)), 0);
	assert_int_equal(record_stats_count(&t, (const uint8_t *)&lost, sizeof(lost)), 0);
	lost.id = 99;  /* of no event of ours: counted all the same */
	assert_int_equal(record_stats_count(&t, (const uint8_t *)&lost, sizeof(lost)), 0);
	assert_int_equal(record_stats_count(&t, (const uint8_t *)&throttle, sizeof(throttle)), 0);
	assert_int_equal(t.samples, 2);
	assert_int_equal(t.time_first, 200);
	assert_int_equal(t.time_last, 300);
	assert_int_equal(t.lost, 10);
	assert_int_equal(t.lost_by_ring[1], 5);
	assert_int_equal(t.throttled, 1);
	record_stats_free(&t);
}

static void each_binary_once(void **state)
{
	static const char *const names[] = { "/bin/a",   "//anon",    "/bin/a", "[heap]",
					     "/memfd:x", "/dev/zero", "[vdso]", "/bin/b" };
	struct mmap2 m = {
		.h = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER | 1 << 14, .size = sizeof(m) },
		.id_size = 20,
		.id = { 1, 2, 3 }
	};
	struct record_stats t = { .time_first = UINT64_MAX, .binaries_wanted = true };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		memset(m.name, 0, sizeof(m.name));
		memcpy(m.name, names[i], strlen(names[i]));
		m.h.misc = (uint16_t)(PERF_RECORD_MISC_USER | (i == 7 ? 0 : 1 << 14));
		assert_int_equal(record_stats_count(&t, (const uint8_t *)&m, sizeof(m)), 0);
	}
	assert_int_equal(t.binaries.n, 3);
	assert_string_equal(t.binaries.at[0].name, "/bin/a");
	assert_int_equal(t.binaries.at[0].build_id_size, 20);
	assert_int_equal(t.binaries.at[0].build_id[2], 3);
	assert_string_equal(t.binaries.at[1].name, "[vdso]");
	assert_string_equal(t.binaries.at[2].name, "/bin/b");
	assert_int_equal(t.binaries.at[2].build_id_size, 0);
	memset(m.name, 'x', sizeof(m.name));  /* a name without end */
	assert_int_equal(record_stats_count(&t, (const uint8_t *)&m, sizeof(m)), 0);
	assert_int_equal(t.binaries.n, 3);
	record_stats_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_arrives_in_order),
		cmocka_unit_test(a_full_disk_ends_it),
		cmocka_unit_test(one_piece_is_never_split),
		cmocka_unit_test(a_megabyte_is_handed_over),
		cmocka_unit_test(samples_times_and_losses),
		cmocka_unit_test(each_binary_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
