/* SPDX-License-Identifier: MIT */
#include "perfdata/read/small_file_test.h"

enum { FIRST = 11, SECOND = 21, INDEX_BYTES = 16 + 4 * 32 };

static void put_event(struct buf *b, uint64_t config)
{
	struct sonde_attr attr = { .type = 1, .config = config, .size = ATTR_BYTES, .flags = SONDE_ATTR_SAMPLE_ID_ALL,
				   .sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME };

	attr_encode(b, &attr, false);
}

/* Where the id of which ring stands. */
struct index_entry {
	uint64_t id, idx;
};

static void put_index(struct buf *b, const struct index_entry *entries)
{
	put_header(b, RECORD_ID_INDEX, INDEX_BYTES);
	buf_put(b, &(uint64_t){ 4 }, 8);
	for (int i = 0; i < 4; i++)
		buf_put(b, &(uint64_t[]){ entries[i].id, entries[i].idx, 0, UINT64_MAX }, 32);
}

static void put_sample(struct buf *b, uint64_t id, uint64_t time)
{
	put_header(b, RECORD_SAMPLE, SAMPLE_BYTES);
	buf_put(b, &(uint64_t[]){ id, 0x400000, 0x4d0000004d, time }, 32);
}

static void put_name(struct buf *b, uint64_t id, const char *name)
{
	put_header(b, RECORD_EVENT_UPDATE, 32);
	buf_put(b, &(uint64_t[]){ 2, id }, 16);
	buf_put(b, name, 8);
}

/* Two events on two CPUs, with a name each, and a sample of each id. */
static void put_records(struct buf *b, const struct index_entry *entries, bool names)
{
	if (entries)
		put_index(b, entries);
	if (names) {
		put_name(b, FIRST, "one\0\0\0\0");
		put_name(b, SECOND, "two\0\0\0\0");
	}
	put_sample(b, FIRST, 100);
	put_sample(b, SECOND + 1, 200);
	put_sample(b, FIRST + 1, 300);
	put_sample(b, SECOND, 400);
}

/* A file whose entries of events say that there are no ids; or that the first event has its two. */
static struct buf file_without_ids(const struct index_entry *entries, bool names, bool first_known)
{
	enum { EVENTS_AT = 120, RECORDS_AT = EVENTS_AT + 2 * (ATTR_BYTES + 16) };
	struct buf data = BUF_MEMORY, b = BUF_MEMORY;

	put_records(&data, entries, names);
	buf_put(&b, &(uint64_t){ PERFDATA_MAGIC }, 8);
	buf_put(&b, &(uint64_t[]){ 104, ATTR_BYTES + 16, EVENTS_AT, 2 * (ATTR_BYTES + 16), RECORDS_AT, data.n }, 48);
	buf_pad(&b, 0, 104 - b.n);
	buf_put(&b, &(uint64_t[]){ FIRST, FIRST + 1 }, 16);
	for (uint64_t config = 0; config < 2; config++) {
		put_event(&b, config);
		buf_put(&b, &(uint64_t[]){ 104, config == 0 && first_known ? 16 : 0 }, 16);
	}
	buf_put(&b, data.p, data.n);
	buf_free(&data);
	return b;
}

static struct buf pipe_without_ids(const struct index_entry *entries, bool names)
{
	struct buf b = BUF_MEMORY;

	buf_put(&b, &(uint64_t[]){ PERFDATA_MAGIC, 16 }, 16);
	for (uint64_t config = 0; config < 2; config++) {
		put_header(&b, RECORD_HEADER_ATTR, 8 + ATTR_BYTES);
		put_event(&b, config);
	}
	put_records(&b, entries, names);
	return b;
}

static void put_event_number(struct buf *out, const struct sonde_event *ev)
{
	if (ev->type == RECORD_SAMPLE && ev->evsel)
		buf_printf(out, "%u", ev->evsel->index);
	else if (ev->type == RECORD_SAMPLE)
		buf_char(out, '-');
}

/* Each sample as the number of its event, `-` for none. */
static void expect_events(struct reader *r, const char *want)
{
	expect_text(r, put_event_number, want);
}

static const struct index_entry by_rings[] = { { FIRST, 0 }, { FIRST + 1, 1 }, { SECOND, 0 }, { SECOND + 1, 1 } };

static void test_ids_of_a_file(void **state)
{
	struct buf b = file_without_ids(by_rings, true, false);
	struct reader *r = open_bytes(&b);

	(void)state;
	assert_int_equal(r->evsels.at[0]->nr_ids, 2);
	assert_int_equal(r->evsels.at[1]->ids[1], SECOND + 1);
	assert_string_equal(r->evsels.at[0]->name, "one");
	assert_string_equal(r->evsels.at[1]->name, "two");
	expect_events(r, "0101");
	expect_events(r, "0101");
	assert_int_equal(r->ledger.rows.n, 0);
	r->ops->free(r);
	buf_free(&b);
}

static void test_ids_of_a_pipe_in_memory(void **state)
{
	struct buf b = pipe_without_ids(by_rings, true);
	struct reader *r = open_bytes(&b);

	(void)state;
	expect_events(r, "0101");
	assert_string_equal(r->evsels.at[1]->name, "two");
	assert_int_equal(r->ledger.rows.n, 0);
	r->ops->free(r);
	buf_free(&b);
}

/* Nothing is read twice: ids and names are there when the first record asks for them. */
static void test_ids_of_a_stream(void **state)
{
	struct buf b = pipe_without_ids(by_rings, true);
	struct input in = INPUT_NONE;
	struct sonde_error err = { 0 };
	struct reader *r = NULL;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], b.p, b.n), b.n);
	close(ends[1]);
	in.path = "-";
	in.fd = ends[0];
	in.stream = true;
	in.nr_head = INPUT_HEAD_BYTES;
	assert_int_equal(read(ends[0], in.head, INPUT_HEAD_BYTES), INPUT_HEAD_BYTES);
	assert_int_equal(perfdata_format.open(&in, &r, &err), 0);
	expect_events(r, "0101");
	assert_string_equal(r->evsels.at[0]->name, "one");
	assert_int_equal(r->ledger.rows.n, 0);
	r->ops->free(r);
	buf_free(&b);
}

/* All ids in one ring: only the updates tell where the second event begins. */
static void test_updates_tell_where_events_begin(void **state)
{
	static const struct index_entry entries[] = {
		{ FIRST, 0 }, { SECOND, 0 }, { SECOND + 1, 0 }, { SECOND + 2, 0 }
	};
	struct buf b = file_without_ids(entries, true, false);
	struct reader *r = open_bytes(&b);

	(void)state;
	assert_int_equal(r->evsels.at[0]->nr_ids, 1);
	assert_int_equal(r->evsels.at[1]->nr_ids, 3);
	expect_events(r, "01-1");
	assert_int_equal(r->ledger.rows.n, 1);
	assert_int_equal(r->ledger.rows.at[0].kind, SONDE_LOSS_UNKNOWN_ID);
	r->ops->free(r);
	buf_free(&b);
}

/* Three events by the rings, and nothing that tells more: nothing is guessed. */
static void test_what_is_not_certain_stays_unknown(void **state)
{
	static const struct index_entry entries[] = {
		{ FIRST, 0 }, { SECOND, 0 }, { FIRST + 1, 0 }, { SECOND + 1, 0 },
	};
	struct buf b = file_without_ids(NULL, false, false);
	struct reader *r = open_bytes(&b);

	(void)state;
	expect_events(r, "----");
	assert_int_equal(r->ledger.rows.n, 1);
	assert_int_equal(r->ledger.rows.at[0].count, 4);
	r->ops->free(r);
	buf_free(&b);

	/* what is known of the first contradicts an equal share: the rest is the second's */
	b = file_without_ids(entries, false, true);
	r = open_bytes(&b);
	assert_int_equal(r->evsels.at[0]->nr_ids, 2);
	assert_int_equal(r->evsels.at[1]->nr_ids, 2);
	expect_events(r, "0101");
	r->ops->free(r);
	buf_free(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_of_a_file),
		cmocka_unit_test(test_ids_of_a_pipe_in_memory),
		cmocka_unit_test(test_ids_of_a_stream),
		cmocka_unit_test(test_updates_tell_where_events_begin),
		cmocka_unit_test(test_what_is_not_certain_stays_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
