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

void cpu_pmu_caps_print(struct buf *out, const struct meta *meta)
{
	caps_print(out, "cpu", meta->cpu_pmu_caps, meta->nr_cpu_pmu_caps);
}

void pmu_caps_print(struct buf *out, const struct meta *meta)
{
	for (size_t i = 0; i < meta->nr_pmu_caps; i++)
		caps_print(out, meta->pmu_caps[i].pmu, meta->pmu_caps[i].caps, meta->pmu_caps[i].nr_caps);
}
