/* SPDX-License-Identifier: MIT */
#include "record/perf/map_ids.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

#define MISC_MMAP_BUILD_ID (1 << 14)
#define RECORD_BYTES 4400

/* An MMAP2 as the kernel writes it; fields are at the offsets of perf_event_open(2). */
static void make_record(uint8_t p[RECORD_BYTES], uint16_t misc, int32_t pid, const char *name, uint64_t inode)
{
	struct perf_event_header h = { .type = PERF_RECORD_MMAP2, .misc = misc };

	h.size = (uint16_t)(72 + ALIGN_UP(strlen(name) + 1, (size_t)8));
	memset(p, 0, RECORD_BYTES);
	memcpy(p, &h, sizeof(h));
	memcpy(p + 8, &pid, sizeof(pid));
	memcpy(p + 40, &(uint32_t){ 8 }, 4);
	memcpy(p + 44, &(uint32_t){ 1 }, 4);
	memcpy(p + 48, &inode, sizeof(inode));
	memcpy(p + 56, &(uint64_t){ 77 }, 8);
	memcpy(p + 72, name, strlen(name));
}

static int stamp(struct map_ids *m, uint8_t *record)
{
	struct perf_event_header h;

	memcpy(&h, record, sizeof(h));
	return map_ids_stamp(m, record, h.size);
}

static uint16_t misc_of(const uint8_t *p)
{
	struct perf_event_header h;

	memcpy(&h, p, sizeof(h));
	return h.misc;
}

/* This very program, which is linked with a build id. */
static void the_id_of_the_file_takes_the_place_of_its_device(void **state)
{
	uint8_t record[RECORD_BYTES], id[BUILD_ID_MAX], size;
	struct map_ids m = { 0 };
	char path[4096] = "";
	struct stat st;

	(void)state;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(stat(path, &st), 0);
	size = build_id_of_file(path, id);
	if (size == 0)
		skip();
	for (int i = 0; i < 2; i++) {        /* the second one from memory */
		make_record(record, PERF_RECORD_MISC_USER, (int32_t)getpid(), path, st.st_ino);
		assert_int_equal(stamp(&m, record), 0);
		assert_int_equal(misc_of(record), PERF_RECORD_MISC_USER | MISC_MMAP_BUILD_ID);
		assert_int_equal(record[40], size);
		assert_memory_equal(record + 44, id, size);
		assert_string_equal((char *)record + 72, path);
	}
	assert_int_equal(m.list.n, 1);
	/* a mapping of a task that has ended; and the same path, but another file */
	make_record(record, PERF_RECORD_MISC_USER, INT32_MAX, path, st.st_ino);
	assert_int_equal(stamp(&m, record), 0);
	assert_int_equal(record[40], size);
	make_record(record, PERF_RECORD_MISC_USER, (int32_t)getpid(), path, st.st_ino + 1);
	assert_int_equal(stamp(&m, record), 0);
	assert_int_equal(misc_of(record), PERF_RECORD_MISC_USER);
	assert_int_equal(load_u32(record + 40, false), 8);
	map_ids_free(&m);
}

/* The task still runs it, but no path leads to it. */
static void the_id_of_a_deleted_file_is_found_behind_its_mapping(void **state)
{
	uint8_t record[RECORD_BYTES], id[BUILD_ID_MAX], size;
	char path[] = "/tmp/sonde-map-ids-XXXXXX", own[4096] = "", command[4200], mapping[128];
	int fd = mkstemp(path);
	struct map_ids m = { 0 };
	uint64_t start, length = 4096;
	struct stat st;
	void *p;

	(void)state;
	assert_true(fd >= 0);
	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);  /* an emulator has another one for others */
	size = build_id_of_file(own, id);
	snprintf(command, sizeof(command), "cp '%s' %s", own, path);
	assert_int_equal(system(command), 0);
	p = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(p != MAP_FAILED);
	start = (uint64_t)(uintptr_t)p;
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	unlink(path);
	snprintf(mapping, sizeof(mapping), "/proc/self/map_files/%lx-%lx", (unsigned long)start,
		 (unsigned long)(start + length));
	if (size == 0 || access(mapping, R_OK) < 0) {
		munmap(p, length);
		skip();              /* no right to look behind mappings */
	}
	make_record(record, PERF_RECORD_MISC_USER, (int32_t)getpid(), "/tmp/gone (deleted)", st.st_ino);
	memcpy(record + 16, &start, sizeof(start));
	memcpy(record + 24, &length, sizeof(length));
	assert_int_equal(stamp(&m, record), 0);
	assert_int_equal(misc_of(record), PERF_RECORD_MISC_USER | MISC_MMAP_BUILD_ID);
	assert_int_equal(record[40], size);
	assert_memory_equal(record + 44, id, size);
	assert_int_equal(m.hidden.nr, 1);
	assert_string_equal(m.hidden.first, "/tmp/gone (deleted)");
	munmap(p, length);
	map_ids_free(&m);
}

/* Its build id and its names are lost; what no file is, and mappings of data, are none of them. */
static void a_file_that_is_gone_with_its_task_is_counted_once(void **state)
{
	static const char *const others[] = { "//anon", "/dev/zero (deleted)", "/dev/null", "/memfd:code (deleted)",
					      "/SYSV00000000 (deleted)", "/anon_hugepage (deleted)", "[heap]" };
	uint8_t record[RECORD_BYTES];
	struct map_ids m = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		make_record(record, PERF_RECORD_MISC_USER, INT32_MAX, others[i], 12345);
		assert_int_equal(stamp(&m, record), 0);
	}
	make_record(record, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, INT32_MAX, "/no/such/data", 12345);
	assert_int_equal(stamp(&m, record), 0);
	assert_int_equal(m.gone.nr, 0);
	for (int i = 0; i < 2; i++) {
		make_record(record, PERF_RECORD_MISC_USER, INT32_MAX, "/no/such/library.so", 12345);
		assert_int_equal(stamp(&m, record), 0);
	}
	make_record(record, PERF_RECORD_MISC_USER, INT32_MAX, "/no/such/other.so", 12346);
	assert_int_equal(stamp(&m, record), 0);
	assert_int_equal(m.gone.nr, 2);
	assert_string_equal(m.gone.first, "/no/such/library.so");
	map_ids_free(&m);
}

/* With attr.build_id in another session the kernel marks our records, which hold device and inode. */
static void a_mark_of_another_session_is_taken_away(void **state)
{
	static const char *const names[] = { "//anon", "/no/such/file", "/proc/self/maps", "/dev/zero", "[heap]" };
	uint8_t record[RECORD_BYTES], as_it_was[RECORD_BYTES];
	struct map_ids m = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		make_record(as_it_was, PERF_RECORD_MISC_USER, 1, names[i], 12345);
		make_record(record, PERF_RECORD_MISC_USER | MISC_MMAP_BUILD_ID, 1, names[i], 12345);
		assert_int_equal(stamp(&m, record), 0);
		assert_memory_equal(record, as_it_was, sizeof(record));
	}
	/* the ids of the kernel's image are our own */
	make_record(record, PERF_RECORD_MISC_KERNEL | MISC_MMAP_BUILD_ID, -1, "[kernel.kallsyms]_text", 0);
	assert_int_equal(stamp(&m, record), 0);
	assert_int_equal(misc_of(record), PERF_RECORD_MISC_KERNEL | MISC_MMAP_BUILD_ID);
	map_ids_free(&m);
}

static void the_vdso_has_an_id_without_a_file(void **state)
{
	uint8_t record[RECORD_BYTES], id[BUILD_ID_MAX], size = build_id_of_vdso(id);
	struct map_ids m = { 0 };

	(void)state;
	if (size == 0)
		skip();
	make_record(record, PERF_RECORD_MISC_USER, 1, "[vdso]", 0);
	assert_int_equal(stamp(&m, record), 0);
	assert_int_equal(record[40], size);
	assert_memory_equal(record + 44, id, size);
	map_ids_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_id_of_the_file_takes_the_place_of_its_device),
		cmocka_unit_test(the_id_of_a_deleted_file_is_found_behind_its_mapping),
		cmocka_unit_test(a_file_that_is_gone_with_its_task_is_counted_once),
		cmocka_unit_test(a_mark_of_another_session_is_taken_away),
		cmocka_unit_test(the_vdso_has_an_id_without_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
