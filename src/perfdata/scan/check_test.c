/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bytes.h"

/*
 * A whole file in little-endian bytes: one cpu-clock event with the id 5 (IDENTIFIER, IP, TID, TIME, CALLCHAIN;
 * sample_id_all), COMM, MMAP, two samples, FINISHED_ROUND, and the feature HOSTNAME. An escape in octal ends at its
 * third digit.
 */
static const char whole[] =
	"PERFILE2" "\150\0\0\0\0\0\0\0" "\120\0\0\0\0\0\0\0"  /* 0x00 sizes: header, attr entry */
	"\160\0\0\0\0\0\0\0" "\120\0\0\0\0\0\0\0" "\300\0\0\0\0\0\0\0" "\030\001\0\0\0\0\0\0"    /* 0x18 attrs, data */
	"\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\010\0\0\0\0\0\0\0"  /* 0x38 event types, features */
	"\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0"
	"\005\0\0\0\0\0\0\0"                                                                     /* 0x68 ids */
	"\001\0\0\0\100\0\0\0" "\0\0\0\0\0\0\0\0" "\100\102\017\0\0\0\0\0" "\047\0\001\0\0\0\0\0" /* 0x70 attr */
	"\0\0\0\0\0\0\0\0" "\0\003\004\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0"
	"\150\0\0\0\0\0\0\0" "\010\0\0\0\0\0\0\0"  /* 0xb0 where its ids are */
	"\003\0\0\0\0\040\060\0" "\115\0\0\0\115\0\0\0" "demo\0\0\0\0"                           /* 0xc0 COMM */
	"\115\0\0\0\115\0\0\0" "\144\0\0\0\0\0\0\0" "\005\0\0\0\0\0\0\0"
	"\001\0\0\0\002\0\120\0" "\115\0\0\0\115\0\0\0" "\0\0\100\0\0\0\0\0" "\0\020\0\0\0\0\0\0" /* 0xf0 MMAP */
	"\0\0\0\0\0\0\0\0" "/bin/demo\0\0\0\0\0\0\0"
	"\115\0\0\0\115\0\0\0" "\144\0\0\0\0\0\0\0" "\005\0\0\0\0\0\0\0"
	"\011\0\0\0\002\0\100\0" "\005\0\0\0\0\0\0\0" "\043\001\100\0\0\0\0\0" "\115\0\0\0\115\0\0\0" /* 0x140 SAMPLE */
	"\310\0\0\0\0\0\0\0" "\002\0\0\0\0\0\0\0" "\0\376\377\377\377\377\377\377" "\043\001\100\0\0\0\0\0"
	"\104\0\0\0\0\0\010\0"  /* 0x180 FINISHED_ROUND, twice */
	"\104\0\0\0\0\0\010\0"
	"\011\0\0\0\002\0\100\0" "\005\0\0\0\0\0\0\0" "\126\001\100\0\0\0\0\0" "\115\0\0\0\115\0\0\0" /* 0x190 SAMPLE */
	"\054\001\0\0\0\0\0\0" "\002\0\0\0\0\0\0\0" "\0\376\377\377\377\377\377\377" "\126\001\100\0\0\0\0\0"
	"\104\0\0\0\0\0\010\0"  /* 0x1d0 FINISHED_ROUND */
	"\350\001\0\0\0\0\0\0" "\104\0\0\0\0\0\0\0"  /* 0x1d8 feature table */
	"\100\0\0\0" "box\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0"    /* 0x1e8 HOSTNAME */
	"\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0";  /* and the NUL of the literal */

enum { WHOLE_BYTES = sizeof(whole) };

/* The first finding above a note, or of any severity if there is no such. */
struct first {
	const char *rule;
	uint64_t offset;
	enum sonde_severity severity;
};

static int note_first(void *ctx, const struct sonde_finding *f)
{
	struct first *first = ctx;

	assert_non_null(f->where);
	assert_non_null(f->expected);
	assert_non_null(f->found);
	assert_null(strchr(f->found, '{'));    /* the words for one, or for many */
	if (!first->rule || (f->rule->severity > SONDE_SEVERITY_NOTE && first->severity == SONDE_SEVERITY_NOTE)) {
		first->rule = f->rule->name;
		first->offset = f->file_offset;
		first->severity = f->rule->severity;
	}
	return 0;
}

static struct first check_bytes(const void *p, size_t n, uint64_t *records)
{
	struct first first = { 0 };
	struct findings f = { .fn = note_first, .ctx = &first };
	struct sonde_error err = { 0 };
	void *copy = malloc(n);
	struct image im;

	assert_non_null(copy);
	memcpy(copy, p, n);  /* of its exact size, so that one byte too far is seen */
	image_memory(&im, copy, n);
	assert_int_equal(perfdata_check(&im, &f, records, &err), 0);
	image_close(&im);
	free(copy);
	return first;
}

static void nothing_is_wrong_with_a_whole_file(void **state)
{
	uint64_t records;

	(void)state;
	assert_int_equal(WHOLE_BYTES, 0x1e8 + 4 + 64);
	assert_null(check_bytes(whole, WHOLE_BYTES, &records).rule);
	assert_int_equal(records, 7);
}

/* Two features, and between them as many bytes as bring the second one to a multiple of 8. */
static void padding_belongs_to_what_comes_next(void **state)
{
	enum { TABLE = 0x1d8, FIRST = 0x1f8, SECOND = 0x240, HOSTNAME_BYTES = 0x44, ALL = SECOND + HOSTNAME_BYTES };
	const uint64_t table[] = { FIRST, HOSTNAME_BYTES, SECOND, HOSTNAME_BYTES };
	uint8_t file[ALL] = { 0 };
	uint64_t records;

	(void)state;
	if (host_is_big_endian())    /* the table is written as this machine has it */
		skip();
	memcpy(file, whole, TABLE);
	file[0x48] = 0x18;           /* HOSTNAME and OSRELEASE, which look alike */
	memcpy(file + TABLE, table, sizeof(table));
	memcpy(file + FIRST, whole + 0x1e8, HOSTNAME_BYTES);
	memcpy(file + SECOND, whole + 0x1e8, HOSTNAME_BYTES);
	assert_null(check_bytes(file, ALL, &records).rule);
	file[SECOND - 1] = 1;
	assert_string_equal(check_bytes(file, ALL, &records).rule, "section-gap");
}

/* Other bytes at one place, and the rule that they break first. */
static void every_rule_has_its_place(void **state)
{
	static const struct {
		uint16_t at;
		uint8_t n;
		const char *bytes, *rule;
		uint64_t offset;
	} rows[] = {
		{ 0x00, 1, "Q", "header-magic", 0 },
		{ 0x08, 1, "\151", "header-size", 8 },
		{ 0x08, 1, "\110", "header-old", 8 },
		{ 0x10, 1, "\117", "attr-entry-size", 0x10 },
		{ 0x10, 8, "\0\0\0\0\0\0\0\0", "attr-entry-size", 0x10 },
		{ 0x18, 8, "\377\377\377\377\377\377\377\377", "section-outside", 0x18 },
		{ 0x20, 1, "\117", "attrs-size", 0x20 },
		{ 0x20, 1, "\0", "attrs-empty", 0x20 },
		{ 0x2f, 1, "\200", "section-outside", 0x28 },
		{ 0x30, 2, "\0\0", "unfinished", 0x30 },
		{ 0x31, 1, "\003", "section-outside", 0x28 },
		{ 0x40, 1, "\110", "event-types", 0x38 },
		{ 0x48, 1, "\0", "feature-hostname", 0x48 },
		{ 0x48, 1, "\014", "feature-corrupt", 0x1f0 },
		{ 0x4f, 1, "\001", "section-outside", 0x1e8 },
		{ 0x68, 1, "\0", "id-zero", 0x68 },
		{ 0x74, 1, "\110", "attr-size", 0x74 },
		{ 0x8c, 1, "\001", "attr-bits", 0x88 },
		{ 0xb0, 1, "\0", "section-overlap", 0 },
		{ 0xb8, 1, "\004", "ids-size", 0xb8 },
		{ 0xb9, 1, "\377", "section-outside", 0xb0 },
		{ 0xc4, 1, "\006", "record-cpumode", 0xc4 },
		{ 0xc6, 1, "\061", "record-garbage", 0xc0 },
		{ 0xc6, 1, "\010", "record-garbage", 0xc0 },
		{ 0xc6, 2, "\0\0", "record-garbage", 0xc0 },
		{ 0xc0, 1, "\0", "record-garbage", 0xc0 },
		{ 0xc0, 1, "\077", "record-type", 0xc0 },
		{ 0xc0, 1, "\012", "record-size", 0xc6 },
		{ 0xc0, 1, "\005", "record-trailer", 0xc0 },
		{ 0xd0, 8, "demodemo", "record-string", 0xd0 },
		{ 0x100, 16, "\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377", "map-wraps", 0x100 },
		{ 0x168, 1, "\003", "sample-cut", 0x168 },
		{ 0x168, 1, "\001", "sample-rest", 0x178 },
		{ 0x16f, 1, "\040", "sample-cut", 0x168 },
		{ 0x1b0, 2, "\143\0", "record-time", 0x190 },
		{ 0x1d6, 1, "\020", "record-cut", 0x1d0 },
		{ 0x1df, 1, "\001", "section-outside", 0x1d8 },
		{ 0x1e0, 1, "\105", "section-outside", 0x1d8 },
		{ 0x1e8, 1, "\101", "feature-corrupt", 0x1ec },
	};
	uint64_t records;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char bytes[WHOLE_BYTES];
		struct first first;

		memcpy(bytes, whole, sizeof(bytes));
		memcpy(bytes + rows[i].at, rows[i].bytes, rows[i].n);
		first = check_bytes(bytes, sizeof(bytes), &records);
		if (!first.rule || strcmp(first.rule, rows[i].rule) != 0 || first.offset != rows[i].offset)
			fail_msg("at 0x%x: %s at 0x%llx, expected %s at 0x%llx", rows[i].at,
				 first.rule ? first.rule : "nothing", (unsigned long long)first.offset, rows[i].rule,
				 (unsigned long long)rows[i].offset);
	}
}

static void each_cut_is_noticed(void **state)
{
	uint64_t records;

	(void)state;
	for (size_t n = 0; n < WHOLE_BYTES; n++) {
		struct first first = check_bytes(whole, n, &records);

		assert_non_null(first.rule);
		assert_int_equal(first.severity, SONDE_SEVERITY_ERROR);
		assert_true(records <= 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_wrong_with_a_whole_file),
		cmocka_unit_test(padding_belongs_to_what_comes_next),
		cmocka_unit_test(every_rule_has_its_place),
		cmocka_unit_test(each_cut_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
