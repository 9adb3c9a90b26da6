/* SPDX-License-Identifier: MIT */
/*
 * look_ahead.c - plain records that lie at hand, found while another thread does something else, so that walk.c
 * need not look at them.
 */
#include "perfdata/read/look_ahead.h"

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

/* Inlined with a constant @swap: the loop has no branches for it. */
static inline __attribute__((always_inline)) void look(const struct walk_bytes *b, const struct evlist *evlist,
						       bool swap, struct look_ahead *a)
{
	const uint8_t *p = b->scan.p, *end = b->scan.end;
	struct evsel_hint hint = { 0 };
	struct record_header h, next;

	if (end - p < RECORD_HEADER_BYTES)
		return;
	for (h = record_header(p, swap); a->n < a->max_refs && a->passed < a->max_bytes && !a->mark.p; h = next) {
		struct record_ref ref = { .p = p, .block = b->block, .size = h.size };

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
