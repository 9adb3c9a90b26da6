/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/scan.h"

#include "perfdata/scan/resync.h"

/* The first place from `from` on where a chain begins; s->end if there is none. *zeros: all that is passed is 0. */
static uint64_t resynchronise(const struct scan *s, uint64_t from, bool *zeros)
{
	const uint8_t *p = NULL;
	uint64_t view_at = 0;
	size_t n = 0;

	*zeros = true;
	for (uint64_t at = from; at + RECORD_HEADER_BYTES <= s->end; at++) {
		uint64_t left = s->end - at, want = left < RESYNC_BYTES ? left : RESYNC_BYTES;
		struct record_header h;

		if (!p || at - view_at + want > n) {
			view_at = at;
			p = image_view_some(s->image, at, left, &n);
			if (!p)
				return s->end;
		}
		h = record_header(p + (at - view_at), s->swap);
		if (record_may_begin(&h) && h.type < RECORD_HEADER_MAX &&
		    records_begin(s->sources, s->swap, p + (at - view_at), n - (at - view_at), view_at + n == s->end ? resync_at_end(at) : RESYNC_RECORDS))
			return at;
		if (p[at - view_at])
			*zeros = false;
	}
	return s->end;
}

/* The header of a known type; *size: of its record. */
static bool is_header(const struct scan *s, uint64_t at, uint16_t *size, bool *aligned)
{
	const struct record_type *row;
	struct record_header h;
	const uint8_t *p;
	size_t n = 0;

	p = s->end - at >= RECORD_HEADER_BYTES ? image_view_some(s->image, at, s->end - at < 16 ? s->end - at : 16, &n) : NULL;
	if (n < RECORD_HEADER_BYTES)
		return false;
	h = record_header_at(p, n, s->swap);
	row = record_type_find(h.type);
	*size = h.size;
	*aligned = record_is_aligned(&h);
	return record_may_begin(&h) && (!row || h.size >= row->min_size);
}

/*
 * Whether at this place the input ends or another record can begin. Looks at headers only: in a file whose events are
 * not described no record is sound, and yet they are records. Sizes that no recorder of today writes need a witness.
 */
static bool can_go_on(const struct scan *s, uint64_t at)
{
	bool aligned, aligned_again;
	uint16_t size, next;

	if (at == s->end)
		return true;
	if (!is_header(s, at, &size, &aligned))
		return false;
	return aligned || (size <= s->end - at && (at + size == s->end || is_header(s, at + size, &next, &aligned_again)));
}

static enum scan_step pass(struct scan *s, struct scanned *out, uint64_t bytes, enum scan_step step)
{
	out->at = s->at;
	out->bytes = bytes;
	s->at += bytes;
	return step;
}

/* Nothing that can be trusted begins here. */
static enum scan_step pass_damage(struct scan *s, struct scanned *out, bool cut)
{
	bool zeros;
	uint64_t next = resynchronise(s, s->at + 1, &zeros);
	const uint8_t *first = image_view(s->image, s->at, 1);

	if (next == s->end && cut)
		return pass(s, out, next - s->at, SCAN_CUT);
	return pass(s, out, next - s->at, next == s->end && zeros && first && !*first ? SCAN_ZEROS : SCAN_GARBAGE);
}

enum scan_step scan_next(struct scan *s, struct scanned *out)
{
	uint64_t left = s->end - s->at, next, after;
	const uint8_t *p;
	bool zeros, sound;
	size_t n = 0;

	*out = (struct scanned){ .at = s->at };
	if (left == 0)
		return SCAN_END;
	p = left >= RECORD_HEADER_BYTES ? image_view_some(s->image, s->at, left < 16 ? left : 16, &n) : NULL;
	if (n < RECORD_HEADER_BYTES)
		return pass(s, out, left, SCAN_CUT);
	out->h = record_header_at(p, n, s->swap);
	if (!record_may_begin(&out->h))
		return pass_damage(s, out, false);
	if (out->h.size > left)
		return pass_damage(s, out, true);
	p = image_view(s->image, s->at, out->h.size);
	if (!p)
		return pass(s, out, left, SCAN_CUT);
	out->payload = record_payload(p, &out->h, s->swap);
	if (out->payload > left - out->h.size)
		return pass_damage(s, out, true);
	next = s->at + out->h.size + out->payload;
	if (!can_go_on(s, next)) {
		p = image_view(s->image, s->at, out->h.size);
		sound = p && record_is_sound(s->sources, s->swap, p, &out->h);
		/* What others begin inside of is none itself. */
		after = resynchronise(s, s->at + RECORD_HEADER_BYTES, &zeros);
		if (!sound || after < next)
			return pass(s, out, after - s->at, SCAN_GARBAGE);
	}
	out->p = image_view(s->image, s->at, out->h.size);
	return pass(s, out, out->h.size + out->payload, out->p ? SCAN_RECORD : SCAN_CUT);
}
