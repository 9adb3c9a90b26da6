/* SPDX-License-Identifier: MIT */
#include "record/event/vendor_events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/bytes.h"

static struct vendor_events parsed(const char *text)
{
	struct vendor_events v = { 0 };
	struct sonde_error err = { 0 };

	if (vendor_events_parse(&v, text, strlen(text), "dir/cache.json", &err) < 0)
		fail_msg("%s", err.text);
	return v;
}

static void fields_become_terms(void **state)
{
	static const struct {
		const char *fields, *terms, *pmu;
	} rows[] = {
		{ "\"EventCode\":\"0xC0\",\"UMask\":\"0x01\",\"SampleAfterValue\":\"2000003\"",
		  "event=0xc0,umask=0x1,period=2000003", NULL },
		{ "\"EventCode\":\"0xb7,0xbb\",\"MSRIndex\":\"0x1a6,0x1a7\",\"MSRValue\":\"0x10001\"",
		  "event=0xb7,offcore_rsp=0x10001", NULL },
		{ "\"EventCode\":\"60\",\"CounterMask\":\"2\",\"Invert\":\"1\",\"EdgeDetect\":\"0\"",
		  "event=0x3c,cmask=0x2,inv=0x1", NULL },
		{ "\"Unit\":\"iMC\",\"EventCode\":\"0x4\"", "event=0x4", "uncore_imc" },
		{ "\"Unit\":\"CBO\",\"EventCode\":\"0x4\",\"ExtSel\":\"1\"", "event=0x104", "uncore_cbox" },
		{ "\"Unit\":\"cpu_atom\",\"EventCode\":\"1\"", "event=0x1", "cpu_atom" },
		{ "\"Unit\":\"hisi_sccl,ddrc\",\"ConfigCode\":\"0x5\"", "config=0x5", "hisi_sccl,ddrc" },
		{ "\"EventCode\":\"1\",\"NodeType\":\"5\",\"Filter\":\"filter_opc=0x182\"",
		  "event=0x1,type=0x5,filter_opc=0x182", NULL },
		{ "\"EventCode\":\"1\",\"Filter\":\"a/b\"", "event=0x1", NULL },
		{ "\"EventCode\":\"nonsense\",\"UMask\":\"-1\"", "event=0", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[512];
		struct vendor_events v;

		snprintf(text, sizeof(text), "[{\"EventName\":\"A.B\",%s}]", rows[i].fields);
		v = parsed(text);
		assert_int_equal(v.n, 1);
		assert_string_equal(v.at[0].name, "a.b");
		assert_string_equal(v.at[0].terms, rows[i].terms);
		if (rows[i].pmu)
			assert_string_equal(v.at[0].pmu, rows[i].pmu);
		else
			assert_null(v.at[0].pmu);
		assert_string_equal(v.at[0].topic, "cache");
		vendor_events_free(&v);
	}
}

static void names_are_found(void **state)
{
	struct vendor_events v = parsed("{\"Header\":{},\"Events\":[{\"EventName\":\"b\",\"Unit\":\"cpu_core\"},"
					"{\"MetricName\":\"IPC\",\"MetricExpr\":\"a / b\"},{\"ArchStdEvent\":\"X\"},"
					"{\"EventName\":\"B\",\"Unit\":\"cpu_atom\"},{\"EventName\":\"a\"}]}");
	const struct vendor_event *e = vendor_events_find(&v, "B");

	(void)state;
	assert_int_equal(v.n, 4);
	assert_non_null(e);
	assert_string_equal(e->pmu, "cpu_atom");
	e = vendor_events_next(&v, e);
	assert_string_equal(e->pmu, "cpu_core");
	assert_null(vendor_events_next(&v, e));
	assert_null(vendor_events_find(&v, "c"));
	assert_null(vendor_events_find(NULL, "a"));
	assert_string_equal(vendor_events_find(&v, "ipc")->metric_expr, "a / b");
	vendor_events_free(&v);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* As in perf's tree of Arm's processors: the architecture's events above the vendor's folder. */
static void standard_events_come_from_above(void **state)
{
	char top[] = "/tmp/sonde-vendor-events-XXXXXX", vendor[128], model[160], command[128];
	struct vendor_events v = { 0 };
	struct sonde_error err = { 0 };
	const struct vendor_event *e;

	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(vendor, sizeof(vendor), "%s/ampere", top);
	snprintf(model, sizeof(model), "%s/ampereone", vendor);
	assert_int_equal(mkdir(vendor, 0700) | mkdir(model, 0700), 0);
	write_file(top, "common-and-microarch.json",
		   "[{\"EventName\":\"SW_INCR\",\"EventCode\":\"0x00\",\"BriefDescription\":\"Increments\"},"
		   "{\"EventName\":\"L1I_CACHE\",\"EventCode\":\"0x14\",\"BriefDescription\":\"Accesses\","
		   "\"PublicDescription\":\"All of them\"}]");
	write_file(top, "mapfile.json", "no table");
	write_file(model, "cache.json",
		   "[{\"ArchStdEvent\":\"L1I_CACHE\",\"BriefDescription\":\"Of this model\"},"
		   "{\"ArchStdEvent\":\"NONE\"},{\"EventName\":\"OWN\",\"EventCode\":\"1\","
		   "\"Filter\":\"edge=1,inv=1\"}]");
	assert_int_equal(vendor_events_load(&v, model, &err), 0);
	assert_int_equal(v.n, 2);
	e = vendor_events_find(&v, "l1i_cache");
	assert_non_null(e);
	assert_string_equal(e->terms, "event=0x14");
	assert_string_equal(e->topic, "cache");
	assert_string_equal(e->description, "Of this model");
	assert_string_equal(e->long_description, "All of them");
	assert_string_equal(vendor_events_find(&v, "own")->terms, "event=0x1,edge=1,inv=1");
	assert_null(vendor_events_find(&v, "sw_incr"));      /* this model does not have it */
	vendor_events_free(&v);
	snprintf(command, sizeof(command), "rm -r %s", top);
	assert_int_equal(system(command), 0);
}

static void other_files_are_refused_with_their_name(void **state)
{
	static const char *const texts[] = { "", "[", "{}", "[{\"EventName\":", "\177ELF", "{\"Events\":1}" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct vendor_events v = { 0 };
		struct sonde_error err = { 0 };

		assert_int_equal(vendor_events_parse(&v, texts[i], strlen(texts[i]), "x.json", &err), -SONDE_CORRUPT);
		assert_non_null(strstr(err.text, "x.json is no table of events"));
		vendor_events_free(&v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_become_terms),
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(standard_events_come_from_above),
		cmocka_unit_test(other_files_are_refused_with_their_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
