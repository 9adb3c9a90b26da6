/* SPDX-License-Identifier: MIT */
/*
 * time_range.c - the part of an extent that a time range is in
 *
 * A page says when its first event was, and a CPU writes its pages one after the other: what is in a page happened
 * before the next one began. So the part begins with the last page that is older than the range, and ends before the
 * first that is newer. Clocks go back now and then, by less than SLACK_NS; when the pages that are looked at are not in
 * order all the same, or one of them is none, the whole extent is read.
 *
 * Plain pages: all headers are looked at. Of chunks nothing is known until they have been decompressed, so PROBES of
 * them are, spread evenly, and others by halving the distance between two of those. A clock that went back between two
 * probes by more than SLACK_NS, and had made up for it by the next one, is not found.
 */
#include "tracedat/format/time_range.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

#define SLACK_NS 10000000
#define PROBES 16
#define CHUNKS_MIN 4                 /* fewer are not worth a search */
#define CHUNK_HEADER 8
#define HEADER_BYTES_MAX 128         /* see dat_page_layout_parse() */
#define NOT_KNOWN UINT64_MAX

struct time_range {
	uint64_t min, max;           /* with the slack */
};

/* The chunks of a compressed extent. */
struct chunks {
	const struct time_range_extent *extent;
	const struct time_range_ops *ops;
	void *ctx;
	VEC(uint64_t) at;            /* offsets in the file */
	uint64_t *times;             /* of the first event of each; NOT_KNOWN: not looked at */
};

static void narrow_plain(struct time_range_extent *extent, const struct time_range_ops *ops, void *ctx,
			 struct time_range want)
{
	uint64_t start = extent->at, end = extent->end, last = 0, time;
	uint8_t room[HEADER_BYTES_MAX];
	size_t n = extent->header_bytes;

	for (uint64_t at = extent->at; at < extent->end; at += extent->page_size) {
		const uint8_t *p = extent->end - at >= n && n <= sizeof(room) ? ops->header(ctx, at, room, n) : NULL;
		int r = p ? ops->time_of(ctx, p, n, &time) : -1;

		if (r < 0 || (r > 0 && time < last))
			return;
		if (r == 0) {
			at += ops->hole(ctx, at + extent->page_size, extent->end, extent->page_size);
			continue;
		}
		if (time < want.min)
			start = at;
		else if (time > want.max && at < end)
			end = at;
		last = time;
	}
	extent->at = start < end ? start : end;
	extent->end = end;
}

/* Where the chunks are: false if not all of them are there. */
static bool find_chunks(struct chunks *p)
{
	uint64_t at = p->extent->at, end = p->extent->end;

	for (uint32_t i = 0; i < p->extent->nr_chunks; i++) {
		uint32_t packed, size;

		if (at > end || end - at < CHUNK_HEADER || !p->ops->chunk(p->ctx, at, &packed, &size) ||
		    packed > end - at - CHUNK_HEADER || vec_push(&p->at, at) < 0)
			return false;
		at += CHUNK_HEADER + (uint64_t)packed;
	}
	return true;
}

/* The time of the first page of chunk i: 1, -1 if it has none. */
static int probe(struct chunks *p, size_t i, uint64_t *time)
{
	uint32_t packed, size;
	const uint8_t *page;

	*time = p->times[i];
	if (*time != NOT_KNOWN)
		return 1;
	if (!p->ops->chunk(p->ctx, p->at.at[i], &packed, &size) || size == 0)
		return -1;
	page = p->ops->unpack(p->ctx, p->at.at[i], packed, size);
	if (!page || p->ops->time_of(p->ctx, page, size, time) <= 0)
		return -1;
	p->times[i] = *time;
	return 1;
}

/* Looks at chunks all over the extent: false if they are not in order. */
static bool probe_evenly(struct chunks *p)
{
	size_t n = p->at.n, nr = n < PROBES ? n : PROBES;
	uint64_t last = 0, time;

	for (size_t k = 0; k < nr; k++) {
		if (probe(p, k * (n - 1) / (nr - 1), &time) < 0 || time < last)
			return false;
		last = time;
	}
	return true;
}

/* The first chunk that is not older than @limit; false if what is found on the way is not in order. */
static bool first_from(struct chunks *p, uint64_t limit, size_t *out)
{
	size_t low = 0, high = p->at.n;  /* older: those before low; not older: high and those after it */
	uint64_t from = 0, to = UINT64_MAX, time;

	for (size_t i = 0; i < p->at.n; i++) {  /* chunks whose time is known already */
		if (p->times[i] == NOT_KNOWN)
			continue;
		if (p->times[i] < limit) {
			low = i + 1;
			from = p->times[i];
		} else {
			high = i;
			to = p->times[i];
			break;
		}
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (probe(p, middle, &time) < 0 || time < from || time > to)
			return false;
		if (time < limit) {
			low = middle + 1;
			from = time;
		} else {
			high = middle;
			to = time;
		}
	}
	*out = low;
	return true;
}

static int narrow_packed(struct time_range_extent *extent, const struct time_range_ops *ops, void *ctx,
			 struct time_range want)
{
	struct chunks p = { .extent = extent, .ops = ops, .ctx = ctx };
	size_t first, behind;
	int r = 0;

	if (find_chunks(&p) && p.at.n >= CHUNKS_MIN) {
		p.times = malloc(p.at.n * sizeof(*p.times));
		r = p.times ? 0 : -SONDE_NOMEM;
	}
	if (p.times) {
		memset(p.times, 0xff, p.at.n * sizeof(*p.times));
		behind = p.at.n;
		if (probe_evenly(&p) && first_from(&p, want.min, &first) &&
		    (want.max == UINT64_MAX || first_from(&p, want.max + 1, &behind))) {
			first -= first > 0;  /* its last events may be younger */
			if (behind < p.at.n)
				extent->end = p.at.at[behind];
			extent->nr_chunks = (uint32_t)(behind - (first < behind ? first : behind));
			extent->at = extent->nr_chunks ? p.at.at[first] : extent->end;
		}
	}
	vec_free(&p.at);
	free(p.times);
	return r;
}

int dat_time_range_narrow(struct time_range_extent *extent, const struct time_range_ops *ops, void *ctx, uint64_t min,
			  uint64_t max)
{
	struct time_range want = { min > SLACK_NS ? min - SLACK_NS : 0,
				   max < UINT64_MAX - SLACK_NS ? max + SLACK_NS : UINT64_MAX };

	if (extent->packed)
		return narrow_packed(extent, ops, ctx, want);
	narrow_plain(extent, ops, ctx, want);
	return 0;
}
