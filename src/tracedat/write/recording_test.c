/* SPDX-License-Identifier: MIT */
/* A recording can be read after each step and when it is finished, with the same events. */
#include "tracedat/write/recording.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "tracedat/format/option.h"
#include "tracedat/read/tracedat.h"
#include "tracedat/rewrite/rewriter.h"

#define PAGE 4096u
#define EVENTS 3                     /* in a page */
#define MANY_PAGES (40u << 8)        /* 40 MiB: finished in place if the file system can do it */

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char format[] = "name: tick\nID: 7\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"tick\"\n";
static const struct page_format formats[] = { { "ftrace", { format, sizeof(format) - 1 } },
					      { "clock", { format, sizeof(format) - 1 } } };
static const int32_t cpus[] = { 0, 2 };
static const struct page_buffer buffers[] = { { "", "local", PAGE, cpus, 2 }, { "second", "local", PAGE, cpus, 2 } };

static struct page_meta make_meta(const char *names)
{
	return (struct page_meta){
		.header_page = { header_page, sizeof(header_page) - 1 },
		.formats = formats,
		.nr_formats = 2,
		.cmdlines = { names, strlen(names) },
		.trace_clock = "[local] global",
		.uname = "Linux a b c",
		.version = "test",
		.trace_id = 5,
		.nr_cpus = 3,
		.buffers = buffers,
		.nr_buffers = 2,
	};
}

/* Events of 8 bytes, one nanosecond apart. */
static void make_page(uint8_t page[PAGE], uint64_t time)
{
	uint64_t commit = EVENTS * 12;

	memset(page, 0, PAGE);
	memcpy(page, &time, 8);
	memcpy(page + 8, &commit, 8);
	for (size_t i = 0; i < EVENTS; i++) {
		uint32_t words[3] = { host_is_big_endian() ? 2u << 27 | 1 : 1u << 5 | 2,
				      host_is_big_endian() ? 7u << 16 : 7u, 11 };

		memcpy(page + 16 + i * 12, words, sizeof(words));
	}
}

/* of all recordings of a run of the tests */
static enum sonde_compression compression;

struct fixture {
	char dir[32], path[64];
	struct page_sink *sink;
	struct sonde_error err;
};

static void begin(struct fixture *f, int version)
{
	struct page_meta meta = make_meta("11 eleven\n");

	*f = (struct fixture){ .dir = "/tmp/sonde-unit.XXXXXX" };
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/trace.dat", f->dir);
	assert_int_equal(dat_recording_new(f->path, version, compression, &f->sink, &f->err), 0);
	assert_int_equal(f->sink->ops->start(f->sink, &meta, &f->err), 0);
}

static void end(struct fixture *f)
{
	f->sink->ops->free(f->sink);
	unlink(f->path);
	assert_int_equal(rmdir(f->dir), 0);  /* no other file is left */
}

/* A CPU's pages as a recorder writes them: into another extent when one is full. */
struct filler {
	struct page_extent extent;
	uint64_t used, time;
};

static void fill_pages(struct fixture *f, struct filler *to, size_t buffer, size_t cpu, size_t n)
{
	uint8_t page[PAGE];

	for (size_t i = 0; i < n; i++, to->time += 10) {
		if (to->used == to->extent.size) {
			assert_int_equal(f->sink->ops->extent(f->sink, buffer, cpu, &to->extent, &f->err), 0);
			to->used = 0;
		}
		make_page(page, to->time);
		assert_int_equal(pwrite(to->extent.fd, page, PAGE, (off_t)(to->extent.at + to->used)), PAGE);
		to->used += PAGE;
		assert_int_equal(f->sink->ops->publish(f->sink, buffer, cpu, to->used, &f->err), 0);
	}
}

/* They begin in an extent of their own. */
static void add_pages(struct fixture *f, size_t buffer, size_t cpu, uint64_t time, size_t n)
{
	struct filler to = { .time = time };

	fill_pages(f, &to, buffer, cpu, n);
}

static struct reader *open_file(const char *path)
{
	struct input in = INPUT_NONE;
	struct reader *r = NULL;
	struct stat st;

	in.path = path;
	in.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(in.fd >= 0);
	assert_int_equal(fstat(in.fd, &st), 0);
	in.size = (uint64_t)st.st_size;
	in.nr_head = (size_t)read(in.fd, in.head, sizeof(in.head));
	assert_int_equal(dat_format.open(&in, &r, NULL), 0);
	return r;
}

static bool is_growing(const struct reader *r)
{
	for (size_t i = 0; i < r->meta.nr_options; i++)
		if (r->meta.options[i].id == DAT_OPTION_CPUSTAT && !strcmp(r->meta.options[i].text, DAT_UNFINISHED))
			return true;
	return false;
}

static size_t count_events(const char *path)
{
	struct reader *r = open_file(path);
	struct record_ref ref;
	struct walk *w;
	size_t n = 0;

	assert_int_equal(r->ops->walk_new_by_time(r, &w, NULL), 0);
	while (r->ops->walk_next(w, &ref, NULL) > 0)
		n += ref.kind == DAT_EVENT;
	r->ops->walk_free(w);
	r->ops->free(r);
	return n;
}

/* Compares numbers of events, names and buffers; the only loss is the missing end. */
static void expect(struct fixture *f, uint32_t version, size_t pages, size_t names)
{
	struct reader *r = open_file(f->path);
	size_t events = 0, comms = 0;
	struct record_ref ref;
	struct walk *w;

	assert_int_equal(r->info.version, version);
	assert_int_equal(r->meta.nr_buffers, 2);
	assert_string_equal(r->meta.buffers[1].name, "second");
	assert_string_equal(r->meta.trace_clock, "local");
	assert_int_equal(r->ops->walk_new_by_time(r, &w, NULL), 0);
	while (r->ops->walk_next(w, &ref, NULL) > 0) {
		events += ref.kind == DAT_EVENT;
		comms += ref.kind == DAT_COMM;
	}
	r->ops->walk_free(w);
	assert_int_equal(events, pages * EVENTS);
	assert_int_equal(comms, names);
	for (size_t i = 0; i < r->ledger.rows.n; i++)
		if (!is_growing(r) || strncmp(r->ledger.rows.at[i].text, "recording was never finished", 28))
			fail_msg("%s", r->ledger.rows.at[i].text);
	assert_int_equal(r->ledger.rows.n, is_growing(r));
	r->ops->free(r);
}

static void finish(struct fixture *f, uint32_t version, size_t pages)
{
	struct page_meta meta = make_meta("11 eleven\n12 twelve\n13 thirteen\n");
	struct stat st;

	assert_int_equal(f->sink->ops->finish(f->sink, &meta, &f->err), 0);
	expect(f, version, pages, 3);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_size, f->sink->bytes);
	assert_true(st.st_size < (off_t)(pages * PAGE + 16 * PAGE));  /* no holes */
	if (pages >= MANY_PAGES && version == 7 && compression != SONDE_COMPRESSION_NONE)
		assert_true(st.st_size < (off_t)(pages * PAGE / 10));
}

static void test_every_step(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 7);
	expect(&f, 7, 0, 1);
	add_pages(&f, 0, 1, 1000, 2);
	expect(&f, 7, 2, 1);
	add_pages(&f, 1, 0, 1005, 3);
	assert_int_equal(f.sink->ops->names(f.sink, (struct sonde_str){ "12 twelve\n", 10 }, &f.err), 0);
	expect(&f, 7, 5, 2);
	/* another extent follows one that is full */
	add_pages(&f, 0, 1, 2000, 4);
	expect(&f, 7, 9, 2);
	finish(&f, 7, 9);
	end(&f);
}

static bool says_unfinished(const char *path)
{
	struct reader *r = open_file(path);
	bool said = is_growing(r);

	r->ops->free(r);
	return said;
}

static void test_unfinished_until_it_is_finished(void **state)
{
	(void)state;
	for (int version = 6; version <= 7; version++) {
		struct fixture f;

		begin(&f, version);
		assert_true(says_unfinished(f.path));
		add_pages(&f, 0, 1, 1000, version == 7 ? MANY_PAGES : 2);
		assert_true(says_unfinished(f.path));
		finish(&f, (uint32_t)version, version == 7 ? MANY_PAGES : 2);
		assert_false(says_unfinished(f.path));
		end(&f);
	}
}

static void test_version_6(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 6);
	add_pages(&f, 0, 0, 1000, 2);
	add_pages(&f, 1, 1, 1000, 3);
	expect(&f, 7, 5, 1);
	finish(&f, 6, 5);
	end(&f);
}

static void test_events_that_could_not_be_written(void **state)
{
	static const uint64_t events[] = { 0, 2 * EVENTS + 5 };
	struct page_buffer with_events[] = { buffers[0], buffers[1] };

	(void)state;
	with_events[0].events = events;
	for (int version = 6; version <= 7; version++) {
		struct page_meta meta = make_meta("11 eleven\n");
		struct fixture f;
		struct reader *r;

		begin(&f, version);
		add_pages(&f, 0, 1, 1000, 2);
		meta.buffers = with_events;
		assert_int_equal(f.sink->ops->finish(f.sink, &meta, &f.err), 0);
		assert_int_equal(f.sink->missing, 5);
		r = open_file(f.path);
		assert_int_equal(r->ledger.rows.n, 1);
		assert_int_equal(r->ledger.rows.at[0].count, 5);
		assert_int_equal(r->ledger.rows.at[0].cpu, 2);
		r->ops->free(r);
		end(&f);
	}
}

static void test_a_large_one(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 7);
	add_pages(&f, 0, 0, 1000, 5);
	add_pages(&f, 0, 1, 1000, MANY_PAGES);
	add_pages(&f, 1, 1, 1000, 7);
	finish(&f, 7, MANY_PAGES + 12);
	end(&f);
}

/* Without a file for its chunks, a recording keeps its pages as they are. */
static void test_no_file_for_chunks(void **state)
{
	struct page_meta meta = make_meta("11 eleven\n");
	struct rlimit rl, few;
	struct fixture f;
	int fd;

	(void)state;
	f = (struct fixture){ .dir = "/tmp/sonde-unit.XXXXXX" };
	assert_non_null(mkdtemp(f.dir));
	snprintf(f.path, sizeof(f.path), "%s/trace.dat", f.dir);
	assert_int_equal(dat_recording_new(f.path, 7, SONDE_COMPRESSION_ZSTD, &f.sink, &f.err), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &rl), 0);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(fd);
	few = (struct rlimit){ (rlim_t)fd, rl.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(f.sink->ops->start(f.sink, &meta, &f.err), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &rl), 0);
	add_pages(&f, 0, 0, 1000, 40);
	finish(&f, 7, 40);
	assert_true(f.sink->bytes > 40 * PAGE);
	end(&f);
}

static void test_ticks(void **state)
{
	const struct reader *r;
	struct page_meta meta;
	struct fixture f;
	bool found = false;

	(void)state;
	begin(&f, 7);
	add_pages(&f, 0, 0, 1000, 1);
	meta = make_meta("11 eleven\n");
	meta.tick_mult = 1u << 21;
	meta.tick_shift = 20;
	assert_int_equal(f.sink->ops->finish(f.sink, &meta, &f.err), 0);
	r = open_file(f.path);
	for (size_t i = 0; i < r->meta.nr_options; i++)
		found |= r->meta.options[i].id == DAT_OPTION_TSC2NSEC;
	assert_true(found);
	r->ops->free((struct reader *)r);
	end(&f);
}

/* More than 4 GiB of one CPU; of each full extent all pages but the first and last are holes. */
static void test_beyond_4_gib(void **state)
{
	uint64_t sum = 0, last = 0, n = 0;
	struct page_extent extent;
	uint8_t page[PAGE];
	struct fixture f;

	(void)state;
	begin(&f, 7);
	for (; last <= UINT64_C(8) << 30; n++) {
		assert_int_equal(f.sink->ops->extent(f.sink, 0, 1, &extent, &f.err), 0);
		last = extent.at + extent.size - PAGE;
		make_page(page, 1000 + 100 * n);
		assert_int_equal(pwrite(extent.fd, page, PAGE, (off_t)extent.at), PAGE);
		make_page(page, 1050 + 100 * n);
		assert_int_equal(pwrite(extent.fd, page, PAGE, (off_t)last), PAGE);
		assert_int_equal(f.sink->ops->publish(f.sink, 0, 1, extent.size, &f.err), 0);
		sum += extent.size;
	}
	assert_true(sum > UINT64_C(4) << 30);
	assert_true(f.sink->bytes >= sum);  /* with the parts before the pages */
	expect(&f, 7, 2 * n, 1);
	end(&f);
}

#define NR_CPUS 4                    /* of both buffers together */

static uint64_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

/* Steps of a recording whose CPUs have different speeds; whoever kills it finds a file that is hardly larger than its
 * pages. */
static size_t grow_unevenly(struct fixture *f)
{
	static const size_t steps[NR_CPUS] = { 10, 900, 0, 200 };
	struct filler to[NR_CPUS] = { { .time = 1000 }, { .time = 1003 }, { .time = 1005 }, { .time = 1007 } };
	size_t pages = 0;

	for (size_t step = 0; step < 16; step++) {
		for (size_t i = 0; i < NR_CPUS; i++) {
			fill_pages(f, &to[i], i / 2, i % 2, steps[i]);
			pages += steps[i];
		}
		assert_in_range(size_of(f->path), pages * PAGE,
				pages * PAGE * 5 / 4 + NR_CPUS * (UINT64_C(5) << 20));
		if (step % 5 == 0)
			expect(f, 7, pages, 1);
	}
	return pages;
}

static void test_small_while_it_grows(void **state)
{
	struct fixture f;
	size_t pages;

	(void)state;
	begin(&f, 7);
	pages = grow_unevenly(&f);
	expect(&f, 7, pages, 1);
	finish(&f, 7, pages);
	end(&f);
}

/* How many entries the tables of a file have. */
static size_t nr_entries(const char *path)
{
	struct reader *r = open_file(path);
	size_t n = 0;

	for (size_t i = 0; i < r->meta.nr_buffers; i++)
		n += r->meta.buffers[i].nr_cpus;
	r->ops->free(r);
	return n;
}

static struct image image_of(const char *path, struct sonde_error *err)
{
	struct input in = INPUT_NONE;
	struct image im;

	in.path = path;
	in.dir_fd = -1;
	in.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(in.fd >= 0);
	in.size = size_of(path);
	assert_int_equal(image_of_input(&im, &in, err), 0);
	return im;
}

/* A file that is made of a killed recording has one extent for each CPU, and every event. */
static void test_one_extent_of_each_cpu(void **state)
{
	static const struct sonde_convert_opts to_6 = { .sz = sizeof(to_6), .version = 6 };
	char path[64 + 4];
	struct fixture f;
	size_t pages;

	(void)state;
	begin(&f, 7);
	pages = grow_unevenly(&f);
	assert_true(nr_entries(f.path) > 3);
	snprintf(path, sizeof(path), "%s.new", f.path);
	for (int version = 6; version <= 7; version++) {
		struct sonde_rewrite w = { .err.file_offset = SONDE_NONE };
		struct image im = image_of(f.path, &f.err);
		int e = version == 6 ? dat_rewriter.convert(&w, &im, path, &to_6) : dat_rewriter.repair(&w, &im, path);

		if (e)
			fail_msg("%s", w.err.text);
		assert_int_equal(w.counts.written, pages * EVENTS);
		if (version == 7)
			assert_int_equal(nr_entries(path), 3);
		assert_int_equal(count_events(path), pages * EVENTS);
		ledger_free(&w.ledger);
		unlink(path);
	}
	end(&f);
}

static void test_an_empty_one(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 7);
	finish(&f, 7, 0);
	end(&f);
	begin(&f, 6);
	finish(&f, 6, 0);
	end(&f);
}

static void test_no_pipe(void **state)
{
	struct page_sink *s = NULL;
	struct sonde_error err = { 0 };

	(void)state;
	assert_int_equal(dat_recording_new("-", 7, SONDE_COMPRESSION_SAME, &s, &err), -SONDE_USAGE);
	assert_int_equal(dat_recording_new("/dev/null", 7, SONDE_COMPRESSION_SAME, &s, &err), -SONDE_USAGE);
}

int main(void)
{
	static const enum sonde_compression compressions[] = { SONDE_COMPRESSION_NONE, SONDE_COMPRESSION_ZLIB,
							       SONDE_COMPRESSION_ZSTD };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_step),
		cmocka_unit_test(test_unfinished_until_it_is_finished),
		cmocka_unit_test(test_version_6),
		cmocka_unit_test(test_events_that_could_not_be_written),
		cmocka_unit_test(test_a_large_one),
		cmocka_unit_test(test_small_while_it_grows),
		cmocka_unit_test(test_an_empty_one),
		cmocka_unit_test(test_ticks),
	};
	const struct CMUnitTest once[] = {
		cmocka_unit_test(test_beyond_4_gib),
		cmocka_unit_test(test_one_extent_of_each_cpu),
		cmocka_unit_test(test_no_file_for_chunks),
		cmocka_unit_test(test_no_pipe),
	};
	int failed = 0;

	for (size_t i = 0; i < sizeof(compressions) / sizeof(*compressions); i++) {
		compression = compressions[i];
		failed += cmocka_run_group_tests(tests, NULL, NULL);
	}
	compression = SONDE_COMPRESSION_NONE;
	return failed + cmocka_run_group_tests(once, NULL, NULL);
}
