/* SPDX-License-Identifier: MIT */
/*
 * scan.h - from record to record through bytes that may be damaged
 *
 * The one judge of where a record begins: the reader, check and every rewriting go by it, wherever their bytes come
 * from. A record is followed by another one or by the end; where that is in doubt it keeps every rule itself, and no
 * chain of records begins inside of it. Behind damage the next record is the first of a chain (resync.h).
 */
#ifndef PERFDATA_SCAN_SCAN_H
#define PERFDATA_SCAN_SCAN_H

#include "perfdata/scan/record_check.h"
#include "perfdata/scan/resync.h"

/* Bytes at hand, and how to get more. */
struct scan {
	const uint8_t *p, *end;
	uint64_t at;                 /* place of p */
	uint64_t limit;              /* place where the records end; SONDE_NONE: not known yet */
	struct evlist *evlist;
	bool swap;
	bool live;                   /* a stream: a record is not held back until the next one comes */
	bool unpacked;               /* out of compressed records: the rest of a record may come with the next one */
	char text[160];              /* of the damage that was passed last, if it is text */
	/*
	 * Makes @need bytes available at p: 1, 0 if there are no more (SCAN_END comes again when there are), negative
	 * on failure.
	 */
	int (*fill)(struct scan *s, uint64_t need, struct sonde_error *err);
	/* The @n bytes at a place far ahead; false if they cannot be had without those before them. NULL: never. */
	bool (*peek)(struct scan *s, uint64_t at, void *to, size_t n);
};

enum scan_step {
	SCAN_END,
	SCAN_RECORD,
	SCAN_DAMAGE,
};

/* The result of one step. */
struct scanned {
	uint64_t at, bytes;          /* of a record with the payload that follows it */
	const uint8_t *p;            /* SCAN_RECORD: a view of h.size bytes */
	struct record_header h;      /* SCAN_DAMAGE: of the first bytes, read as a header, if there are enough */
	uint64_t payload;
	uint64_t missing;            /* bytes of the payload that the file has not; payload is 0 then */
	enum check_rule rule;        /* SCAN_DAMAGE: the broken rule, and the name of the bytes in the plural */
	const char *name;
};

static inline size_t at_hand(const struct scan *s)
{
	return (size_t)(s->end - s->p);
}

static inline void scan_pass(struct scan *s, uint64_t n)
{
	s->p += n;
	s->at += n;
}

static inline int scan_fill(struct scan *s, uint64_t need, struct sonde_error *err)
{
	return at_hand(s) >= need ? 1 : s->fill(s, need, err);
}

/* Whether another record can begin with the header @next after the record @h. */
static inline bool record_may_follow(const struct record_header *h, const struct record_header *next)
{
	return record_may_begin(next) && (h->size % 8 == 0 || record_is_aligned(h) || record_type_find(next->type));
}

/* Whether nothing is in doubt about a record without a payload that is followed by the header @next. */
static inline bool record_is_plain(const struct record_header *h, const struct record_header *next)
{
	return record_may_begin(h) && next->size % 8 == 0 && record_may_follow(h, next);
}

/**
 * scan_next - the next record, at which the scan then stands, or damage, which it has passed
 * Returns an enum scan_step, or negative on failure. scan_pass() steps over a record.
 */
int scan_next(struct scan *s, struct scanned *out, struct sonde_error *err);

/* All bytes at hand are a record that is cut by the end; false if there are none. */
bool scan_cut(struct scan *s, struct scanned *out);

#endif
