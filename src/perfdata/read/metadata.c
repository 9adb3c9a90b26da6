/* SPDX-License-Identifier: MIT */
/* metadata.c - what records of a perf.data say about the file itself. */
#include "perfdata/read/metadata.h"

#include <string.h>

#include "perfdata/format/feature.h"
#include "perfdata/format/metadata_record.h"
#include "perfdata/read/event_update.h"
#include "perfdata/read/recovered_ids.h"


static int add_ids(struct perfdata *f, struct evsel *s, struct cursor *c)
{
	while (cur_left(c) >= 8)
		if (evlist_add_id(&f->evlist, s, cur_u64(c)) < 0)
			return err_nomem(c->err);
	return 0;
}

static int add_evsel(struct perfdata *f, const struct sonde_attr *attr, struct cursor *ids)
{
	struct evsel *s = evlist_add(&f->evlist, attr);

	return s ? add_ids(f, s, ids) : err_nomem(ids->err);
}

/* Names and groups come with features; in a pipe perhaps before, perhaps after the attrs they belong to. */
int perfdata_name_evsels(struct perfdata *f)
{
	const struct meta *m = &f->base.meta;

	if (evlist_describe(&f->evlist, m) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < m->nr_groups; i++) {
		const struct sonde_group_desc *g = &m->groups[i];

		for (uint64_t k = 0; k < g->nr_members && g->leader + k < f->base.evsels.n; k++)
			evlist_at(&f->evlist, g->leader + k)->pub.leader = g->leader;
		if (g->leader < f->base.evsels.n && *g->name && strcmp(g->name, "{anon_group}") != 0)
			evlist_at(&f->evlist, g->leader)->pub.group = g->name;
	}
	return 0;
}

/* A feature that cannot be decoded is a row in the ledger; only lack of memory stops the reader. */
static int take_feature(struct perfdata *f, uint32_t id, const uint8_t *p, size_t n, uint64_t file_offset,
			struct sonde_error *err)
{
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	int r = feature_decode(id, p, n, file_offset, f->header.swap, &f->base.meta, &f->base.arena, &failure);

	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_FEATURE, 1, file_offset, SONDE_NONE, -1,
			   "header feature not read: %s", failure.text);
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
		ledger_add(&f->base.ledger, SONDE_LOSS_FEATURE, 1, SONDE_NONE, SONDE_NONE, -1,
			   "header feature not read: %s", failure.text);
	return perfdata_name_evsels(f) < 0 ? err_nomem(err) : 0;
}

static int note_attr(struct perfdata *f, const uint8_t *p, const struct record_header *h, uint64_t file_offset,
		     struct sonde_error *err)
{
	struct cursor ids = { .swap = f->header.swap, .err = err };
	struct sonde_attr attr;
	uint64_t bytes;
	int r = attr_record_decode(p, h, file_offset, &attr, &bytes, &ids);

	return r < 0 ? r : add_evsel(f, &attr, &ids);
}

/* Payloads of a stream do not stay in memory: features keep views, so they get a copy that does. */
static int note_feature(struct perfdata *f, uint32_t id, const uint8_t *p, size_t n, uint64_t file_offset,
			struct sonde_error *err)
{
	const uint8_t *stays = f->input.fd >= 0 ? arena_memdup(&f->base.arena, p, n) : p;

	return stays ? take_feature(f, id, stays, n, file_offset, err) : err_nomem(err);
}

/* Each of these records adds one build id to those that are known. */
static int note_build_id(struct perfdata *f, const uint8_t *p, size_t n, uint64_t file_offset, struct sonde_error *err)
{
	const uint8_t *stays = f->input.fd >= 0 ? arena_memdup(&f->base.arena, p, n) : p;
	struct meta one = { 0 };
	int r = stays ? feature_decode(SONDE_FEAT_BUILD_ID, stays, n, file_offset, f->header.swap, &one, &f->base.arena,
				       err)
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

static void note_mark(struct perfdata *f, const struct feature_record *feature, uint64_t at)
{
	struct meta *m = &f->base.meta;

	if (f->header.pipe && feature->id < SONDE_FEAT_BITS &&
	    !stream_mark_note(&f->mark, (uint32_t)feature->id, m, at))    /* no sample has these times */
		m->features[SONDE_FEAT_SAMPLE_TIME / 64] &= ~(UINT64_C(1) << (SONDE_FEAT_SAMPLE_TIME % 64));
}

static int note_header_feature(struct perfdata *f, const uint8_t *p, const struct record_header *h,
			       uint64_t file_offset, struct sonde_error *err)
{
	struct feature_record feature = feature_record_decode(p, h, f->header.swap);
	struct section s = feature.payload;
	int r;

	if (feature.id == SONDE_NONE && s.size == 0)
		return 0;
	if (s.size == 0)
		return perfdata_finish_features(f, err);
	r = note_feature(f, feature.id < UINT32_MAX ? (uint32_t)feature.id : UINT32_MAX, p + s.offset, (size_t)s.size,
			 file_offset + s.offset, err);
	note_mark(f, &feature, file_offset);
	if (r == 0 && (feature.id == SONDE_FEAT_EVENT_DESC || feature.id == SONDE_FEAT_GROUP_DESC) &&
	    perfdata_name_evsels(f) < 0)
		r = err_nomem(err);
	return r;
}

/* @n: bytes at hand after the record, which may be fewer than the record promises */
static int note_tracing_data(struct perfdata *f, const uint8_t *p, const struct record_header *h, size_t n,
			     uint64_t file_offset, struct sonde_error *err)
{
	struct section s = tracing_record_decode(p, h, n, f->header.swap).payload;

	return s.size ? note_feature(f, SONDE_FEAT_TRACING_DATA, p + s.offset, (size_t)s.size, file_offset + s.offset,
				     err) : 0;
}

int perfdata_note_metadata(struct perfdata *f, const uint8_t *p, size_t payload, uint64_t file_offset,
			   struct sonde_error *err)
{
	struct record_header h = record_header(p, f->header.swap);
	struct sonde_error failure = { .file_offset = SONDE_NONE };
	int r = 0;

	worker_settle(f->base.worker);
	if (perfdata_lacks_ids(f)) {
		r = perfdata_note_ids(f, p, &h, err);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	switch (h.type) {
	case RECORD_HEADER_ATTR:
		r = note_attr(f, p, &h, file_offset, &failure);
		break;
	case RECORD_ID_INDEX:
		r = evlist_note_machines(&f->evlist, p, h.size, f->header.swap);
		break;
	case RECORD_EVENT_UPDATE:
		return perfdata_note_event_update(f, p, file_offset, err);
	case RECORD_HEADER_FEATURE:
		r = note_header_feature(f, p, &h, file_offset, &failure);
		break;
	case RECORD_HEADER_BUILD_ID:
		r = note_build_id(f, p, h.size, file_offset, &failure);
		break;
	case RECORD_HEADER_TRACING_DATA:
		r = note_tracing_data(f, p, &h, payload, file_offset, &failure);
		break;
	}
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		ledger_add(&f->base.ledger, SONDE_LOSS_CORRUPT, 1, file_offset, SONDE_NONE, -1,
			   "%s records not read: %s", record_type_find(h.type)->name, failure.text);
	return 0;
}
