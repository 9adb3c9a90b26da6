/* SPDX-License-Identifier: MIT */
/*
 * span.c - the part of a region that a span of time is in
 *
 * A page says when its first event was, and a CPU writes its pages one after the other: what is in a page happened before the next one
 * began. So the part begins with the last page that is older than the span, and ends before the first that is newer. Clocks go back
 * now and then, by less than SLACK_NS; when the pages that are looked at are not in order all the same, or one of them is none, the
 * whole region is read.
 *
 * Plain pages: all headers are looked at. Of compressed pieces nothing is known until they have been decompressed, so PROBES of them
 * are, spread evenly, and others by halving the distance between two of those. A clock that went back between two probes by more than
 * SLACK_NS, and had made up for it by the next one, is not found.
 */
#include "tracedat/stream.h"

#define SLACK_NS 10000000
#define PROBES 16
#define CHUNKS_MIN 4                 /* fewer are not worth a search */
#define HEADER_BYTES_MAX 128         /* see page_layout_parse() */

struct span {
	uint64_t min, max;           /* with the slack */
};

/* The pieces of a compressed region. */
struct pieces {
	struct stream *s;
	VEC(uint64_t) at;            /* offsets in the file */
	uint64_t *times;             /* of the first event of each; SONDE_NONE: not looked at */
	uint8_t *room;               /* to decompress in */
	size_t cap;
};

/* The time of a page of which n bytes are there: 1, 0 if it has no events, -1 if it is none. */
static int time_of(const struct stream *s, const uint8_t *p, size_t n, uint64_t *time)
{
	const struct region *region = &s->f->regions.at[s->region];
	struct page page;

	if (page_open(&page, &s->f->layout, p, n, region->page_size) < 0)
		return -1;
	*time = dat_clock_ns(&s->f->clock, region->cpu, page.time);
	return page.cut || page.p < page.end;
}

static const uint8_t *header_at(const struct stream *s, uint64_t at, uint8_t *room, size_t n)
{
	if (s->f->input.fd < 0)
		return s->f->input.map.data + at;
	return input_read(s->f->input.fd, at, room, n, NULL) == (int64_t)n ? room : NULL;
}

static void narrow_plain(struct stream *s, struct span want)
{
	uint64_t start = s->at, end = s->end, last = 0, time;
	size_t page_size = s->f->regions.at[s->region].page_size, n = s->f->layout.data_at;
	uint8_t room[HEADER_BYTES_MAX];

	for (uint64_t at = s->at; at < s->end; at += page_size) {
		const uint8_t *p = s->end - at >= n && n <= sizeof(room) ? header_at(s, at, room, n) : NULL;
		int r = p ? time_of(s, p, n, &time) : -1;

		if (r < 0 || (r > 0 && time < last))
			return;
		if (r == 0)
			continue;
		if (time < want.min)
			start = at;
		else if (time > want.max && at < end)
			end = at;
		last = time;
	}
	s->at = start < end ? start : end;
	s->end = end;
}

/* Where the pieces are: false if not all of them are there. */
static bool find_pieces(struct pieces *p)
{
	struct stream *s = p->s;
	uint64_t at = s->at;
	struct cursor c;

	for (uint32_t i = 0; i < s->nr_chunks; i++) {
		uint64_t packed;

		if (stream_look(s, at, 8, &c, NULL) < 0)
			return false;
		packed = cur_u32(&c);
		cur_u32(&c);
		if (!cur_ok(&c) || packed > s->end - c.at || vec_push(&p->at, at) < 0)
			return false;
		at = c.at + packed;
	}
	return true;
}

/* The time of the first page of piece i: 1, -1 if it has none. */
static int probe(struct pieces *p, size_t i, uint64_t *time)
{
	struct stream *s = p->s;
	uint32_t packed, size;
	const uint8_t *block;
	struct cursor c;

	*time = p->times[i];
	if (*time != SONDE_NONE)
		return 1;
	if (stream_look(s, p->at.at[i], 8, &c, NULL) < 0)
		return -1;
	packed = cur_u32(&c);
	size = cur_u32(&c);
	if (!cur_ok(&c) || size == 0 || size > AHEAD_BYTES || size > s->shared->budget ||
	    stream_look(s, p->at.at[i], 8 + (uint64_t)packed, &c, NULL) < 0)
		return -1;
	cur_take(&c, 8);
	block = cur_take(&c, packed);
	if (size > p->cap) {
		free(p->room);
		p->room = malloc(size);
		p->cap = p->room ? size : 0;
	}
	if (!block || !p->room)
		return -1;
	s->shared->budget -= size;
	if (piece_decompress(s->f, block, packed, p->room, size, NULL) < 0 || time_of(s, p->room, size, time) <= 0)
		return -1;
	p->times[i] = *time;
	return 1;
}

/* Looks at pieces all over the region: false if they are not in order. */
static bool probe_evenly(struct pieces *p)
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

/* The first piece that is not older than @limit; false if what is found on the way is not in order. */
static bool first_from(struct pieces *p, uint64_t limit, size_t *out)
{
	size_t low = 0, high = p->at.n;  /* older: those before low; not older: high and those behind it */
	uint64_t from = 0, to = UINT64_MAX, time;

	for (size_t i = 0; i < p->at.n; i++) {  /* what is known already */
		if (p->times[i] == SONDE_NONE)
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

static int narrow_packed(struct stream *s, struct span want)
{
	struct pieces p = { .s = s };
	size_t first, behind;
	int r = 0;

	if (find_pieces(&p) && p.at.n >= CHUNKS_MIN) {
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
				s->end = p.at.at[behind];
			s->nr_chunks = (uint32_t)(behind - (first < behind ? first : behind));
			s->at = s->nr_chunks ? p.at.at[first] : s->end;
		}
	}
	vec_free(&p.at);
	free(p.times);
	free(p.room);
	return r;
}

int stream_narrow(struct stream *s, uint64_t min, uint64_t max, struct sonde_error *err)
{
	struct span want = { min > SLACK_NS ? min - SLACK_NS : 0, max < UINT64_MAX - SLACK_NS ? max + SLACK_NS : UINT64_MAX };

	s->time_min = min;
	s->time_max = max;
	if (!s->f->regions.at[s->region].compressed) {
		narrow_plain(s, want);
		return 0;
	}
	return narrow_packed(s, want) < 0 ? err_nomem(err) : 0;
}
