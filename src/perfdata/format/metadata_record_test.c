/* SPDX-License-Identifier: MIT */
#include "perfdata/format/metadata_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "perfdata/format/attr.h"

/* An ATTR record of this host's byte order. */
static const struct {
	uint32_t header[2], type, size;
	uint8_t attr[ATTR_SIZE_VER0 - 8];
	uint64_t ids[2];
} record = { .type = 1, .size = ATTR_SIZE_VER0, .ids = { 5, 6 } };

static void attrs(void **state)
{
	struct sonde_error err = { 0 };
	struct cursor ids = { .err = &err };
	struct record_header h = { RECORD_HEADER_ATTR, 0, sizeof(record) };
	struct sonde_attr attr;
	uint64_t size;

	(void)state;
	assert_int_equal(attr_record_decode((const uint8_t *)&record, &h, 100, &attr, &size, &ids), 0);
	assert_int_equal(attr.type, 1);
	assert_int_equal(size, ATTR_SIZE_VER0);
	assert_int_equal(ids.at, 172);
	assert_int_equal(cur_u64(&ids), 5);
	assert_int_equal(cur_u64(&ids), 6);
	h.size = 8 + ATTR_SIZE_VER0 - 8;
	assert_true(attr_record_decode((const uint8_t *)&record, &h, 100, &attr, &size, &ids) < 0);
	assert_int_equal(err.code, SONDE_TRUNCATED);
}

static void expect_payload(struct feature_record r, uint64_t id, uint64_t offset, uint64_t size)
{
	assert_int_equal(r.id, id);
	assert_int_equal(r.payload.offset, offset);
	assert_int_equal(r.payload.size, size);
}

static void features(void **state)
{
	static const uint64_t words[3] = { [1] = SONDE_FEAT_ARCH };
	const uint8_t *p = (const uint8_t *)words;

	(void)state;
	expect_payload(feature_record_decode(p, &(struct record_header){ RECORD_HEADER_FEATURE, 0, 24 }, false),
		       SONDE_FEAT_ARCH, 16, 8);
	expect_payload(feature_record_decode(p, &(struct record_header){ RECORD_HEADER_FEATURE, 0, 16 }, false),
		       SONDE_FEAT_ARCH, 16, 0);
	expect_payload(feature_record_decode(p, &(struct record_header){ RECORD_HEADER_FEATURE, 0, 8 }, false),
		       SONDE_NONE, 0, 0);
}

/* Behind the record, or inside of it as simpleperf writes it; never more than the record holds. */
static void tracing_data(void **state)
{
	static const uint32_t sound[6] = { [2] = 12 }, too_much[6] = { [2] = 13 };
	const uint8_t *p = (const uint8_t *)sound, *lies = (const uint8_t *)too_much;
	const struct record_header h = { RECORD_HEADER_TRACING_DATA, 0, 24 };

	(void)state;
	expect_payload(tracing_record_decode(p, &h, 40, false), SONDE_FEAT_TRACING_DATA, 24, 40);
	expect_payload(tracing_record_decode(p, &h, 0, false), SONDE_FEAT_TRACING_DATA, 12, 12);
	expect_payload(tracing_record_decode(lies, &h, 0, false), SONDE_FEAT_TRACING_DATA, 24, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attrs),
		cmocka_unit_test(features),
		cmocka_unit_test(tracing_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
