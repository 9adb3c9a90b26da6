/* SPDX-License-Identifier: MIT */
#include "perfdata/scan/scan.h"

#include <stdio.h>

#define LOOK_AHEAD_BYTES \
	(2 * RESYNC_BYTES) /* of the search for the next record: a chain, and room for it to begin in */

static bool finds_chain(const struct scan *s, size_t step, bool last)
{
	return records_begin(s->evlist, s->swap, s->p + step, at_hand(s) - step,
			     last && !s->unpacked ? resync_at_end(s->at + step) : RESYNC_RECORDS);
}

/* ---- damage ---- */

enum { QUOTED = 60 };

/* Bytes that are no records, as far as they have been passed. */
struct damage {
	bool zeros, text;            /* all of them */
	size_t nr_quoted;
	char quoted[QUOTED];         /* the first ones */
};

static const struct damage no_damage = { .zeros = true, .text = true };

static void note_damage(struct damage *d, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n && (d->zeros || d->text); i++) {
		d->zeros = d->zeros && p[i] == 0;
		d->text = d->text && ((p[i] >= ' ' && p[i] <= '~') || p[i] == '\n' || p[i] == '\r' || p[i] == '\t');
		if (d->nr_quoted < QUOTED)
			d->quoted[d->nr_quoted++] = (char)p[i];
	}
}

/* Messages of perf and others, where their standard error went to the same file or pipe: 2>&1. */
static const char *quote(struct scan *s, const struct damage *d)
{
	size_t len = 0;

	while (len < d->nr_quoted && d->quoted[len] != '\n' && d->quoted[len] != '\r')
		len++;
	snprintf(s->text, sizeof(s->text),
		 "{byte|bytes} of text that {is|are} no {record|records}, as messages of a recorder after 2>&1: "
		 "\"%.*s%s\"", (int)len,
		d->quoted,
		 len == QUOTED ? "..." : "");
	return s->text;
}

static int damaged(struct scan *s, struct scanned *out, enum check_rule rule, const struct damage *d)
{
	out->p = NULL;
	out->payload = 0;
	out->bytes = s->at - out->at;
	out->rule = rule;
	if (rule == CHECK_RECORD_UNWRITTEN)
		out->name = "zeros";
	else if (d->text && out->bytes)
		out->name = quote(s, d);
	else
		out->name = rule == CHECK_RECORD_CUT ? "{byte|bytes} of a record that is cut by the end" :
						       "{byte|bytes} that {is|are} no {record|records}";
	return SCAN_DAMAGE;
}

bool scan_cut(struct scan *s, struct scanned *out)
{
	struct damage d = no_damage;

	out->at = s->at;
	if (at_hand(s) == 0)
		return false;
	note_damage(&d, s->p, at_hand(s));
	scan_pass(s, at_hand(s));
	damaged(s, out, CHECK_RECORD_CUT, &d);
	return true;
}

/* Too few bytes for what is to come. */
static int end_of_bytes(struct scan *s, struct scanned *out)
{
	return !s->unpacked && scan_cut(s, out) ? SCAN_DAMAGE : SCAN_END;
}

static int pass_bytes(struct scan *s, struct scanned *out, size_t n)
{
	struct damage d = { 0 };

	scan_pass(s, n);
	return damaged(s, out, CHECK_RECORD_GARBAGE, &d);
}

/*
 * No record begins here: moves to the next place where a chain of them does. At any byte: whole words need not have
 * been lost.
 */
static int pass_damage(struct scan *s, struct scanned *out, struct sonde_error *err)
{
	struct damage d = no_damage;
	bool found = false, last = false;
	size_t step = 1, behind;
	int r;

	while (!found && !last) {
		r = scan_fill(s, LOOK_AHEAD_BYTES, err);
		if (r < 0)
			return r;
		last = r == 0;
		behind = last ? RECORD_HEADER_BYTES : RESYNC_BYTES;
		while (!found && at_hand(s) >= step + behind) {
			found = finds_chain(s, step, last);
			step += !found;
		}
		if (last && !found)
			step = at_hand(s);
		note_damage(&d, s->p, step);
		scan_pass(s, step);
		step = 0;
	}
	/* a recorder that was killed may have set blocks of zeros aside at the end */
	return damaged(s, out, !found && d.zeros && !s->unpacked ? CHECK_RECORD_UNWRITTEN : CHECK_RECORD_GARBAGE, &d);
}

/* ---- records ---- */

/*
 * How many of the next @n bytes lie before a chain of other records, so that they are none: 0 if there is no chain, or
 * negative.
 */
static int bytes_before_chain(struct scan *s, uint64_t n, struct sonde_error *err)
{
	int r = scan_fill(s, LOOK_AHEAD_BYTES, err);
	size_t most = r > 0 ? LOOK_AHEAD_BYTES - RESYNC_BYTES : SIZE_MAX;

	if (r < 0)
		return r;
	for (size_t step = 1; step < n && step < most && step + RECORD_HEADER_BYTES <= at_hand(s); step++)
		if (finds_chain(s, step, r == 0))
			return (int)step;
	return 0;
}

static int read_header(struct scan *s, struct record_header *h, struct sonde_error *err)
{
	int r = scan_fill(s, RECORD_HEADER_BYTES, err);

	if (r <= 0)
		return r;
	*h = record_header(s->p, s->swap);
	if (h->type == RECORD_COMPRESSED2 && !s->unpacked) {
		r = scan_fill(s, 16, err);
		if (r > 0)
			*h = record_header_at(s->p, 16, s->swap);
	}
	return r < 0 ? r : 1;
}

static int take_record(struct scan *s, struct scanned *out)
{
	out->p = s->p;
	out->bytes = out->h.size + out->payload;
	return SCAN_RECORD;
}

/* Another record begins inside of this one, or this one contradicts itself: it is none. */
static int judge_doubtful(struct scan *s, struct scanned *out, struct sonde_error *err)
{
	int r = bytes_before_chain(s, out->h.size + out->payload, err);

	if (r != 0)
		return r < 0 ? r : pass_bytes(s, out, (size_t)r);
	if (at_hand(s) < out->h.size)
		return end_of_bytes(s, out);
	return record_is_sound(s->evlist, s->swap, s->p, &out->h) ? take_record(s, out) : pass_damage(s, out, err);
}

/*
 * A record with bytes after it beyond its size. Where they lead past the end of the file the size may be damaged:
 * records are looked for right after the record then.
 */
static int judge_payload(struct scan *s, struct scanned *out, struct sonde_error *err)
{
	uint64_t left = s->limit == SONDE_NONE ? UINT64_MAX : s->limit - s->at - out->h.size;
	uint8_t bytes[RECORD_HEADER_BYTES];
	struct record_header next;

	if (out->payload > left) {
		out->missing = out->payload - left;
		out->payload = 0;
		return take_record(s, out);
	}
	if (!s->peek || left - out->payload < RECORD_HEADER_BYTES ||
	    !s->peek(s, s->at + out->h.size + out->payload, bytes, sizeof(bytes)))
		return take_record(s, out);
	next = record_header(bytes, s->swap);
	return record_may_follow(&out->h, &next) ? take_record(s, out) : judge_doubtful(s, out, err);
}

/* Nobody writes these into compressed records: they would nest, or their bytes follow in the file. */
static bool has_no_place(const struct scan *s, const struct scanned *r)
{
	return s->unpacked && (r->payload || r->h.type == RECORD_COMPRESSED || r->h.type == RECORD_COMPRESSED2);
}

/*
 * Makes @n bytes available, but of a live stream only those that have come: 1, 0 if there are not so many, or negative.
 */
static int look_ahead(struct scan *s, uint64_t n, struct sonde_error *err)
{
	return s->live ? at_hand(s) >= n : scan_fill(s, n, err);
}

/* A header of a size that no recorder of today writes needs a witness: a third record, or the end. */
static int has_witness(struct scan *s, const struct record_header *h, const struct record_header *next,
		       struct sonde_error *err)
{
	uint64_t after = (uint64_t)h->size + next->size;
	struct record_header third;
	int r;

	if (record_is_aligned(next))
		return 1;
	r = look_ahead(s, after + RECORD_HEADER_BYTES, err);
	if (r <= 0)
		return r < 0 ? r : s->live || s->unpacked || at_hand(s) == after;
	third = record_header(s->p + after, s->swap);
	return record_may_begin(&third);
}

static int judge_follower(struct scan *s, struct scanned *out, struct sonde_error *err)
{
	struct record_header next;
	int r = look_ahead(s, out->h.size + (uint64_t)RECORD_HEADER_BYTES, err);

	if (r <= 0)
		return r < 0 ? r : take_record(s, out);
	next = record_header(s->p + out->h.size, s->swap);
	r = record_may_follow(&out->h, &next) ? has_witness(s, &out->h, &next, err) : 0;
	return r < 0 ? r : r > 0 ? take_record(s, out) : judge_doubtful(s, out, err);
}

static int judge(struct scan *s, struct scanned *out, struct sonde_error *err)
{
	int r = scan_fill(s, out->h.size, err);

	if (r < 0)
		return r;
	if (r == 0)
		return s->unpacked ? SCAN_END : judge_doubtful(s, out, err);
	out->payload = record_payload(s->p, &out->h, s->swap);
	if (has_no_place(s, out)) {
		r = pass_bytes(s, out, out->h.size);
		out->rule = CHECK_RECORD_UNPACK;
		out->name = "{byte|bytes} of records that have no place in compressed ones";
		return r;
	}
	if (out->payload)
		return judge_payload(s, out, err);
	return judge_follower(s, out, err);
}

int scan_next(struct scan *s, struct scanned *out, struct sonde_error *err)
{
	int r = read_header(s, &out->h, err);

	out->at = s->at;
	out->payload = out->missing = 0;
	if (r <= 0)
		return r < 0 ? r : end_of_bytes(s, out);
	return record_may_begin(&out->h) ? judge(s, out, err) : pass_damage(s, out, err);
}
