/* SPDX-License-Identifier: MIT */
#include <sonde/arrow.h>
#include <sonde/dat_writer.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { EVENTS = 5 };

/* kmem:page_alloc: a number, a text of the record, an array of numbers. */
struct page_alloc_record {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid, order;
	uint32_t pid_field;
	char name[8];
	uint32_t pair[2];
};

static const char format[] =
	"name: page_alloc\nID: 42\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int order;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int pid;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:char name[8];\toffset:16;\tsize:8;\tsigned:1;\n"
	"\tfield:u32 pair[2];\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"order=%d\", REC->order\n";

static char path[] = "/tmp/sonde-arrow-XXXXXX";

static int write_trace(void **state)
{
	struct sonde_dat_writer *w = sonde_dat_writer_new();
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	sonde_dat_writer_open(w, path, NULL);
	sonde_dat_writer_add_format(w, "kmem", format, strlen(format));
	for (int i = 0; i < EVENTS; i++) {
		struct page_alloc_record r = { .type = 42, .pid = 70 + i, .order = -i, .pid_field = 5, .name = "ab\xff",
				    .pair = { 1, (uint32_t)i } };

		sonde_dat_writer_write(w, 0, 0, 1000 + 10 * (uint64_t)i, &r, sizeof(r));
	}
	return sonde_dat_writer_finish(w) < 0 ? -1 : (sonde_dat_writer_free(w), 0);
}

static int remove_trace(void **state)
{
	(void)state;
	return unlink(path);
}

static struct sonde_trace *opened(void)
{
	struct sonde_trace *t = sonde_trace_new();

	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	return t;
}

/* The column of that name; the program stops if there is none. */
static int64_t column(const struct ArrowSchema *s, const char *name)
{
	int64_t i = 0;

	while (i < s->n_children && strcmp(s->children[i]->name, name) != 0)
		i++;
	assert_true(i < s->n_children);
	return i;
}

static const struct ArrowArray *child(const struct ArrowSchema *s, const struct ArrowArray *a, const char *name)
{
	return a->children[column(s, name)];
}

static void assert_word(const struct ArrowArray *a, int64_t row, const char *want)
{
	int32_t number = ((const int32_t *)a->buffers[1])[row];
	const int32_t *ends = a->dictionary->buffers[1];

	assert_int_equal(ends[number + 1] - ends[number], strlen(want));
	assert_memory_equal((const char *)a->dictionary->buffers[2] + ends[number], want, strlen(want));
}

static void test_batches_outlive_the_trace(void **state)
{
	const struct sonde_arrow_opts opts = { .sz = sizeof(opts), .batch_rows = 2 };
	struct sonde_trace *t = opened();
	struct ArrowArrayStream stream;
	struct ArrowSchema schema;
	struct ArrowArray batches[4];
	int64_t row = 0;

	(void)state;
	assert_int_equal(sonde_arrow_events(t, NULL, &opts, &stream, NULL), 0);
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(stream.get_next(&stream, &batches[i]), 0);
	assert_null(batches[3].release);
	stream.release(&stream);
	sonde_trace_free(t);
	for (int i = 0; i < 3; i++) {
		const struct ArrowArray *time = child(&schema, &batches[i], "time");
		const struct ArrowArray *tid = child(&schema, &batches[i], "tid");

		assert_int_equal(batches[i].length, i < 2 ? 2 : 1);
		assert_int_equal(time->length, batches[i].length);
		for (int64_t k = 0; k < time->length; k++, row++) {
			assert_int_equal(((const int64_t *)time->buffers[1])[k], 1000 + 10 * row);
			assert_int_equal(((const int32_t *)tid->buffers[1])[k], 70 + row);
			assert_word(child(&schema, &batches[i], "event"), k, "kmem:page_alloc");
		}
		assert_int_equal(child(&schema, &batches[i], "period")->null_count, batches[i].length);
		batches[i].release(&batches[i]);
	}
	schema.release(&schema);
}

static void test_fields(void **state)
{
	const struct sonde_arrow_opts opts = { .sz = sizeof(opts), .fields = true };
	char event[] = "kmem:page_alloc";
	struct sonde_events_opts which = { .sz = sizeof(which), .event = event };
	struct sonde_trace *t = opened();
	struct ArrowArrayStream stream;
	struct ArrowSchema schema, *fields;
	struct ArrowArray batch, *values;

	(void)state;
	assert_int_equal(sonde_arrow_events(t, &which, &opts, &stream, NULL), 0);
	memset(event, 'x', sizeof(event));       /* the stream has a copy */
	assert_int_equal(stream.get_schema(&stream, &schema), 0);
	assert_int_equal(stream.get_next(&stream, &batch), 0);
	assert_int_equal(batch.length, EVENTS);
	fields = schema.children[column(&schema, "fields")];
	values = batch.children[column(&schema, "fields")];
	assert_int_equal(fields->n_children, 4);
	assert_string_equal(fields->children[0]->format, "i");
	assert_string_equal(fields->children[1]->format, "I");
	assert_int_equal(((const int32_t *)values->children[0]->buffers[1])[4], -4);
	assert_word(values->children[2], 4, "ab\xef\xbf\xbd");
	assert_int_equal(((const int32_t *)values->children[3]->buffers[1])[5], 10);
	assert_int_equal(((const uint64_t *)values->children[3]->children[0]->buffers[1])[9], 4);
	batch.release(&batch);
	schema.release(&schema);
	stream.release(&stream);
	sonde_trace_free(t);
}

/* Batches that would grow beyond the limit become several. */
static void test_batch_bytes(void **state)
{
	const struct sonde_arrow_opts opts = { .sz = sizeof(opts), .batch_bytes = 1 };
	struct sonde_trace *t = opened();
	struct ArrowArrayStream stream;
	struct ArrowArray batch;
	int n = 0;

	(void)state;
	assert_int_equal(sonde_arrow_events(t, NULL, &opts, &stream, NULL), 0);
	for (; stream.get_next(&stream, &batch) == 0 && batch.release; n++)
		batch.release(&batch);
	assert_int_equal(n, EVENTS);
	stream.release(&stream);
	sonde_trace_free(t);
}

static void test_nothing_matches(void **state)
{
	const char *comm = "nobody";
	const struct sonde_events_opts which = { .sz = sizeof(which), .comms = &comm, .nr_comms = 1 };
	struct sonde_trace *t = opened();
	struct ArrowArrayStream stream;
	struct ArrowArray batch;

	(void)state;
	assert_int_equal(sonde_arrow_events(t, &which, NULL, &stream, NULL), 0);
	assert_int_equal(stream.get_next(&stream, &batch), 0);
	assert_null(batch.release);
	stream.release(&stream);
	sonde_trace_free(t);
}

static void assert_refused(struct sonde_trace *t, const char *event, const struct sonde_arrow_opts *opts, int code,
			   const char *text)
{
	const struct sonde_events_opts which = { .sz = sizeof(which), .event = event };
	struct sonde_error err = { .sz = sizeof(err) };
	struct ArrowArrayStream stream;

	assert_int_equal(sonde_arrow_events(t, &which, opts, &stream, &err), code);
	assert_null(stream.release);
	assert_string_equal(err.text, text);
}

static void test_refusals(void **state)
{
	const struct sonde_arrow_opts opts = { .sz = sizeof(opts), .fields = true }, no_size = { 0 };
	struct sonde_trace *t = opened(), *closed = sonde_trace_new();

	(void)state;
	assert_refused(t, NULL, &opts, -SONDE_USAGE, "the fields of one tracepoint need its name");
	assert_refused(t, "kmem:none", &opts, -SONDE_MISSING, "'kmem:none' is no tracepoint of this trace");
	assert_refused(t, NULL, &no_size, -SONDE_USAGE,
		       "sz of struct sonde_arrow_opts is 0: set it to the size of the struct");
	assert_refused(closed, NULL, NULL, -SONDE_USAGE, "this trace is not open");
	sonde_trace_free(t);
	sonde_trace_free(closed);
}

static void test_profile_tables(void **state)
{
	struct sonde_profile_opts how = { .sz = sizeof(how), .timed = true, .mode = SONDE_PROFILE_STACKS_IF_ANY };
	struct sonde_profile *p = sonde_profile_new(&how);
	struct sonde_trace *t = opened();
	static const size_t rows[] = { 1, EVENTS };
	static const enum sonde_arrow_table tables[] = { SONDE_ARROW_EVENTS, SONDE_ARROW_SAMPLES };
	struct ArrowArrayStream stream;
	struct ArrowArray batch;
	struct ArrowSchema schema;
	struct sonde_error err = { .sz = sizeof(err) };

	(void)state;
	assert_int_equal(sonde_profile_add(p, t, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(sonde_arrow_profile(p, tables[i], NULL, &stream, NULL), 0);
		assert_int_equal(stream.get_next(&stream, &batch), 0);
		assert_int_equal(batch.length, rows[i]);
		batch.release(&batch);
		assert_int_equal(stream.get_next(&stream, &batch), 0);
		assert_null(batch.release);
		stream.release(&stream);
	}
	for (int i = SONDE_ARROW_EVENTS; i <= SONDE_ARROW_SAMPLES; i++) {
		assert_int_equal(sonde_arrow_profile(p, (enum sonde_arrow_table)i, NULL, &stream, NULL), 0);
		assert_int_equal(stream.get_schema(&stream, &schema), 0);
		assert_true(schema.n_children > 1);
		schema.release(&schema);
		stream.release(&stream);
	}
	assert_int_equal(sonde_arrow_profile(p, (enum sonde_arrow_table)77, NULL, &stream, &err), -SONDE_USAGE);
	assert_string_equal(err.text, "a profile has no table 77");
	sonde_profile_free(p);
	sonde_trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batches_outlive_the_trace), cmocka_unit_test(test_fields),
		cmocka_unit_test(test_batch_bytes), cmocka_unit_test(test_nothing_matches),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_profile_tables),
	};

	return cmocka_run_group_tests(tests, write_trace, remove_trace);
}
