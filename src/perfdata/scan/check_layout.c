/* SPDX-License-Identifier: MIT */
/* check_layout.c - the rules that hold between the parts of a file: sections that touch, events that disagree. */
#include "perfdata/scan/check_layout.h"

#include "perfdata/format/feature.h"

#define SECTION_BYTES sizeof(struct section)

/* A section and what it is called; the list is sorted by offset to see where they touch. */
struct extent {
	struct section s;
	const char *name;
};
typedef VEC(struct extent) extents;

void check_events(const struct layout *l, struct findings *f)
{
	const struct evlist *s = &l->evlist;
	const struct evsel *first;

	if (l->events.n < 2)
		return;
	first = evlist_at(s, 0);
	for (size_t i = 1; i < l->events.n; i++) {
		const struct evsel *e = evlist_at(s, i);
		uint64_t at = l->events.at[i].attr.offset;

		if (!layout_events_agree(l, 0, i))
			found(f, CHECK_ATTR_LAYOUT, at + 24, "attrs", "IDENTIFIER in all events, or ID at one place",
			      "sample_type 0x%" PRIx64 " and 0x%" PRIx64, first->attr.sample_type, e->attr.sample_type);
		if ((first->attr.flags ^ e->attr.flags) & SONDE_ATTR_SAMPLE_ID_ALL)
			found(f, CHECK_ATTR_TRAILER, at + 40, "attrs", "sample_id_all in all events or in none",
			      "both");
	}
	for (size_t i = 0; i < l->events.n; i++)
		if (evlist_at(s, i)->ids.n == 0)
			found(f, CHECK_IDS_NONE, l->events.at[i].attr.offset, "attrs", "an id", "none");
}

static void check_event_desc(const struct layout *l, struct findings *f)
{
	const struct meta *m = &l->meta;

	if (!feature_has(m, SONDE_FEAT_EVENT_DESC))
		return;
	if (m->nr_event_descs != l->events.n)
		found(f, CHECK_EVENT_DESC, l->features[SONDE_FEAT_EVENT_DESC].offset, "EVENT_DESC",
		      "as many events as attrs", "%zu and %zu", m->nr_event_descs, l->events.n);
	for (size_t i = 0; i < m->nr_event_descs && i < l->events.n; i++)
		if (m->event_descs[i].attr.sample_type != evlist_at(&l->evlist, i)->attr.sample_type)
			found(f, CHECK_EVENT_DESC, l->events.at[i].attr.offset + 24, "EVENT_DESC",
			      "the sample_type of the attr",
			      "0x%" PRIx64 " and 0x%" PRIx64, m->event_descs[i].attr.sample_type,
			      evlist_at(&l->evlist, i)->attr.sample_type);
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
	s = layout_clamp(l, s);
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
		r = r ? r : add_extent(l, list, (struct section){ h->data.offset + h->data.size, table },
				       "feature table");
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
			found(f, CHECK_SECTION_OVERLAP, e->s.offset, e->name, "bytes of its own", "bytes of %s",
			      furthest->name);
		else if (e->s.offset > end && !is_padding(l, end, e->s.offset))
			found(f, CHECK_SECTION_GAP, end, e->name, "the end of the section before",
			      "%" PRIu64 " bytes between", e->s.offset - end);
		if (e->s.offset + e->s.size > end) {
			end = e->s.offset + e->s.size;
			furthest = e;
		}
	}
	if (end < l->image->size && !l->cut_bundle)
		found(f, CHECK_SECTION_GAP, end, "file", "the end of the file", "%" PRIu64 " more bytes",
		      l->image->size - end);
	vec_free(&list);
	return 0;
}

int check_layout(const struct layout *l, struct findings *f, struct sonde_error *err)
{
	if (!l->unfinished && !header_has(&l->header, SONDE_FEAT_HOSTNAME))
		found(f, CHECK_FEATURE_HOSTNAME, 72, "header", "HOSTNAME among the features", "none");
	check_events(l, f);
	check_event_desc(l, f);
	return check_extents(l, f, err);
}
