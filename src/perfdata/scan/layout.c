/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/layout.h"

#include <stdio.h>

#include "base/fd_io.h"
#include "io/trailer.h"
#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/format/metadata_record.h"

#define SECTION_BYTES sizeof(struct section)
#define ENTRIES_BYTES ((size_t)256 << 10)  /* of the attrs section, read at once; room for the largest entry */
#define IDS_BYTES ((size_t)64 << 10)       /* of ids, read at once */

/* The loss that the next finding stands for, for a reader that reads on. */
static void lose(struct layout *l, uint64_t count, uint64_t at)
{
	l->lost.count = count;
	l->lost.at = at;
}

static bool is_inside(const struct layout *l, struct section s)
{
	return s.offset <= l->image->size && s.size <= l->image->size - s.offset;
}

/* @lost, @lost_at: see lose() */
static void check_inside(struct layout *l, struct section s, const char *name, uint64_t at, uint64_t lost,
			 uint64_t lost_at, struct findings *f)
{
	if (is_inside(l, s))
		return;
	lose(l, lost, lost_at);
	found(f, CHECK_SECTION_OUTSIDE, at, name, "an end within the file",
	      "0x%" PRIx64 " bytes at 0x%" PRIx64 " in a file of 0x%" PRIx64, s.size, s.offset, l->image->size);
}

struct section layout_clamp(const struct layout *l, struct section s)
{
	if (s.offset > l->image->size)
		return (struct section){ l->image->size, 0 };
	if (s.size > l->image->size - s.offset)
		s.size = l->image->size - s.offset;
	return s;
}

static int read_header(struct layout *l, struct findings *f, struct sonde_error *err)
{
	size_t n = l->image->size < PERFDATA_HEADER_BYTES ? (size_t)l->image->size : PERFDATA_HEADER_BYTES;
	uint8_t room[PERFDATA_HEADER_BYTES];
	const uint8_t *p = image_peek(l->image, 0, n, room);
	struct section types;
	uint64_t size;
	int r = header_decode(p, p ? n : 0, &l->header, err);

	if (r == -SONDE_FORMAT)
		found(f, CHECK_HEADER_MAGIC, 0, "header", "PERFILE2", "something else");
	else if (r == -SONDE_TRUNCATED)
		found(f, CHECK_HEADER_CUT, n, "header", "104 bytes, or 16 of a stream", "%zu bytes", n);
	else if (r < 0)
		found(f, CHECK_HEADER_SIZE, 8, "header", "104, or 16 of a stream", "%" PRIu64,
		      load_u64(p + 8, (p[0] == '2') != host_is_big_endian()));
	if (r < 0)
		return r;
	if (l->header.version == 1)
		found(f, CHECK_HEADER_VERSION, 0, "header", "PERFILE2", "PERFFILE");
	if (l->header.pipe)
		return 0;
	size = load_u64(p + 8, l->header.swap);
	if (size < PERFDATA_HEADER_BYTES)
		found(f, CHECK_HEADER_OLD, 8, "header", "104", "%" PRIu64, size);
	types = (struct section){ load_u64(p + 56, l->header.swap), load_u64(p + 64, l->header.swap) };
	if (types.size)
		found(f, CHECK_EVENT_TYPES, 56, "header", "an empty section", "%" PRIu64 " bytes", types.size);
	return 0;
}

static int add_ids(struct layout *l, struct evsel *source, const uint8_t *p, uint64_t n, uint64_t at,
		   struct findings *f)
{
	for (uint64_t i = 0; i + 8 <= n; i += 8) {
		uint64_t id = load_u64(p + i, l->header.swap);

		if (id == 0)
			found(f, CHECK_ID_ZERO, at + i, "ids", "an id above 0", "0");
		else if (evlist_by_id(&l->evlist, id))
			found(f, CHECK_ID_TWICE, at + i, "ids", "ids of one event only", "%" PRIu64 " again", id);
		if (evlist_add_id(&l->evlist, source, id) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static struct evsel *add_event(struct layout *l, const struct sonde_attr *attr, struct layout_event where,
				     struct findings *f)
{
	if (attr->sample_type & ~SAMPLE_KNOWN)
		found(f, CHECK_ATTR_BITS, where.attr.offset + 24, "attrs", "bits 0 to 24", "0x%" PRIx64,
		      attr->sample_type);
	if (vec_push(&l->events, where) < 0)
		return NULL;
	return evlist_add(&l->evlist, attr);
}

static int read_ids(struct layout *l, struct evsel *source, struct section ids, struct findings *f)
{
	static const uint8_t zero[8];

	while (ids.size) {
		size_t n = ids.size < IDS_BYTES ? (size_t)ids.size : IDS_BYTES;
		uint64_t hole = image_hole(l->image, ids.offset, ids.size) & ~UINT64_C(7);
		uint64_t step = hole ? hole : n;
		const uint8_t *p = hole ? zero : image_peek(l->image, ids.offset, n, l->room + ENTRIES_BYTES);

		if (!p)
			break;
		/* of a hole the same zero again and again: told once */
		if (add_ids(l, source, p, hole ? sizeof(zero) : n, ids.offset, f) < 0)
			return -SONDE_NOMEM;
		ids.offset += step;
		ids.size -= step;
	}
	return 0;
}

/*
 * Where the ids of the entry at @at lie; none if that is not within the file, or sections that share bytes come to more
 * than it holds.
 */
static struct section place_ids(struct layout *l, struct section ids, uint64_t at, struct findings *f)
{
	uint64_t bytes = l->header.attr_size - SECTION_BYTES;

	check_inside(l, ids, "ids", at + bytes, ids.size, at, f);
	if (ids.size % 8)
		found(f, CHECK_IDS_SIZE, at + bytes + 8, "ids", "a multiple of 8", "%" PRIu64, ids.size);
	if (is_inside(l, ids) && ids.size > l->memory_left) {
		lose(l, ids.size, at);
		found(f, CHECK_IDS_SHARED, at + bytes, "ids", "no more than the file holds", "%" PRIu64 " bytes again",
		      ids.size);
	}
	if (!is_inside(l, ids) || ids.size > l->memory_left)
		ids.size = 0;
	l->memory_left -= ids.size;
	return ids;
}

/*
 * An entry of zeros, as in the holes of a file, is no event: even the oldest attr says what it samples. In a hole @nr
 * of them follow one another.
 */
static int read_attr(struct layout *l, const uint8_t *p, uint64_t at, uint64_t nr, struct findings *f,
		     struct sonde_error *err)
{
	uint64_t bytes = l->header.attr_size - SECTION_BYTES;
	struct cursor c = cur_new(p, l->header.attr_size, at, l->header.swap, NULL);
	struct layout_event where = { .attr = { at, bytes } };
	struct evsel *source;
	struct sonde_attr attr;

	if (bytes_are_zero(p, l->header.attr_size)) {
		lose(l, nr, at);
		found(f, CHECK_ATTR_ZERO, at, "attrs", "an attr", "zeros");
		return 0;
	}
	attr_decode(&c, bytes, &attr);  /* which the size of an entry has room for */
	where.ids.offset = cur_u64(&c);
	where.ids.size = cur_u64(&c);
	if (attr.size != bytes && load_u32(p + 4, l->header.swap) != 0)
		found(f, CHECK_ATTR_SIZE, at + 4, "attrs", "the size of an entry less 16", "%u in entries of %" PRIu64,
		      attr.size, l->header.attr_size);
	where.ids = place_ids(l, where.ids, at, f);
	source = add_event(l, &attr, where, f);
	if (!source || read_ids(l, source, where.ids, f) < 0)
		return err_nomem(err);
	return 0;
}

static int read_entries(struct layout *l, struct section attrs, struct findings *f, struct sonde_error *err)
{
	uint64_t entry = l->header.attr_size, block = ENTRIES_BYTES / entry * entry, end = attrs.size / entry * entry,
		 in_block = 0;
	const uint8_t *p = NULL;
	int r = 0;

	for (uint64_t at = 0; r == 0 && at < end; at += entry) {
		uint64_t hole = image_hole(l->image, attrs.offset + at, end - at),
			 alike = hole > entry ? hole / entry : 1;

		if (!p || at - in_block >= block) {
			in_block = at;
			p = image_peek(l->image, attrs.offset + at, (size_t)(end - at < block ? end - at : block),
				       l->room);
		}
		if (!p)
			break;
		r = read_attr(l, p + (at - in_block), attrs.offset + at, alike, f, err);
		at += (alike - 1) * entry;
	}
	return r;
}

static int read_attrs(struct layout *l, struct findings *f, struct sonde_error *err)
{
	const struct header *h = &l->header;
	struct section attrs = layout_clamp(l, h->attrs);
	int r;

	check_inside(l, h->attrs, "attrs", 24, h->attrs.size - attrs.size, h->attrs.offset, f);
	if (!layout_has_entries(h)) {
		found(f, CHECK_ATTR_ENTRY_SIZE, 16, "header", "80 to 65536", "%" PRIu64, h->attr_size);
		return 0;
	}
	if (h->attrs.size % h->attr_size)
		found(f, CHECK_ATTRS_SIZE, 32, "attrs", "a multiple of the size of an entry",
		      "%" PRIu64 " bytes, entries of %" PRIu64, h->attrs.size, h->attr_size);
	l->room = malloc(ENTRIES_BYTES + IDS_BYTES);
	r = l->room ? read_entries(l, attrs, f, err) : err_nomem(err);
	free(l->room);
	l->room = NULL;
	if (r == 0 && l->events.n == 0)
		found(f, CHECK_ATTRS_EMPTY, 32, "attrs", "one event or more", "none");
	return r;
}

static void place_data(struct layout *l, struct findings *f)
{
	const struct section *data = &l->header.data;

	l->data = layout_clamp(l, *data);
	l->unfinished = data->size == 0 && data->offset < l->image->size;
	if (l->unfinished) {
		l->data.size = l->image->size - data->offset;
		lose(l, 1, 48);
		found(f, CHECK_UNFINISHED, 48, "header", "the size of the records",
		      "0, with %" PRIu64 " bytes where they are", l->data.size);
		return;
	}
	if (header_has(&l->header, SONDE_FEAT_UNFINISHED) || header_is_torn(&l->header)) {
		lose(l, 1, FEATURES_AT);
		found(f, CHECK_UNFINISHED, FEATURES_AT, "header", "features of a finished file", "%s",
		      header_is_torn(&l->header) ? "none" : "UNFINISHED");
	}
	check_inside(l, *data, "data", 40, data->size - l->data.size, l->image->size, f);
}

static void find_too_large(struct layout *l, struct section s, uint64_t at, const char *name, struct findings *f)
{
	lose(l, 1, at);
	if (s.size > FEATURE_BYTES_MAX)
		found(f, CHECK_FEATURE_SIZE, s.offset, name, "256 MiB or less", "%" PRIu64 " bytes", s.size);
	else
		found(f, CHECK_FEATURE_SIZE, s.offset, name, "no more than the file holds",
		      "%" PRIu64 " bytes, most of them not stored", s.size);
}

/* Decodes the payload of a feature, which lies within the file and is told of at @at; -SONDE_NOMEM, -SONDE_SYSTEM. */
static int take_feature(struct layout *l, uint32_t id, struct section s, uint64_t at, struct findings *f,
			struct sonde_error *err)
{
	struct sonde_error why = { .file_offset = SONDE_NONE };
	const char *name = sonde_feature_name(id);
	size_t n = (size_t)s.size;
	char number[16];
	const uint8_t *p;
	int r;

	snprintf(number, sizeof(number), "feature %u", id);
	name = name ? name : number;
	l->features[id] = s;
	/* what is too large is passed on, but not looked into */
	l->has[id] = s.size <= l->memory_left || s.size > FEATURE_BYTES_MAX;
	if (!feature_find(id))
		found(f, CHECK_FEATURE_UNKNOWN, s.offset, name, "a feature that is known", "%u", id);
	if (s.size > FEATURE_BYTES_MAX || s.size > l->memory_left) {
		find_too_large(l, s, at, name, f);
		return 0;
	}
	l->memory_left -= s.size;
	r = image_keep(l->image, s.offset, &n, &l->holder.arena, &p, err);
	if (r < 0)
		return r;
	r = feature_decode(id, p, n, s.offset, l->header.swap, &l->meta, &l->holder.arena, &why);
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	lose(l, 1, s.offset);
	if (r < 0)
		found(f, CHECK_FEATURE_CORRUPT, why.file_offset == SONDE_NONE ? s.offset : why.file_offset, name,
		      "a whole payload", "%s", why.text);
	return 0;
}

static uint64_t count_features(const struct header *h)
{
	uint64_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(h->features); i++)
		n += (uint64_t)__builtin_popcountll(h->features[i]);
	return n;
}

/* The table of features: as much as there is of what the header promises. */
static const uint8_t *view_table(struct layout *l, uint64_t at, uint8_t *room, uint64_t *entries)
{
	uint64_t left = at >= l->header.data.offset && at <= l->image->size ? l->image->size - at : 0;

	*entries = count_features(&l->header);
	if (*entries > left / SECTION_BYTES)
		*entries = left / SECTION_BYTES;
	return image_peek(l->image, at, (size_t)*entries * SECTION_BYTES, room);
}

static int read_feature(struct layout *l, uint32_t id, uint64_t at, struct findings *f, struct sonde_error *err)
{
	const char *name = sonde_feature_name(id);

	if (is_inside(l, l->features[id]))
		return take_feature(l, id, l->features[id], at, f, err);
	check_inside(l, l->features[id], name ? name : "feature", at, 1, at, f);
	return 0;
}

static int read_features(struct layout *l, struct findings *f, struct sonde_error *err)
{
	uint64_t at = l->header.data.offset + l->header.data.size, entries, promised = count_features(&l->header),
		 i = 0;
	struct sonde_error why = { .file_offset = SONDE_NONE };
	uint8_t room[SONDE_FEAT_BITS * SECTION_BYTES];
	const uint8_t *table = view_table(l, at, room, &entries);
	int r = 0;

	if (!table)
		entries = 0;
	for (uint32_t id = 0; r == 0 && id < SONDE_FEAT_BITS; id++) {
		if (!header_has(&l->header, id))
			continue;
		if (i == entries) {
			lose(l, promised - entries, at <= l->image->size ? at : SONDE_NONE);
			found(f, CHECK_FEATURE_TABLE, at, "feature table", "room for every feature of the header",
			      "the end of the file at feature %u", id);
			return 0;
		}
		l->features[id] = (struct section){ load_u64(table + i * SECTION_BYTES, l->header.swap),
						    load_u64(table + i * SECTION_BYTES + 8, l->header.swap) };
		r = read_feature(l, id, at, f, err);
		at += SECTION_BYTES;
		i++;
	}
	if (r == 0 && feature_finish(l->header.swap, &l->meta, &l->holder.arena, &why) < 0) {
		lose(l, 1, SONDE_NONE);
		found(f, CHECK_FEATURE_NEEDS, why.file_offset, "features", "the feature that it needs", "%s", why.text);
	}
	return r;
}

bool layout_events_agree(const struct layout *l, size_t i, size_t k)
{
	const struct evsel *a = evlist_at(&l->evlist, i), *b = evlist_at(&l->evlist, k);

	if (a->attr.sample_type & b->attr.sample_type & SAMPLE_IDENTIFIER)
		return true;
	return a->layout.sample[AT_ID] == b->layout.sample[AT_ID] &&
	       a->layout.sample[AT_IDENTIFIER] == b->layout.sample[AT_IDENTIFIER];
}

/* A bundle has its list at the end, so without it nothing but its begin is known. */
static void find_cut_bundle(struct layout *l, struct findings *f)
{
	uint64_t end = l->data.offset + l->data.size;
	const uint8_t *p;

	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++)
		if (l->has[id] && l->features[id].offset + l->features[id].size > end)
			end = l->features[id].offset + l->features[id].size;
	end = ALIGN_UP(end, TRAILER_ALIGN);
	p = end < l->image->size ? image_view(l->image, end, TRAILER_MAGIC_BYTES) : NULL;
	if (!p || !trailer_begins_at(p, TRAILER_MAGIC_BYTES))
		return;
	l->cut_bundle = end;
	lose(l, 1, end);
	found(f, CHECK_BUNDLE_CUT, end, "bundle", "a bundle up to its trailer", "%" PRIu64 " bytes without one",
	      l->image->size - end);
}

static int read_file(struct layout *l, struct findings *f, struct sonde_error *err)
{
	int r;

	place_data(l, f);
	r = read_attrs(l, f, err);
	if (r == 0 && !l->unfinished)  /* the bits of an unfinished file promise what was never written */
		r = read_features(l, f, err);
	if (r == 0 && !l->unfinished)
		find_cut_bundle(l, f);
	return r < 0 ? r : image_failed(l->image, err);
}

int layout_read(struct layout *l, struct image *im, struct findings *f, struct sonde_error *err)
{
	int r;

	*l = (struct layout){ .image = im };
	l->evlist.reader = &l->holder;
	l->memory_left = im->fd >= 0 ? fd_memory_max(im->fd, im->size) : im->size;
	r = read_header(l, f, err);
	if (r < 0)
		return image_failed(im, err) < 0 ? -SONDE_SYSTEM : r;
	if (l->header.pipe) {
		l->data = (struct section){ PERFDATA_PIPE_HEADER_BYTES, im->size - PERFDATA_PIPE_HEADER_BYTES };
		return 0;
	}
	return read_file(l, f, err);
}

int layout_add_attr_record(struct layout *l, const uint8_t *p, uint64_t at, struct findings *f)
{
	struct record_header h = record_header(p, l->header.swap);
	struct cursor c = { .swap = l->header.swap };
	struct layout_event where = { .attr = { .offset = at + RECORD_HEADER_BYTES } };
	struct evsel *source;
	struct sonde_attr attr;

	if (attr_record_decode(p, &h, at, &attr, &where.attr.size, &c) < 0)
		return -SONDE_CORRUPT;
	where.ids = (struct section){ c.at, cur_left(&c) };
	source = add_event(l, &attr, where, f);
	return source ? add_ids(l, source, c.p, cur_left(&c), c.at, f) : -SONDE_NOMEM;
}

int layout_take_record(struct layout *l, const uint8_t *p, const struct record_header *h, uint64_t at, uint64_t payload,
		       struct findings *f, struct sonde_error *err)
{
	struct feature_record feature = { .payload = { 0, 0 } };
	int r;

	switch (h->type) {
	case RECORD_HEADER_ATTR:
		return layout_add_attr_record(l, p, at, f);
	case RECORD_HEADER_FEATURE:
		feature = feature_record_decode(p, h, l->header.swap);
		break;
	case RECORD_HEADER_TRACING_DATA:
		feature = tracing_record_decode(p, h, payload, l->header.swap);
		break;
	}
	if (!feature.payload.size || feature.id >= SONDE_FEAT_BITS)
		return 0;
	feature.payload.offset += at;
	r = take_feature(l, (uint32_t)feature.id, feature.payload, at, f, err);
	if (!stream_mark_note(&l->mark, (uint32_t)feature.id, &l->meta, at))
		l->has[SONDE_FEAT_SAMPLE_TIME] = false;
	return r;
}

int layout_add_event(struct layout *l, const struct sonde_attr *attr, const uint64_t *ids, size_t nr_ids)
{
	struct evsel *source = add_event(l, attr, (struct layout_event){ .attr = { 0, 0 } }, NULL);
	int r = source ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; r == 0 && i < nr_ids; i++)
		r = evlist_add_id(&l->evlist, source, ids[i]);
	return r;
}

int layout_keep_events(struct layout *l, const bool *keep)
{
	struct layout old = *l;
	int r = 0;

	memset(&l->events, 0, sizeof(l->events));
	memset(&l->evlist, 0, sizeof(l->evlist));
	memset(&l->holder.evsels, 0, sizeof(l->holder.evsels));
	l->evlist.reader = &l->holder;
	old.evlist.reader = &old.holder;
	for (size_t i = 0; keep && r == 0 && i < old.events.n; i++) {
		struct evsel *source = evlist_at(&old.evlist, i);

		if (!keep[i])
			continue;
		r = layout_add_event(l, &source->attr, source->ids.at, source->ids.n);
		if (r == 0)
			l->events.at[l->events.n - 1] = old.events.at[i];
	}
	evlist_free(&old.evlist);
	vec_free(&old.events);
	return r;
}

void layout_free(struct layout *l)
{
	if (!l->image)  /* never read */
		return;
	evlist_free(&l->evlist);
	vec_free(&l->events);
	arena_free(&l->holder.arena);
}
