/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perfdata/format/attr.h"

enum { COMM_BYTES = 40, NR_COMMS = 8, ALL_BYTES = NR_COMMS * COMM_BYTES, MOST_STEPS = 400 };

/* A scan over an exact copy of some bytes, which come as they are asked for. */
struct fed {
	struct scan scan;
	const uint8_t *last;
	uint8_t *copy;
};

struct scanned_step {
	int kind;
	uint64_t at, bytes;
	enum check_rule rule;
};

struct scanned_recording {
	struct reader holder;
	struct evlist evlist;
	bool swap;
	uint8_t p[1024];
	size_t n;
	struct scanned_step steps[MOST_STEPS];
	size_t nr_steps;
	char text[160];
};

static void put(struct scanned_recording *r, uint64_t v, size_t width)
{
	bool big = host_is_big_endian() != r->swap;

	for (size_t i = 0; i < width; i++)
		r->p[r->n++] = (uint8_t)(v >> 8 * (big ? width - 1 - i : i));
}

static void put_header(struct scanned_recording *r, uint32_t type, uint16_t size)
{
	put(r, type, 4);
	put(r, 0, 2);
	put(r, size, 2);
}

static void put_comm(struct scanned_recording *r)
{
	put_header(r, RECORD_COMM, COMM_BYTES);
	put(r, 7, 4);
	put(r, 7, 4);
	memcpy(r->p + r->n, "sh\0\0\0\0\0", 8);
	r->n += 8;
	put(r, 7, 4);
	put(r, 7, 4);
	put(r, 12345, 8);
}

static void set_up(struct scanned_recording *r, bool swap, int nr_comms)
{
	const struct sonde_attr attr = { .size = 128, .sample_type = SAMPLE_TID | SAMPLE_TIME,
					 .flags = SONDE_ATTR_SAMPLE_ID_ALL };

	*r = (struct scanned_recording){ .swap = swap };
	r->evlist.reader = &r->holder;
	assert_non_null(evlist_add(&r->evlist, &attr));
	for (int i = 0; i < nr_comms; i++)
		put_comm(r);
}

static void tear_down(struct scanned_recording *r)
{
	evlist_free(&r->evlist);
	arena_free(&r->holder.arena);
}

static int feed(struct scan *s, uint64_t need, struct sonde_error *err)
{
	struct fed *f = (struct fed *)s;
	uint64_t left = (uint64_t)(f->last - s->p);

	(void)err;
	s->end = s->p + (need < left ? need : left);
	return left >= need;
}

/* All steps of a scan over the first @n bytes; the steps must cover them, one after the other. */
static void scan_all(struct scanned_recording *r, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct fed f = {
		.scan = { .p = copy, .end = copy, .limit = n, .evlist = &r->evlist, .swap = r->swap, .fill = feed },
		.last = copy + n,
	};
	struct scanned out;
	struct sonde_error err;
	uint64_t at = 0;
	int kind;

	assert_non_null(copy);
	memcpy(copy, r->p, n);
	r->nr_steps = 0;
	while ((kind = scan_next(&f.scan, &out, &err)) > SCAN_END) {
		assert_in_range(r->nr_steps, 0, MOST_STEPS - 1);
		assert_int_equal(out.at, at);
		assert_in_range(out.bytes, 1, n - at);
		r->steps[r->nr_steps++] = (struct scanned_step){ kind, out.at, out.bytes,
								 kind == SCAN_DAMAGE ? out.rule : 0 };
		if (kind == SCAN_RECORD) {
			assert_int_equal(scan_fill(&f.scan, out.bytes, &err), 1);
			scan_pass(&f.scan, out.bytes);
		} else {
			memcpy(r->text, f.scan.text, sizeof(r->text));
		}
		at += out.bytes;
	}
	assert_int_equal(kind, SCAN_END);
	assert_int_equal(at, n);
	free(copy);
}

static bool has_record(const struct scanned_recording *r, uint64_t at, uint64_t bytes)
{
	for (size_t i = 0; i < r->nr_steps; i++)
		if (r->steps[i].kind == SCAN_RECORD && r->steps[i].at == at && r->steps[i].bytes == bytes)
			return true;
	return false;
}

static size_t nr_records(const struct scanned_recording *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nr_steps; i++)
		n += r->steps[i].kind == SCAN_RECORD;
	return n;
}

static void sound_bytes_are_records(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct scanned_recording r;

		set_up(&r, swap, NR_COMMS);
		scan_all(&r, r.n);
		assert_int_equal(r.nr_steps, NR_COMMS);
		for (size_t i = 0; i < NR_COMMS; i++)
			assert_true(has_record(&r, i * COMM_BYTES, COMM_BYTES));
		tear_down(&r);
	}
}

/* Eight bytes that are no record, at each place: they cost the records that they lie in, and no other. */
static void damage_costs_the_records_it_lies_in(void **state)
{
	(void)state;
	for (size_t at = 0; at + 8 <= ALL_BYTES; at++) {
		struct scanned_recording r;

		set_up(&r, at % 2, NR_COMMS);
		memset(r.p + at, 0xff, 8);
		scan_all(&r, r.n);
		for (size_t i = 0; i < NR_COMMS; i++)
			if ((i + 1) * COMM_BYTES <= at || i * COMM_BYTES >= at + 8)
				assert_true(has_record(&r, i * COMM_BYTES, COMM_BYTES));
		/* a header of it cannot be one */
		if (at % COMM_BYTES == 0)
			assert_int_equal(nr_records(&r), NR_COMMS - 1);
		tear_down(&r);
	}
}

static void lost_bytes_cost_the_records_around_them(void **state)
{
	(void)state;
	for (size_t lost = 1; lost < 2 * COMM_BYTES; lost++) {
		struct scanned_recording r;
		size_t at = 2 * COMM_BYTES + 4;

		set_up(&r, false, NR_COMMS);
		memmove(r.p + at, r.p + at + lost, r.n - at - lost);
		r.n -= lost;
		scan_all(&r, r.n);
		for (size_t i = 0; i < 2; i++)
			assert_true(has_record(&r, i * COMM_BYTES, COMM_BYTES));
		for (size_t i = (at + lost + COMM_BYTES - 1) / COMM_BYTES; i < NR_COMMS; i++)
			/* the bytes of a whole header are taken for one */
			if (i * COMM_BYTES - lost >= 2 * COMM_BYTES + RECORD_HEADER_BYTES)
				assert_true(has_record(&r, i * COMM_BYTES - lost, COMM_BYTES));
		tear_down(&r);
	}
}

/* As many bytes as a header has, or fewer, look like one together with the beginning of a record. */
static void stray_bytes_cost_no_record(void **state)
{
	static const uint8_t stray[RECORD_HEADER_BYTES] = { RECORD_COMM };

	(void)state;
	for (size_t n = 1; n <= sizeof(stray); n++)
		for (size_t i = 0; i < NR_COMMS - 3; i++) {
			struct scanned_recording r;
			size_t at = i * COMM_BYTES;

			set_up(&r, false, NR_COMMS);
			memmove(r.p + at + n, r.p + at, r.n - at);
			memcpy(r.p + at, stray, n);
			r.n += n;
			scan_all(&r, r.n);
			assert_int_equal(nr_records(&r), NR_COMMS);
			tear_down(&r);
		}
}

static void a_cut_costs_the_last_record(void **state)
{
	struct scanned_recording r;

	(void)state;
	set_up(&r, false, NR_COMMS);
	for (size_t n = 0; n <= ALL_BYTES; n++) {
		scan_all(&r, n);
		assert_int_equal(nr_records(&r), n / COMM_BYTES);
		if (n % COMM_BYTES) {
			assert_int_equal(r.steps[r.nr_steps - 1].kind, SCAN_DAMAGE);
			assert_int_equal(r.steps[r.nr_steps - 1].bytes, n % COMM_BYTES);
			assert_int_equal(r.steps[r.nr_steps - 1].rule, CHECK_RECORD_CUT);
		}
	}
	tear_down(&r);
}

static void zeros_at_the_end_were_never_written(void **state)
{
	struct scanned_recording r;

	(void)state;
	set_up(&r, false, 3);
	memset(r.p + r.n, 0, 64);
	scan_all(&r, r.n + 64);
	assert_int_equal(nr_records(&r), 3);
	assert_int_equal(r.steps[3].rule, CHECK_RECORD_UNWRITTEN);
	assert_int_equal(r.steps[3].bytes, 64);
	tear_down(&r);
}

static void text_among_records_is_told(void **state)
{
	static const char text[] = "[ perf record: Woken up 1 times to write data ]\n";
	struct scanned_recording r;

	(void)state;
	set_up(&r, false, 3);
	memcpy(r.p + r.n, text, sizeof(text) - 1);
	r.n += sizeof(text) - 1;
	for (int i = 0; i < 3; i++)
		put_comm(&r);
	scan_all(&r, r.n);
	assert_int_equal(nr_records(&r), 6);
	assert_int_equal(r.steps[3].rule, CHECK_RECORD_GARBAGE);
	assert_int_equal(r.steps[3].bytes, sizeof(text) - 1);
	assert_non_null(strstr(r.text, "Woken up 1 times"));
	tear_down(&r);
}

/* AUX data after its record; a size that leads past the end is told as missing, and takes no other record along. */
static void a_payload_goes_with_its_record(void **state)
{
	struct scanned_recording r;

	(void)state;
	for (uint64_t payload = 16; payload; payload = payload == 16 ? UINT64_MAX - 8 : 0) {
		set_up(&r, false, 1);
		put_header(&r, RECORD_AUXTRACE, 48);
		put(&r, payload, 8);
		for (int i = 0; i < 4; i++)
			put(&r, 0, 8);
		memset(r.p + r.n, 0xff, 16);
		r.n += 16;
		for (int i = 0; i < 4; i++)
			put_comm(&r);
		scan_all(&r, r.n);
		assert_true(has_record(&r, COMM_BYTES, payload == 16 ? 64 : 48));
		for (size_t i = 0; i < 4; i++)
			assert_true(has_record(&r, COMM_BYTES + 64 + i * COMM_BYTES, COMM_BYTES));
		tear_down(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_bytes_are_records), cmocka_unit_test(damage_costs_the_records_it_lies_in),
		cmocka_unit_test(lost_bytes_cost_the_records_around_them),
		cmocka_unit_test(stray_bytes_cost_no_record),
		cmocka_unit_test(a_cut_costs_the_last_record), cmocka_unit_test(zeros_at_the_end_were_never_written),
		cmocka_unit_test(text_among_records_is_told), cmocka_unit_test(a_payload_goes_with_its_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
