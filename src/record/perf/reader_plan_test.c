/* SPDX-License-Identifier: MIT */
#include "record/perf/reader_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* "02>0123 1>1": the CPUs of each thread's rings, and those that it runs on. */
static const char *text_of(const struct reader_plan *plan)
{
	static char text[256];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < plan->n; i++) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s", i ? " " : "");
		for (size_t cpu = 0; cpu < 8; cpu++)
			if (CPU_ISSET(cpu, &plan->at[i].rings))
				at += (size_t)snprintf(text + at, sizeof(text) - at, "%zu", cpu);
		at += (size_t)snprintf(text + at, sizeof(text) - at, ">");
		for (size_t cpu = 0; cpu < 8; cpu++)
			if (CPU_ISSET(cpu, &plan->at[i].runs_on))
				at += (size_t)snprintf(text + at, sizeof(text) - at, "%zu", cpu);
	}
	return text;
}

static char root[] = "/tmp/sonde-reader-plan-XXXXXX";
static struct {
	char path[128];
	bool directory;
} made[64];
static size_t nr_made;

static void make_directory(const char *path)
{
	if (mkdir(path, 0700) == 0) {
		snprintf(made[nr_made].path, sizeof(made[0].path), "%s", path);
		made[nr_made++].directory = true;
	}
}

/* Writes a file of the tree, and the directories before it. */
static void put(const char *name, const char *content)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		make_directory(path);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
	snprintf(made[nr_made++].path, sizeof(made[0].path), "%s", path);
}

/* Eight CPUs: two for a core, four for a package and a node. */
static int make_tree(void **state)
{
	static const char *const cores[] = { "0,4\n", "1,5\n", "2,6\n", "3,7\n" };
	char name[96];

	(void)state;
	assert_non_null(mkdtemp(root));
	for (int cpu = 0; cpu < 8; cpu++) {
		snprintf(name, sizeof(name), "devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		put(name, cores[cpu % 4]);
		snprintf(name, sizeof(name), "devices/system/cpu/cpu%d/topology/core_siblings_list", cpu);
		put(name, cpu % 4 < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
	}
	put("devices/system/node/node0/cpulist", "0-1,4-5\n");
	put("devices/system/node/node2/cpulist", "2-3,6-7\n");
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	while (nr_made--)
		if (made[nr_made].directory)
			rmdir(made[nr_made].path);
		else
			unlink(made[nr_made].path);
	return rmdir(root);
}

static void want(const char *text, const char *recorded, const char *wanted)
{
	struct reader_plan plan = { 0 };
	struct cpus cpus = { 0 };
	struct sonde_error err;

	err_clear(&err);
	assert_int_equal(cpus_parse(&cpus, recorded), 0);
	assert_int_equal(reader_plan_check(text, &err), 0);
	assert_int_equal(reader_plan_parse(&plan, text, &cpus, root, &err), 0);
	assert_string_equal(text_of(&plan), wanted);
	vec_free(&plan);
	vec_free(&cpus);
}

static void test_kinds(void **state)
{
	(void)state;
	want("cpu", "0-2", "0>0 1>1 2>2");
	want("core", "0-7", "04>04 15>15 26>26 37>37");
	want("core", "4-6", "4>04 5>15 6>26");
	want("package", "0-7", "0145>0145 2367>2367");
	want("package", "3,7", "37>2367");
	want("numa", "0-7", "0145>0145 2367>2367");
}

static void test_masks(void **state)
{
	(void)state;
	want("0-3/0:4-7/4", "0-7", "0123>0 4567>4");
	want("0-3/0:4-7/0", "1,2", "12>0");
	want("1/0,2", "0-7", "1>02");
}

static void test_what_is_no_plan(void **state)
{
	static const char *const texts[] = { "", "/", "0", "0/", "/0", "0/0:", ":0/0", "0/0::1/1", "0/0/1", "x/0",
					     "cpus", "0-1/0:1/1", "1024/0", "0/1024", "0-99999999/0" };
	const struct cpus cpus = { (int32_t[]){ 0, 1 }, 2, 2 };
	struct sonde_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct reader_plan plan = { 0 };

		err_clear(&err);
		assert_int_equal(reader_plan_check(texts[i], &err), -SONDE_USAGE);
		assert_int_equal(reader_plan_parse(&plan, texts[i], &cpus, root, &err), -SONDE_USAGE);
		vec_free(&plan);
	}
}

static void test_a_plan_for_other_cpus(void **state)
{
	const struct cpus cpus = { (int32_t[]){ 0, 1 }, 2, 2 };
	struct reader_plan plan = { 0 };
	struct sonde_error err;

	(void)state;
	err_clear(&err);
	assert_int_equal(reader_plan_parse(&plan, "2-3/0", &cpus, root, &err), -SONDE_USAGE);
	assert_string_equal(err.text, "'2-3/0' names no CPU that is recorded");
	vec_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_what_is_no_plan),
		cmocka_unit_test(test_a_plan_for_other_cpus),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
