/* SPDX-License-Identifier: MIT */
#include "api/write/feature_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/opts.h"
#include "perfdata/format/feature.h"

#define FEATURE_LIST(feature, type, list) \
	{ SONDE_FEAT_##feature, sizeof(struct type), "struct " #type, offsetof(struct meta, list), \
	  offsetof(struct meta, nr_##list) }

static const struct feature_list {
	uint32_t feature;
	size_t size;                 /* of an element */
	const char *name;
	size_t list_at, nr_at;       /* offsets of the members of struct meta */
} feature_lists[] = {
	FEATURE_LIST(BUILD_ID, sonde_build_id, build_ids),
	FEATURE_LIST(NUMA_TOPOLOGY, sonde_numa_node, numa),
	FEATURE_LIST(PMU_MAPPINGS, sonde_pmu_mapping, pmus),
	FEATURE_LIST(GROUP_DESC, sonde_group_desc, groups),
	FEATURE_LIST(CACHE, sonde_cache, caches),
	FEATURE_LIST(BPF_PROG_INFO, sonde_bpf_prog, bpf_progs),
	FEATURE_LIST(BPF_BTF, sonde_btf, btfs),
	FEATURE_LIST(CPU_PMU_CAPS, sonde_pmu_cap, cpu_pmu_caps),
	FEATURE_LIST(HYBRID_TOPOLOGY, sonde_hybrid_pmu, hybrid),
};

static const struct feature_list *find(uint32_t feature)
{
	for (size_t i = 0; i < ARRAY_SIZE(feature_lists); i++)
		if (feature_lists[i].feature == feature)
			return &feature_lists[i];
	return NULL;
}

bool feature_is_scalar(uint32_t feature)
{
	const struct feature *f = feature_find(feature);

	switch (feature) {
	case SONDE_FEAT_EVENT_DESC:
	case SONDE_FEAT_AUXTRACE:
	case SONDE_FEAT_MEM_TOPOLOGY:
	case SONDE_FEAT_PMU_CAPS:
	case SONDE_FEAT_CPU_DOMAIN_INFO:
		return false;
	case SONDE_FEAT_BRANCH_STACK:
	case SONDE_FEAT_STAT:
		return true;  /* without a payload */
	default:
		return f && (f->encode || f->layout) && !find(feature);
	}
}

int feature_list_take(uint32_t feature, const void *items, size_t nr, size_t size, struct meta *meta, void **list,
		      struct sonde_error *err)
{
	const struct feature_list *l = find(feature);
	uint8_t *copy;
	int r = 0;

	*list = NULL;
	if (!l)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "feature %u is not a list that can be set", feature);
	copy = calloc(nr ? nr : 1, l->size);
	*list = copy;
	if (!copy)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < nr; i++)
		r = opts_take(copy + i * l->size, l->size, (const uint8_t *)items + i * size, size, l->name, err);
	memcpy((uint8_t *)meta + l->list_at, list, sizeof(*list));
	memcpy((uint8_t *)meta + l->nr_at, &nr, sizeof(nr));
	feature_set(meta, feature);
	return r;
}
