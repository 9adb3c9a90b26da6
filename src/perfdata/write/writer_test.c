/* SPDX-License-Identifier: MIT */
#include "perfdata/write/writer.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/read/perfdata.h"

#define HEADER_BYTES 104
#define FILE_MAX 65536

static char dir[] = "/tmp/sonde-writer-test-XXXXXX";
static char path[64];
static uint8_t file[FILE_MAX];
static size_t file_bytes;

static const uint64_t ids[] = { 11, 12, 13 };
static const struct sonde_attr attrs[] = {
	{ .type = 1, .size = 128, .sample_type = 0x10007 },
	{ .type = 4, .size = 144, .config4 = 5, .sample_type = 0x10007 },
};
static const struct sonde_evsel evlist[] = {
	{ .index = 0, .name = "cpu-clock", .attr = &attrs[0], .ids = ids, .nr_ids = 2, .scale = 1 },
	{ .index = 1, .name = "r5", .attr = &attrs[1], .ids = ids + 2, .nr_ids = 1, .scale = 1, .leader = 1 },
};

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/perf.data", dir);
	return 0;
}

static int tear_down(void **state)
{
	char old[80];

	(void)state;
	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
	unlink(path);
	return rmdir(dir);
}

static void read_file(void)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	file_bytes = fread(file, 1, sizeof(file), f);
	fclose(f);
}

static uint64_t word(size_t at)
{
	assert_true(at + 8 <= file_bytes);
	return load_u64(file + at, false);
}

static uint64_t data_offset(void)
{
	return word(40);
}

static uint64_t data_size(void)
{
	return word(48);
}

/* The text of a feature that is one string, by the table after the data; NULL if it is not there. */
static const char *feature_text(uint32_t id)
{
	uint64_t entry = data_offset() + data_size(), bitmap = word(72);

	if (!(bitmap >> id & 1))
		return NULL;
	entry += 16 * (uint64_t)__builtin_popcountll(bitmap & ((UINT64_C(1) << id) - 1));
	assert_true(word(entry) + word(entry + 8) <= file_bytes);
	return (const char *)file + word(entry) + 4;
}

static struct meta host(const char *name)
{
	struct meta m = { .hostname = name, .osrelease = "6.1" };

	feature_set(&m, SONDE_FEAT_HOSTNAME);
	feature_set(&m, SONDE_FEAT_OSRELEASE);
	return m;
}

static struct sink *started(const struct meta *meta)
{
	struct sonde_error err = { 0 };
	struct sink *s;

	unlink(path);
	assert_int_equal(writer_file(path, &s, &err), 0);
	assert_int_equal(s->ops->start(s, evlist, ARRAY_SIZE(evlist), meta, &err), 0);
	return s;
}

static void attrs_of_one_size_and_their_ids(void **state)
{
	struct meta m = host("box");
	struct sonde_error err = { 0 };
	struct sink *s = started(&m);

	(void)state;
	read_file();
	assert_memory_equal(file, host_is_big_endian() ? "2ELIFREP" : "PERFILE2", 8);
	assert_int_equal(word(8), HEADER_BYTES);
	assert_int_equal(word(16), 144 + 16);
	assert_int_equal(word(32), 2 * (144 + 16));
	assert_int_equal(data_size(), 0);
	assert_int_equal(word(72), 0);  /* bits would lie while there is no data */
	for (size_t i = 0; i < ARRAY_SIZE(evlist); i++) {
		size_t entry = word(24) + i * word(16);
		struct cursor c = cur_new(file + entry, 144, 0, false, &err);
		struct sonde_attr attr;

		assert_int_equal(attr_decode(&c, 144, &attr), 0);
		assert_int_equal(attr.type, attrs[i].type);
		assert_int_equal(attr.config4, attrs[i].config4);
		assert_int_equal(word(entry + 152), 8 * evlist[i].nr_ids);
		assert_int_equal(word(word(entry + 144)), evlist[i].ids[0]);
	}
	s->ops->free(s);
}

/* Pieces that are shorter than the feature table, as long, and longer: it moves over itself or beyond. */
static void readable_after_each_piece(void **state)
{
	static const size_t sizes[] = { 8, 16, 24, 32, 40, 8, 4096, 8 };
	struct meta m = host("box");
	struct sonde_error err = { 0 };
	struct sink *s = started(&m);
	uint8_t piece[4096];
	size_t sum = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(piece, (int)i + 1, sizeof(piece));
		assert_int_equal(s->ops->records(s, piece, sizes[i], &err), 0);
		sum += sizes[i];
		read_file();
		assert_int_equal(data_size(), sum);
		assert_string_equal(feature_text(SONDE_FEAT_HOSTNAME), "box");
		assert_string_equal(feature_text(SONDE_FEAT_OSRELEASE), "6.1");
		sum -= sizes[i];
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(file[data_offset() + sum + k], i + 1);
		sum += sizes[i];
	}
	assert_true(s->bytes >= file_bytes);
	s->ops->free(s);
}

static bool says_unfinished(void)
{
	read_file();
	return word(72 + 8 * (SONDE_FEAT_UNFINISHED / 64)) >> (SONDE_FEAT_UNFINISHED % 64) & 1;
}

static void unfinished_until_it_is_finished(void **state)
{
	struct meta m = host("box");
	struct sonde_error err = { 0 };
	struct sink *s = started(&m);

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(s->ops->records(s, "12345678", 8, &err), 0);
		assert_true(says_unfinished());
	}
	assert_int_equal(s->ops->finish(s, &m, &err), 0);
	s->ops->free(s);
	assert_false(says_unfinished());
	assert_string_equal(feature_text(SONDE_FEAT_HOSTNAME), "box");
}

static void features_known_at_the_end_come_last(void **state)
{
	struct meta m = host("box"), late = { .version = "1", .hostname = "renamed" };
	struct sonde_error err = { 0 };
	struct sink *s = started(&m);

	(void)state;
	assert_int_equal(s->ops->records(s, "12345678", 8, &err), 0);
	feature_set(&late, SONDE_FEAT_VERSION);
	feature_set(&late, SONDE_FEAT_HOSTNAME);
	feature_set(&late, SONDE_FEAT_CPUID);  /* says nothing about it: left out, not half written */
	assert_int_equal(s->ops->finish(s, &late, &err), 0);
	s->ops->free(s);
	read_file();
	assert_int_equal(data_size(), 8);
	assert_memory_equal(file + data_offset(), "12345678", 8);
	assert_string_equal(feature_text(SONDE_FEAT_HOSTNAME), "renamed");
	assert_string_equal(feature_text(SONDE_FEAT_OSRELEASE), "6.1");
	assert_string_equal(feature_text(SONDE_FEAT_VERSION), "1");
	assert_null(feature_text(SONDE_FEAT_CPUID));
}

static void keeps_the_old_and_follows_no_links(void **state)
{
	struct meta m = host("box");
	struct sonde_error err = { 0 };
	struct sink *s = started(&m), *again;
	char other[80], old[80];
	struct stat st;

	(void)state;
	s->ops->free(s);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(writer_file(path, &again, &err), 0);
	again->ops->free(again);
	snprintf(old, sizeof(old), "%s.old", path);
	assert_int_equal(stat(old, &st), 0);
	assert_true(st.st_size > 0);
	/* An empty one is not worth keeping. */
	assert_int_equal(writer_file(path, &again, &err), 0);
	again->ops->free(again);
	assert_int_equal(stat(old, &st), 0);
	assert_true(st.st_size > 0);

	snprintf(other, sizeof(other), "%s/other", dir);
	unlink(path);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(writer_file(path, &again, &err), -SONDE_USAGE);
	assert_int_equal(access(other, F_OK), -1);
	err_clear(&err);
	assert_int_equal(writer_file(dir, &again, &err), -SONDE_USAGE);
	err_clear(&err);
	assert_int_equal(writer_file("/nonexistent/perf.data", &again, &err), -SONDE_SYSTEM);
	assert_non_null(strstr(err.text, "/nonexistent/perf.data"));
}

/* A stream of one record without content, which is read as a file. */
static void stream_of(const struct meta *m)
{
	struct sonde_error err = { 0 };
	struct sink *s;
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(writer_stream(fd, &s, &err), 0);
	assert_int_equal(s->ops->start(s, evlist, ARRAY_SIZE(evlist), m, &err), 0);
	assert_int_equal(s->ops->records(s, &(struct perf_event_header){ .type = 68, .size = 8 }, 8, &err), 0);
	assert_int_equal(s->ops->finish(s, m, &err), 0);
	s->ops->free(s);
	close(fd);
	read_file();
}

static void a_stream_says_everything_in_records(void **state)
{
	struct meta m = host("box");
	size_t at = 16, attr_records = 0, feature_records = 0, names = 0;

	(void)state;
	stream_of(&m);
	assert_int_equal(word(8), 16);
	while (at < file_bytes) {
		uint32_t type = load_u32(file + at, false);

		attr_records += type == 64;
		feature_records += type == 80;
		if (type == 78) {  /* EVENT_UPDATE */
			assert_int_equal(word(at + 8), 2);
			assert_int_equal(word(at + 16), evlist[names].ids[0]);
			assert_string_equal(file + at + 24, evlist[names].name);
			names++;
		}
		if (type == 68)
			break;
		assert_true(load_u16(file + at + 6, false) >= 8);
		at += load_u16(file + at + 6, false);
	}
	assert_int_equal(at, file_bytes - 8 - 32);
	assert_int_equal(attr_records, 2);
	assert_int_equal(feature_records, 2 + 1);
	assert_int_equal(names, 2);
	/* the end mark: SAMPLE_TIME once more */
	at += 8;
	assert_int_equal(load_u32(file + at, false), 80);
	assert_int_equal(load_u16(file + at + 6, false), 32);
	assert_int_equal(word(at + 8), SONDE_FEAT_SAMPLE_TIME);
}

/* The length of CPU_TOPOLOGY tells its parts: padding would be read as one of them. */
static void topology_of_a_stream_ends_where_it_ends(void **state)
{
	const char *siblings[] = { "0-1" };
	int32_t cores[] = { 0, 1 }, sockets[] = { 0, 0 };
	struct meta m = host("box");
	struct input in;
	struct sonde_error err = { 0 };
	struct reader *r;

	(void)state;
	m.nr_cpus_available = m.nr_cpus_online = 2;
	m.topology.cores = siblings;
	m.topology.nr_cores = 1;
	m.topology.core_ids = cores;
	m.topology.socket_ids = sockets;
	m.topology.nr_cpus = 2;
	feature_set(&m, SONDE_FEAT_NRCPUS);
	feature_set(&m, SONDE_FEAT_CPU_TOPOLOGY);
	for (m.topology.nr_threads = 0; m.topology.nr_threads < 2; m.topology.nr_threads++) {
		m.topology.threads = siblings;
		stream_of(&m);
		in = input_of_memory("test", file, file_bytes);
		assert_int_equal(perfdata_format.open(&in, &r, &err), 0);
		assert_true(feature_has(&r->meta, SONDE_FEAT_CPU_TOPOLOGY));
		assert_int_equal(r->meta.topology.nr_cores, 1);
		assert_int_equal(r->meta.topology.nr_threads, m.topology.nr_threads);
		assert_int_equal(r->meta.topology.nr_cpus, 2);
		assert_int_equal(r->meta.topology.core_ids[1], 1);
		assert_int_equal(r->meta.topology.nr_dies, 0);
		assert_null(r->meta.topology.die_ids);
		r->ops->free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attrs_of_one_size_and_their_ids),
		cmocka_unit_test(readable_after_each_piece),
		cmocka_unit_test(unfinished_until_it_is_finished),
		cmocka_unit_test(features_known_at_the_end_come_last),
		cmocka_unit_test(keeps_the_old_and_follows_no_links),
		cmocka_unit_test(a_stream_says_everything_in_records),
		cmocka_unit_test(topology_of_a_stream_ends_where_it_ends),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
