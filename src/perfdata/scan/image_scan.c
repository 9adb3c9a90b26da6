/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/image_scan.h"

/* Most records and the header behind them are shorter, so one view is enough for their header and the rest. */
#define USUAL_BYTES 512

static size_t view(struct scan *s, uint64_t bytes)
{
	uint64_t left = s->limit - s->at;
	size_t n;

	s->p = image_view_some(((struct image_scan *)s)->image, s->at, bytes < left ? bytes : left, &n);
	s->end = s->p + n;
	return n;
}

static int fill(struct scan *s, uint64_t need, struct sonde_error *err)
{
	(void)err;  /* a failure looks like the end, and is asked for there: image_failed() */
	return (need < USUAL_BYTES && view(s, USUAL_BYTES) >= need) || view(s, need) >= need;
}

static bool peek(struct scan *s, uint64_t at, void *to, size_t n)
{
	const uint8_t *p = image_peek(((struct image_scan *)s)->image, at, n, to);

	if (p && p != to)
		memcpy(to, p, n);
	return p;
}

struct image_scan image_scan(struct image *im, struct evlist *evlist, bool swap, uint64_t at, uint64_t end)
{
	return (struct image_scan){
		{ .at = at, .limit = end, .evlist = evlist, .swap = swap, .fill = fill, .peek = peek }, im
	};
}

static enum scan_step step_over(struct image_scan *s, struct scanned *out)
{
	int step;

	s->scan.p = s->scan.end = NULL;  /* others have looked at the image since */
	step = scan_next(&s->scan, out, NULL);
	if (step == SCAN_RECORD)
		s->scan.at += out->bytes;
	return step < 0 ? SCAN_END : (enum scan_step)step;
}

/* The damage after a record without its payload belongs to it where it goes on up to the end. */
static enum scan_step take_cut(struct image_scan *s, struct scanned *out)
{
	struct image_scan behind = *s;
	struct scanned rest;

	if (step_over(&behind, &rest) != SCAN_DAMAGE || behind.scan.at < s->scan.limit)
		rest = (struct scanned){ .bytes = 0 };
	out->rule = CHECK_RECORD_CUT;
	out->name = "{byte|bytes} of a record that is cut by the end";
	out->bytes += rest.bytes;
	s->scan.at += rest.bytes;
	return SCAN_DAMAGE;
}

enum scan_step image_scan_next(struct image_scan *s, struct scanned *out)
{
	enum scan_step step = step_over(s, out);

	return step == SCAN_RECORD && out->missing ? take_cut(s, out) : step;
}
