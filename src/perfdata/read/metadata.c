/* SPDX-License-Identifier: MIT */
/* metadata.c - what records of a perf.data say about the file itself. */
#include "perfdata/read/metadata.h"

#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/read/event_update.h"
#include "perfdata/read/lost_ids.h"


static int add_ids(struct perfdata *f, struct perf_source *s, struct cursor *c)
{
	while (cur_left(c) >= 8)
		if (sources_add_id(&f->sources, s, cur_u64(c)) < 0)
			return err_nomem(c->err);
	return 0;
}

static int add_source(struct perfdata *f, const struct sonde_attr *attr, struct cursor *ids)
{
	struct perf_source *s = sources_add(&f->sources, attr);

	return s ? add_ids(f, s, ids) : err_nomem(ids->err);
}

/* Names and groups come with features; in a pipe perhaps before, perhaps after the attrs they belong to. */
int perfdata_name_sources(struct perfdata *f)
{
	const struct sonde_meta *m = &f->base.meta;

	if (sources_describe(&f->sources, m) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < m->nr_groups; i++)
		for (uint64_t k = 0; k < m->groups[i].nr_members && m->groups[i].leader + k < f->base.sources.n; k++)
			sources_at(&f->sources, m->groups[i].leader + k)->pub.leader = m->groups[i].leader;
	return 0;
}

/* A feature that cannot be decoded is a row in the ledger; only lack of memory stops the reader. */
static int take_feature(struct perfdata *f, uint32_t id, const uint8_t *p, size_t n, uint64_t file_offset, struct sonde_error *err)
{
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	int r = feature_decode(id, p, n, file_offset, f->header.swap, &f->base.meta, &f->base.arena, &failure);

	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_FEATURE, 1, file_offset, SONDE_NONE, -1, "header feature not read: %s",
			   failure.text);
	return 0;
}

int perfdata_finish_features(struct perfdata *f, struct sonde_error *err)
{
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	int r;

	if (f->features_finished)
		return 0;
	f->features_finished = true;
	r = feature_finish(f->header.swap, &f->base.meta, &f->base.arena, &failure);
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_FEATURE, 1, SONDE_NONE, SONDE_NONE, -1, "header feature not read: %s",
			   failure.text);
	return perfdata_name_sources(f) < 0 ? err_nomem(err) : 0;
}

static int note_attr(struct perfdata *f, struct cursor *c)
{
	uint32_t size = cur_left(c) >= ATTR_SIZE_VER0 ? load_u32(c->p + 4, c->swap) : 0;
	struct sonde_attr attr;
	int r;

	if (size == 0)
		size = ATTR_SIZE_VER0;
	r = attr_decode(c, size, &attr);
	return r < 0 ? r : add_source(f, &attr, c);
}

/* Payloads of a stream do not stay in memory: features keep views, so they get a copy that does. */
static int note_feature(struct perfdata *f, uint32_t id, const uint8_t *p, size_t n, uint64_t file_offset, struct sonde_error *err)
{
	const uint8_t *stays = f->input.fd >= 0 ? arena_memdup(&f->base.arena, p, n) : p;

	return stays ? take_feature(f, id, stays, n, file_offset, err) : err_nomem(err);
}

/* Each of these records adds one build id to those that are known. */
static int note_build_id(struct perfdata *f, const uint8_t *p, size_t n, uint64_t file_offset, struct sonde_error *err)
{
	const uint8_t *stays = f->input.fd >= 0 ? arena_memdup(&f->base.arena, p, n) : p;
	struct sonde_meta one = { 0 };
	int r = stays ? feature_decode(SONDE_FEAT_BUILD_ID, stays, n, file_offset, f->header.swap, &one, &f->base.arena, err)
		      : -SONDE_NOMEM;

	for (size_t i = 0; r == 0 && i < one.nr_build_ids; i++)
		r = vec_push(&f->build_ids, one.build_ids[i]);
	if (r < 0)
		return r;
	f->base.meta.build_ids = f->build_ids.at;
	f->base.meta.nr_build_ids = f->build_ids.n;
	feature_set(&f->base.meta, SONDE_FEAT_BUILD_ID);
	return 0;
}

/*
 * The last HEADER_FEATURE has no payload and the number of the first feature its writer did not know, which can be one
 * that we know.
 */
static int note_header_feature(struct perfdata *f, struct cursor *c, struct sonde_error *err)
{
	uint64_t id = cur_u64(c);
	int r;

	if (!cur_ok(c))
		return 0;
	if (cur_left(c) == 0)
		return perfdata_finish_features(f, err);
	r = note_feature(f, id < UINT32_MAX ? (uint32_t)id : UINT32_MAX, c->p, cur_left(c), c->at, err);
	if (r == 0 && (id == SONDE_FEAT_EVENT_DESC || id == SONDE_FEAT_GROUP_DESC) && perfdata_name_sources(f) < 0)
		r = err_nomem(err);
	return r;
}

/* simpleperf puts the tracing data into the record that announces it. */
static int note_inner_tracing_data(struct perfdata *f, struct cursor *c, struct sonde_error *err)
{
	uint32_t n = cur_u32(c);
	uint64_t at = c->at;
	const uint8_t *p = n ? cur_take(c, n) : NULL;

	return p ? note_feature(f, SONDE_FEAT_TRACING_DATA, p, n, at, err) : 0;
}

int perfdata_note_metadata(struct perfdata *f, const uint8_t *p, struct sonde_bytes payload, uint64_t file_offset,
			   struct sonde_error *err)
{
	struct record_header h = record_header(p, f->header.swap);
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	struct cursor c = cur_new(p + RECORD_HEADER_BYTES, h.size - (size_t)RECORD_HEADER_BYTES,
				  file_offset + RECORD_HEADER_BYTES, f->header.swap, &failure);
	int r = 0;

	worker_settle(f->base.worker);
	if (perfdata_lacks_ids(f)) {
		r = perfdata_note_ids(f, p, &h, err);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	switch (h.type) {
	case RECORD_HEADER_ATTR:
		r = note_attr(f, &c);
		break;
	case RECORD_ID_INDEX:
		r = sources_note_machines(&f->sources, p, h.size, f->header.swap);
		break;
	case RECORD_EVENT_UPDATE:
		return perfdata_note_event_update(f, p, file_offset, err);
	case RECORD_HEADER_FEATURE:
		r = note_header_feature(f, &c, &failure);
		break;
	case RECORD_HEADER_BUILD_ID:
		r = note_build_id(f, p, h.size, file_offset, &failure);
		break;
	case RECORD_HEADER_TRACING_DATA:
		if (payload.len == 0)
			r = note_inner_tracing_data(f, &c, &failure);
		else
			r = note_feature(f, SONDE_FEAT_TRACING_DATA, payload.p, payload.len, file_offset + h.size, &failure);
		break;
	}
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, 1, file_offset, SONDE_NONE, -1, "%s records not read: %s",
			   record_type_find(h.type)->name, failure.text);
	return 0;
}
