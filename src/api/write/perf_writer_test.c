/* SPDX-License-Identifier: MIT */
#include <sonde/check.h>
#include <sonde/perf_writer.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

static char dir[] = "/tmp/sonde-api-writer-XXXXXX";
static char path[64];

/* IDENTIFIER, IP, TID, TIME; sample_id_all */
static const struct sonde_attr attr = { .type = 1, .size = 128, .sample_period = 1000000, .sample_type = 0x10007,
					.flags = SONDE_ATTR_SAMPLE_ID_ALL };
static const uint64_t ids[] = { 5, 6, 7 };

enum { UNKNOWN_FEATURE = 200 };

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/new.data", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void write_samples(struct sonde_perf_writer *w)
{
	for (uint64_t time = 100; time <= 300; time += 100) {
		uint64_t sample[] = { 0, 6, 0x400000 + time, UINT64_C(0x4d0000004d), time };
		struct { uint32_t type; uint16_t misc, size; } head = { 9, 2, sizeof(sample) };

		memcpy(sample, &head, sizeof(head));
		assert_int_equal(sonde_perf_writer_write(w, sample, sizeof(sample)), 0);
	}
}

static void expect_trace(const char *hostname)
{
	struct sonde_check_result found = { .sz = sizeof(found) };
	struct sonde_trace *t = sonde_trace_new();
	struct sonde_iter *it;
	const struct sonde_event *ev;
	uint64_t time = 100;
	char data[96];

	snprintf(data, sizeof(data), "%s/data", path);
	assert_int_equal(sonde_check(access(data, F_OK) == 0 ? data : path, NULL, &found, NULL), 0);
	assert_int_equal(found.severities[SONDE_SEVERITY_ERROR] + found.severities[SONDE_SEVERITY_WARNING], 0);
	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	assert_int_equal(sonde_trace_evsel_count(t), 1);
	assert_string_equal(sonde_trace_evsel_at(t, 0)->name, "my-clock");
	assert_int_equal(sonde_trace_evsel_at(t, 0)->nr_ids, 3);
	assert_string_equal(sonde_trace_meta(t)->hostname, hostname);
	it = sonde_iter_new(t, NULL);
	while (sonde_iter_next(it, &ev) > 0) {
		if (ev->kind != SONDE_KIND_SAMPLE)
			continue;
		assert_int_equal(ev->time, time);
		time += 100;
	}
	assert_int_equal(time, 400);
	sonde_iter_free(it);
	sonde_trace_free(t);
}

/* Removes the written file, or the directory with its files. */
static void remove_written(void)
{
	static const char *const names[] = { "data", "data.0", "data.1" };
	char name[96];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(name, sizeof(name), "%s/%s", path, names[i]);
		unlink(name);
	}
	if (unlink(path) < 0)
		assert_int_equal(rmdir(path), 0);
}

static struct sonde_perf_writer *opened(const struct sonde_perf_writer_opts *opts)
{
	struct sonde_meta meta = { .sz = sizeof(meta), .hostname = "box" };
	struct sonde_perf_writer *w = sonde_perf_writer_new();

	meta.features[0] = UINT64_C(1) << SONDE_FEAT_HOSTNAME;
	assert_int_equal(sonde_perf_writer_open(w, path, opts), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), "my-clock", ids, 3), 0);
	assert_int_equal(sonde_perf_writer_set_meta(w, &meta), 0);
	return w;
}

static void what_is_written_is_read(void **state)
{
	static const enum sonde_rewrite_form forms[] = { SONDE_FORM_FILE, SONDE_FORM_PIPE, SONDE_FORM_DIRECTORY };
	static const enum sonde_compression packings[] = { SONDE_COMPRESSION_NONE, SONDE_COMPRESSION_ZSTD };
	static const bool aligned[] = { false, true };
	struct stat st;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		for (size_t k = 0; k < ARRAY_SIZE(packings); k++)
			for (size_t m = 0; m < ARRAY_SIZE(aligned); m++) {
				const struct sonde_perf_writer_opts opts = { .sz = sizeof(opts),
									     .form = forms[i],
									     .compression = packings[k],
									     .aligned = aligned[m] };
				struct sonde_perf_writer *w = opened(&opts);

				write_samples(w);
				assert_int_equal(sonde_perf_writer_finish(w), 0);
				sonde_perf_writer_free(w);
				assert_int_equal(stat(path, &st), 0);
				assert_int_equal(st.st_mode & 0777, S_ISDIR(st.st_mode) ? 0700 : 0600);
				expect_trace("box");
				remove_written();
			}
}

static struct sonde_trace *read_back(struct sonde_perf_writer *w)
{
	struct sonde_trace *t = sonde_trace_new();

	write_samples(w);
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	assert_int_equal(sonde_trace_loss_count(t), 0);
	return t;
}

static struct sonde_perf_writer *opened_bare(void)
{
	struct sonde_perf_writer *w = sonde_perf_writer_new();

	assert_int_equal(sonde_perf_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), "my-clock", ids, 3), 0);
	return w;
}

static bool has_feature(const struct sonde_trace *t, uint32_t id, size_t size)
{
	const struct sonde_raw_feature *raw;

	for (size_t i = 0; (raw = sonde_trace_raw_feature_at(t, i)); i++)
		if (raw->id == id)
			return raw->payload.len == size;
	return false;
}

static void expect_lists(struct sonde_trace *t)
{
	const struct sonde_build_id *b = sonde_trace_build_id_at(t, 1);

	assert_string_equal(sonde_trace_meta(t)->hostname, "box");
	assert_int_equal(sonde_trace_build_id_count(t), 2);
	assert_int_equal(b->pid, -1);
	assert_int_equal(b->id[0], 5);
	assert_string_equal(b->filename, "/bin/two");
	assert_null(sonde_trace_build_id_at(t, 2));
	assert_int_equal(sonde_trace_pmu_mapping_count(t), 1);
	assert_int_equal(sonde_trace_pmu_mapping_at(t, 0)->type, 4);
	assert_string_equal(sonde_trace_pmu_mapping_at(t, 0)->name, "cpu");
	assert_int_equal(sonde_trace_event_desc_count(t), 1);
	assert_string_equal(sonde_trace_event_desc_at(t, 0)->name, "my-clock");
	assert_int_equal(sonde_trace_event_desc_at(t, 0)->attr->type, attr.type);
	assert_null(sonde_trace_event_desc_at(t, 1));
}

static void lists_are_written_and_copied(void **state)
{
	static const struct sonde_build_id build_ids[] = {
		{ .pid = -1, .cpumode = 1, .sized = true, .size = 20, .id = { 4 }, .filename = "[kernel.kallsyms]" },
		{ .pid = -1, .cpumode = 2, .sized = true, .size = 20, .id = { 5 }, .filename = "/bin/two" },
	};
	static const struct sonde_pmu_mapping pmu = { 4, "cpu" };
	struct sonde_perf_writer *w = opened(NULL);
	struct sonde_trace *first, *second;

	(void)state;
	assert_int_equal(sonde_perf_writer_set_list(w, SONDE_FEAT_BUILD_ID, build_ids, 2, sizeof(build_ids[0])), 0);
	assert_int_equal(sonde_perf_writer_set_list(w, SONDE_FEAT_PMU_MAPPINGS, &pmu, 1, sizeof(pmu)), 0);
	assert_int_equal(sonde_perf_writer_set_feature(w, UNKNOWN_FEATURE, "abcd", 4), 0);
	first = read_back(w);
	expect_lists(first);
	remove_written();
	w = opened_bare();
	assert_int_equal(sonde_perf_writer_copy_meta(w, first), 0);
	second = read_back(w);
	expect_lists(second);
	assert_true(has_feature(second, UNKNOWN_FEATURE, 4));
	sonde_trace_free(second);
	remove_written();
	w = opened_bare();
	assert_int_equal(sonde_perf_writer_set_meta(w, sonde_trace_meta(first)), 0);
	second = read_back(w);
	assert_string_equal(sonde_trace_meta(second)->hostname, "box");
	assert_int_equal(sonde_trace_build_id_count(second), 0);
	assert_false(has_feature(second, UNKNOWN_FEATURE, 0));
	sonde_trace_free(first);
	sonde_trace_free(second);
	remove_written();
}

static void only_lists_are_set_as_lists(void **state)
{
	static const struct sonde_pmu_mapping pmus[] = { { 4, "cpu" }, { 5, "breakpoint" } };
	static const struct { uint32_t feature; size_t size; const char *text; } wrong[] = {
		{ SONDE_FEAT_HOSTNAME, sizeof(pmus[0]), "is not a list" },
		{ SONDE_FEAT_PMU_CAPS, sizeof(pmus[0]), "is not a list" },
		{ SONDE_FEAT_PMU_MAPPINGS, 0, "sz of struct sonde_pmu_mapping" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct sonde_perf_writer *w = opened(NULL);

		assert_int_equal(sonde_perf_writer_set_list(w, wrong[i].feature, pmus, 2, wrong[i].size),
				 -SONDE_USAGE);
		assert_non_null(strstr(sonde_perf_writer_error(w)->text, wrong[i].text));
		sonde_perf_writer_free(w);
	}
}

static void the_other_byte_order_is_given_and_read(void **state)
{
	const enum sonde_rewrite_endian other = host_is_big_endian() ? SONDE_ENDIAN_LITTLE : SONDE_ENDIAN_BIG;
	const struct sonde_perf_writer_opts opts = { .sz = sizeof(opts), .endian = other };
	struct sonde_perf_writer *w = opened(&opts);

	(void)state;
	for (uint64_t time = 100; time <= 300; time += 100) {
		uint64_t sample[] = { 0, bswap_64(6), bswap_64(0x400000 + time), bswap_64(UINT64_C(0x4d0000004d)),
				      bswap_64(time) };
		struct {
			uint32_t type;
			uint16_t misc, size;
		} head = { bswap_32(9), bswap_16(2), bswap_16(sizeof(sample)) };

		memcpy(sample, &head, sizeof(head));
		assert_int_equal(sonde_perf_writer_write(w, sample, sizeof(sample)), 0);
	}
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
	expect_trace("box");
	remove_written();
}

static void samples_go_to_files_of_a_directory(void **state)
{
	const struct sonde_perf_writer_opts opts = { .sz = sizeof(opts), .form = SONDE_FORM_DIRECTORY };
	struct sonde_perf_writer *w = opened(&opts);
	struct sonde_trace *t;

	(void)state;
	for (uint64_t time = 300; time >= 100; time -= 100) {
		uint64_t sample[] = { 0, 6, 0x400000 + time, UINT64_C(0x4d0000004d), time };
		struct { uint32_t type; uint16_t misc, size; } head = { 9, 2, sizeof(sample) };

		memcpy(sample, &head, sizeof(head));
		assert_int_equal(sonde_perf_writer_write_to(w, time == 200 ? 2 : 1, sample, sizeof(sample)), 0);
	}
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
	t = sonde_trace_new();
	assert_int_equal(sonde_trace_open(t, path, NULL), 0);
	assert_int_equal(sonde_trace_info(t)->nr_files, 3);
	sonde_trace_free(t);
	remove_written();
}

/* Records that are cut are refused, and so are records whose payload never comes. */
static void half_records_are_refused(void **state)
{
	struct { uint32_t type; uint16_t misc, size; uint64_t words[5]; } auxtrace = { 71, 0, 48, { 16, 0, 0, 0, 0 } };
	struct sonde_perf_writer *w = opened(NULL);

	(void)state;
	assert_int_equal(sonde_perf_writer_write(w, &auxtrace, 40), -SONDE_USAGE);
	sonde_perf_writer_free(w);
	w = opened(NULL);
	assert_int_equal(sonde_perf_writer_write_to(w, 1, &auxtrace, 48), -SONDE_USAGE);  /* no directory */
	sonde_perf_writer_free(w);
	w = opened(NULL);
	assert_int_equal(sonde_perf_writer_write(w, &auxtrace, 48), 0);
	assert_int_equal(sonde_perf_writer_write(w, "12345678", 8), 0);
	assert_int_equal(sonde_perf_writer_finish(w), -SONDE_USAGE);
	sonde_perf_writer_free(w);
	w = opened(NULL);
	assert_int_equal(sonde_perf_writer_write(w, &auxtrace, 48), 0);
	assert_int_equal(sonde_perf_writer_write(w, "12345678", 8), 0);
	assert_int_equal(sonde_perf_writer_write(w, "12345678", 8), 0);
	assert_int_equal(sonde_perf_writer_finish(w), 0);
	sonde_perf_writer_free(w);
	remove_written();
}

static void nothing_is_left_of_a_file_that_is_not_finished(void **state)
{
	struct sonde_perf_writer *w = sonde_perf_writer_new();

	(void)state;
	unlink(path);
	assert_int_equal(sonde_perf_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), NULL, ids, 3), 0);
	write_samples(w);
	assert_int_equal(access(path, F_OK), -1);
	sonde_perf_writer_free(w);
	assert_int_equal(rmdir(dir), 0);  /* empty */
	assert_int_equal(mkdir(dir, 0700), 0);
}

static void the_order_of_calls_is_held(void **state)
{
	struct sonde_perf_writer *w = sonde_perf_writer_new();

	(void)state;
	assert_int_equal(sonde_perf_writer_write(w, "", 0), -SONDE_USAGE);
	assert_int_equal(sonde_perf_writer_error(w)->code, SONDE_USAGE);
	sonde_perf_writer_free(w);

	w = sonde_perf_writer_new();
	assert_int_equal(sonde_perf_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_perf_writer_finish(w), -SONDE_USAGE);  /* without an event */
	sonde_perf_writer_free(w);

	w = sonde_perf_writer_new();
	assert_int_equal(sonde_perf_writer_open(w, path, NULL), 0);
	assert_int_equal(sonde_perf_writer_add_event(w, &attr, sizeof(attr), NULL, ids, 3), 0);
	write_samples(w);
	assert_int_equal(sonde_perf_writer_set_feature(w, SONDE_FEAT_HOSTNAME, "", 0), -SONDE_USAGE);
	assert_int_equal(sonde_perf_writer_finish(w), -SONDE_USAGE);  /* the first failure stays */
	sonde_perf_writer_free(w);

	assert_int_equal(symlink("/tmp", path), 0);
	w = sonde_perf_writer_new();
	assert_int_equal(sonde_perf_writer_open(w, path, NULL), -SONDE_USAGE);
	sonde_perf_writer_free(w);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(lists_are_written_and_copied),
		cmocka_unit_test(only_lists_are_set_as_lists),
		cmocka_unit_test(the_other_byte_order_is_given_and_read),
		cmocka_unit_test(samples_go_to_files_of_a_directory),
		cmocka_unit_test(half_records_are_refused),
		cmocka_unit_test(nothing_is_left_of_a_file_that_is_not_finished),
		cmocka_unit_test(the_order_of_calls_is_held),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
