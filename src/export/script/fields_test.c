/* SPDX-License-Identifier: MIT */
#include "export/script/fields.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WHO_WHEN (SCRIPT_BIT(COMM) | SCRIPT_BIT(TID) | SCRIPT_BIT(TIME) | SCRIPT_BIT(EVENT))
#define WHERE (SCRIPT_BIT(IP) | SCRIPT_BIT(SYM) | SCRIPT_BIT(SYMOFF) | SCRIPT_BIT(DSO))

static const struct sonde_attr hardware = { .type = PERF_TYPE_HARDWARE,
					    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
static const struct sonde_attr tracepoint = { .type = PERF_TYPE_TRACEPOINT,
					      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						      PERF_SAMPLE_RAW };

/* The fields that several -F give, applied in turn; ends with NULL. */
static uint64_t fields_after(const struct sonde_attr *attr, const char *const *lists)
{
	struct script_fields f;
	uint64_t fields = 0;

	script_fields_default(&f);
	for (; *lists; lists++)
		assert_int_equal(script_fields_parse(&f, *lists, NULL), 0);
	assert_int_equal(script_fields_of(&f, attr, "event", &fields, NULL), 0);
	return fields;
}
#define AFTER(attr, ...) fields_after(attr, (const char *const[]){ __VA_ARGS__, NULL })

static void expect_refused(const char *list, const char *sentence)
{
	struct sonde_error err = { 0 };
	struct script_fields f;

	script_fields_default(&f);
	assert_int_equal(script_fields_parse(&f, list, &err), -SONDE_USAGE);
	assert_non_null(strstr(err.text, sentence));
}

static void defaults(void **state)
{
	struct sonde_attr chain = tracepoint;

	(void)state;
	assert_int_equal(fields_after(&hardware, (const char *const[]){ NULL }), WHO_WHEN | WHERE | SCRIPT_BIT(PERIOD));
	assert_int_equal(fields_after(&tracepoint, (const char *const[]){ NULL }), WHO_WHEN | SCRIPT_BIT(TRACE));
	chain.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU;
	assert_int_equal(fields_after(&chain, (const char *const[]){ NULL }),
			 WHO_WHEN | SCRIPT_BIT(CPU) | SCRIPT_BIT(TRACE) | WHERE);
	assert_int_equal(AFTER(&chain, "trace:comm"), SCRIPT_BIT(COMM));
}

static void lists(void **state)
{
	(void)state;
	assert_int_equal(AFTER(&hardware, "comm,,time"), SCRIPT_BIT(COMM) | SCRIPT_BIT(TIME));
	assert_int_equal(AFTER(&hardware, "trace:comm"), WHO_WHEN | WHERE | SCRIPT_BIT(PERIOD));
	assert_int_equal(AFTER(&hardware, "+misc,-sym,-symoff"),
			 WHO_WHEN | SCRIPT_BIT(MISC) | SCRIPT_BIT(IP) | SCRIPT_BIT(DSO) | SCRIPT_BIT(PERIOD));
	assert_int_equal(AFTER(&hardware, "hw:-period", "+misc"), WHO_WHEN | WHERE | SCRIPT_BIT(MISC));
	assert_int_equal(AFTER(&hardware, "hw:"), 0);
	assert_int_equal(AFTER(&hardware, "trace:", "comm"), SCRIPT_BIT(COMM));
	/* for all types that the field suits */
	assert_int_equal(AFTER(&hardware, "comm,trace"), SCRIPT_BIT(COMM));
	assert_int_equal(AFTER(&tracepoint, "comm,trace"), SCRIPT_BIT(COMM) | SCRIPT_BIT(TRACE));
}

static void refusals(void **state)
{
	struct sonde_error err = { 0 };
	struct script_fields f;
	uint64_t fields = 1;

	(void)state;
	expect_refused("comm,what", "no field 'what'");
	expect_refused("tracepoint:comm", "no event type 'tracepoint'");
	expect_refused("hw:trace", "'trace' does not exist");
	expect_refused("+comm,tid", "cannot be mixed");
	expect_refused("", "nothing to print");
	expect_refused(",", "nothing to print");

	script_fields_default(&f);
	assert_int_equal(script_fields_parse(&f, "ip,brstack", &err), 0);
	assert_int_equal(script_fields_of(&f, &hardware, "cycles", &fields, &err), -SONDE_USAGE);
	assert_non_null(strstr(err.text, "'cycles' were recorded without 'brstack'"));
	assert_int_equal(fields, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(lists),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
