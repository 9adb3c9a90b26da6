/* SPDX-License-Identifier: MIT */
#include "perfdata/read/small_file_test.h"
#include "perfdata/rewrite/merge_read.h"

#include <stdio.h>

enum { FIXED = SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME, LIMIT = 65528 };

/*
 * A recording of one event, whose records have these counts. Of two whose attrs differ the second event gets the next
 * id.
 */
struct merged_recording {
	uint64_t format, sample_type, flags;
	uint64_t counts[8];
	size_t nr;                   /* of the counts */
	bool read;                   /* it is a READ record, not a sample */
	size_t more;                 /* bytes of a user stack: to be chosen with the bit of sample_type */
};

static struct buf make(const struct merged_recording *r)
{
	struct sonde_attr attr = { .type = 1,
				   .size = ATTR_BYTES,
				   .sample_period = 1,
				   .flags = SONDE_ATTR_SAMPLE_ID_ALL | r->flags,
				   .sample_type = FIXED | r->sample_type,
				   .read_format = r->format };
	uint64_t id[] = { EVENT_ID }, task[] = { 0x4d0000004d }, time[] = { 200 };
	struct buf record = BUF_MEMORY, b;

	if (!r->read)
		buf_put(&record, id, 8);
	buf_put(&record, task, 8);
	if (!r->read)
		buf_put(&record, time, 8);
	buf_put(&record, r->counts, 8 * r->nr);
	if (r->sample_type & SAMPLE_STACK_USER) {
		buf_put(&record, &(uint64_t){ r->more }, 8);
		buf_pad(&record, 'x', r->more);
		buf_put(&record, &(uint64_t){ 16 }, 8);
	}
	if (r->read) {
		buf_put(&record, task, 8);
		buf_put(&record, time, 8);
		buf_put(&record, id, 8);
	}
	b = BUF_MEMORY;
	put_header(&b, r->read ? RECORD_READ : RECORD_SAMPLE, 8 + record.n);
	buf_put(&b, record.p, record.n);
	buf_free(&record);
	b = file_of(b, SONDE_NONE);
	record = BUF_MEMORY;
	attr_encode(&record, &attr, false);
	memcpy(b.p + ATTR_AT, record.p, record.n);
	buf_free(&record);
	return b;
}

/* The content of the merged file. */
struct merged {
	int result;
	struct sonde_error err;
	char losses[512];            /* the texts of the ledger */
	char records[512];           /* type, then the counts by their names */
	uint64_t format, stack;
};

static void put_counts(struct merged *m, struct reader *r, const struct sonde_event *ev)
{
	struct sample s = { 0 };
	size_t at = strlen(m->records);

	if (ev->type == RECORD_SAMPLE) {
		assert_int_equal(r->ops->sample(r, ev, &s), 0);
	} else {
		const uint8_t *p = ev->raw + 16;

		assert_true(read_decode(&p, ev->raw + ev->raw_size - 24, m->format, false, &s.read));
		assert_ptr_equal(p, ev->raw + ev->raw_size - 24);
	}
	m->stack = s.user_stack_size;
	at += (size_t)snprintf(m->records + at, sizeof(m->records) - at, "%c", sonde_event_type_name(ev->type)[0]);
	for (uint64_t i = 0; i < s.read.nr; i++) {
		struct sonde_read_value v = read_value_at(&s.read, i);

		at += (size_t)snprintf(m->records + at, sizeof(m->records) - at, " %llu/%lld/%llu",
				       (unsigned long long)v.value, (long long)v.id, (unsigned long long)v.lost);
	}
	snprintf(m->records + at, sizeof(m->records) - at, " %llu/%llu\n", (unsigned long long)s.read.time_enabled,
		 (unsigned long long)s.read.time_running);
}

static void look(struct merged *m, const char *path)
{
	struct sonde_error err = { 0 };
	struct input in = INPUT_NONE;
	struct reader *r = NULL;
	struct record_ref ref;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;
	struct walk *w;
	struct stat st;

	in.path = path;
	in.fd = open(path, O_RDONLY);
	assert_true(in.fd >= 0 && fstat(in.fd, &st) == 0);
	in.size = (uint64_t)st.st_size;
	assert_int_equal(perfdata_format.open(&in, &r, &err), 0);
	m->format = r->evsels.at[0]->attr->read_format;
	for (size_t i = 0; i < r->evsels.n; i++)
		assert_int_equal(r->evsels.at[i]->attr->read_format, m->format);
	assert_int_equal(r->ops->walk_new(r, &w, &err), 0);
	while (r->ops->walk_next(w, &ref, &err) > 0) {
		r->ops->load(r, &ref, &e);
		if (ev->type == RECORD_SAMPLE || ev->type == RECORD_READ)
			put_counts(m, r, ev);
	}
	r->ops->walk_free(w);
	r->ops->free(r);
}

static struct merged merge_two(const struct merged_recording *a, const struct merged_recording *b)
{
	const struct sonde_merge_opts opts = { 0 };
	struct sonde_rewrite handle = { .err.file_offset = SONDE_NONE };
	struct buf bytes[] = { make(a), make(b) };
	struct reader *in[] = { open_bytes(&bytes[0]), open_bytes(&bytes[1]) };
	struct folder dir = folder_new();
	struct merged m = { 0 };
	char path[64];

	in[0]->info.path = "A";
	in[1]->info.path = "B";
	snprintf(path, sizeof(path), "%s/data", dir.path);
	m.result = perfdata_merge(&handle, in, 2, path, &opts);
	m.err = handle.err;
	for (size_t i = 0; i < handle.ledger.rows.n; i++) {
		size_t at = strlen(m.losses);

		snprintf(m.losses + at, sizeof(m.losses) - at, "%llu %s\n",
			 (unsigned long long)handle.ledger.rows.at[i].count, handle.ledger.rows.at[i].text);
	}
	if (m.result == 0)
		look(&m, path);
	ledger_free(&handle.ledger);
	for (size_t i = 0; i < 2; i++) {
		in[i]->ops->free(in[i]);
		buf_free(&bytes[i]);
	}
	folder_end(&dir);
	return m;
}

static const struct merged_recording single = { READ_ID | READ_LOST, SAMPLE_READ, 0, { 70, EVENT_ID, 9 }, 3, false, 0 };

static void test_what_one_has_not_is_left_out(void **state)
{
	const struct merged_recording timed = {
		READ_ENABLED | READ_RUNNING | READ_ID, SAMPLE_READ, 0, { 40, 100, 90, EVENT_ID }, 4, false, 0
	};
	struct merged m = merge_two(&timed, &single);

	(void)state;
	assert_int_equal(m.result, 0);
	assert_int_equal(m.format, READ_ID);
	assert_string_equal(m.records, "S 40/5/0 0/0\nS 70/5/0 0/0\n");
	assert_non_null(strstr(
		m.losses,
		"1 event whose counts were read with time_enabled, time_running, which those of other events were "
		"not: left out, in A\n"));
	assert_non_null(strstr(m.losses, "read with lost, which those of other events were not: left out, in B\n"));
}

static void test_a_single_count_is_a_group_of_one(void **state)
{
	const struct merged_recording group = { READ_GROUP | READ_ENABLED | READ_ID | READ_LOST,
					 SAMPLE_READ,
					 0,
					 { 2, 100, 40, EVENT_ID, 1, 41, 6, 2 },
					 8,
					 false,
					 0 };
	struct merged m = merge_two(&single, &group);

	(void)state;
	assert_int_equal(m.result, 0);
	assert_int_equal(m.format, READ_GROUP | READ_ID | READ_LOST);
	assert_string_equal(m.records, "S 70/5/9 0/0\nS 40/5/1 41/6/2 0/0\n");
	assert_string_equal(m.losses,
			    "1 event whose counts were read with time_enabled, which those of other events were not: "
			    "left out, in B\n");
}

static void test_an_id_is_that_of_the_record(void **state)
{
	const struct merged_recording bare = { 0, SAMPLE_READ, 0, { 40 }, 1, false, 0 };
	struct merged m = merge_two(&bare, &single);

	(void)state;
	assert_int_equal(m.format, READ_ID);
	assert_string_equal(m.records, "S 40/5/0 0/0\nS 70/5/0 0/0\n");
}

static void test_one_format_stays_whatever_it_is(void **state)
{
	const struct merged_recording group = { READ_GROUP, SAMPLE_READ, 0, { 2, 40, 41 }, 3, false, 0 };
	struct merged m = merge_two(&group, &group);

	(void)state;
	assert_int_equal(m.format, READ_GROUP);
	assert_string_equal(m.records, "S 40/-1/0 41/-1/0 0/0\nS 40/-1/0 41/-1/0 0/0\n");
	assert_string_equal(m.losses, "");
}

static void test_who_reads_nothing_takes_what_others_have(void **state)
{
	const struct merged_recording none = { READ_ENABLED | READ_GROUP, 0, 0, { 0 }, 0, false, 0 };
	struct merged m = merge_two(&none, &single);

	(void)state;
	assert_int_equal(m.format, READ_ID | READ_LOST);
	assert_string_equal(m.records, "S 0/0\nS 70/6/9 0/0\n");
	assert_string_equal(m.losses, "");
}

static void test_counts_of_ended_tasks(void **state)
{
	const struct merged_recording ended = {
		READ_ENABLED | READ_RUNNING | READ_ID, 0, SONDE_ATTR_INHERIT_STAT, { 40, 100, 90, EVENT_ID }, 4, true, 0
	};
	const struct merged_recording group = { READ_GROUP | READ_ID, SAMPLE_READ, 0, { 1, 40, EVENT_ID }, 3, false,
						0 };
	struct merged m = merge_two(&ended, &single);

	(void)state;
	assert_int_equal(m.format, READ_ID);
	assert_string_equal(m.records, "R 40/5/0 0/0\nS 70/6/0 0/0\n");
	assert_non_null(
		strstr(m.losses, "time_enabled, time_running, which those of other events were not: left out, in A\n"));
	/* where samples have groups there is no form for them: they cost the samples nothing */
	m = merge_two(&ended, &group);
	assert_int_equal(m.format, READ_GROUP | READ_ID);
	assert_string_equal(m.records, "S 40/6/0 0/0\n");
	assert_string_equal(m.losses, "1 count of ending tasks, in a format that the others do not have, in A\n");
}

static void test_what_cannot_be_told_is_refused(void **state)
{
	const struct merged_recording nameless = { READ_GROUP, SAMPLE_READ, 0, { 2, 40, 41 }, 3, false, 0 };
	const struct merged_recording newer = { READ_ID | 1 << 9, SAMPLE_READ, 0, { 40, EVENT_ID, 3 }, 3, false, 0 };
	struct merged m = merge_two(&nameless, &single);

	(void)state;
	assert_int_equal(m.result, -SONDE_UNSUPPORTED);
	assert_non_null(strstr(m.err.text,
			       "A: its samples have counts of groups without ids, so that nothing says which is whose "
			       "beside those of B"));
	m = merge_two(&single, &newer);
	assert_int_equal(m.result, -SONDE_UNSUPPORTED);
	assert_non_null(strstr(m.err.text,
			       "B: its counts are in a read_format with bits that are not known (0x200), and cannot be "
			       "brought to that of A"));
}

static void test_counts_that_lie_cost_their_sample(void **state)
{
	const struct merged_recording group = {
		READ_GROUP | READ_ENABLED | READ_ID, SAMPLE_READ, 0, { 1000, 90, 40, EVENT_ID }, 4, false, 0
	};
	struct merged m = merge_two(&single, &group);

	(void)state;
	assert_string_equal(m.records, "S 70/5/0 0/0\n");
	assert_non_null(strstr(m.losses, "1 sample whose counts are not those that their event says, in B\n"));
}

static void test_the_largest_samples(void **state)
{
	const struct merged_recording group = {
		READ_GROUP | READ_ID | READ_LOST, SAMPLE_READ, 0, { 1, 40, EVENT_ID, 1 }, 4, false, 0
	};
	struct merged_recording large = single;
	struct merged m;

	(void)state;
	large.sample_type |= SAMPLE_STACK_USER;
	large.more = LIMIT - (8 + 24 + 24 + 16);
	m = merge_two(&large, &group);
	assert_int_equal(m.result, 0);
	assert_int_equal(m.format, READ_GROUP | READ_ID | READ_LOST);
	assert_string_equal(m.records, "S 70/5/9 0/0\nS 40/6/1 0/0\n");
	m = merge_two(&group, &large);  /* the last one is looked at */
	assert_int_equal(m.stack, large.more - 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_one_has_not_is_left_out),
		cmocka_unit_test(test_a_single_count_is_a_group_of_one),
		cmocka_unit_test(test_an_id_is_that_of_the_record),
		cmocka_unit_test(test_one_format_stays_whatever_it_is),
		cmocka_unit_test(test_who_reads_nothing_takes_what_others_have),
		cmocka_unit_test(test_counts_of_ended_tasks),
		cmocka_unit_test(test_what_cannot_be_told_is_refused),
		cmocka_unit_test(test_counts_that_lie_cost_their_sample),
		cmocka_unit_test(test_the_largest_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
