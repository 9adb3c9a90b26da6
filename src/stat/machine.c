/* SPDX-License-Identifier: MIT */
#include "stat/machine.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define CPU_DIR "/sys/devices/system/cpu/"

/* The first line of a file below CPU_DIR, without its end; false if there is none. */
static bool read_line(const char *name, char *out, size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), CPU_DIR "%s", name);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(out, (int)size, f))
		out[0] = '\0';
	fclose(f);
	out[strcspn(out, "\n")] = '\0';
	return out[0];
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* How many different lists the CPUs have in a file of their topology: a core, die or package has one list. */
static double different_lists(const char *file)
{
	long n = sysconf(_SC_NPROCESSORS_CONF), nr = 0, different = 0;
	char **lists = n > 0 ? calloc((size_t)n, sizeof(*lists)) : NULL;

	for (long cpu = 0; lists && cpu < n; cpu++) {
		char name[64], text[4096];

		snprintf(name, sizeof(name), "cpu%ld/topology/%s", cpu, file);
		if (read_line(name, text, sizeof(text)) && (lists[nr] = strdup(text)))
			nr++;
	}
	if (nr > 0)
		qsort(lists, (size_t)nr, sizeof(*lists), by_text);
	for (long i = 0; i < nr; i++)
		different += i == 0 || strcmp(lists[i], lists[i - 1]) != 0;
	for (long i = 0; i < nr; i++)
		free(lists[i]);
	free(lists);
	return different ? (double)different : NAN;
}

static double num_cores(void)
{
	return different_lists("core_cpus_list");
}

static double num_dies(void)
{
	return different_lists("die_cpus_list");
}

static double num_packages(void)
{
	return different_lists("package_cpus_list");
}

static double num_cpus(void)
{
	return (double)sysconf(_SC_NPROCESSORS_CONF);
}

static double num_cpus_online(void)
{
	return (double)sysconf(_SC_NPROCESSORS_ONLN);
}

static double smt_on(void)
{
	char text[16];

	return read_line("smt/active", text, sizeof(text)) && strcmp(text, "1") == 0;
}

static double has_pmem(void)
{
	return access("/sys/firmware/acpi/tables/NFIT", F_OK) == 0;
}

/* Hz, by leaf 0x15 of CPUID: crystal clock * numerator / denominator; 0 as in perf if the processor does not say. */
static double system_tsc_freq(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int denominator, numerator, crystal, unused;

	if (__get_cpuid(0x15, &denominator, &numerator, &crystal, &unused) && denominator)
		return (double)crystal * numerator / denominator;
#endif
	return 0;
}

static const struct {
	const char *name;
	double (*get)(void);
} rows[] = {
	{ "has_pmem", has_pmem }, { "num_cores", num_cores }, { "num_cpus", num_cpus },
	{ "num_cpus_online", num_cpus_online }, { "num_dies", num_dies }, { "num_packages", num_packages },
	{ "smt_on", smt_on }, { "system_tsc_freq", system_tsc_freq },
};

double machine_number(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].get();
	return NAN;
}
