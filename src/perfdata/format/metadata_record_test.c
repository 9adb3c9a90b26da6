/* SPDX-License-Identifier: MIT */
#include "perfdata/format/metadata_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "perfdata/format/attr.h"

static const uint8_t bytes[8 + ATTR_SIZE_VER0 + 16] = { [8] = 1, [12] = ATTR_SIZE_VER0, [72] = 5, [80] = 6 };

static void attrs(void **state)
{
	struct sonde_error err = { 0 };
	struct cursor ids = { .err = &err };
	struct record_header h = { RECORD_HEADER_ATTR, 0, sizeof(bytes) };
	struct sonde_attr attr;
	uint64_t size;

	(void)state;
	assert_int_equal(attr_record_decode(bytes, &h, 100, &attr, &size, &ids), 0);
	assert_int_equal(attr.type, 1);
	assert_int_equal(size, ATTR_SIZE_VER0);
	assert_int_equal(ids.at, 172);
	assert_int_equal(cur_u64(&ids), 5);
	assert_int_equal(cur_u64(&ids), 6);
	h.size = 8 + ATTR_SIZE_VER0 - 8;
	assert_true(attr_record_decode(bytes, &h, 100, &attr, &size, &ids) < 0);
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
	static const uint8_t p[24] = { [8] = SONDE_FEAT_ARCH };

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
	static const uint8_t p[24] = { [8] = 12 }, lies[24] = { [8] = 13 };
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
