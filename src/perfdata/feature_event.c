/* SPDX-License-Identifier: MIT */
/* feature_event.c - features that describe the events: attrs with names and ids, groups, the PMUs they belong to. */
#include "perfdata/feature_rows.h"

#include "perfdata/attr.h"

/* attr_size is that of the attr alone, without the 16 bytes that the attrs section adds. */
int event_desc_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t nr = cur_u32(c);
	uint32_t attr_size = cur_u32(c);
	struct sonde_event_desc *descs;

	if (cur_ok(c) && nr > 0 && attr_size < ATTR_SIZE_VER0)
		return err_set(c->err, SONDE_CORRUPT, c->at - 4, "attrs of %" PRIu32 " bytes, expected 64 or more", attr_size);
	nr = feat_count(c, nr, (uint64_t)attr_size + 4 + FEAT_STR_MIN);
	descs = feat_array(c, a, nr, sizeof(*descs));
	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		uint64_t *ids;
		uint32_t nr_ids;
		int r = attr_decode(c, attr_size, &descs[i].attr);

		if (r < 0)
			return r;
		nr_ids = cur_u32(c);
		descs[i].name = feat_str(c, a);
		descs[i].nr_ids = feat_count(c, nr_ids, 8);
		ids = feat_array(c, a, descs[i].nr_ids, sizeof(*ids));
		for (size_t k = 0; k < descs[i].nr_ids && cur_ok(c); k++)
			ids[k] = cur_u64(c);
		descs[i].ids = ids;
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->event_descs = descs;
	meta->nr_event_descs = nr;
	return 0;
}

int event_desc_encode(struct encoder *e, const struct sonde_meta *meta)
{
	uint32_t attr_size = meta->nr_event_descs ? meta->event_descs[0].attr.size : ATTR_SIZE_KNOWN;

	/* All attrs of a file share one size; one that a hostile file claims must not become gigabytes of zeros. */
	attr_size = attr_size < UINT16_MAX ? attr_size : UINT16_MAX;
	enc_u32(e, (uint32_t)meta->nr_event_descs);
	enc_u32(e, attr_size);
	for (size_t i = 0; i < meta->nr_event_descs; i++) {
		const struct sonde_event_desc *desc = &meta->event_descs[i];
		struct sonde_attr attr = desc->attr;

		attr.size = attr_size;
		attr_encode(e->out, &attr, e->swap);
		enc_u32(e, (uint32_t)desc->nr_ids);
		enc_str(e, desc->name);
		for (size_t k = 0; k < desc->nr_ids; k++)
			enc_u64(e, desc->ids[k]);
	}
	return 0;
}

int group_desc_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t nr = feat_count(c, cur_u32(c), FEAT_STR_MIN + 8);
	struct sonde_group_desc *groups = feat_array(c, a, nr, sizeof(*groups));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		groups[i].name = feat_str(c, a);
		groups[i].leader = cur_u32(c);
		groups[i].nr_members = cur_u32(c);
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->groups = groups;
	meta->nr_groups = nr;
	return 0;
}

int group_desc_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, (uint32_t)meta->nr_groups);
	for (size_t i = 0; i < meta->nr_groups; i++) {
		enc_str(e, meta->groups[i].name);
		enc_u32(e, meta->groups[i].leader);
		enc_u32(e, meta->groups[i].nr_members);
	}
	return 0;
}

int pmu_mappings_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t nr = feat_count(c, cur_u32(c), 4 + FEAT_STR_MIN);
	struct sonde_pmu_mapping *pmus = feat_array(c, a, nr, sizeof(*pmus));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		pmus[i].type = cur_u32(c);
		pmus[i].name = feat_str(c, a);
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->pmus = pmus;
	meta->nr_pmus = nr;
	return 0;
}

int pmu_mappings_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, (uint32_t)meta->nr_pmus);
	for (size_t i = 0; i < meta->nr_pmus; i++) {
		enc_u32(e, meta->pmus[i].type);
		enc_str(e, meta->pmus[i].name);
	}
	return 0;
}

static int caps_decode(struct cursor *c, struct arena *a, struct sonde_pmu_cap **out, size_t *nr_out)
{
	uint64_t nr = feat_count(c, cur_u32(c), 2 * FEAT_STR_MIN);
	struct sonde_pmu_cap *caps = feat_array(c, a, nr, sizeof(*caps));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		caps[i].name = feat_str(c, a);
		caps[i].value = feat_str(c, a);
	}
	if (!cur_ok(c))
		return feat_status(c);
	*out = caps;
	*nr_out = nr;
	return 0;
}

static void caps_encode(struct encoder *e, const struct sonde_pmu_cap *caps, size_t nr)
{
	enc_u32(e, (uint32_t)nr);
	for (size_t i = 0; i < nr; i++) {
		enc_str(e, caps[i].name);
		enc_str(e, caps[i].value);
	}
}

int cpu_pmu_caps_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	return caps_decode(c, a, &meta->cpu_pmu_caps, &meta->nr_cpu_pmu_caps);
}

int cpu_pmu_caps_encode(struct encoder *e, const struct sonde_meta *meta)
{
	caps_encode(e, meta->cpu_pmu_caps, meta->nr_cpu_pmu_caps);
	return 0;
}

/* The name of a PMU follows its caps. */
int pmu_caps_decode(struct cursor *c, struct sonde_meta *meta, struct arena *a)
{
	uint64_t nr = feat_count(c, cur_u32(c), 4 + FEAT_STR_MIN);
	struct sonde_pmu_caps *pmus = feat_array(c, a, nr, sizeof(*pmus));

	for (uint64_t i = 0; i < nr && cur_ok(c); i++) {
		int r = caps_decode(c, a, &pmus[i].caps, &pmus[i].nr_caps);

		if (r < 0)
			return r;
		pmus[i].pmu = feat_str(c, a);
	}
	if (!cur_ok(c))
		return feat_status(c);
	meta->pmu_caps = pmus;
	meta->nr_pmu_caps = nr;
	return 0;
}

int pmu_caps_encode(struct encoder *e, const struct sonde_meta *meta)
{
	enc_u32(e, (uint32_t)meta->nr_pmu_caps);
	for (size_t i = 0; i < meta->nr_pmu_caps; i++) {
		caps_encode(e, meta->pmu_caps[i].caps, meta->pmu_caps[i].nr_caps);
		enc_str(e, meta->pmu_caps[i].pmu);
	}
	return 0;
}
