/* SPDX-License-Identifier: MIT */
/* feature_event.c - features that describe the events: attrs with names and ids, groups, the PMUs they belong to. */
#include "perfdata/format/feature_event.h"

#include "perfdata/format/attr.h"
#include "perfdata/format/attr_text.h"

/* attr_size is that of the attr alone, without the 16 bytes that the attrs section adds. */
int event_desc_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint64_t nr = cur_u32(c);
	uint32_t attr_size = cur_u32(c);
	struct event_desc *descs;

	if (cur_ok(c) && nr > 0 && attr_size < ATTR_SIZE_VER0)
		return err_set(c->err, SONDE_CORRUPT, c->at - 4, "attrs of %" PRIu32 " bytes, expected 64 or more",
			       attr_size);
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

int event_desc_encode(struct encoder *e, const struct meta *meta)
{
	uint32_t attr_size = meta->nr_event_descs ? meta->event_descs[0].attr.size : ATTR_SIZE_KNOWN;

	/* All attrs of a file share one size; one that a hostile file claims must not become gigabytes of zeros. */
	attr_size = attr_size < UINT16_MAX ? attr_size : UINT16_MAX;
	enc_u32(e, (uint32_t)meta->nr_event_descs);
	enc_u32(e, attr_size);
	for (size_t i = 0; i < meta->nr_event_descs; i++) {
		const struct event_desc *desc = &meta->event_descs[i];
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

void event_desc_print(struct buf *out, const struct meta *meta)
{
	if (meta->nr_event_descs == 0)
		buf_str(out, "# event desc: not available or unable to read\n");
	for (size_t i = 0; i < meta->nr_event_descs; i++) {
		const struct event_desc *desc = &meta->event_descs[i];

		buf_str(out, "# event : name = ");
		print_str(out, desc->name);
		buf_str(out, ", ");
		for (size_t k = 0; k < desc->nr_ids; k++) {
			buf_str(out, k ? ", " : ", id = { ");
			buf_u64(out, desc->ids[k]);
		}
		if (desc->nr_ids)
			buf_str(out, " }");
		attr_print(out, &desc->attr);
		buf_char(out, '\n');
	}
}

void event_desc_json(struct json *j, const struct meta *meta)
{
	json_array(j);
	for (size_t i = 0; i < meta->nr_event_descs; i++) {
		const struct event_desc *desc = &meta->event_descs[i];

		json_object(j);
		json_member_text(j, "name", desc->name);
		json_key(j, "ids");
		json_array(j);
		for (size_t k = 0; k < desc->nr_ids; k++)
			json_u64(j, desc->ids[k]);
		json_end(j);
		json_key(j, "attr");
		attr_json(j, &desc->attr);
		json_end(j);
	}
	json_end(j);
}

int group_desc_decode(struct cursor *c, struct meta *meta, struct arena *a)
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

int group_desc_encode(struct encoder *e, const struct meta *meta)
{
	enc_u32(e, (uint32_t)meta->nr_groups);
	for (size_t i = 0; i < meta->nr_groups; i++) {
		enc_str(e, meta->groups[i].name);
		enc_u32(e, meta->groups[i].leader);
		enc_u32(e, meta->groups[i].nr_members);
	}
	return 0;
}

void group_desc_print(struct buf *out, const struct meta *meta)
{
	/* An event is in one group: a file in which they overlap must not make the text grow with their product. */
	uint64_t names_left = meta->nr_event_descs;

	for (size_t i = 0; i < meta->nr_groups; i++) {
		const struct sonde_group_desc *g = &meta->groups[i];
		uint64_t end = (uint64_t)g->leader + g->nr_members;

		buf_str(out, "# group: ");
		if (strcmp(g->name, "{anon_group}") != 0)
			print_str(out, g->name);
		buf_char(out, '{');
		for (uint64_t m = g->leader; m < end && m < meta->nr_event_descs && names_left; m++, names_left--) {
			if (m > g->leader)
				buf_char(out, ',');
			print_str(out, meta->event_descs[m].name);
		}
		buf_str(out, "}\n");
	}
}

void group_desc_json(struct json *j, const struct meta *meta)
{
	json_array(j);
	for (size_t i = 0; i < meta->nr_groups; i++) {
		json_object(j);
		json_member_text(j, "name", meta->groups[i].name);
		json_member_u64(j, "leader", meta->groups[i].leader);
		json_member_u64(j, "members", meta->groups[i].nr_members);
		json_end(j);
	}
	json_end(j);
}

int pmu_mappings_decode(struct cursor *c, struct meta *meta, struct arena *a)
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

int pmu_mappings_encode(struct encoder *e, const struct meta *meta)
{
	enc_u32(e, (uint32_t)meta->nr_pmus);
	for (size_t i = 0; i < meta->nr_pmus; i++) {
		enc_u32(e, meta->pmus[i].type);
		enc_str(e, meta->pmus[i].name);
	}
	return 0;
}

void pmu_mappings_print(struct buf *out, const struct meta *meta)
{
	buf_str(out, meta->nr_pmus ? "# pmu mappings: " : "# pmu mappings: not available");
	for (size_t i = 0; i < meta->nr_pmus; i++) {
		buf_str(out, i ? ", " : "");
		print_str(out, meta->pmus[i].name);
		buf_printf(out, " = %" PRIu32, meta->pmus[i].type);
	}
	buf_char(out, '\n');
}

void pmu_mappings_json(struct json *j, const struct meta *meta)
{
	json_array(j);
	for (size_t i = 0; i < meta->nr_pmus; i++) {
		json_object(j);
		json_member_text(j, "name", meta->pmus[i].name);
		json_member_u64(j, "type", meta->pmus[i].type);
		json_end(j);
	}
	json_end(j);
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

static void caps_print(struct buf *out, const char *pmu, const struct sonde_pmu_cap *caps, size_t nr)
{
	buf_str(out, "# ");
	print_str(out, pmu);
	buf_str(out, nr ? " pmu capabilities: " : " pmu capabilities: not available");
	for (size_t i = 0; i < nr; i++) {
		buf_str(out, i ? ", " : "");
		print_str(out, caps[i].name);
		buf_char(out, '=');
		print_str(out, caps[i].value);
	}
	buf_char(out, '\n');
}

static void caps_json(struct json *j, const struct sonde_pmu_cap *caps, size_t nr)
{
	json_array(j);
	for (size_t i = 0; i < nr; i++) {
		json_object(j);
		json_member_text(j, "name", caps[i].name);
		json_member_text(j, "value", caps[i].value);
		json_end(j);
	}
	json_end(j);
}

int cpu_pmu_caps_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	return caps_decode(c, a, &meta->cpu_pmu_caps, &meta->nr_cpu_pmu_caps);
}

int cpu_pmu_caps_encode(struct encoder *e, const struct meta *meta)
{
	caps_encode(e, meta->cpu_pmu_caps, meta->nr_cpu_pmu_caps);
	return 0;
}

void cpu_pmu_caps_print(struct buf *out, const struct meta *meta)
{
	caps_print(out, "cpu", meta->cpu_pmu_caps, meta->nr_cpu_pmu_caps);
}

void cpu_pmu_caps_json(struct json *j, const struct meta *meta)
{
	caps_json(j, meta->cpu_pmu_caps, meta->nr_cpu_pmu_caps);
}

/* The name of a PMU follows its caps. */
int pmu_caps_decode(struct cursor *c, struct meta *meta, struct arena *a)
{
	uint64_t nr = feat_count(c, cur_u32(c), 4 + FEAT_STR_MIN);
	struct meta_pmu_caps *pmus = feat_array(c, a, nr, sizeof(*pmus));

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

int pmu_caps_encode(struct encoder *e, const struct meta *meta)
{
	enc_u32(e, (uint32_t)meta->nr_pmu_caps);
	for (size_t i = 0; i < meta->nr_pmu_caps; i++) {
		caps_encode(e, meta->pmu_caps[i].caps, meta->pmu_caps[i].nr_caps);
		enc_str(e, meta->pmu_caps[i].pmu);
	}
	return 0;
}

void pmu_caps_print(struct buf *out, const struct meta *meta)
{
	for (size_t i = 0; i < meta->nr_pmu_caps; i++)
		caps_print(out, meta->pmu_caps[i].pmu, meta->pmu_caps[i].caps, meta->pmu_caps[i].nr_caps);
}

void pmu_caps_json(struct json *j, const struct meta *meta)
{
	json_array(j);
	for (size_t i = 0; i < meta->nr_pmu_caps; i++) {
		json_object(j);
		json_member_text(j, "pmu", meta->pmu_caps[i].pmu);
		json_key(j, "caps");
		caps_json(j, meta->pmu_caps[i].caps, meta->pmu_caps[i].nr_caps);
		json_end(j);
	}
	json_end(j);
}
