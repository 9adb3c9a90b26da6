/* SPDX-License-Identifier: MIT */
/*
 * look_ahead.c - plain records that lie at hand, found while another thread does something else, so that walk.c
 * need not look at them.
 */
#include "perfdata/read/look_ahead.h"

#include "order/sample_sums.h"
#include "perfdata/read/sample_head.h"

/* Where the walk would look next; NULL if it must do something else first. */
static const struct walk_bytes *next_bytes(const struct walk *w)
{
	const struct walk_bytes *b = at_hand(&w->unpacked.scan) ? &w->unpacked : &w->file;

	/* files of a directory have passes instead of marks, which the walk notes */
	if (w->replay.n || w->part || (b == &w->file && (w->skip || w->unpacker.waiting)))
		return NULL;
	return b;
}

/* Records that make the walk write into its ledger are not plain. */
static bool is_plain(uint32_t type)
{
	if (type == RECORD_LOST || type == RECORD_LOST_SAMPLES || type == RECORD_THROTTLE || type == RECORD_AUX)
		return false;
	return type < RECORD_USER || type == RECORD_FINISHED_ROUND;
}

/* The time of a record, 0 if the walk has to look at it. */
static inline uint64_t find_time(const struct evlist *evlist, const uint8_t *p, const struct record_header *h,
				 bool swap, struct evsel_hint *hint)
{
	bool sample = h->type == RECORD_SAMPLE;
	const struct evsel *s;
	const uint8_t *at;
	uint64_t id, time;

	s = evlist_find_beside(evlist, p, h->size, sample, swap, &id, hint);
	at = s ? evsel_field(s, p, h->size, sample, AT_TIME) : NULL;
	time = at ? load_u64(at, swap) : 0;
	return time == SONDE_NONE ? 0 : time;
}

/* Adds samples up, as far as the next record that is none or has to be handed out. Returns their bytes. */
static inline __attribute__((always_inline)) uint64_t count(struct sample_sums *sums, const struct evlist *evlist,
							    const uint8_t *p, const uint8_t *end, bool swap,
							    struct evsel_hint *hint, struct look_ahead *a)
{
	const uint8_t *begin = p;
	uint64_t oldest = a->oldest, newest = a->newest, id;
	struct record_header h, next;

	for (h = record_header(p, swap); h.type == RECORD_SAMPLE && end - p >= h.size + RECORD_HEADER_BYTES; h = next) {
		const struct evsel *s;
		struct sample_head head;

		next = record_header(p + h.size, swap);
		if (!record_is_plain(&h, &next))
			break;
		s = evlist_find_beside(evlist, p, h.size, true, swap, &id, hint);
		if (!sample_has_head(s, &h))
			break;
		sample_head_load(s, p, &h, swap, &head);
		if (!sample_sums_takes(&head))
			break;
		sample_sums_add(sums, &head);
		oldest = head.time < oldest ? head.time : oldest;
		newest = head.time > newest ? head.time : newest;
		p += h.size;
	}
	a->oldest = oldest;
	a->newest = newest;
	return (uint64_t)(p - begin);
}

/* Inlined with a constant @swap: the loop has no branches for it. */
static inline __attribute__((always_inline)) void look(const struct walk_bytes *b, const struct evlist *evlist,
						       bool swap, struct look_ahead *a)
{
	const uint8_t *p = b->scan.p, *end = b->scan.end;
	struct sample_sums *sums = evlist->machines.n ? NULL : b->walk->f->base.sums;
	struct evsel_hint hint = { 0 };
	struct record_header h, next;
	uint64_t counted;

	if (end - p < RECORD_HEADER_BYTES)
		return;
	for (h = record_header(p, swap); a->n < a->max_refs && a->passed < a->max_bytes && !a->mark.p; h = next) {
		struct record_ref ref = { .block = b->block };

		if (sums) {
			counted = count(sums, evlist, p, end, swap, &hint, a);
			p += counted;
			a->passed += counted;
			a->counted += counted;
			h = record_header(p, swap);
		}
		ref.p = p;
		ref.size = h.size;
		if (!is_plain(h.type) || end - p < h.size + RECORD_HEADER_BYTES)
			return;
		next = record_header(p + h.size, swap);
		if (!record_is_plain(&h, &next))
			return;
		if (h.type == RECORD_FINISHED_ROUND) {
			ref.time = SONDE_NONE;
			ref.mark = MARK_ROUND;
			a->mark = ref;
		} else {
			ref.time = find_time(evlist, p, &h, swap, &hint);
			if (ref.time == 0)
				return;
			a->nomem = vec_push(a->refs, ref) < 0;
			if (a->nomem)
				return;
			a->n++;
		}
		p += h.size;
		a->passed += h.size;
	}
}

void perfdata_walk_ahead(const struct walk *w, struct look_ahead *a)
{
	const struct walk_bytes *b = next_bytes(w);

	if (b && w->f->header.swap)
		look(b, &w->f->evlist, true, a);
	else if (b)
		look(b, &w->f->evlist, false, a);
}

void perfdata_walk_take_ahead(struct walk *w, const struct look_ahead *a)
{
	struct walk_bytes *b = (struct walk_bytes *)next_bytes(w);

	if (!a->passed)
		return;
	scan_pass(&b->scan, a->passed);
	w->f->blocks.list.at[b->block].pins += (uint32_t)a->n;
}
