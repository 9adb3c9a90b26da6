/* SPDX-License-Identifier: MIT */
#include "record/host/host_pmus.h"

#include <stdio.h>
#include <string.h>

#include "record/host/host.h"
#include "record/host/pmu.h"

/* The files of PMU/caps, sorted by name. */
static struct sonde_pmu_cap *read_caps(struct arena *a, const struct pmu *pmu, size_t *nr)
{
	struct sonde_pmu_cap *caps = NULL;
	struct names names = { 0 };
	char dir[600], text[256];

	*nr = 0;
	snprintf(dir, sizeof(dir), "%s/caps", pmu->dir);
	if (sysfile_list(a, dir, &names) == 0)
		caps = arena_calloc(a, names.n, sizeof(*caps));
	for (size_t i = 0; caps && i < names.n; i++) {
		ssize_t len = sysfile_read(text, sizeof(text), "%s/%s", dir, names.at[i]);
		const char *value = len < 0 ? NULL : arena_strndup(a, text, (size_t)len);

		if (value)
			caps[(*nr)++] = (struct sonde_pmu_cap){ names.at[i], value };
	}
	vec_free(&names);
	return caps;
}

/* The capabilities of the PMU "cpu" are a feature of their own. */
static void add_caps(struct meta *meta, struct arena *a, const struct pmu *pmu, const char *name)
{
	struct meta_pmu_caps *of = &meta->pmu_caps[meta->nr_pmu_caps];
	size_t nr;
	struct sonde_pmu_cap *caps = read_caps(a, pmu, &nr);

	if (!nr)
		return;
	if (!strcmp(name, "cpu")) {
		meta->cpu_pmu_caps = caps;
		meta->nr_cpu_pmu_caps = nr;
		return;
	}
	of->pmu = name;
	of->nr_caps = nr;
	of->caps = caps;
	meta->nr_pmu_caps++;
}

static void add_kind_of_cores(struct meta *meta, struct arena *a, const struct pmu *pmu, const char *name)
{
	char cpus[1024];
	ssize_t len = sysfile_read(cpus, sizeof(cpus), "%s/cpus", pmu->dir);
	const char *list = len > 0 ? arena_strndup(a, cpus, (size_t)len) : NULL;

	if (list)
		meta->hybrid[meta->nr_hybrid++] = (struct sonde_hybrid_pmu){ name, list };
}

void host_pmus_describe(struct meta *meta, struct arena *a, const char *sysfs)
{
	struct names names = { 0 };
	bool ok = pmu_all(a, sysfs, &names) == 0;

	meta->pmus = ok ? arena_calloc(a, names.n, sizeof(*meta->pmus)) : NULL;
	meta->pmu_caps = ok ? arena_calloc(a, names.n, sizeof(*meta->pmu_caps)) : NULL;
	meta->hybrid = ok ? arena_calloc(a, names.n, sizeof(*meta->hybrid)) : NULL;
	ok = meta->pmus && meta->pmu_caps && meta->hybrid;
	for (size_t i = 0; ok && i < names.n; i++) {
		struct pmu pmu;

		if (!pmu_open(&pmu, sysfs, names.at[i]))
			continue;
		meta->pmus[meta->nr_pmus++] = (struct sonde_pmu_mapping){ pmu.type, names.at[i] };
		add_caps(meta, a, &pmu, names.at[i]);
		if (pmu.core)
			add_kind_of_cores(meta, a, &pmu, names.at[i]);
	}
	vec_free(&names);
	meta_set(meta, SONDE_FEAT_PMU_MAPPINGS, meta->nr_pmus > 0);
	meta_set(meta, SONDE_FEAT_CPU_PMU_CAPS, meta->nr_cpu_pmu_caps > 0);
	meta_set(meta, SONDE_FEAT_PMU_CAPS, meta->nr_pmu_caps > 0);
	/* Cores of one kind are no hybrid. */
	meta_set(meta, SONDE_FEAT_HYBRID_TOPOLOGY, meta->nr_hybrid > 1);
}
