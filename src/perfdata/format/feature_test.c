/* SPDX-License-Identifier: MIT */
#include "perfdata/format/feature.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/fmap.h"

#define HEADER_FEATURE 80

/*
 * Calls fn for each feature payload of a file or a pipe stream; a damaged file ends early. Only good enough for tests.
 */
typedef void each_feature(void *ctx, uint32_t id, const uint8_t *p, size_t n, uint64_t at, bool swap);

static void walk_pipe(const struct fmap *m, bool swap, each_feature *fn, void *ctx)
{
	size_t at = 16;

	while (at + 8 <= m->size) {
		uint32_t type = load_u32(m->data + at, swap);
		uint16_t size = load_u16(m->data + at + 6, swap);

		if (size < 8 || at + size > m->size)
			return;
		if (type == HEADER_FEATURE && size > 16)
			fn(ctx, (uint32_t)load_u64(m->data + at + 8, swap), m->data + at + 16, size - 16, at + 16,
			   swap);
		at += size;
		if (type == 66)
			at += load_u32(m->data + at - size + 8, swap);
	}
}

static void walk_file(const struct fmap *m, bool swap, each_feature *fn, void *ctx)
{
	uint64_t table = load_u64(m->data + 40, swap) + load_u64(m->data + 48, swap);

	if (load_u64(m->data + 8, swap) < 104 || load_u64(m->data + 48, swap) == 0)
		return;
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++) {
		uint64_t offset, size;

		if (!(load_u64(m->data + 72 + id / 64 * 8, swap) >> (id % 64) & 1))
			continue;
		if (table > m->size || m->size - table < 16)
			return;
		offset = load_u64(m->data + table, swap);
		size = load_u64(m->data + table + 8, swap);
		table += 16;
		if (offset <= m->size && size <= m->size - offset)
			fn(ctx, id, m->data + offset, size, offset, swap);
	}
}

static void walk(const struct fmap *m, each_feature *fn, void *ctx)
{
	bool le = m->size >= 16 && memcmp(m->data, "PERFILE2", 8) == 0;
	bool be = m->size >= 16 && memcmp(m->data, "2ELIFREP", 8) == 0;
	bool swap = be != host_is_big_endian();

	if (!le && !be)
		return;
	if (load_u64(m->data + 8, swap) == 16)
		walk_pipe(m, swap, fn, ctx);
	else if (m->size >= 104)
		walk_file(m, swap, fn, ctx);
}

/* Where the bytes that feature_encode() writes are not those of the file, and why. */
static const struct exception {
	const char *file;            /* NULL: any */
	uint32_t id;                 /* 0: any */
	const char *why;
} exceptions[] = {
	{ NULL, SONDE_FEAT_BUILD_ID,
	  "stale bytes after names (perf before 4.x), type 67 (simpleperf), names padded to 8 (others)" },
	{ "autofdo-ro_sample.perf", 0, "quipper pads strings to 4 bytes" },
	{ "quipper-perf.data.weight_struct", 0, "quipper pads strings to 4 bytes" },
	{ "quipper-perf.data.piped.header_features_aligned-6.12", 0, "payloads of the pipe are padded to 8" },
	{ "aosp-etm-perf_etm.data", SONDE_FEAT_AUXTRACE, "simpleperf writes no count" },
	{ "aosp-etm-perf_kernel.data", SONDE_FEAT_AUXTRACE, "simpleperf writes no count" },
};

/* Payloads that nobody can read. */
static const struct exception unreadable[] = {
	{ "perf6.1-inject_tofifo.data", SONDE_FEAT_EVENT_DESC, "perf inject lost its place in the stream" },
	{ "cros-perf.data.piped.production.2013-07-17", SONDE_FEAT_BUILD_ID, "record 80 was not yet HEADER_FEATURE" },
};

static bool is_exception(const struct exception *rows, size_t nr, const char *file, uint32_t id)
{
	for (size_t i = 0; i < nr; i++)
		if ((!rows[i].file || strcmp(rows[i].file, file) == 0) && (!rows[i].id || rows[i].id == id))
			return true;
	return false;
}

struct round_trip {
	const char *name;
	struct meta meta;
	struct arena arena;
	bool swap;
	size_t decoded;
};

static void decode_one(void *ctx, uint32_t id, const uint8_t *p, size_t n, uint64_t at, bool swap)
{
	struct round_trip *t = ctx;
	struct sonde_error err = { 0 };

	t->swap = swap;
	t->decoded++;
	if (feature_decode(id, p, n, at, swap, &t->meta, &t->arena, &err) < 0 &&
	    !is_exception(unreadable, ARRAY_SIZE(unreadable), t->name, id))
		fail_msg("%s: %s (at 0x%" PRIx64 ")", t->name, err.text, err.file_offset);
}

/* Decodes what was written into the given byte order and writes it again in the first one. */
static void there_and_back(const struct round_trip *t, uint32_t id, const struct buf *want, bool swap)
{
	struct buf other = BUF_MEMORY, back = BUF_MEMORY;
	struct arena a = { 0 };
	struct meta meta = { .nr_cpus_available = t->meta.nr_cpus_available,
				   .nr_cpus_online = t->meta.nr_cpus_online };
	struct sonde_error err = { 0 };

	feature_set(&meta, SONDE_FEAT_NRCPUS);
	assert_int_equal(feature_encode(&other, id, swap, &t->meta), 0);
	if (feature_decode(id, (const uint8_t *)other.p, other.n, 0, swap, &meta, &a, &err) < 0)
		fail_msg("%s: %s", t->name, err.text);
	assert_int_equal(feature_encode(&back, id, t->swap, &meta), 0);
	assert_int_equal(back.n, want->n);
	if (back.n)
		assert_memory_equal(back.p, want->p, back.n);
	buf_free(&other);
	buf_free(&back);
	arena_free(&a);
}

static void encode_all(const struct round_trip *t)
{
	for (size_t i = 0; i < t->meta.nr_raw; i++) {
		const struct sonde_raw_feature *raw = &t->meta.raw[i];
		struct buf out = BUF_MEMORY;

		if (!feature_has(&t->meta, raw->id))
			continue;
		assert_int_equal(feature_encode(&out, raw->id, t->swap, &t->meta), 0);
		if (!is_exception(exceptions, ARRAY_SIZE(exceptions), t->name, raw->id) &&
		    (out.n != raw->payload.len || (out.n && memcmp(out.p, raw->payload.p, out.n) != 0)))
			fail_msg("%s: %s: %zu bytes, written %zu", t->name, sonde_feature_name(raw->id),
				 raw->payload.len, out.n);
		there_and_back(t, raw->id, &out, false);
		there_and_back(t, raw->id, &out, true);
		buf_free(&out);
	}
}

static void corpus_folder(const char *folder, size_t *files, size_t *payloads)
{
	const char *corpus = getenv("SONDE_CORPUS"), *root = getenv("SONDE_SOURCE");
	char path[4096];
	struct dirent *entry;
	DIR *dir;

	if (corpus)
		snprintf(path, sizeof(path), "%s/%s", corpus, folder);
	else
		snprintf(path, sizeof(path), "%s/../shared/corpus/%s", root ? root : ".", folder);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		struct round_trip t = { .name = entry->d_name };
		char file[8192];
		struct fmap m;

		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (fmap_path(&m, file, SIZE_MAX, NULL) < 0)
			continue;
		walk(&m, decode_one, &t);
		encode_all(&t);
		fmap_close(&m);
		*files += t.decoded > 0;
		*payloads += t.decoded;
		arena_free(&t.arena);
	}
	closedir(dir);
}

static void test_corpus_is_written_as_it_was_read(void **state)
{
	size_t files = 0, payloads = 0;

	(void)state;
	corpus_folder("perf", &files, &payloads);
	corpus_folder("recorded", &files, &payloads);
	if (files == 0) {
		print_message("no corpus: set SONDE_CORPUS to its folder\n");
		skip();
	}
	print_message("%zu files, %zu payloads\n", files, payloads);
}

/* Bytes of a little-endian payload, gathered piece by piece. */
struct test_payload {
	uint8_t p[4096];
	size_t n;
};

static void add(struct test_payload *b, const void *p, size_t n)
{
	assert_true(n <= sizeof(b->p) - b->n);
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void add_u32(struct test_payload *b, uint32_t v)
{
	uint8_t le[4] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24) };

	add(b, le, 4);
}

static void add_str(struct test_payload *b, const char *s)
{
	uint8_t padded[64] = { 0 };

	memcpy(padded, s, strlen(s));
	add_u32(b, sizeof(padded));
	add(b, padded, sizeof(padded));
}

static int decode_le(uint32_t id, const struct test_payload *b, struct meta *meta, struct arena *a,
		     struct sonde_error *err)
{
	return feature_decode(id, b->p, b->n, 0x1000, host_is_big_endian(), meta, a, err);
}

static struct test_payload topology(void)
{
	struct test_payload b = { .n = 0 };

	add_u32(&b, 1);
	add_str(&b, "0-1");
	add_u32(&b, 1);
	add_str(&b, "0");
	add_u32(&b, 5);
	add_u32(&b, 6);
	add_u32(&b, 7);
	add_u32(&b, 8);
	return b;
}

static void test_topology_waits_for_nrcpus(void **state)
{
	struct test_payload topo = topology(), cpus = { .n = 0 };
	struct meta meta = { 0 };
	struct arena a = { 0 };

	(void)state;
	add_u32(&cpus, 2);
	add_u32(&cpus, 2);
	assert_int_equal(decode_le(SONDE_FEAT_CPU_TOPOLOGY, &topo, &meta, &a, NULL), 0);
	assert_false(feature_has(&meta, SONDE_FEAT_CPU_TOPOLOGY));
	assert_int_equal(decode_le(SONDE_FEAT_NRCPUS, &cpus, &meta, &a, NULL), 0);
	assert_true(feature_has(&meta, SONDE_FEAT_CPU_TOPOLOGY));
	assert_int_equal(meta.topology.nr_cpus, 2);
	assert_int_equal(meta.topology.core_ids[1], 7);
	assert_int_equal(meta.topology.socket_ids[1], 8);
	assert_int_equal(feature_finish(host_is_big_endian(), &meta, &a, NULL), 0);
	arena_free(&a);
}

static void test_topology_without_nrcpus_has_its_lists(void **state)
{
	struct test_payload topo = topology();
	struct meta meta = { 0 };
	struct sonde_error err = { 0 };
	struct arena a = { 0 };

	(void)state;
	assert_int_equal(decode_le(SONDE_FEAT_CPU_TOPOLOGY, &topo, &meta, &a, NULL), 0);
	assert_int_equal(feature_finish(host_is_big_endian(), &meta, &a, &err), -SONDE_MISSING);
	assert_non_null(strstr(err.text, "CPU_TOPOLOGY: without NRCPUS"));
	assert_int_equal(meta.topology.nr_cores, 1);
	assert_string_equal(meta.topology.cores[0], "0-1");
	assert_null(meta.topology.core_ids);
	arena_free(&a);
}

/*
 * Perf before 2.6.38 had no pid: the id is followed by the name at once. It is known by the kernel's name cut in front.
 */
static void test_build_ids_without_pid(void **state)
{
	struct test_payload b = { .n = 0 };
	uint8_t id[24] = { 0xab, 0xcd }, name[64] = "[kernel.kallsyms]";
	struct meta meta = { 0 };
	struct arena a = { 0 };

	(void)state;
	add_u32(&b, 0);
	add_u32(&b, 1 | 96 << 16);
	add(&b, id, sizeof(id));
	add(&b, name, sizeof(name));
	assert_int_equal(decode_le(SONDE_FEAT_BUILD_ID, &b, &meta, &a, NULL), 0);
	assert_int_equal(meta.nr_build_ids, 1);
	assert_int_equal(meta.build_ids[0].pid, -1);
	assert_string_equal(meta.build_ids[0].filename, "[kernel.kallsyms]");
	assert_memory_equal(meta.build_ids[0].id, id, 20);
	assert_int_equal(meta.build_ids[0].size, 20);
	arena_free(&a);
}

static void test_counts_that_lie_are_refused_before_memory_is_taken(void **state)
{
	size_t nr;
	const struct feature *rows = feature_table(&nr);

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		struct test_payload b = { .n = 0 };
		struct meta meta = { .nr_cpus_available = UINT32_MAX, .nr_cpus_online = UINT32_MAX };
		struct arena a = { 0 };

		feature_set(&meta, SONDE_FEAT_NRCPUS);
		for (int k = 0; k < 16; k++)
			add_u32(&b, k == 0 && rows[i].id != SONDE_FEAT_MEM_TOPOLOGY ? 1 : UINT32_MAX);
		decode_le(rows[i].id, &b, &meta, &a, NULL);
		memset(b.p, 0xff, 4);
		decode_le(rows[i].id, &b, &meta, &a, NULL);
		assert_true(a.bytes < 4096);
		arena_free(&a);
	}
}

/* A list is no text: its label stands alone. */
static void test_aux_area_is_a_label(void **state)
{
	static struct sonde_auxtrace_index index = { .file_offset = 0x2e2e2e2e2e2e2e2e, .size = 1 };
	struct meta meta = { 0 };
	struct buf out = BUF_MEMORY;

	(void)state;
	meta.auxtrace = &index;
	meta.nr_auxtrace = 1;
	feature_print(&out, SONDE_FEAT_AUXTRACE, true, &meta);
	buf_put(&out, "", 1);
	assert_string_equal(out.p, "# contains AUX area data (e.g. instruction trace)\n");
	buf_free(&out);
}

static void test_unknown_and_repeated_features_are_kept(void **state)
{
	struct test_payload b = { .n = 0 };
	struct meta meta = { 0 };
	struct arena a = { 0 };
	struct buf out = BUF_MEMORY;

	(void)state;
	add_str(&b, "one");
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(decode_le(i % 2 ? 200 : SONDE_FEAT_HOSTNAME, &b, &meta, &a, NULL), 0);
	assert_int_equal(meta.nr_raw, 9);
	assert_true(feature_has(&meta, 200));
	assert_int_equal(decode_le(100000, &b, &meta, &a, NULL), 0);
	assert_ptr_equal(feature_raw(&meta, 100000)->payload.p, b.p);
	assert_int_equal(feature_encode(&out, 200, false, &meta), 0);
	assert_int_equal(out.n, b.n);
	assert_memory_equal(out.p, b.p, b.n);
	assert_int_equal(feature_encode(&out, 201, false, &meta), -SONDE_MISSING);
	buf_free(&out);
	arena_free(&a);
}

/* Every prefix of every payload of one recording, in memory of its exact size: an error or less, never an overrun. */
static void decode_prefixes(void *ctx, uint32_t id, const uint8_t *p, size_t n, uint64_t at, bool swap)
{
	size_t *prefixes = ctx;

	for (size_t len = 0; len < n && len < 2048; len++) {
		struct meta meta = { .nr_cpus_available = 2, .nr_cpus_online = 2 };
		struct arena a = { 0 };
		struct sonde_error err = { 0 };
		uint8_t *copy = malloc(len ? len : 1);

		assert_non_null(copy);
		memcpy(copy, p, len);
		feature_set(&meta, SONDE_FEAT_NRCPUS);
		if (feature_decode(id, copy, len, at, swap, &meta, &a, &err) < 0)
			assert_true(err.file_offset <= at + len);
		++*prefixes;
		arena_free(&a);
		free(copy);
	}
}

static void test_every_prefix(void **state)
{
	const char *corpus = getenv("SONDE_CORPUS"), *root = getenv("SONDE_SOURCE");
	char path[4096];
	struct fmap m;
	size_t prefixes = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s%s/recorded/perf7.2-stat_A.data", corpus ? corpus : root ? root : ".",
		 corpus ? "" : "/../shared/corpus");
	if (fmap_path(&m, path, SIZE_MAX, NULL) < 0)
		skip();
	walk(&m, decode_prefixes, &prefixes);
	assert_true(prefixes > 1000);
	fmap_close(&m);
}

/* Each row of the table is a row of the documentation, with the same name and the same word on pipes. */
static void test_documentation_lists_the_table(void **state)
{
	const char *root = getenv("SONDE_SOURCE");
	size_t nr;
	const struct feature *rows = feature_table(&nr);
	char path[4096];
	struct fmap m;

	(void)state;
	snprintf(path, sizeof(path), "%s/docs/formats/perf-data-features.md", root ? root : ".");
	if (fmap_path(&m, path, SIZE_MAX, NULL) < 0)
		skip();
	for (size_t i = 0; i < nr; i++) {
		char want[128];

		snprintf(want, sizeof(want), "\n| %u | %s | %s |", rows[i].id, rows[i].name,
			 rows[i].pipe ? "yes" : "no");
		if (!memmem(m.data, m.size, want, strlen(want)))
			fail_msg("%s has no row %s", path, want + 1);
	}
	fmap_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_topology_waits_for_nrcpus),
		cmocka_unit_test(test_topology_without_nrcpus_has_its_lists),
		cmocka_unit_test(test_build_ids_without_pid),
		cmocka_unit_test(test_counts_that_lie_are_refused_before_memory_is_taken),
		cmocka_unit_test(test_aux_area_is_a_label),
		cmocka_unit_test(test_unknown_and_repeated_features_are_kept),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_documentation_lists_the_table),
		cmocka_unit_test(test_corpus_is_written_as_it_was_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
