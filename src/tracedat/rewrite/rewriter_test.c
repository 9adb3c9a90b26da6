/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/rewriter.h"

#include "tracedat/rewrite/small_trace_test.h"

enum { NR_EVENTS = 6, TEXT_BYTES = 512 };

static char in_path[80], new_path[80], again_path[80];

/* A session with names of two events; times 10, 20 ... */
static void write_trace(void)
{
	struct dat_writer *w = new_writer(77);

	path_of(in_path, "in.dat");
	path_of(new_path, "new.dat");
	path_of(again_path, "again.dat");
	add_format(w, "tick", 42);
	add_format(w, "tock", 43);
	for (uint32_t i = 1; i <= NR_EVENTS; i++)
		write_event(w, 0, i % 2 ? 42 : 43, 10 * i, i);
	finish(w, in_path);
}

/* The whole of a file; NULL: there is none. */
static uint8_t *bytes_of(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	uint8_t *p;

	if (fd < 0)
		return NULL;
	assert_int_equal(fstat(fd, &st), 0);
	*n = (size_t)st.st_size;
	p = malloc(*n + 1);
	assert_non_null(p);
	assert_int_equal(read(fd, p, *n), *n);
	close(fd);
	return p;
}

static void expect_same_bytes(const char *one, const char *other)
{
	size_t n, m;
	uint8_t *a = bytes_of(one, &n), *b = bytes_of(other, &m);

	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(n, m);
	assert_memory_equal(a, b, n);
	free(a);
	free(b);
}

static int repair(const void *p, size_t n, const char *to)
{
	struct sonde_rewrite w = { .err.file_offset = SONDE_NONE };
	struct image im;
	int r;

	image_memory(&im, p, n);
	r = dat_rewriter.repair(&w, &im, to);
	ledger_free(&w.ledger);
	return r;
}

static void convert(const char *from, const char *to, uint32_t version, enum sonde_compression compression)
{
	const struct sonde_convert_opts opts = { .sz = sizeof(opts), .version = version, .compression = compression };
	struct sonde_rewrite w = { .err.file_offset = SONDE_NONE };
	struct image im;

	assert_int_equal(image_open(&im, from, &w.err), 0);
	assert_int_equal(dat_rewriter.convert(&w, &im, to, &opts), 0);
	ledger_free(&w.ledger);
}

static void expect_events(const char *path, const char *want)
{
	char text[TEXT_BYTES];
	size_t nr_buffers;

	describe(path, text, sizeof(text), &nr_buffers);
	assert_string_equal(text, want);
	assert_int_equal(nr_buffers, 1);
}

#define ALL_EVENTS "tick@10 tock@20 tick@30 tock@40 tick@50 tock@60 "

static char got[TEXT_BYTES];

/* There is no file, or one of which a second repair makes the same bytes; @got: its events. */
static void expect_repaired(int result)
{
	size_t nr_buffers, n;
	uint8_t *p = bytes_of(new_path, &n);

	assert_int_equal(p != NULL, result == 0);
	*got = '\0';
	if (!p)
		return;
	describe(new_path, got, sizeof(got), &nr_buffers);
	assert_int_equal(repair(p, n, again_path), 0);
	expect_same_bytes(new_path, again_path);
	unlink(new_path);
	unlink(again_path);
	free(p);
}

static void repair_of_a_sound_file_changes_nothing(void **state)
{
	size_t n;
	uint8_t *p;

	(void)state;
	write_trace();
	p = bytes_of(in_path, &n);
	assert_int_equal(repair(p, n, new_path), 0);
	expect_same_bytes(in_path, new_path);
	expect_repaired(0);
	assert_string_equal(got, ALL_EVENTS);
	free(p);
	unlink(in_path);
}

static void repair_keeps_what_a_cut_leaves(void **state)
{
	size_t size;
	uint8_t *p;

	(void)state;
	write_trace();
	p = bytes_of(in_path, &size);
	for (size_t n = 0; n < size; n += n < size - 512 ? 61 : 7) {
		uint8_t *copy = malloc(n + 1);

		assert_non_null(copy);
		memcpy(copy, p, n);
		expect_repaired(repair(copy, n, new_path));
		assert_non_null(strstr(ALL_EVENTS, got));
		free(copy);
	}
	free(p);
	unlink(in_path);
}

/* Sixteen bytes of a header, an option, a table or a page are others: a file of what is left, or none. */
static void repair_survives_damage_anywhere(void **state)
{
	size_t size, whole = 0, tried = 0;
	uint8_t *p;

	(void)state;
	write_trace();
	p = bytes_of(in_path, &size);
	for (size_t at = 0; at + 16 <= size; at += 53) {
		uint8_t kept[16];

		memcpy(kept, p + at, sizeof(kept));
		memset(p + at, 0xff, sizeof(kept));
		expect_repaired(repair(p, size, new_path));
		whole += strcmp(got, ALL_EVENTS) == 0;
		memcpy(p + at, kept, sizeof(kept));
		tried++;
	}
	/* most of a file is names and empty room */
	assert_in_range(whole, tried / 2, tried);
	free(p);
	unlink(in_path);
}

static void every_version_and_compression_has_the_same_events(void **state)
{
	static const struct { uint32_t version; enum sonde_compression compression; } forms[] = {
		{ 6, SONDE_COMPRESSION_SAME }, { 7, SONDE_COMPRESSION_NONE }, { 7, SONDE_COMPRESSION_ZLIB },
		{ 7, SONDE_COMPRESSION_ZSTD },
	};

	(void)state;
	write_trace();
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		for (size_t k = 0; k < ARRAY_SIZE(forms); k++) {
			convert(in_path, new_path, forms[i].version, forms[i].compression);
			expect_events(new_path, ALL_EVENTS);
			convert(new_path, again_path, forms[k].version, forms[k].compression);
			expect_events(again_path, ALL_EVENTS);
			unlink(new_path);
			unlink(again_path);
		}
	convert(in_path, new_path, 0, SONDE_COMPRESSION_SAME);
	expect_same_bytes(in_path, new_path);
	unlink(new_path);
	unlink(in_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repair_of_a_sound_file_changes_nothing),
		cmocka_unit_test(repair_keeps_what_a_cut_leaves),
		cmocka_unit_test(repair_survives_damage_anywhere),
		cmocka_unit_test(every_version_and_compression_has_the_same_events),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
