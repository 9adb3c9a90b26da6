/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "bundle/entry.h"
#include "bundle/writer.h"
#include "io/trailer.h"

static char dir[] = "/tmp/sonde-bundle-XXXXXX", path[64], recording[64];
static const char content[] = "a recording, which nobody here looks into";
static const uint8_t id[20] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void write_all(const char *to, const void *p, size_t n)
{
	FILE *f = fopen(to, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static uint8_t *read_all(const char *from, size_t *n)
{
	FILE *f = fopen(from, "r");
	uint8_t *p = malloc(1 << 20);

	assert_non_null(f);
	assert_non_null(p);
	*n = fread(p, 1, 1 << 20, f);
	fclose(f);
	return p;
}

static struct bundle_key key_of(uint32_t kind, const char *name)
{
	return (struct bundle_key){ .kind = kind, .binary = 2, .pid = -1, .begun = 7, .name = name, .build_id = id,
				    .build_id_size = 8 };
}

/* Two members: zeros, which are packed, and a few bytes, which are not. */
static int make(void **state)
{
	static const uint8_t zeros[5000];
	struct bundle_key key = key_of(BUNDLE_LINES, "/bin/one");
	struct sonde_error err = { 0 };
	struct bundle_writer w;
	struct output out;
	struct image im;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/bundle", dir);
	snprintf(recording, sizeof(recording), "%s/recording", dir);
	write_all(recording, content, sizeof(content));
	assert_int_equal(image_open(&im, recording, &err), 0);
	assert_int_equal(output_open(&out, path, &im, &err), 0);
	assert_int_equal(bundle_writer_begin(&w, &out, &im, &err), 0);
	assert_int_equal(bundle_writer_add(&w, &key, zeros, sizeof(zeros), &err), 0);
	key = key_of(99, "two\nlines");
	assert_int_equal(bundle_writer_add(&w, &key, "few", 3, &err), 0);
	assert_int_equal(bundle_writer_end(&w, &err), 0);
	assert_int_equal(output_finish(&out, &err), 0);
	bundle_writer_free(&w);
	output_close(&out);
	image_close(&im);
	return 0;
}

static int remove_all(void **state)
{
	(void)state;
	unlink(path);
	unlink(recording);
	return rmdir(dir);
}

static void test_members(void **state)
{
	struct sonde_error err = { 0 };
	const struct bundle_member *m;
	struct bundle_key key = key_of(BUNDLE_LINES, "/bin/one");
	struct bundle *b;
	uint8_t *bytes;
	size_t n;
	struct trailer t;
	int fd = open(path, O_RDONLY);

	(void)state;
	assert_int_equal(bundle_open(&b, path, &err), 1);
	assert_int_equal(bundle_recording(b), sizeof(content));
	assert_int_equal(bundle_count(b), 2);
	m = bundle_find(b, &key);
	assert_ptr_equal(m, bundle_at(b, 0));
	assert_int_equal(m->packing, BUNDLE_ZSTD);
	assert_int_equal(m->raw_size, 5000);
	assert_int_equal(m->offset % MEMBER_ALIGN, 0);
	assert_int_equal(bundle_unpack(b, m, &bytes, &err), 0);
	assert_true(bytes_are_zero(bytes, 5000));
	free(bytes);
	m = bundle_at(b, 1);
	assert_int_equal(m->packing, BUNDLE_STORED);
	assert_string_equal(m->key.name, "two\nlines");
	assert_int_equal(bundle_unpack(b, m, &bytes, &err), 0);
	assert_memory_equal(bytes, "few", 3);
	free(bytes);
	key.begun++;
	assert_null(bundle_find(b, &key));
	key.begun--;
	key.build_id_size = 7;
	assert_null(bundle_find(b, &key));
	bundle_free(b);
	/* the recording comes first, as it is, and what follows it begins at a page */
	bytes = read_all(path, &n);
	assert_memory_equal(bytes, content, sizeof(content));
	assert_true(bytes_are_zero(bytes + sizeof(content), TRAILER_ALIGN - sizeof(content)));
	assert_true(trailer_begins_at(bytes + TRAILER_ALIGN, n - TRAILER_ALIGN));
	assert_true(trailer_read(&t, fd, n));
	assert_int_equal(trailer_recording(fd, n), sizeof(content));
	assert_int_equal(trailer_recording(fd, n - 1), n - 1);
	free(bytes);
	close(fd);
}

static void test_no_bundle(void **state)
{
	struct sonde_error err = { 0 };
	struct bundle *b;

	(void)state;
	assert_int_equal(bundle_open(&b, recording, &err), 0);
	assert_int_equal(bundle_open(&b, dir, &err), 0);
	assert_int_equal(bundle_open(&b, "/nowhere/at/all", &err), 0);
}

/* One changed byte, at every place: each member comes out as it was, or as damaged. */
static void test_each_byte(void **state)
{
	static const uint8_t zeros[5000];
	char damaged[80];
	size_t n, found = 0;
	uint8_t *p = read_all(path, &n);

	(void)state;
	snprintf(damaged, sizeof(damaged), "%s/damaged", dir);
	for (size_t i = TRAILER_ALIGN; i < n; i++) {
		struct sonde_error err = { 0 };
		const struct bundle_member *m;
		struct bundle *b;
		uint8_t *bytes;

		p[i] ^= 0xff;
		write_all(damaged, p, n);
		p[i] ^= 0xff;
		if (bundle_open(&b, damaged, &err) != 1) {
			found++;
			continue;
		}
		assert_int_equal(bundle_count(b), 2);
		for (size_t k = 0; (m = bundle_at(b, k)); k++) {
			if (bundle_unpack(b, m, &bytes, &err) < 0) {
				found++;
				continue;
			}
			assert_int_equal(m->raw_size, k == 0 ? 5000 : 3);
			assert_memory_equal(bytes, k == 0 ? (const void *)zeros : "few", m->raw_size);
			free(bytes);
		}
		bundle_free(b);
	}
	assert_true(found > 200);
	unlink(damaged);
	free(p);
}

/* A hole takes no disk: its size is no reason to take as much memory. */
static void test_holes(void **state)
{
	const uint64_t size = UINT64_C(1) << 40;
	const struct trailer t = { 0, size - TRAILER_BYTES, 0, 0 };
	uint8_t p[TRAILER_BYTES];
	struct sonde_error err = { 0 };
	struct bundle *b;
	char holes[80];
	int fd;

	(void)state;
	snprintf(holes, sizeof(holes), "%s/holes", dir);
	trailer_encode(p, &t);
	fd = open(holes, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	if (ftruncate(fd, (off_t)size) < 0) {
		close(fd);
		unlink(holes);
		skip();
	}
	assert_int_equal(pwrite(fd, p, sizeof(p), (off_t)(size - sizeof(p))), sizeof(p));
	close(fd);
	assert_int_equal(bundle_open(&b, holes, &err), -SONDE_CORRUPT);
	unlink(holes);
}

/* Entries that a program made, not damage: each lie alone. */
static void test_lies(void **state)
{
	static const struct { size_t at; uint32_t value; } lies[] = {
		{ 0, 3 }, { 0, 95 }, { 0, UINT32_MAX },                   /* size of the entry */
		{ 24, 10 }, { 28, 1 },                                    /* offset: in the recording, beyond the end */
		{ 32, 4000 }, { 36, 1 },                                  /* size */
		{ 40, 3 }, { 44, 1 },                                     /* unpacked size */
		{ 56, 2 }, { 56, 1 },                                     /* packing: not known; ratio too high */
		{ 60, UINT32_MAX }, { 60, 20 },                           /* size of the name */
		{ 84, 21 }, { 84, UINT32_MAX },                           /* size of the build id */
	};
	struct bundle_member m = { .key = key_of(BUNDLE_ELF, "name"), .offset = 4096, .size = 2000000,
				   .raw_size = 2000000 }, got;
	struct sonde_str name;

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(lies); i++) {
		struct buf b = BUF_MEMORY;
		struct cursor c;

		entry_encode(&b, &m);
		assert_int_equal(b.n, 104);
		if (i < ARRAY_SIZE(lies)) {
			store_u32(b.p + lies[i].at, lies[i].value, host_is_big_endian());
			if (lies[i].at == 56 && lies[i].value == 1)
				store_u32(b.p + 32, 1, host_is_big_endian());
		}
		c = cur_new(b.p, b.n, 0, host_is_big_endian(), NULL);
		assert_int_equal(entry_decode(&c, 4096, 4096 + 2000000, &got, &name), i == ARRAY_SIZE(lies));
		buf_free(&b);
	}
}

/* The same bytes on every host. */
static void test_little_endian(void **state)
{
	static const uint8_t trailer[TRAILER_BYTES] = {
		'S', 'N', 'D', 'B', 'N', 'D', 'L', '1', 0, 0x20, 0, 0, 0, 0, 0, 0, 0x68, 0, 0, 0, 0, 0, 0, 0,
		0x2a, 0, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 'S', 'N', 'D', 'B', 'N', 'D', 'L', '1',
	};
	const struct trailer t = { 0x2000, 0x68, 0x2a, UINT64_C(0x0102030405060708) };
	uint8_t p[TRAILER_BYTES];
	struct trailer back;

	(void)state;
	trailer_encode(p, &t);
	assert_memory_equal(p, trailer, sizeof(p));
	assert_true(trailer_decode(&back, p, 0x2000 + 0x68 + TRAILER_BYTES));
	assert_int_equal(back.hash, t.hash);
	assert_false(trailer_decode(&back, p, 0x2000 + 0x68 + TRAILER_BYTES + 1));
	assert_int_equal(trailer_hash("the quick brown fox jumps over the lazy dog", 43),
			 UINT64_C(0x426bf26d3d7962f7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members), cmocka_unit_test(test_no_bundle), cmocka_unit_test(test_each_byte),
		cmocka_unit_test(test_holes), cmocka_unit_test(test_lies), cmocka_unit_test(test_little_endian),
	};

	return cmocka_run_group_tests(tests, make, remove_all);
}
