/* SPDX-License-Identifier: MIT */
/* walk.c - from record to record, in a mapped file or in a stream that is still being written. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata/perfdata.h"

#define STREAM_BLOCK_BYTES (1024 * 1024)
#define RELEASE_BYTES (16 * 1024 * 1024)
#define MAX_TYPE 32768 + 64          /* simpleperf's own types begin at 32768 */

struct walk {
	struct perfdata *f;
	const uint8_t *p, *end;      /* what is at hand */
	uint64_t at;                 /* file offset of p */
	uint64_t released;           /* pages of a mapped file below this offset have been given back */
	uint32_t chunk;
	uint64_t skip;               /* bytes of a stream to be passed over before the next record */
	bool stream;
	bool eof;
	/* Of a stream: what was read at open, to be given out first. */
	struct record_refs replay;
	size_t nr_replayed;
};

static bool owns_ledger(const struct walk *w)
{
	return w->f->ledger_owner == w;
}

static struct walk *walk_at_start(struct perfdata *f)
{
	struct walk *w = calloc(1, sizeof(*w));
	const struct chunk *c = &f->chunks.at[0];

	if (!w)
		return NULL;
	w->f = f;
	w->at = f->base.info.data_offset;
	w->stream = f->input.fd >= 0;
	w->p = c->data + (w->at - c->file_offset);
	w->end = w->stream ? c->data + c->used : w->p + f->base.info.data_size;
	f->ledger_owner = w;
	return w;
}

int perfdata_walk_new(struct reader *r, struct walk **out, struct sonde_error *err)
{
	struct perfdata *f = perfdata_of(r);
	struct walk *w;

	if (f->input.fd >= 0) {
		if (!f->stream_walk)
			return err_set(err, SONDE_USAGE, SONDE_NONE, "a stream can be read once");
		*out = f->stream_walk;
		f->stream_walk = NULL;
		return 0;
	}
	ledger_restart(&r->ledger);
	w = walk_at_start(f);
	if (!w)
		return err_nomem(err);
	*out = w;
	return 0;
}

/*
 * The metadata of a pipe stands before the events. It is taken at open, so that who opens a trace knows its events; the
 * records passed on the way are kept for the walk.
 */
int perfdata_read_ahead(struct perfdata *f, struct sonde_error *err)
{
	struct walk *w = walk_at_start(f);
	struct record_refs passed = { 0 };
	struct record_ref ref;
	int r;

	if (!w)
		return err_nomem(err);
	while ((r = perfdata_walk_next(w, &ref, err)) > 0) {
		bool metadata = record_header(ref.p, f->header.swap).type >= RECORD_USER;

		if (w->stream) {
			if (vec_push(&passed, ref) < 0) {
				r = err_nomem(err);
				break;
			}
			perfdata_pin(&f->base, &ref);
		}
		if (!metadata)
			break;
	}
	w->replay = passed;
	if (w->stream)
		f->stream_walk = w;
	else
		perfdata_walk_free(w);
	return r < 0 ? r : perfdata_finish_features(f, err);  /* a killed recorder sends no end mark */
}

static void drop_if_unused(struct chunk *c)
{
	if (c->pins || !c->owned)
		return;
	free(c->owned);
	c->owned = NULL;
	c->data = NULL;
}

void perfdata_walk_free(struct walk *w)
{
	if (!w)
		return;
	if (w->f->ledger_owner == w)
		w->f->ledger_owner = NULL;
	vec_free(&w->replay);
	free(w);
}

uint64_t perfdata_walk_position(const struct walk *w)
{
	return w->at;
}

void perfdata_pin(struct reader *r, const struct record_ref *ref)
{
	perfdata_of(r)->chunks.at[ref->chunk].pins++;
}

void perfdata_unpin(struct reader *r, const struct record_ref *ref)
{
	struct perfdata *f = perfdata_of(r);
	struct chunk *c = &f->chunks.at[ref->chunk];

	/* the newest chunk is still being filled */
	if (--c->pins == 0 && ref->chunk + 1 < f->chunks.n)
		drop_if_unused(c);
}

static size_t at_hand(const struct walk *w)
{
	return (size_t)(w->end - w->p);
}

/* A new chunk that begins with what is at hand of the old one and has room for need bytes. */
static int next_chunk(struct walk *w, size_t need, struct sonde_error *err)
{
	struct perfdata *f = w->f;
	size_t have = at_hand(w), cap = need > STREAM_BLOCK_BYTES ? need : STREAM_BLOCK_BYTES;
	struct chunk c = { .used = have, .cap = cap, .file_offset = w->at };

	c.owned = malloc(cap);
	c.data = c.owned;
	if (!c.owned || vec_push(&f->chunks, c) < 0) {
		free(c.owned);
		return err_nomem(err);
	}
	memcpy(c.owned, w->p, have);
	drop_if_unused(&f->chunks.at[w->chunk]);
	w->chunk = (uint32_t)(f->chunks.n - 1);
	w->p = c.data;
	w->end = c.data + have;
	return 0;
}

/*
 * Makes need bytes available at w->p. 1, 0 if the input ends before, negative on failure. What a length in the file
 * promises is not allocated at once: room grows with the bytes that really come.
 */
static int stream_fill(struct walk *w, uint64_t need, struct sonde_error *err)
{
	struct chunk *c;
	size_t room;
	ssize_t n;

	while (at_hand(w) < need && !w->eof) {
		c = &w->f->chunks.at[w->chunk];
		room = c->cap - c->used;
		if (room == 0 || (at_hand(w) == 0 && c->used > STREAM_BLOCK_BYTES / 2)) {
			if (next_chunk(w, at_hand(w) * 2, err) < 0)
				return -SONDE_NOMEM;
			continue;
		}
		n = read(w->f->input.fd, c->owned + c->used, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot read");
		w->eof = n == 0;
		c->used += (size_t)n;
		w->end += n;
	}
	return at_hand(w) >= need;
}

static int fill(struct walk *w, uint64_t need, struct sonde_error *err)
{
	if (at_hand(w) >= need)
		return 1;
	return w->stream ? stream_fill(w, need, err) : 0;
}

static void advance(struct walk *w, uint64_t n)
{
	w->p += n;
	w->at += n;
}

/*
 * Gives pages that lie behind back to the page cache, so that memory does not grow with the file. What is still referred to
 * there comes back when it is touched.
 */
static void release_behind(struct walk *w)
{
	const struct fmap *map = &w->f->input.map;
	uint64_t n = (w->at - w->released) & ~(uint64_t)(RELEASE_BYTES - 1);

	if (w->stream || !map->mapped || n == 0)
		return;
	madvise((void *)(uintptr_t)(map->data + w->released), n, MADV_DONTNEED);
	w->released += n;
}

/* Passes over n bytes that need not be at hand together. */
static int skip_bytes(struct walk *w, uint64_t n, struct sonde_error *err)
{
	uint64_t step;
	int r;

	while (n) {
		r = fill(w, 1, err);
		if (r <= 0)
			return r;
		step = at_hand(w) < n ? at_hand(w) : n;
		advance(w, step);
		n -= step;
	}
	return 1;
}

static void lose(struct walk *w, enum sonde_loss_kind kind, uint64_t bytes, const char *what)
{
	if (owns_ledger(w))
		ledger_add(&w->f->base.ledger, kind, bytes, w->at, SONDE_NONE, -1, "%s", what);
}

static bool plausible(const uint8_t *p, const uint8_t *end, bool swap)
{
	struct record_header h;

	if (end - p < 8)
		return p == end;
	h = record_header(p, swap);
	return h.size >= 8 && h.size % 8 == 0 && record_type_find(h.type) && h.size >= record_type_find(h.type)->min_size;
}

/* The next place, 8 bytes further at least, where three records in a row look like records; NULL if there is none. */
static const uint8_t *resynchronise(const struct walk *w)
{
	const uint8_t *p, *q;
	int chain;

	for (p = w->p + 8; p < w->end && w->end - p >= 8; p += 8) {
		q = p;
		for (chain = 0; chain < 3 && q < w->end && plausible(q, w->end, w->f->header.swap); chain++) {
			uint16_t size = record_header(q, w->f->header.swap).size;

			if (size > w->end - q)
				break;
			q += size;
		}
		if (chain == 3 || (chain > 0 && q == w->end))
			return p;
	}
	return NULL;
}

/* Called where no record can begin: moves to the next one. 1, or 0 if the input has none. */
static int pass_damage(struct walk *w)
{
	const uint8_t *next = resynchronise(w);
	uint64_t bytes = (uint64_t)((next ? next : w->end) - w->p);

	lose(w, SONDE_LOSS_CORRUPT, bytes, "bytes that are no records");
	advance(w, bytes);
	return next != NULL;
}

/* Bytes that follow the record beyond its size. Tracing data follows its record, but simpleperf puts it inside. */
static uint64_t payload_size(const uint8_t *p, const struct record_header *h, bool swap)
{
	if (h->type == RECORD_HEADER_TRACING_DATA && h->size >= 12) {
		uint32_t size = load_u32(p + 8, swap);

		return size > h->size - 12U ? size : 0;
	}
	if (h->type == RECORD_AUXTRACE && h->size >= 16)
		return load_u64(p + 8, swap);
	return 0;
}

/* Where the end of the written area of an unfinished file is: the recorder may have set blocks of zeros aside. */
static bool is_unwritten(const struct walk *w, const struct record_header *h)
{
	return w->f->unfinished && h->type == 0 && h->size == 0;
}

/* Finds the next whole record and its header: 1, 0 at the end, negative on failure. */
static int find_record(struct walk *w, struct record_header *h, struct sonde_error *err)
{
	int r;

	for (;;) {
		r = fill(w, 8, err);
		if (r < 0)
			return r;
		if (r == 0) {
			if (at_hand(w))
				lose(w, SONDE_LOSS_TRUNCATED, at_hand(w), "bytes of a record that is cut by the end");
			advance(w, at_hand(w));
			return 0;
		}
		*h = record_header(w->p, w->f->header.swap);
		if (is_unwritten(w, h)) {
			advance(w, at_hand(w));
			return 0;
		}
		if (h->size >= 8) {
			r = fill(w, h->size, err);
			if (r != 0)
				return r;
			if (h->type != 0 && h->type < MAX_TYPE) {
				lose(w, SONDE_LOSS_TRUNCATED, at_hand(w), "bytes of a record that is cut by the end");
				advance(w, at_hand(w));
				return 0;
			}
		}
		if (!pass_damage(w))
			return 0;
	}
}

static void note_loss(struct walk *w, const struct record_header *h, const struct record_ref *ref)
{
	struct ledger *l = &w->f->base.ledger;
	struct sonde_event ev;
	struct sonde_lost lost;

	perfdata_load(&w->f->base, ref, &ev);
	if (h->type == RECORD_THROTTLE)
		ledger_add(l, SONDE_LOSS_THROTTLED, 1, w->at, ev.time, ev.cpu, "times the kernel stopped %s for the rest of a tick",
			   ev.source ? ev.source->name : "an event");
	else if (perfdata_body(&w->f->base, &ev, BODY_LOST, &lost) < 0)
		return;
	else if (h->type == RECORD_LOST)
		ledger_add(l, SONDE_LOSS_RECORDER, lost.lost, w->at, ev.time, ev.cpu,
			   "events lost because the ring buffer was full (larger -m, or lower -F, helps)");
	else
		ledger_add(l, SONDE_LOSS_SAMPLES, lost.lost, w->at, ev.time, ev.cpu, "samples lost");
}

/* The time of a record, for ordering: from the sample or from its sample_id trailer. */
static uint64_t record_time(struct walk *w, const struct record_header *h)
{
	bool sample = h->type == RECORD_SAMPLE;
	uint64_t id;
	struct perf_source *s = sources_find(&w->f->sources, w->p, h->size, sample, w->f->header.swap, &id);
	size_t at;

	if (!s) {
		if (owns_ledger(w))
			ledger_add(&w->f->base.ledger, SONDE_LOSS_UNKNOWN_ID, 1, w->at, SONDE_NONE, -1,
				   "records of an event that the file does not describe");
		return SONDE_NONE;
	}
	at = sample ? s->layout.sample[AT_TIME] : s->layout.trailer[AT_TIME];
	if (at == 0 || h->size < (sample ? s->layout.sample_bytes : RECORD_HEADER_BYTES + s->layout.trailer_bytes))
		return SONDE_NONE;
	return load_u64(sample ? w->p + at : w->p + h->size - at, w->f->header.swap);
}

/* What a record says of the file itself is taken once, however often it is walked over. */
static int take_metadata(struct walk *w, uint64_t payload, const struct record_header *h, struct sonde_error *err)
{
	struct sonde_bytes after = { NULL, 0 };
	int r;

	if (w->at < w->f->metadata_until)
		return 0;
	if (h->type == RECORD_HEADER_TRACING_DATA && payload) {
		r = fill(w, h->size + payload, err);
		if (r < 0)
			return r;
		after = (struct sonde_bytes){ w->p + h->size, at_hand(w) - h->size };
		if (after.len > payload)
			after.len = payload;
	}
	r = perfdata_note_metadata(w->f, w->p, after, w->at, err);
	w->f->metadata_until = w->at + 1;
	return r;
}

int perfdata_walk_next(struct walk *w, struct record_ref *out, struct sonde_error *err)
{
	struct record_header h;
	uint64_t payload;
	int r;

	if (w->nr_replayed < w->replay.n) {
		if (w->nr_replayed > 0)
			perfdata_unpin(&w->f->base, &w->replay.at[w->nr_replayed - 1]);
		*out = w->replay.at[w->nr_replayed++];
		return 1;
	}
	if (w->replay.n) {
		perfdata_unpin(&w->f->base, &w->replay.at[w->replay.n - 1]);
		vec_free(&w->replay);
		w->nr_replayed = 0;
	}
	if (w->skip) {
		uint64_t before = w->at;

		r = skip_bytes(w, w->skip, err);
		if (r < 0)
			return r;
		if (r == 0)
			lose(w, SONDE_LOSS_TRUNCATED, w->skip - (w->at - before), "bytes of trace data behind a record are missing");
		w->skip = 0;
	}
	if (w->at - w->released >= RELEASE_BYTES)
		release_behind(w);
	r = find_record(w, &h, err);
	if (r <= 0)
		return r;
	payload = payload_size(w->p, &h, w->f->header.swap);
	if (h.type >= RECORD_USER) {
		r = take_metadata(w, payload, &h, err);
		if (r < 0)
			return r;
	}
	*out = (struct record_ref){ .time = SONDE_NONE, .p = w->p, .chunk = w->chunk, .mark = MARK_NOW };
	if (h.type == RECORD_FINISHED_ROUND) {
		out->mark = MARK_ROUND;
	} else if (h.type < RECORD_USER) {
		out->mark = MARK_NONE;
		out->time = record_time(w, &h);
		if (owns_ledger(w) && (h.type == RECORD_LOST || h.type == RECORD_LOST_SAMPLES || h.type == RECORD_THROTTLE))
			note_loss(w, &h, out);
	}
	advance(w, h.size);
	w->skip = payload;
	return 1;
}
