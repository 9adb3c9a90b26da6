/* SPDX-License-Identifier: MIT */
/* Whole files, made here: what the recordings of the corpus do not have. */
#include "tracedat/read/tracedat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/buf.h"
#include "order/order.h"
#include "tracedat/format/option.h"

#define PAGE 4096

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char format[] = "name: tick\nID: 7\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"tick\"\n";

static void u16(struct buf *b, uint16_t v)
{
	buf_put(b, &v, 2);
}

static void u32(struct buf *b, uint32_t v)
{
	buf_put(b, &v, 4);
}

static void u64(struct buf *b, uint64_t v)
{
	buf_put(b, &v, 8);
}

static void strz(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s) + 1);
}

static void begin(struct buf *b, const char *version)
{
	buf_put(b, "\x17\x08\x44tracing", 10);
	strz(b, version);
	buf_char(b, host_is_big_endian());
	buf_char(b, 8);
	u32(b, PAGE);
}

static void put_header_info(struct buf *b)
{
	strz(b, "header_page");
	u64(b, sizeof(header_page) - 1);
	buf_str(b, header_page);
	strz(b, "header_event");
	u64(b, 0);
}

static void put_formats(struct buf *b)
{
	u32(b, 1);
	strz(b, "test");
	u32(b, 1);
	u64(b, sizeof(format) - 1);
	buf_str(b, format);
}

static uint32_t event_header(uint32_t type, uint32_t delta)
{
	return host_is_big_endian() ? type << 27 | delta : delta << 5 | type;
}

/* A page of n events, 100 ns apart from `time` on. */
static void put_page(struct buf *b, uint64_t time, uint32_t flags, int n, int32_t pid)
{
	size_t start = b->n;

	u64(b, time);
	u64(b, (uint64_t)(int32_t)(flags | (uint32_t)n * 12));
	for (int i = 0; i < n; i++) {
		u32(b, event_header(2, i ? 100 : 0));
		u16(b, 7);
		u16(b, 0);
		u32(b, (uint32_t)pid);
	}
	if (flags & 0x40000000)
		u64(b, 33);
	buf_pad(b, 0, PAGE - (b->n - start));
}

/* Begins a section; its size is set by the function below. */
static size_t section(struct buf *b, uint16_t id, uint32_t description)
{
	u16(b, id);
	u16(b, 0);
	u32(b, description);
	u64(b, 0);
	return b->n;
}

static void end_section(struct buf *b, size_t start)
{
	uint64_t size = b->n - start;

	memcpy(b->p + start - 8, &size, 8);
}

static void option_u64(struct buf *b, uint16_t id, uint64_t v)
{
	u16(b, id);
	u32(b, 8);
	u64(b, v);
}

static void option_text(struct buf *b, uint16_t id, const char *text)
{
	u16(b, id);
	u32(b, (uint32_t)strlen(text) + 1);
	strz(b, text);
}

struct file_7 {
	size_t options_at;           /* where the offset of the options stands */
	size_t info, formats, cmdlines, pages, options, strings;  /* of section headers */
	size_t done;                 /* the offset in DONE */
};

/* Two CPUs in one buffer; the second one has lost events. */
static struct file_7 make_file(struct buf *b)
{
	struct file_7 f;
	size_t s;

	begin(b, "7");
	strz(b, "none");
	strz(b, "");
	f.options_at = b->n;
	u64(b, 0);
	f.info = b->n;
	s = section(b, SECTION_HEADER_INFO, 0);
	put_header_info(b);
	end_section(b, s);
	f.formats = b->n;
	s = section(b, SECTION_EVENT_FORMATS, UINT32_MAX);
	put_formats(b);
	end_section(b, s);
	f.cmdlines = b->n;
	s = section(b, SECTION_CMDLINES, 99999);
	u64(b, 19);
	buf_str(b, "11 one\nrubbish\n12 t");
	end_section(b, s);
	f.pages = b->n;
	s = section(b, SECTION_BUFFER, 8);
	buf_pad(b, 0, PAGE - b->n % PAGE);
	put_page(b, 1000, 0, 3, 11);
	put_page(b, 2000, 0, 3, 11);
	put_page(b, 1050, 0xc0000000, 3, 12);
	end_section(b, s);
	f.options = b->n;
	s = section(b, SECTION_OPTIONS, UINT32_MAX);
	option_u64(b, SECTION_HEADER_INFO, f.info);
	option_u64(b, SECTION_EVENT_FORMATS, f.formats);
	option_u64(b, SECTION_CMDLINES, f.cmdlines);
	option_text(b, 4, "local [mono] tai");
	option_text(b, 5, "Linux host 6.1 riscv64");
	option_text(b, 7, "-500");
	option_text(b, 200, "from the future");
	u16(b, 3);
	u32(b, 8 + 1 + 5 + 4 + 4 + 2 * 20);
	u64(b, f.pages);
	strz(b, "");
	strz(b, "mono");
	u32(b, PAGE);
	u32(b, 2);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		u32(b, cpu * 3);
		u64(b, f.options - PAGE * (cpu ? 1 : 3));
		u64(b, PAGE * (cpu ? 1 : 2));
	}
	option_u64(b, 0, 0);
	f.done = b->n - 8;
	end_section(b, s);
	f.strings = b->n;
	s = section(b, SECTION_STRINGS, UINT32_MAX);
	strz(b, "headers");
	strz(b, "the pages");
	end_section(b, s);
	memcpy(b->p + f.options_at, &(uint64_t){ f.options }, 8);
	return f;
}

static struct reader *open_bytes(const struct buf *b, size_t n)
{
	struct input in = input_of_memory("test", b->p, n);
	struct sonde_error err = { 0 };
	struct reader *r = NULL;
	int ret = dat_format.open(&in, &r, &err);

	if (ret < 0)
		assert_true(err.code && err.text[0]);
	return ret < 0 ? NULL : r;
}

/* "C11 E11@500 L@550 ...": kinds, threads and times, in one order or the other. */
static void walk(struct reader *r, bool by_time, struct buf *out)
{
	struct record_ref ref;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;
	struct walk *w;

	out->n = 0;
	assert_int_equal((by_time ? r->ops->walk_new_by_time : r->ops->walk_new)(r, &w, NULL), 0);
	while (r->ops->walk_next(w, &ref, NULL) > 0) {
		r->ops->load(r, &ref, &e);
		buf_char(out, ev->kind == SONDE_KIND_SAMPLE ? 'E' : ev->kind == SONDE_KIND_LOSS ? 'L' :
			 ev->kind == SONDE_KIND_SIDEBAND ? 'C' : 'T');
		if (ev->tid >= 0)
			buf_i64(out, ev->tid);
		if (ref.kind <= DAT_LOST) {
			buf_char(out, '@');
			buf_u64(out, ev->time);
		}
		buf_char(out, ' ');
	}
	r->ops->walk_free(w);
	buf_char(out, '\0');
}

static void expect_walk(struct reader *r, bool by_time, const char *want)
{
	struct buf out = BUF_MEMORY;

	walk(r, by_time, &out);
	assert_string_equal(out.p, want);
	buf_free(&out);
}

static bool has_loss(const struct reader *r, const char *text)
{
	for (size_t i = 0; i < r->ledger.rows.n; i++)
		if (strstr(r->ledger.rows.at[i].text, text))
			return true;
	return false;
}

#define BY_FILE "C11 C12 E11@500 E11@600 E11@700 E11@1500 E11@1600 E11@1700 L@550 E12@550 E12@650 E12@750 "
#define BY_TIME "C11 C12 E11@500 L@550 E12@550 E11@600 E12@650 E11@700 E12@750 E11@1500 E11@1600 E11@1700 "

static void test_a_file_of_version_7(void **state)
{
	struct buf b = BUF_MEMORY;
	struct file_7 f = make_file(&b);
	struct reader *r = open_bytes(&b, b.n);
	const struct meta *m = &r->meta;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;
	struct sonde_lost lost;
	struct record_ref ref;
	struct walk *w;

	(void)state;
	expect_walk(r, false, BY_FILE);
	assert_int_equal(r->ledger.rows.n, 1);
	assert_int_equal(r->ledger.rows.at[0].count, 33);
	assert_int_equal(r->ledger.rows.at[0].cpu, 3);
	expect_walk(r, true, BY_TIME);
	assert_int_equal(r->ledger.rows.n, 1);  /* the walk began anew */
	assert_int_equal(r->evsels.n, 1);
	assert_string_equal(r->evsels.at[0]->name, "test:tick");
	assert_string_equal(r->evsels.at[0]->buffer, "");
	assert_string_equal(m->trace_clock, "mono");
	assert_string_equal(m->hostname, "host");
	assert_string_equal(m->arch, "riscv64");
	assert_int_equal(m->nr_buffers, 1);
	assert_int_equal(m->nr_options, 8);
	assert_int_equal(m->options[6].id, 200);
	assert_null(m->options[6].text);
	assert_null(sonde_option_name(200));
	assert_int_equal(m->options[6].data.len, strlen("from the future") + 1);
	assert_int_equal(m->nr_sections, 6);
	assert_string_equal(m->sections[0].name, "headers");
	assert_string_equal(m->sections[3].name, "the pages");
	assert_int_equal(m->sections[3].file_offset, f.pages);
	assert_null(m->sections[2].name);  /* its name is no string of the file */
	assert_int_equal(r->ops->walk_new_by_time(r, &w, NULL), 0);
	do
		assert_int_equal(r->ops->walk_next(w, &ref, NULL), 1);
	while (ref.kind != DAT_LOST);
	r->ops->load(r, &ref, &e);
	assert_int_equal(r->ops->body(r, ev, BODY_LOST, &lost), 0);
	assert_int_equal(lost.lost, 33);
	assert_int_equal(ev->file_offset, f.options - PAGE);
	r->ops->walk_free(w);
	r->ops->free(r);
	buf_free(&b);
}

/* CPUCOUNT is in either byte order; a count above all that there can be leaves the CPUs of the pages. */
static void test_the_number_of_cpus(void **state)
{
	static const struct { uint32_t stated, taken; } cases[] = {
		{ 8, 8 }, { 0x08000000, 8 }, { DAT_CPUS_MAX, DAT_CPUS_MAX }, { 0x01ffff01, 4 }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b = BUF_MEMORY;
		struct reader *r;
		uint8_t *p;

		make_file(&b);
		p = memmem(b.p, b.n, "from the future", 15);
		assert_non_null(p);
		store_u16(p - 6, DAT_OPTION_CPUCOUNT, false);
		store_u32(p, cases[i].stated, false);
		r = open_bytes(&b, b.n);
		assert_int_equal(r->meta.nr_cpus_available, cases[i].taken);
		r->ops->free(r);
		buf_free(&b);
	}
}

static void test_options_that_go_in_a_circle(void **state)
{
	struct buf b = BUF_MEMORY;
	struct file_7 f = make_file(&b);
	struct reader *r;

	(void)state;
	memcpy(b.p + f.done, &(uint64_t){ f.options }, 8);
	r = open_bytes(&b, b.n);
	assert_true(has_loss(r, "that names one before them"));
	expect_walk(r, true, BY_TIME);
	r->ops->free(r);
	buf_free(&b);
}

static void test_a_recorder_that_was_killed(void **state)
{
	struct buf b = BUF_MEMORY;
	struct file_7 f = make_file(&b);
	struct reader *r;

	(void)state;
	memset(b.p + f.options_at, 0, 8);
	r = open_bytes(&b, b.n);  /* all is there but where it begins */
	assert_true(has_loss(r, "never finished"));
	expect_walk(r, true, BY_TIME);
	r->ops->free(r);
	r = open_bytes(&b, f.options + 16);  /* no options: times are without the offset, CPUs are numbered anew */
	assert_true(has_loss(r, "pages were found"));
	expect_walk(r, true,
		    "C11 C12 E11@1000 L@1050 E12@1050 E11@1100 E12@1150 E11@1200 E12@1250 E11@2000 E11@2100 E11@2200 ");
	r->ops->free(r);
	buf_free(&b);
}

/* Offsets of DONE and of the option of the pages are told apart by what they hold. */
static void test_bytes_are_read_once(void **state)
{
	struct buf b = BUF_MEMORY;
	struct file_7 f = make_file(&b);
	uint64_t first = f.options - 3 * PAGE, second = f.options - PAGE;
	struct reader *r;

	(void)state;
	for (size_t at = f.options; at + 8 <= f.done; at++)
		if (memcmp(b.p + at, &second, 8) == 0)
			memcpy(b.p + at, &first, 8);  /* both CPUs have the same pages */
	r = open_bytes(&b, b.n);
	assert_true(has_loss(r, "another CPU or buffer claims too"));
	expect_walk(r, false, "C11 C12 E11@500 E11@600 E11@700 E11@1500 E11@1600 E11@1700 ");
	r->ops->free(r);
	buf_free(&b);
}

static void test_a_damaged_page_costs_itself(void **state)
{
	struct buf b = BUF_MEMORY;
	struct file_7 f = make_file(&b);
	struct reader *r;

	(void)state;
	memcpy(b.p + f.options - 3 * PAGE + 8, &(uint64_t){ PAGE }, 8);  /* more than a page has room for */
	r = open_bytes(&b, b.n);
	/* costs what does not fit */
	expect_walk(r, true, "C11 C12 E11@500 L@550 E12@550 E11@600 E12@650 E11@700 E12@750 E11@1500 E11@1600 "
			     "E11@1700 ");
	assert_true(has_loss(r, "more than a page can"));
	r->ops->free(r);
	buf_free(&b);
}

static void test_time_that_goes_back(void **state)
{
	struct buf b = BUF_MEMORY;
	struct file_7 f = make_file(&b);
	struct reader *r;

	(void)state;
	memcpy(b.p + f.options - 2 * PAGE, &(uint64_t){ 900 }, 8);
	r = open_bytes(&b, b.n);
	expect_walk(r, true, "C11 C12 E11@500 L@550 E12@550 E11@600 E12@650 E11@700 E11@400 E11@500 E11@600 E12@750 ");
	assert_true(has_loss(r, "its clock went back"));
	r->ops->free(r);
	buf_free(&b);
}

static void put_v6_metadata(struct buf *b)
{
	begin(b, "6");
	put_header_info(b);
	u32(b, 0);
	put_formats(b);
	u32(b, 0);
	u32(b, 0);
	u64(b, 7);
	buf_str(b, "11 one\n");
	u32(b, 2);
}

/* Version 6 with an instance, whose part comes after the pages of the top buffer. */
static size_t make_v6_file(struct buf *b)
{
	size_t option, table;

	put_v6_metadata(b);
	buf_put(b, "options  ", 10);
	u16(b, 3);
	u32(b, 8 + 4);
	option = b->n;
	u64(b, 0);
	strz(b, "two");
	option_text(b, 4, "[local] global");
	u16(b, 0);
	buf_put(b, "flyrecord", 10);
	table = b->n;
	buf_pad(b, 0, 2 * 16);
	u64(b, 7);
	buf_str(b, "[local]");
	buf_pad(b, 0, PAGE - b->n % PAGE);
	memcpy(b->p + table + 16, &(uint64_t[]){ b->n, PAGE }, 16);
	put_page(b, 5000, 0, 2, 11);
	memcpy(b->p + option, &(uint64_t){ b->n }, 8);
	buf_put(b, "flyrecord", 10);
	u64(b, (b->n + 39 + PAGE) / PAGE * PAGE);
	u64(b, PAGE);
	u64(b, 0);
	u64(b, 0);
	u64(b, 8);
	buf_str(b, "[global]");
	buf_pad(b, 0, PAGE - b->n % PAGE);
	put_page(b, 4950, 0, 2, 12);
	return table;
}

static void test_a_file_of_version_6(void **state)
{
	struct buf b = BUF_MEMORY;
	size_t table = make_v6_file(&b);
	struct reader *r = open_bytes(&b, b.n);

	(void)state;
	assert_int_equal(r->ledger.rows.n, 0);
	expect_walk(r, true, "C11 E12@4950 E11@5000 E12@5050 E11@5100 ");
	assert_int_equal(r->meta.nr_buffers, 2);
	assert_string_equal(r->meta.buffers[1].name, "two");
	assert_string_equal(r->meta.buffers[1].clock, "global");
	assert_int_equal(r->evsels.n, 2);
	assert_string_equal(r->evsels.at[1]->buffer, "two");
	r->ops->free(r);
	memset(b.p + table, 0, 32);  /* the tables were never written */
	for (size_t at = 0; at + 10 < b.n; at++)
		if (memcmp(b.p + at, "flyrecord", 10) == 0 && at != table - 10)
			b.p[at] = 0;
	r = open_bytes(&b, b.n);
	assert_true(has_loss(r, "not where its options say"));
	assert_true(has_loss(r, "pages were found"));
	expect_walk(r, true, "C11 E12@4950 E11@5000 E12@5050 E11@5100 ");
	r->ops->free(r);
	buf_free(&b);
}

static void test_the_text_of_a_latency_tracer(void **state)
{
	struct buf b = BUF_MEMORY;
	struct loaded_event e;
	const struct sonde_event *ev = &e.pub;
	struct record_ref ref;
	struct reader *r;
	struct walk *w;

	(void)state;
	put_v6_metadata(&b);
	buf_put(&b, "latency  ", 10);
	buf_str(&b, "# tracer: wakeup\n\nlast");
	r = open_bytes(&b, b.n);
	expect_walk(r, true, "C11 T T T ");
	assert_int_equal(r->ops->walk_new(r, &w, NULL), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(r->ops->walk_next(w, &ref, NULL), 1);
	r->ops->load(r, &ref, &e);
	assert_int_equal(ev->type, SONDE_TYPE_TEXT);
	assert_int_equal(ev->raw_size, 4);
	assert_memory_equal(ev->raw, "last", 4);
	assert_int_equal(ev->file_offset, b.n - 4);
	r->ops->walk_free(w);
	r->ops->free(r);
	buf_free(&b);
}

static bool tells_of_damage(const struct reader *r)
{
	for (size_t i = 0; i < r->ledger.rows.n; i++)
		if (r->ledger.rows.at[i].kind != SONDE_LOSS_RECORDER)
			return true;
	return false;
}

/* Each beginning of a good file, in a block of its exact size: what is missing is told. */
static void check_beginnings(const struct buf *whole, const char *records)
{
	for (size_t n = 0; n < whole->n; n += n < 2048 || n + 64 > whole->n ? 1 : 61) {
		struct buf cut = { .p = malloc(n ? n : 1), .n = n, .fd = -1 }, out = BUF_MEMORY;
		struct reader *r;

		assert_non_null(cut.p);
		memcpy(cut.p, whole->p, n);
		r = open_bytes(&cut, n);
		if (r) {
			walk(r, true, &out);
			assert_true(tells_of_damage(r) || strcmp(out.p, records) == 0);
			r->ops->free(r);
		}
		buf_free(&out);
		free(cut.p);
	}
}

static void test_every_beginning(void **state)
{
	struct buf b = BUF_MEMORY;

	(void)state;
	make_v6_file(&b);
	check_beginnings(&b, "C11 E12@4950 E11@5000 E12@5050 E11@5100 ");
	b.n = 0;
	make_file(&b);
	check_beginnings(&b, BY_TIME);
	buf_free(&b);
}

static void test_what_is_refused(void **state)
{
	struct buf b = BUF_MEMORY;

	(void)state;
	begin(&b, "8");
	assert_null(open_bytes(&b, b.n));
	b.n = 0;
	begin(&b, "0.6");  /* the tracing data of a perf.data begins like this */
	assert_null(open_bytes(&b, b.n));
	b.n = 0;
	begin(&b, "6");
	b.p[13] = 5;
	assert_null(open_bytes(&b, b.n));
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_of_version_7),
		cmocka_unit_test(test_the_number_of_cpus),
		cmocka_unit_test(test_options_that_go_in_a_circle),
		cmocka_unit_test(test_a_recorder_that_was_killed),
		cmocka_unit_test(test_bytes_are_read_once),
		cmocka_unit_test(test_a_damaged_page_costs_itself),
		cmocka_unit_test(test_time_that_goes_back),
		cmocka_unit_test(test_a_file_of_version_6),
		cmocka_unit_test(test_the_text_of_a_latency_tracer),
		cmocka_unit_test(test_every_beginning),
		cmocka_unit_test(test_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
