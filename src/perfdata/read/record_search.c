/* SPDX-License-Identifier: MIT */
/* record_search.c - where the next record of a walk is: the one that begins here, or behind damage the next chain of them. */
#include "perfdata/read/record_search.h"

#include <stdio.h>

#include "perfdata/format/compressed.h"
#include "perfdata/read/unpack.h"
#include "perfdata/read/walk_loss.h"
#include "perfdata/scan/resync.h"

#define LOOK_AHEAD_BYTES (2 * RESYNC_BYTES)  /* of the search for the next record: a chain, and room for it to begin in */

static bool finds_chain(const struct walk *w, const struct span *s, size_t step, bool last)
{
	return records_begin(&w->f->sources, w->f->header.swap, s->p + step, at_hand(s) - step,
			    last && s == &w->file ? resync_at_end(s->at + step) : RESYNC_RECORDS);
}

enum { QUOTED = 60 };

/* Bytes that are no records, as far as they have been passed over. */
struct damage {
	bool zeros, text;            /* all of them */
	size_t nr_quoted;
	char quoted[QUOTED];         /* the first ones */
};

static void note_damage(struct damage *d, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && (d->zeros || d->text); i++) {
		d->zeros = d->zeros && p[i] == 0;
		d->text = d->text && ((p[i] >= ' ' && p[i] <= '~') || p[i] == '\n' || p[i] == '\r' || p[i] == '\t');
		if (d->nr_quoted < QUOTED)
			d->quoted[d->nr_quoted++] = (char)p[i];
	}
}

/* What perf and others say on their standard error, where that went to the same file or pipe: 2>&1. */
static void lose_text(struct walk *w, uint64_t place, uint64_t n, const struct damage *d)
{
	size_t len = 0;
	char what[160];

	while (len < d->nr_quoted && d->quoted[len] != '\n' && d->quoted[len] != '\r')
		len++;
	snprintf(what, sizeof(what), "bytes of text that are no records, as messages of a recorder behind 2>&1: \"%.*s%s\"", (int)len, d->quoted,
		 len == QUOTED ? "..." : "");
	walk_lose(w, place, SONDE_LOSS_CORRUPT, n, what);
}

static void lose_damage(struct walk *w, uint64_t place, uint64_t n, const struct damage *d)
{
	if (d->text && n)
		lose_text(w, place, n, d);
	else
		walk_lose(w, place, SONDE_LOSS_CORRUPT, n, "bytes that are no records");
}

/*
 * Called where no record can begin: moves to the next place where a chain of records does. At any byte: what is lost before
 * need not have been whole words. 1, 0 if there is none, or negative.
 */
static int pass_damage(struct walk *w, struct span *s, struct sonde_error *err)
{
	uint64_t from = s->at, place = walk_place(w, s);
	size_t step = 1, behind;
	struct damage damage = { .zeros = w->f->unfinished, .text = true };
	bool found = false, last = false;
	int r;

	while (!found && !last) {
		r = walk_fill(w, s, LOOK_AHEAD_BYTES, err);
		if (r < 0)
			return r;
		last = r == 0;
		behind = last ? RECORD_HEADER_BYTES : RESYNC_BYTES;
		while (!found && at_hand(s) >= step + behind) {
			found = finds_chain(w, s, step, last);
			step += !found;
		}
		note_damage(&damage, s->p, last && !found ? at_hand(s) : step);
		pass(s, last && !found ? at_hand(s) : step);
		step = 0;
	}
	/* a recorder that was killed may have set blocks of zeros aside at the end */
	if (found || !damage.zeros)
		lose_damage(w, place, s->at - from, &damage);
	return found;
}

uint64_t walk_payload_size(struct walk *w, const struct span *s, const struct record_header *h)
{
	uint64_t n = record_payload(s->p, h, w->f->header.swap), left = w->end - s->at - h->size;

	if (s != &w->file || w->end == SONDE_NONE || n <= left)
		return n;
	walk_lose(w, s->at, SONDE_LOSS_TRUNCATED, n - left, "bytes of trace data behind a record are missing");
	return 0;
}

/* The input has ended within a record. Among decompressed bytes that is normal: the rest is in the next compressed record. */
static int lose_rest(struct walk *w, struct span *s)
{
	struct damage damage = { .text = true };

	if (s != &w->file)
		return 0;
	note_damage(&damage, s->p, at_hand(s));
	if (at_hand(s) && damage.text)
		lose_text(w, walk_place(w, s), at_hand(s), &damage);
	else if (at_hand(s))
		walk_lose(w, walk_place(w, s), SONDE_LOSS_TRUNCATED, at_hand(s), "bytes of a record that is cut by the end");
	pass(s, at_hand(s));
	return 0;
}

bool walk_is_doubtful(const struct walk *w, const struct span *s, const struct record_header *h)
{
	size_t n = at_hand(s);
	struct record_header next;

	if (n < h->size)
		return true;
	if (n < h->size + (size_t)RECORD_HEADER_BYTES)
		return false;
	next = record_header(s->p + h->size, w->f->header.swap);
	if (record_may_begin(&next) && (h->size % 8 == 0 || record_is_aligned(h) || record_type_find(next.type)))
		return false;
	return record_payload(s->p, h, w->f->header.swap) == 0;
}

/*
 * What a chain of others begins inside of is none itself: its size is damaged. How many bytes before them there are, 0 if there is
 * no chain, or negative.
 */
static int bytes_before_chain(struct walk *w, struct span *s, const struct record_header *h, struct sonde_error *err)
{
	int r = walk_fill(w, s, LOOK_AHEAD_BYTES, err);

	if (r < 0)
		return r;
	for (size_t step = RECORD_HEADER_BYTES; step < h->size && step + RECORD_HEADER_BYTES <= at_hand(s); step++)
		if (finds_chain(w, s, step, r == 0))
			return (int)step;
	return 0;
}

static int read_record_header(struct walk *w, struct span *s, struct record_header *h, struct sonde_error *err)
{
	int r = walk_fill(w, s, RECORD_HEADER_BYTES, err);

	if (r <= 0)
		return r;
	*h = record_header(s->p, w->f->header.swap);
	if (h->type == RECORD_COMPRESSED2 && s == &w->file) {
		r = walk_fill(w, s, 16, err);
		if (r > 0)
			h->size = compressed2_size(s->p, h->size, w->f->header.swap);
	}
	return r < 0 ? r : 1;
}

int walk_find_record(struct walk *w, struct span *s, struct record_header *h, struct sonde_error *err)
{
	int r;

	for (;;) {
		r = read_record_header(w, s, h, err);
		if (r < 0)
			return r;
		if (r == 0)
			return lose_rest(w, s);
		if (record_may_begin(h)) {
			r = walk_fill(w, s, h->size, err);
			if (r < 0 || (r > 0 && !walk_is_doubtful(w, s, h)))
				return r;
			if (r == 0 && s != &w->file)
				return 0;
			r = bytes_before_chain(w, s, h, err);
			if (r < 0)
				return r;
			if (r == 0 && at_hand(s) < h->size)
				return lose_rest(w, s);
			if (r == 0 && record_is_sound(&w->f->sources, w->f->header.swap, s->p, h))
				return 1;
			if (r > 0) {
				walk_lose(w, walk_place(w, s), SONDE_LOSS_CORRUPT, (uint64_t)r, "bytes that are no records");
				pass(s, (uint64_t)r);
				continue;
			}
		}
		r = pass_damage(w, s, err);
		if (r <= 0)
			return r;
	}
}
