/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/repair.h"

#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/rewrite/repair_formats.h"
#include "perfdata/scan/salvage.h"

#define ATTR_BYTES_MAX 4096

/* Records of the kernel with an id that no event has. */
static bool is_of_unknown_event(struct rewrite *w, const struct rewrite_record *record)
{
	const struct record_header *h = &record->from->h;
	uint64_t id;

	return h->type < RECORD_USER && record_type_find(h->type) &&
		!evlist_find(&w->in.evlist, record->p, h->size, h->type == RECORD_SAMPLE, w->in.header.swap, &id) &&
		id != 0 && id != SONDE_NONE;
}

/* Fields that would make readers stop, or read bytes that are not there. */
static int drop_corrupt(struct rewrite *w, struct rewrite_record *record)
{
	if (lost_formats_drop(w->ctx, w, record->from)) {
		rewrite_lose(w, SONDE_LOSS_UNSUPPORTED, 1, record->from->at,
			     "{sample|samples} of tracepoints that were left out");
		return REWRITE_DROP;
	}
	/* in a file: events and features beside those of its sections */
	if (record->from->h.type == RECORD_HEADER_ATTR || record->from->h.type == RECORD_HEADER_FEATURE) {
		rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, record->from->at,
			     "{record|records} of attrs and features, which only a stream has");
		return REWRITE_DROP;
	}
	if (is_of_unknown_event(w, record)) {
		rewrite_lose(w, SONDE_LOSS_UNKNOWN_ID, 1, record->from->at,
			     "{record|records} of events that are not described, at which perf stops");
		return REWRITE_DROP;
	}
	return REWRITE_KEEP;
}

static bool begins_with_records(struct layout *l)
{
	struct image_scan s = image_scan(l->image, &l->evlist, l->header.swap, l->data.offset,
					 l->data.offset + l->data.size);
	struct scanned r;

	return l->data.size == 0 || image_scan_next(&s, &r) == SCAN_RECORD;
}

/* A header that names sections which are there. */
static bool is_trusted(struct layout *l)
{
	if (l->header.pipe)
		return true;
	return l->events.n && l->data.offset >= PERFDATA_HEADER_BYTES && l->data.offset <= l->image->size &&
		begins_with_records(l);
}

/*
 * Records that a recorder wrote but had not yet added to the size of the data when it was killed: there is no feature
 * table then.
 */
static void extend_data(struct rewrite *w)
{
	struct layout *l = &w->in;
	struct image_scan s = image_scan(l->image, &l->evlist, l->header.swap, l->data.offset + l->data.size,
					 l->image->size);
	struct scanned r;

	for (size_t i = 0; i < ARRAY_SIZE(l->header.features); i++)
		if (l->header.features[i])
			return;
	if (s.scan.at < s.scan.limit && image_scan_next(&s, &r) == SCAN_RECORD)
		l->data.size = l->image->size - l->data.offset;
}

static int find_layout(struct rewrite *w)
{
	struct sonde_error why = { 0 };
	int r = layout_read(&w->in, &w->image, NULL, &why);

	if (r == -SONDE_NOMEM || r == -SONDE_SYSTEM) {
		w->handle->err = why;
		return r;
	}
	if (r == 0 && is_trusted(&w->in)) {
		if (!w->in.header.pipe)
			extend_data(w);
		return 0;
	}
	if (r == 0 && w->in.header.data.offset >= PERFDATA_HEADER_BYTES && w->in.header.data.offset < w->image.size &&
	    begins_with_records(&w->in)) {
		rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, 24,
			     "attrs {section|sections} without events: they are looked for elsewhere");
		return 0;
	}
	rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, 0,
		     "{header|headers} that cannot be used: events and records were looked for, features are lost");
	return salvage_layout(&w->in, &w->image) < 0 ? err_nomem(&w->handle->err) : 0;
}

/*
 * A directory whose `data` has lost its features no longer says that there are more files. Some of them may be gone.
 */
static int find_parts(struct rewrite *w)
{
	struct part_numbers parts = { 0 };
	uint64_t missing;
	int r;

	if (w->image.dir_fd < 0 || !directory_may_have_parts(&w->in.meta))
		return 0;
	r = directory_list_parts(w->image.dir_fd, &parts, &w->handle->err);
	missing = directory_missing_parts(&w->in.meta, &parts);
	if (r == 0 && missing)
		rewrite_lose(w, SONDE_LOSS_TRUNCATED, missing, SONDE_NONE,
			     "{file|files} data.N {is|are} missing from the directory");
	vec_free(&parts);
	return r;
}

static bool descriptions_agree(const struct layout *l)
{
	const struct meta *m = &l->meta;

	for (size_t i = 0; i < m->nr_event_descs && i < l->events.n; i++)
		if (m->event_descs[i].attr.sample_type != evlist_at(&l->evlist, i)->attr.sample_type ||
		    m->event_descs[i].attr.flags != evlist_at(&l->evlist, i)->attr.flags ||
		    m->event_descs[i].nr_ids != evlist_at(&l->evlist, i)->ids.n)
			return false;
	return m->nr_event_descs == l->events.n;
}

/* Two descriptions of the events: the one by which more records make sense is right. */
static int choose_events(struct rewrite *w)
{
	struct layout *l = &w->in, other = { .image = l->image, .header = l->header, .data = l->data, .meta = l->meta };
	int r;

	if (l->events.n == 0 || l->meta.nr_event_descs == 0 || descriptions_agree(l))
		return 0;
	other.evlist.reader = &other.holder;
	r = salvage_events(&other);
	if (r == 0 && salvage_score(&other) > salvage_score(l)) {
		rewrite_lose(w, SONDE_LOSS_CORRUPT, l->events.n, l->header.attrs.offset,
			     "{attr|attrs} by which records make no sense: those of EVENT_DESC were taken");
		r = layout_keep_events(l, NULL);
		if (r == 0)
			r = salvage_events(l);
	}
	layout_free(&other);
	return r;
}

/* Readers refuse a file whose events disagree where a record has its id. Events that agree with the first stay. */
static int drop_misfits(struct rewrite *w)
{
	struct layout *l = &w->in;
	bool *keep = calloc(l->events.n + 1, sizeof(*keep));
	uint64_t dropped = 0;
	int r = 0;

	if (!keep)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < l->events.n; i++) {
		keep[i] = layout_events_agree(l, 0, i);
		dropped += !keep[i];
	}
	if (dropped) {
		rewrite_lose(w, SONDE_LOSS_CORRUPT, dropped, SONDE_NONE,
			     "{event|events} that {disagrees|disagree} with the first where a record has its id");
		l->has[SONDE_FEAT_EVENT_DESC] = l->has[SONDE_FEAT_GROUP_DESC] = false;
		r = layout_keep_events(l, keep);
	}
	free(keep);
	return r;
}

/* The size in an attr can be damaged too: then it is that of its entry. */
static void mend_attr_sizes(struct rewrite *w)
{
	struct layout *l = &w->in;

	for (size_t i = 0; i < l->events.n; i++) {
		struct sonde_attr *attr = &evlist_at(&l->evlist, i)->attr;
		uint64_t entry = l->events.at[i].attr.size;

		if (attr->size <= ATTR_BYTES_MAX && attr->size % 8 == 0)
			continue;
		rewrite_lose(w, SONDE_LOSS_CORRUPT, 1, l->events.at[i].attr.offset,
			     "{attr|attrs} whose size cannot be: that of their entries was taken");
		attr->size = entry >= ATTR_SIZE_VER0 && entry <= ATTR_BYTES_MAX && entry % 8 == 0 ? (uint32_t)entry :
												    ATTR_SIZE_KNOWN;
	}
}

static int find_events(struct rewrite *w)
{
	struct layout *l = &w->in;
	int r = choose_events(w);

	if (r == 0 && l->events.n == 0) {
		r = salvage_events(l);
		if (r == 0 && l->events.n)
			rewrite_lose(w, SONDE_LOSS_CORRUPT, l->events.n, SONDE_NONE,
				     "{event|events} {was|were} lost and {is|are} described by other parts of the "
				     "file");
	}
	if (r == 0)
		r = salvage_ids(l);
	if (r == 0)
		r = drop_misfits(w);
	mend_attr_sizes(w);
	if (r < 0)
		return err_nomem(&w->handle->err);
	if (l->events.n == 0)
		return err_set(&w->handle->err, SONDE_MISSING, SONDE_NONE,
			       "no event is described anywhere: records cannot be told apart");
	return 0;
}

/* Half a feature makes readers refuse the file. */
static void drop_features(struct rewrite *w)
{
	struct layout *l = &w->in;
	uint64_t promised = 0;

	if (l->unfinished) {  /* their bits are set from the beginning on */
		for (size_t i = 0; i < ARRAY_SIZE(l->header.features); i++)
			promised += (uint64_t)__builtin_popcountll(l->header.features[i]);
		if (promised)
			rewrite_lose(w, SONDE_LOSS_FEATURE, promised, 72,
				     "header {feature|features} that the recorder had not written yet");
		memset(l->header.features, 0, sizeof(l->header.features));
	}
	if (l->has[SONDE_FEAT_UNFINISHED] || header_is_torn(&l->header))
		rewrite_lose(w, SONDE_LOSS_TRUNCATED, 1, FEATURES_AT,
			     "recording was never finished: build ids, the times of the first and "
			     "the last sample and the last records are missing");
	rewrite_lose_end(w);
	l->has[SONDE_FEAT_UNFINISHED] = false;
	l->header.features[SONDE_FEAT_UNFINISHED / 64] &= ~(UINT64_C(1) << SONDE_FEAT_UNFINISHED % 64);
	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++) {
		const char *name = sonde_feature_name(id);

		if (l->has[id] && rewrite_can_read_feature(w, id))
			continue;
		if (l->has[id] || (header_has(&l->header, id) && !l->header.pipe))
			ledger_add(&w->handle->ledger, SONDE_LOSS_FEATURE, 1,
				   l->has[id] ? l->features[id].offset : SONDE_NONE, SONDE_NONE, -1,
				   "header {feature|features} that {is|are} lost: %s", name ? name : "unknown");
		l->has[id] = false;
	}
}

/*
 * perf stops at a compressed record that it cannot decompress: the bytes that can be decompressed are compressed anew
 * then. It also stops at the first one of a file without the feature COMPRESSED, which a killed recorder never wrote:
 * records are written plainly then.
 */
static int choose_packing(struct rewrite *w)
{
	const struct meta *m = &w->in.meta;
	int r;

	w->keep_packed = false;
	if (!w->in.has[SONDE_FEAT_COMPRESSED] || m->compressed.type == 0)
		return 0;
	w->keep_packed = m->compressed.type != COMPRESSED_ZSTD;
	if (w->keep_packed)
		return 0;
	r = rewrite_packed_are_sound(w);
	w->keep_packed = r > 0;
	return r < 0 ? r : 0;
}

/*
 * Readers of the other byte order tell by HOSTNAME how the words of the bitmap are swapped, and the newest perf refuses
 * a file without it. Most readers are little-endian.
 */
static int name_host(struct rewrite *w, struct buf *out)
{
	struct meta meta = { .hostname = "(none)" };
	uint32_t id = SONDE_FEAT_HOSTNAME;

	feature_set(&meta, id);
	return feature_encode(out, id, w->opts.swap, &meta) < 0 ? -SONDE_NOMEM : REWRITE_ANEW;
}

/* Features that the input has not. */
static int new_feature(struct rewrite *w, uint32_t id, struct buf *out)
{
	const struct lost_formats *formats = w->ctx;

	if (id == SONDE_FEAT_HOSTNAME && w->in.features[id].size == 0)
		return name_host(w, out);
	if (id != SONDE_FEAT_TRACING_DATA || !formats->blob.n)
		return REWRITE_KEEP;
	buf_put(out, formats->blob.p, formats->blob.n);
	return REWRITE_ANEW;
}

static void add_features(struct rewrite *w)
{
	const struct lost_formats *formats = w->ctx;

	w->change_feature = new_feature;
	if (formats->blob.n)
		w->in.has[SONDE_FEAT_TRACING_DATA] = true;
	if (w->in.header.pipe || w->in.has[SONDE_FEAT_HOSTNAME] || host_is_big_endian() == w->in.header.swap)
		return;
	w->in.features[SONDE_FEAT_HOSTNAME] = (struct section){ 0, 0 };
	w->in.has[SONDE_FEAT_HOSTNAME] = true;
}

static int repair(struct rewrite *w)
{
	int r = find_layout(w);

	if (r == 0)
		r = find_parts(w);
	if (r == 0)
		r = rewrite_collect(w);
	if (r == 0)
		r = find_events(w);
	if (r < 0)
		return r;
	drop_features(w);
	r = lost_formats_mend(w->ctx, w);
	if (r < 0)
		return r;
	w->opts.swap = w->in.header.swap;  /* perhaps only known since events were found */
	if (w->in.unfinished)
		w->opts.slack = 0;
	w->change = drop_corrupt;
	add_features(w);
	r = choose_packing(w);
	return r < 0 ? r : rewrite_run(w);
}

int perfdata_repair(struct sonde_rewrite *handle, struct image *im, const char *out)
{
	struct lost_formats formats = { .blob = BUF_MEMORY };
	struct rewrite w;
	int r = rewrite_open(&w, handle, im, out, SONDE_FORM_SAME);

	w.ctx = &formats;
	if (r == 0)
		r = repair(&w);
	rewrite_close(&w);
	lost_formats_free(&formats);
	return r;
}
