/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/layout.h"

#include <stdio.h>

#include "base/fd_io.h"
#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/format/record.h"

#define SECTION_BYTES sizeof(struct section)

/* A section and what it is called; the list is sorted by offset to see where they touch. */
struct extent {
	struct section s;
	const char *name;
};
typedef VEC(struct extent) extents;

static bool is_inside(const struct layout *l, struct section s)
{
	return s.offset <= l->image->size && s.size <= l->image->size - s.offset;
}

static void check_inside(const struct layout *l, struct section s, const char *name, uint64_t at, struct findings *f)
{
	if (!is_inside(l, s))
		found(f, CHECK_SECTION_OUTSIDE, at, name, "an end within the file", "0x%" PRIx64 " bytes at 0x%" PRIx64
		      " in a file of 0x%" PRIx64, s.size, s.offset, l->image->size);
}

/* What of a section is in the file. */
static struct section clamp(const struct layout *l, struct section s)
{
	if (s.offset > l->image->size)
		return (struct section){ l->image->size, 0 };
	if (s.size > l->image->size - s.offset)
		s.size = l->image->size - s.offset;
	return s;
}

static int read_header(struct layout *l, struct findings *f, struct sonde_error *err)
{
	size_t n;
	const uint8_t *p = image_view_some(l->image, 0, PERFDATA_HEADER_BYTES, &n);
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

static int add_ids(struct layout *l, struct perf_source *source, const uint8_t *p, uint64_t n, uint64_t at, struct findings *f)
{
	for (uint64_t i = 0; i + 8 <= n; i += 8) {
		uint64_t id = load_u64(p + i, l->header.swap);

		if (id == 0)
			found(f, CHECK_ID_ZERO, at + i, "ids", "an id above 0", "0");
		else if (sources_by_id(&l->sources, id))
			found(f, CHECK_ID_TWICE, at + i, "ids", "ids of one event only", "%" PRIu64 " again", id);
		if (sources_add_id(&l->sources, source, id) < 0)
			return -SONDE_NOMEM;
	}
	return 0;
}

static struct perf_source *add_event(struct layout *l, const struct sonde_attr *attr, struct layout_event where, struct findings *f)
{
	if (attr->sample_type & ~SAMPLE_KNOWN)
		found(f, CHECK_ATTR_BITS, where.attr.offset + 24, "attrs", "bits 0 to 24", "0x%" PRIx64, attr->sample_type);
	if (vec_push(&l->events, where) < 0)
		return NULL;
	return sources_add(&l->sources, attr);
}

static int read_ids(struct layout *l, struct perf_source *source, struct section ids, struct findings *f)
{
	static const uint8_t zero[8];

	while (ids.size) {
		uint64_t step = ids.size < IMAGE_VIEW_MAX ? ids.size : IMAGE_VIEW_MAX;
		uint64_t hole = image_hole(l->image, ids.offset, ids.size) & ~UINT64_C(7);
		const uint8_t *p = hole ? zero : image_view(l->image, ids.offset, (size_t)step);

		if (hole) {  /* the same zero again and again: told once */
			if (add_ids(l, source, zero, sizeof(zero), ids.offset, f) < 0)
				return -SONDE_NOMEM;
			ids.offset += hole;
			ids.size -= hole;
			continue;
		}

		if (!p)
			break;
		if (add_ids(l, source, p, step, ids.offset, f) < 0)
			return -SONDE_NOMEM;
		ids.offset += step;
		ids.size -= step;
	}
	return 0;
}

static int read_attr(struct layout *l, uint64_t at, struct findings *f, struct sonde_error *err)
{
	uint64_t bytes = l->header.attr_size - SECTION_BYTES;
	const uint8_t *p = image_view(l->image, at, (size_t)l->header.attr_size);
	struct cursor c = cur_new(p, p ? l->header.attr_size : 0, at, l->header.swap, NULL);
	struct layout_event where = { .attr = { at, bytes } };
	struct perf_source *source;
	struct sonde_attr attr;

	if (p && bytes_are_zero(p, l->header.attr_size)) {
		found(f, CHECK_ATTR_ZERO, at, "attrs", "an attr", "zeros");
		return 0;
	}
	if (attr_decode(&c, bytes, &attr) < 0)
		return 0;
	where.ids.offset = cur_u64(&c);
	where.ids.size = cur_u64(&c);
	if (attr.size != bytes && load_u32(p + 4, l->header.swap) != 0)
		found(f, CHECK_ATTR_SIZE, at + 4, "attrs", "the size of an entry less 16", "%u in entries of %" PRIu64, attr.size,
		      l->header.attr_size);
	check_inside(l, where.ids, "ids", at + bytes, f);
	if (where.ids.size % 8)
		found(f, CHECK_IDS_SIZE, at + bytes + 8, "ids", "a multiple of 8", "%" PRIu64, where.ids.size);
	if (is_inside(l, where.ids) && where.ids.size > l->memory_left)
		found(f, CHECK_IDS_SHARED, at + bytes, "ids", "no more than the file holds", "%" PRIu64 " bytes again", where.ids.size);
	if (!is_inside(l, where.ids) || where.ids.size > l->memory_left)
		where.ids.size = 0;
	l->memory_left -= where.ids.size;
	source = add_event(l, &attr, where, f);
	if (!source || read_ids(l, source, where.ids, f) < 0)
		return err_nomem(err);
	return 0;
}

static int read_attrs(struct layout *l, struct findings *f, struct sonde_error *err)
{
	const struct header *h = &l->header;
	struct section attrs = clamp(l, h->attrs);
	int r = 0;

	check_inside(l, h->attrs, "attrs", 24, f);
	if (h->attr_size < ATTR_SIZE_VER0 + SECTION_BYTES || h->attr_size > ATTR_ENTRY_MAX) {
		found(f, CHECK_ATTR_ENTRY_SIZE, 16, "header", "80 to 65536", "%" PRIu64, h->attr_size);
		return 0;
	}
	if (h->attrs.size % h->attr_size)
		found(f, CHECK_ATTRS_SIZE, 32, "attrs", "a multiple of the size of an entry", "%" PRIu64 " bytes, entries of %" PRIu64,
		      h->attrs.size, h->attr_size);
	for (uint64_t at = 0; r == 0 && at + h->attr_size <= attrs.size; at += h->attr_size) {
		uint64_t hole = image_hole(l->image, attrs.offset + at, attrs.size - at);

		r = read_attr(l, attrs.offset + at, f, err);
		if (hole > h->attr_size)  /* the entries in it are like the first */
			at += hole / h->attr_size * h->attr_size - h->attr_size;
	}
	if (r == 0 && l->events.n == 0)
		found(f, CHECK_ATTRS_EMPTY, 32, "attrs", "one event or more", "none");
	return r;
}

static void place_data(struct layout *l, struct findings *f)
{
	const struct section *data = &l->header.data;

	l->data = clamp(l, *data);
	l->unfinished = data->size == 0 && data->offset >= PERFDATA_HEADER_BYTES && data->offset < l->image->size;
	if (l->unfinished) {
		l->data.size = l->image->size - data->offset;
		found(f, CHECK_UNFINISHED, 48, "header", "the size of the records", "0, with %" PRIu64 " bytes where they are",
		      l->data.size);
		return;
	}
	if (header_has(&l->header, SONDE_FEAT_UNFINISHED) || header_is_torn(&l->header))
		found(f, CHECK_UNFINISHED, FEATURES_AT, "header", "features of a finished file", "%s",
		      header_is_torn(&l->header) ? "none" : "UNFINISHED");
	check_inside(l, *data, "data", 40, f);
}

int layout_take_feature(struct layout *l, uint32_t id, struct section s, struct findings *f, struct sonde_error *err)
{
	struct sonde_error why = { 0 };
	char number[16];
	const char *name = sonde_feature_name(id);
	uint8_t *p;
	int r;

	snprintf(number, sizeof(number), "feature %u", id);
	name = name ? name : number;
	l->features[id] = s;
	l->has[id] = true;
	if (!feature_find(id))
		found(f, CHECK_FEATURE_UNKNOWN, s.offset, name, "a feature that is known", "%u", id);
	if (s.size > FEATURE_BYTES_MAX) {
		found(f, CHECK_FEATURE_SIZE, s.offset, name, "256 MiB or less", "%" PRIu64 " bytes", s.size);
		return 0;
	}
	if (s.size > l->memory_left) {
		found(f, CHECK_FEATURE_SIZE, s.offset, name, "no more than the file holds",
		      "%" PRIu64 " bytes, most of them not stored", s.size);
		l->has[id] = false;
		return 0;
	}
	l->memory_left -= s.size;
	p = image_copy(l->image, s.offset, s.size);
	if (!p || vec_push(&l->payloads, p) < 0) {
		free(p);
		return image_failed(l->image, err) < 0 ? -SONDE_SYSTEM : err_nomem(err);
	}
	r = feature_decode(id, p, s.size, s.offset, l->header.swap, &l->meta, &l->holder.arena, &why);
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r < 0)
		found(f, CHECK_FEATURE_CORRUPT, why.file_offset == SONDE_NONE ? s.offset : why.file_offset, name, "a whole payload",
		      "%s", why.text);
	return 0;
}

static int read_features(struct layout *l, struct findings *f, struct sonde_error *err)
{
	uint64_t at = l->header.data.offset + l->header.data.size;
	struct sonde_error why = { 0 };
	int r = 0;

	for (uint32_t id = 0; r == 0 && id < SONDE_FEAT_BITS; id++) {
		const uint8_t *p;

		if (!header_has(&l->header, id))
			continue;
		p = at >= l->header.data.offset ? image_view(l->image, at, SECTION_BYTES) : NULL;
		if (!p) {
			found(f, CHECK_FEATURE_TABLE, at, "feature table", "room for every feature of the header",
			      "the end of the file at feature %u", id);
			return 0;
		}
		l->features[id] = (struct section){ load_u64(p, l->header.swap), load_u64(p + 8, l->header.swap) };
		if (!is_inside(l, l->features[id])) {
			const char *name = sonde_feature_name(id);

			check_inside(l, l->features[id], name ? name : "feature", at, f);
		} else {
			r = layout_take_feature(l, id, l->features[id], f, err);
		}
		at += SECTION_BYTES;
	}
	if (r == 0 && feature_finish(l->header.swap, &l->meta, &l->holder.arena, &why) < 0)
		found(f, CHECK_FEATURE_NEEDS, why.file_offset, "features", "the feature that it needs", "%s", why.text);
	return r;
}

static void check_event_desc(const struct layout *l, struct findings *f)
{
	const struct sonde_meta *m = &l->meta;

	if (!feature_has(m, SONDE_FEAT_EVENT_DESC))
		return;
	if (m->nr_event_descs != l->events.n)
		found(f, CHECK_EVENT_DESC, l->features[SONDE_FEAT_EVENT_DESC].offset, "EVENT_DESC", "as many events as attrs",
		      "%zu and %zu", m->nr_event_descs, l->events.n);
	for (size_t i = 0; i < m->nr_event_descs && i < l->events.n; i++)
		if (m->event_descs[i].attr.sample_type != sources_at(&l->sources, i)->attr.sample_type)
			found(f, CHECK_EVENT_DESC, l->events.at[i].attr.offset + 24, "EVENT_DESC", "the sample_type of the attr",
			      "0x%" PRIx64 " and 0x%" PRIx64, m->event_descs[i].attr.sample_type,
			      sources_at(&l->sources, i)->attr.sample_type);
}

bool layout_events_agree(const struct layout *l, size_t i, size_t k)
{
	const struct perf_source *a = sources_at(&l->sources, i), *b = sources_at(&l->sources, k);

	if (a->attr.sample_type & b->attr.sample_type & SAMPLE_IDENTIFIER)
		return true;
	return a->layout.sample[AT_ID] == b->layout.sample[AT_ID] &&
	       a->layout.sample[AT_IDENTIFIER] == b->layout.sample[AT_IDENTIFIER];
}

void layout_check_events(const struct layout *l, struct findings *f)
{
	const struct sources *s = &l->sources;
	const struct perf_source *first;

	if (l->events.n < 2)
		return;
	first = sources_at(s, 0);
	for (size_t i = 1; i < l->events.n; i++) {
		const struct perf_source *e = sources_at(s, i);
		uint64_t at = l->events.at[i].attr.offset;

		if (!layout_events_agree(l, 0, i))
			found(f, CHECK_ATTR_LAYOUT, at + 24, "attrs", "IDENTIFIER in all events, or ID at one place",
			      "sample_type 0x%" PRIx64 " and 0x%" PRIx64, first->attr.sample_type, e->attr.sample_type);
		if ((first->attr.flags ^ e->attr.flags) & SONDE_ATTR_SAMPLE_ID_ALL)
			found(f, CHECK_ATTR_TRAILER, at + 40, "attrs", "sample_id_all in all events or in none", "both");
	}
	for (size_t i = 0; i < l->events.n; i++)
		if (sources_at(s, i)->ids.n == 0)
			found(f, CHECK_IDS_NONE, l->events.at[i].attr.offset, "attrs", "an id", "none");
}

static int by_offset(const void *pa, const void *pb)
{
	const struct extent *a = pa, *b = pb;

	if (a->s.offset != b->s.offset)
		return a->s.offset < b->s.offset ? -1 : 1;
	return a->s.size < b->s.size ? -1 : a->s.size > b->s.size;
}

static int add_extent(const struct layout *l, extents *list, struct section s, const char *name)
{
	s = clamp(l, s);
	return s.size ? vec_push(list, ((struct extent){ s, name })) : 0;
}

static int gather_extents(const struct layout *l, extents *list)
{
	const struct header *h = &l->header;
	uint64_t table = 0;
	int r = add_extent(l, list, (struct section){ 0, PERFDATA_HEADER_BYTES }, "header");

	for (uint32_t id = 0; id < SONDE_FEAT_BITS; id++) {
		const char *name = sonde_feature_name(id);

		table += header_has(h, id) ? SECTION_BYTES : 0;
		if (r == 0 && l->has[id])
			r = add_extent(l, list, l->features[id], name ? name : "feature");
	}
	r = r ? r : add_extent(l, list, h->attrs, "attrs");
	r = r ? r : add_extent(l, list, l->data, "data");
	if (!l->unfinished && h->data.offset + h->data.size >= h->data.offset)
		r = r ? r : add_extent(l, list, (struct section){ h->data.offset + h->data.size, table }, "feature table");
	for (size_t i = 0; r == 0 && i < l->events.n; i++)
		r = add_extent(l, list, l->events.at[i].ids, "ids");
	return r;
}

/* Zeros before a section that begins at a multiple of 8: a recorder keeps records where they can be read in place. */
static bool is_padding(const struct layout *l, uint64_t from, uint64_t to)
{
	static const uint8_t zeros[8];
	const uint8_t *p = to % 8 == 0 && to - from < 8 ? image_view(l->image, from, (size_t)(to - from)) : NULL;

	return p && !memcmp(p, zeros, (size_t)(to - from));
}

static int check_extents(const struct layout *l, struct findings *f, struct sonde_error *err)
{
	extents list = { 0 };
	const struct extent *furthest = NULL;
	uint64_t end = 0;

	if (gather_extents(l, &list) < 0) {
		vec_free(&list);
		return err_nomem(err);
	}
	qsort(list.at, list.n, sizeof(*list.at), by_offset);
	for (size_t i = 0; i < list.n; i++) {
		const struct extent *e = &list.at[i];

		if (e->s.offset < end)
			found(f, CHECK_SECTION_OVERLAP, e->s.offset, e->name, "bytes of its own", "bytes of %s", furthest->name);
		else if (e->s.offset > end && !is_padding(l, end, e->s.offset))
			found(f, CHECK_SECTION_GAP, end, e->name, "the end of the section before", "%" PRIu64 " bytes between",
			      e->s.offset - end);
		if (e->s.offset + e->s.size > end) {
			end = e->s.offset + e->s.size;
			furthest = e;
		}
	}
	if (end < l->image->size)
		found(f, CHECK_SECTION_GAP, end, "file", "the end of the file", "%" PRIu64 " more bytes", l->image->size - end);
	vec_free(&list);
	return 0;
}

static int read_file(struct layout *l, struct findings *f, struct sonde_error *err)
{
	int r;

	place_data(l, f);
	r = read_attrs(l, f, err);
	if (r == 0 && !l->unfinished) {
		r = read_features(l, f, err);
		if (!header_has(&l->header, SONDE_FEAT_HOSTNAME))
			found(f, CHECK_FEATURE_HOSTNAME, 72, "header", "HOSTNAME among the features", "none");
	}
	if (r < 0)
		return r;
	layout_check_events(l, f);
	check_event_desc(l, f);
	return check_extents(l, f, err);
}

int layout_read(struct layout *l, struct image *im, struct findings *f, struct sonde_error *err)
{
	int r;

	*l = (struct layout){ .image = im };
	l->sources.reader = &l->holder;
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
	struct cursor c = cur_new(p + RECORD_HEADER_BYTES, h.size - (size_t)RECORD_HEADER_BYTES, at + RECORD_HEADER_BYTES,
				  l->header.swap, NULL);
	uint32_t size = h.size >= RECORD_HEADER_BYTES + ATTR_SIZE_VER0 ? load_u32(p + 12, l->header.swap) : 0;
	struct layout_event where = { .attr = { at + RECORD_HEADER_BYTES, size ? size : ATTR_SIZE_VER0 } };
	struct perf_source *source;
	struct sonde_attr attr;

	if (attr_decode(&c, where.attr.size, &attr) < 0)
		return -SONDE_CORRUPT;
	where.ids = (struct section){ c.at, cur_left(&c) };
	source = add_event(l, &attr, where, f);
	return source ? add_ids(l, source, c.p, cur_left(&c), c.at, f) : -SONDE_NOMEM;
}

int layout_add_event(struct layout *l, const struct sonde_attr *attr, const uint64_t *ids, size_t nr_ids)
{
	struct perf_source *source = add_event(l, attr, (struct layout_event){ .attr = { 0, 0 } }, NULL);
	int r = source ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; r == 0 && i < nr_ids; i++)
		r = sources_add_id(&l->sources, source, ids[i]);
	return r;
}

int layout_keep_events(struct layout *l, const bool *keep)
{
	struct layout old = *l;
	int r = 0;

	memset(&l->events, 0, sizeof(l->events));
	memset(&l->sources, 0, sizeof(l->sources));
	memset(&l->holder.sources, 0, sizeof(l->holder.sources));
	l->sources.reader = &l->holder;
	old.sources.reader = &old.holder;
	for (size_t i = 0; keep && r == 0 && i < old.events.n; i++) {
		struct perf_source *source = sources_at(&old.sources, i);

		if (!keep[i])
			continue;
		r = layout_add_event(l, &source->attr, source->ids.at, source->ids.n);
		if (r == 0)
			l->events.at[l->events.n - 1] = old.events.at[i];
	}
	sources_free(&old.sources);
	vec_free(&old.events);
	return r;
}

void layout_free(struct layout *l)
{
	if (!l->image)  /* never read */
		return;
	sources_free(&l->sources);
	for (size_t i = 0; i < l->payloads.n; i++)
		free(l->payloads.at[i]);
	vec_free(&l->payloads);
	vec_free(&l->events);
	arena_free(&l->holder.arena);
}
