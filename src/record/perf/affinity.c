/* SPDX-License-Identifier: MIT */
#include "record/perf/affinity.h"

#include <stdlib.h>

#include "base/err.h"
#include "record/host/sysfile.h"

#define NODES_MAX 1024

static void add_node(struct affinity *a, const char *sysfs, int32_t node)
{
	struct cpus cpus = { 0 };
	char text[4096];
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sysfile_read(text, sizeof(text), "%s/devices/system/node/node%d/cpulist", sysfs, node) <= 0 ||
	    cpus_parse(&cpus, text) < 0)
		cpus.n = 0;
	for (size_t i = 0; i < cpus.n; i++)
		if (cpus.at[i] >= 0 && cpus.at[i] < CPU_SETSIZE)
			CPU_SET((size_t)cpus.at[i], &set);
	for (size_t i = 0; i < cpus.n; i++)
		if (cpus.at[i] >= 0 && (size_t)cpus.at[i] < a->nr)
			a->places[cpus.at[i]] = (struct affinity_place){ set, node };
	vec_free(&cpus);
}

int affinity_start(struct affinity *a, enum sonde_affinity of, const char *sysfs)
{
	*a = (struct affinity){ .of = of, .last = -1 };
	if (of == SONDE_AFFINITY_NONE)
		return 0;
	a->places = calloc(CPU_SETSIZE, sizeof(*a->places));
	if (!a->places)
		return -SONDE_NOMEM;
	a->nr = CPU_SETSIZE;
	if (sched_getaffinity(0, sizeof(a->before), &a->before) < 0)
		a->of = SONDE_AFFINITY_NONE;
	for (size_t i = 0; i < a->nr; i++) {
		a->places[i].node = of == SONDE_AFFINITY_NODE ? -1 : (int32_t)i;
		if (of == SONDE_AFFINITY_CPU)
			CPU_SET(i, &a->places[i].set);
	}
	for (int32_t node = 0; of == SONDE_AFFINITY_NODE && node < NODES_MAX; node++)
		add_node(a, sysfs, node);
	return 0;
}

void affinity_follow(struct affinity *a, int32_t cpu)
{
	const struct affinity_place *p;

	if (a->of == SONDE_AFFINITY_NONE || cpu < 0 || (size_t)cpu >= a->nr)
		return;
	p = &a->places[cpu];
	if (p->node < 0 || p->node == a->last)
		return;
	/* a CPU that is not permitted: the thread stays where it is */
	if (sched_setaffinity(0, sizeof(p->set), &p->set) == 0)
		a->last = p->node;
}

void affinity_end(struct affinity *a)
{
	if (a->last >= 0)
		sched_setaffinity(0, sizeof(a->before), &a->before);
	free(a->places);
	*a = (struct affinity){ .last = -1 };
}
