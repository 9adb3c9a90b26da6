/* SPDX-License-Identifier: MIT */
/* salvage.c - guesses that prove themselves, where a header or the events of a file are lost. */
#include "perfdata/scan/salvage.h"

#include "perfdata/format/attr.h"
#include "perfdata/format/feature.h"
#include "perfdata/scan/id_recovery.h"
#include "perfdata/scan/image_scan.h"

enum { SCORED_RECORDS = 256, SEARCH_BYTES = 16 * 1024 * 1024, ATTR_BYTES_MAX = 4096, EVENTS_MAX = 65536 };

static struct image_scan scan_of(struct layout *l)
{
	return image_scan(l->image, &l->evlist, l->header.swap, l->data.offset, l->data.offset + l->data.size);
}

uint64_t salvage_score(struct layout *l)
{
	struct image_scan s = scan_of(l);
	struct scanned r;
	enum scan_step step;
	uint64_t score = 0;

	for (int n = 0; n < SCORED_RECORDS && (step = image_scan_next(&s, &r)) != SCAN_END;) {
		struct findings f = { 0 };

		if (step != SCAN_RECORD)
			continue;
		record_check(&l->evlist, r.p, &r.h, l->header.swap, r.at, &f);
		score += finds_nothing_wrong(&f);
		n++;
	}
	return score;
}

/* The size of the attr that can be at p, of n bytes there; 0 if it is none. */
static uint32_t attr_size_at(const uint8_t *p, size_t n, bool swap)
{
	bool big = host_is_big_endian() != swap;
	uint32_t size;

	if (n < ATTR_SIZE_VER0)
		return 0;
	size = load_u32(p + 4, swap);
	if (size < ATTR_SIZE_VER0 || size > ATTR_BYTES_MAX || size % 8 || load_u32(p, swap) > UINT16_MAX)
		return 0;
	if (load_u64(p + 24, swap) & ~SAMPLE_KNOWN || load_u64(p + 32, swap) >= 64 ||
	    attr_flags_normal(load_u64(p + 40, swap), big) >> 40)
		return 0;
	return size;
}

/* An entry of an attrs section: an attr, and ids that lie before it, as every recorder places them. */
static uint32_t entry_at(struct layout *l, uint64_t at, bool swap)
{
	size_t n;
	const uint8_t *p = image_view_some(l->image, at, ATTR_BYTES_MAX + sizeof(struct section), &n);
	uint32_t size = p ? attr_size_at(p, n, swap) : 0;
	uint64_t ids, bytes;

	if (!size || n < size + sizeof(struct section))
		return 0;
	ids = load_u64(p + size, swap);
	bytes = load_u64(p + size + 8, swap);
	return bytes % 8 == 0 && ids >= PERFDATA_HEADER_BYTES && ids <= at && bytes <= at - ids ? size : 0;
}

static int take_entry(struct layout *l, uint64_t at, uint32_t size)
{
	const uint8_t *p = image_view(l->image, at, size + sizeof(struct section));
	struct cursor c = cur_new(p, p ? size : 0, at, l->header.swap, NULL);
	struct section ids;
	struct sonde_attr attr;
	uint8_t *bytes;
	int r = 0;

	if (!p || attr_decode(&c, size, &attr) < 0)
		return 0;
	ids = (struct section){ load_u64(p + size, l->header.swap), load_u64(p + size + 8, l->header.swap) };
	bytes = image_copy(l->image, ids.offset, ids.size);
	if (!bytes)
		return -SONDE_NOMEM;
	for (uint64_t i = 0; i < ids.size; i += 8) {
		uint64_t id = load_u64(bytes + i, l->header.swap);

		memcpy(bytes + i, &id, sizeof(id));
	}
	r = layout_add_event(l, &attr, (const uint64_t *)(const void *)bytes, ids.size / 8);
	if (r == 0)
		l->events.at[l->events.n - 1] = (struct layout_event){ { at, size }, ids };
	free(bytes);
	return r;
}

/* The attrs of a file: the first entries that can be some. 1 when there are. */
static int find_attrs(struct layout *l, bool swap)
{
	uint64_t at, end = l->image->size < SEARCH_BYTES ? l->image->size : SEARCH_BYTES;
	uint32_t size = 0;
	int r = 0;

	for (at = PERFDATA_HEADER_BYTES; at < end; at += 8) {
		size = entry_at(l, at, swap);
		if (size)
			break;
	}
	if (!size)
		return 0;
	l->header.swap = swap;
	while (r == 0 && entry_at(l, at, swap) == size && l->events.n < EVENTS_MAX) {
		r = take_entry(l, at, size);
		at += size + sizeof(struct section);
	}
	/* other sections may lie between; they are no records */
	l->data = (struct section){ at, l->image->size - at };
	return r < 0 ? r : 1;
}

int salvage_layout(struct layout *l, struct image *im)
{
	struct layout fresh = { .image = im };
	int r;

	layout_free(l);
	*l = fresh;
	l->header.version = 2;
	l->evlist.reader = &l->holder;
	r = find_attrs(l, false);
	if (r == 0)
		r = find_attrs(l, true);
	if (r)
		return r < 0 ? r : 0;
	/* a stream, whose records begin after 16 bytes with HEADER_ATTR */
	for (int swap = 0; swap < 2 && im->size > PERFDATA_PIPE_HEADER_BYTES; swap++) {
		const uint8_t *p = image_view(im, PERFDATA_PIPE_HEADER_BYTES, RECORD_HEADER_BYTES);

		if (p && record_header(p, swap).type == RECORD_HEADER_ATTR) {
			l->header.swap = swap;
			l->header.pipe = true;
		}
	}
	l->data.offset = l->header.pipe ? PERFDATA_PIPE_HEADER_BYTES : PERFDATA_HEADER_BYTES;
	if (l->data.offset > im->size)
		l->data.offset = im->size;
	l->data.size = im->size - l->data.offset;
	return 0;
}

static int events_of_records(struct layout *l)
{
	struct image_scan s = scan_of(l);
	struct scanned r;
	enum scan_step step;
	int failed = 0;

	while (failed == 0 && (step = image_scan_next(&s, &r)) != SCAN_END)
		if (step == SCAN_RECORD && r.h.type == RECORD_HEADER_ATTR &&
		    layout_add_attr_record(l, r.p, r.at, NULL) == -SONDE_NOMEM)
			failed = -SONDE_NOMEM;
	return failed;
}

/* A payload of EVENT_DESC: a count, the size of the attrs, and an attr that has this size. */
static bool is_event_desc(const uint8_t *p, size_t n, bool swap)
{
	uint32_t nr = n >= 8 + ATTR_SIZE_VER0 ? load_u32(p, swap) : 0, size = nr ? load_u32(p + 4, swap) : 0;

	return nr > 0 && nr < EVENTS_MAX && size && attr_size_at(p + 8, n - 8, swap) == size;
}

static int take_event_desc(struct layout *l, uint64_t at)
{
	uint64_t left = l->image->size - at;
	size_t n = left < SEARCH_BYTES ? (size_t)left : SEARCH_BYTES;
	struct meta *m = &l->meta;
	const uint8_t *p;
	int r = image_keep(l->image, at, &n, &l->holder.arena, &p, NULL);

	if (r < 0)
		return r;
	r = feature_decode(SONDE_FEAT_EVENT_DESC, p, n, at, l->header.swap, m, &l->holder.arena, NULL);
	if (r == -SONDE_NOMEM)
		return r;
	for (size_t i = 0; r == 0 && i < m->nr_event_descs; i++)
		if (layout_add_event(l, &m->event_descs[i].attr, m->event_descs[i].ids, m->event_descs[i].nr_ids) < 0)
			return -SONDE_NOMEM;
	return 0;
}

static int search_event_desc(struct layout *l)
{
	uint64_t view_at = 0, need = 8 + ATTR_SIZE_VER0;
	const uint8_t *p = NULL;
	int tries = 0, r = 0;
	size_t n = 0;

	for (uint64_t at = PERFDATA_PIPE_HEADER_BYTES;
	     r == 0 && l->events.n == 0 && tries < 16 && at + need <= l->image->size; at++) {
		if (!p || at - view_at + need > n) {
			view_at = at;
			p = image_view_some(l->image, at, IMAGE_VIEW_MAX, &n);
			if (!p || n < need)
				return 0;
		}
		if (!is_event_desc(p + (at - view_at), n - (size_t)(at - view_at), l->header.swap))
			continue;
		tries++;
		p = NULL;
		r = take_event_desc(l, at);
	}
	return r;
}

int salvage_events(struct layout *l)
{
	struct meta *m = &l->meta;
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->nr_event_descs; i++)
		r = layout_add_event(l, &m->event_descs[i].attr, m->event_descs[i].ids, m->event_descs[i].nr_ids);
	if (r == 0 && l->events.n == 0)
		r = events_of_records(l);
	for (int swap = 0; r == 0 && l->events.n == 0 && swap < 2; swap++) {
		r = search_event_desc(l);
		if (r == 0 && l->events.n == 0)
			l->header.swap = !l->header.swap;
	}
	return r;
}

int salvage_ids(struct layout *l)
{
	struct image_scan s = scan_of(l);
	struct id_recovery run = { 0 };
	struct scanned r;
	enum scan_step step;
	int failed = 0;

	if (l->evlist.nr_without_ids == 0)
		return 0;
	while (failed == 0 && (step = image_scan_next(&s, &r)) != SCAN_END) {
		if (step != SCAN_RECORD)
			continue;
		failed = id_recovery_take(&run, r.p, r.h.type, r.h.size, l->header.swap);
		if (id_recovery_is_whole(&run, r.h.type))
			break;
	}
	if (failed == 0)
		failed = id_recovery_share(&run, &l->evlist);
	id_recovery_free(&run);
	return failed;
}
