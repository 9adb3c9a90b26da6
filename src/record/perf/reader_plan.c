/* SPDX-License-Identifier: MIT */
#include "record/perf/reader_plan.h"

#include <stdio.h>
#include <string.h>

#define LIST_BYTES 4096
#define NODES_MAX  1024

/* Which CPUs share a thread. */
static const struct {
	const char *name, *file;     /* of the CPU; NULL: it is alone, or sysfs says so by node */
} kinds[] = {
	{ "cpu", NULL }, { "core", "topology/thread_siblings_list" }, { "package", "topology/core_siblings_list" },
	{ "numa", NULL },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static size_t kind_of(const char *text)
{
	size_t i = 0;

	while (i < NR_KINDS && strcmp(kinds[i].name, text) != 0)
		i++;
	return i;
}

/* The CPUs of a list. 0, -SONDE_USAGE or -SONDE_NOMEM. */
static int parse_set(cpu_set_t *out, const char *list)
{
	struct cpus cpus = { 0 };
	int e = cpus_parse(&cpus, list);

	CPU_ZERO(out);
	for (size_t i = 0; e == 0 && i < cpus.n; i++) {
		if (cpus.at[i] < 0 || cpus.at[i] >= CPU_SETSIZE)
			e = -SONDE_USAGE;
		else
			CPU_SET((size_t)cpus.at[i], out);
	}
	if (e == 0 && cpus.n == 0)
		e = -SONDE_USAGE;
	vec_free(&cpus);
	return e;
}

/* The CPUs of the node that @cpu is on; without nodes, @cpu alone. */
static void node_of(cpu_set_t *out, size_t cpu, const char *sysfs)
{
	char list[LIST_BYTES];

	for (int node = 0; node < NODES_MAX; node++)
		if (sysfile_read(list, sizeof(list), "%s/devices/system/node/node%d/cpulist", sysfs, node) > 0 &&
		    parse_set(out, list) == 0 && CPU_ISSET(cpu, out))
			return;
	CPU_ZERO(out);
	CPU_SET(cpu, out);
}

/* The CPUs that share a thread with @cpu. */
static void neighbours(cpu_set_t *out, size_t kind, size_t cpu, const char *sysfs)
{
	char list[LIST_BYTES];

	if (!strcmp(kinds[kind].name, "numa")) {
		node_of(out, cpu, sysfs);
		return;
	}
	if (kinds[kind].file && sysfile_read(list, sizeof(list), "%s/devices/system/cpu/cpu%zu/%s", sysfs, cpu,
					     kinds[kind].file) > 0 &&
	    parse_set(out, list) == 0 && CPU_ISSET(cpu, out))
		return;
	CPU_ZERO(out);
	CPU_SET(cpu, out);
}

static int plan_by_kind(struct reader_plan *out, size_t kind, const cpu_set_t *recorded, const char *sysfs)
{
	cpu_set_t left = *recorded;

	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct reader_place p;

		if (!CPU_ISSET(cpu, &left))
			continue;
		neighbours(&p.runs_on, kind, cpu, sysfs);
		CPU_AND(&p.rings, &p.runs_on, &left);
		CPU_XOR(&left, &left, &p.rings);
		if (vec_push(out, p) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

/* "0-3/0": one thread. */
static int parse_place(struct reader_place *p, const char *text, size_t len)
{
	const char *slash = memchr(text, '/', len);
	char list[LIST_BYTES];
	int e;

	if (!slash || len >= sizeof(list))
		return -SONDE_USAGE;
	snprintf(list, sizeof(list), "%.*s", (int)(slash - text), text);
	e = parse_set(&p->rings, list);
	if (e < 0)
		return e;
	snprintf(list, sizeof(list), "%.*s", (int)(len - (size_t)(slash + 1 - text)), slash + 1);
	return parse_set(&p->runs_on, list);
}

/* @recorded NULL: all that there could be */
static int plan_by_masks(struct reader_plan *out, const char *text, const cpu_set_t *recorded, struct sonde_error *err)
{
	cpu_set_t taken, both;

	CPU_ZERO(&taken);
	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ":");
		struct reader_place place;
		int e = parse_place(&place, p, len);

		if (e == -SONDE_USAGE)
			return err_set(err, SONDE_USAGE, SONDE_NONE,
				       "'%.80s' is not cpu, core, package, numa or CPUS/CPUS[:CPUS/CPUS...]", text);
		if (e < 0)
			return err_nomem(err);
		CPU_AND(&both, &taken, &place.rings);
		if (CPU_COUNT(&both))
			return err_set(err, SONDE_USAGE, SONDE_NONE,
				       "'%.80s' gives the buffer of a CPU to two threads", text);
		CPU_OR(&taken, &taken, &place.rings);
		if (recorded)
			CPU_AND(&place.rings, &place.rings, recorded);
		if (CPU_COUNT(&place.rings) && vec_push(out, place) < 0)
			return err_nomem(err);
		p += len;
		if (!*p)
			return 0;
	}
}

int reader_plan_parse(struct reader_plan *out, const char *text, const struct cpus *cpus, const char *sysfs,
		      struct sonde_error *err)
{
	size_t kind = kind_of(text);
	cpu_set_t recorded;
	int e;

	CPU_ZERO(&recorded);
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->at[i] >= 0 && cpus->at[i] < CPU_SETSIZE)
			CPU_SET((size_t)cpus->at[i], &recorded);
	if (kind == NR_KINDS)
		e = plan_by_masks(out, text, &recorded, err);
	else if (plan_by_kind(out, kind, &recorded, sysfs) < 0)
		e = err_nomem(err);
	else
		e = 0;
	if (e == 0 && !out->n)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "'%.80s' names no CPU that is recorded", text);
	return e;
}

int reader_plan_check(const char *text, struct sonde_error *err)
{
	struct reader_plan plan = { 0 };
	int e = kind_of(text) < NR_KINDS ? 0 : plan_by_masks(&plan, text, NULL, err);

	vec_free(&plan);
	return e;
}
