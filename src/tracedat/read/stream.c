/* SPDX-License-Identifier: MIT */
#include "tracedat/read/stream.h"

#include "tracedat/format/pages.h"
#include "tracedat/read/cpustat.h"
#include "tracedat/read/view.h"

#define BLOCK_BYTES (64 * 1024)          /* of pages that are read at once: there are as many of these as CPUs */
#define WINDOW_BYTES (32 * 1024)          /* of compressed pages */

static const struct cpu_extent *extent_of(const struct stream *s)
{
	return &s->f->extents.at[s->extent];
}

static void lose(struct stream *s, enum sonde_loss_kind kind, uint64_t n, uint64_t at, uint64_t time, const char *what)
{
	if (s->f->ledger_owner == s->walk)
		ledger_add(&s->f->base.ledger, kind, n, at, time, extent_of(s)->cpu, "%s", what);
}

int dat_stream_look(struct stream *s, uint64_t at, uint64_t n, struct cursor *out, struct sonde_error *err)
{
	uint64_t left = s->end - at, skip = at - s->ahead.at, want;
	int r;

	n = n < left ? n : left;
	if (!s->ahead.p || skip > s->ahead.n || s->ahead.n - skip < n) {
		want = n > WINDOW_BYTES ? n : WINDOW_BYTES;
		dat_view_free(&s->ahead);
		r = dat_view_read(s->f, at, want < left ? want : left, &s->ahead, err);
		if (r < 0)
			return r;
		skip = 0;
	}
	*out = cur_new(s->ahead.p + skip, s->ahead.n - skip, at, s->f->header.swap, NULL);
	return 0;
}

int dat_stream_start(struct stream *s, struct tracedat *f, const struct walk *walk, uint32_t number,
		     struct stream_shared *shared, struct sonde_error *err)
{
	const struct cpu_extent *extent = &f->extents.at[number];
	struct cursor c;
	int r;

	*s = (struct stream){ .f = f, .walk = walk, .extent = number, .block = BLOCK_NONE, .shared = shared,
			      .at = extent->offset, .end = extent->offset + extent->size, .time_max = UINT64_MAX };
	s->has_cpustat = dat_cpustat_lost(f, extent, &s->nr_foretold);
	if (!extent->compressed)
		return 0;
	r = dat_stream_look(s, s->at, 4, &c, err);
	if (r < 0)
		return r;
	s->nr_chunks = cur_u32(&c);
	s->at = c.at;
	if (!cur_ok(&c) || !f->file.codec)
		s->nr_chunks = 0;
	if (!f->file.codec)
		lose(s, SONDE_LOSS_UNSUPPORTED, extent->size, extent->offset, SONDE_NONE,
		     "{byte|bytes} of pages {is|are} compressed, but the file does not say how in a way that is known");
	return 0;
}

static void drop_block(struct stream *s)
{
	if (s->block == BLOCK_NONE)
		return;
	s->f->blocks.at[s->block]->held = false;
	dat_block_release(s->f, s->block);
	s->block = BLOCK_NONE;
}

static void drop_jobs(struct stream *s)
{
	struct ahead *a = &s->shared->ahead;

	for (; s->nr_jobs; s->nr_jobs--, s->first_job++) {
		struct ahead_job *job = s->jobs[s->first_job % AHEAD_JOBS_OF_STREAM];

		dat_ahead_wait(a, job);
		dat_ahead_release(a, job, job->out, job->out_cap);
	}
}

void dat_stream_end(struct stream *s)
{
	drop_jobs(s);
	drop_block(s);
	dat_view_free(&s->ahead);
	s->ahead.p = NULL;
}

uint64_t dat_stream_passed(const struct stream *s)
{
	return s->at - extent_of(s)->offset;
}

static void set_pages(struct stream *s, const uint8_t *p, size_t n)
{
	s->p = p;
	s->pages_end = p + n;
	s->page_at = NULL;
}

/* A block with room for size bytes: the one before, if nothing else needs it. */
static int make_room(struct stream *s, size_t size, uint64_t at, struct sonde_error *err)
{
	struct dat_block fresh = { .extent = s->extent, .held = true, .cap = size };
	struct dat_block *p = s->block == BLOCK_NONE ? NULL : s->f->blocks.at[s->block];

	if (!p || p->pins || p->cap < size) {
		drop_block(s);
		fresh.owned = malloc(size);
		if (!fresh.owned)
			return err_nomem(err);
		s->block = dat_block_new(s->f, fresh);
		if (s->block == BLOCK_NONE)
			return err_nomem(err);
		p = s->f->blocks.at[s->block];
	}
	p->data = p->owned;
	p->size = size;
	p->file_offset = at;
	p->packed = extent_of(s)->compressed;
	return 0;
}

/* The pages as they lie in memory: all of them. */
static int take_memory(struct stream *s, struct sonde_error *err)
{
	struct dat_block p = { .data = s->f->input.map.data + s->at, .size = s->end - s->at, .file_offset = s->at,
			   .extent = s->extent, .held = true };

	drop_block(s);
	s->block = dat_block_new(s->f, p);
	if (s->block == BLOCK_NONE)
		return err_nomem(err);
	set_pages(s, p.data, p.size);
	s->at = s->end;
	return 1;
}

/* The next pages of a file. */
static int take_block(struct stream *s, struct sonde_error *err)
{
	size_t page_size = extent_of(s)->page_size,
	       size = page_size < BLOCK_BYTES ? BLOCK_BYTES / page_size * page_size : page_size;
	uint64_t at = s->at;
	int64_t got;
	int r;

	if (s->in_hole)
		s->at += dat_pages_hole(s->f->input.fd, s->at, s->end, (uint32_t)page_size);
	at = s->at;
	if (s->at == s->end)
		return 0;
	if (s->f->input.fd < 0)
		return take_memory(s, err);
	r = make_room(s, size, at, err);
	if (r < 0)
		return r;
	size = s->end - at < size ? s->end - at : size;
	got = input_read(s->f->input.fd, at, s->f->blocks.at[s->block]->owned, size, err);
	if (got < 0)
		return (int)got;
	s->at += size;
	if ((size_t)got < size) {
		lose(s, SONDE_LOSS_TRUNCATED, s->end - at - (uint64_t)got, at + (uint64_t)got, SONDE_NONE,
		     "{byte|bytes} of pages {is|are} missing: the file has become shorter");
		s->at = s->end;
	}
	s->f->blocks.at[s->block]->size = (size_t)got;
	set_pages(s, s->f->blocks.at[s->block]->data, (size_t)got);
	s->in_hole = (size_t)got == size && size >= page_size && pages_are_empty(s->p + size - page_size, page_size);
	return 1;
}

/* The chunk at @at becomes a job; NULL if there is none that can be done ahead: who reads it finds out why. */
static struct ahead_job *make_job(struct stream *s, uint64_t at)
{
	bool stays = s->f->input.fd < 0;
	uint32_t packed, size;
	struct ahead_job *job;
	struct cursor c;
	const uint8_t *p;

	if (dat_stream_look(s, at, 8, &c, NULL) < 0)
		return NULL;
	packed = cur_u32(&c);
	size = cur_u32(&c);
	if (!cur_ok(&c) || size == 0 || size > AHEAD_BYTES ||
	    dat_stream_look(s, at, 8 + (uint64_t)packed, &c, NULL) < 0)
		return NULL;
	cur_take(&c, 8);
	p = cur_take(&c, packed);
	job = p ? dat_ahead_room(&s->shared->ahead, stays ? 0 : packed, size) : NULL;
	if (!job)
		return NULL;
	if (!stays)
		memcpy(job->in, p, packed);
	job->p = stays ? p : job->in;
	job->packed = packed;
	job->size = size;
	job->at = at;
	job->end = c.at;
	return job;
}

/* Gives out the next chunks, several at once. */
static void read_ahead(struct stream *s)
{
	struct ahead_job *fresh[AHEAD_JOBS_OF_STREAM], *job;
	unsigned most = s->shared->jobs_each;
	uint64_t at = s->at;
	size_t n = 0;

	if (most == 0 || s->nr_jobs > most / 2 || (!s->shared->ahead.started && s->nr_chunks < AHEAD_CHUNKS_MIN) ||
	    !dat_ahead_start(&s->shared->ahead, s->f->file.codec))
		return;
	if (s->nr_jobs)
		at = s->jobs[(s->first_job + s->nr_jobs - 1) % AHEAD_JOBS_OF_STREAM]->end;
	while (s->nr_jobs < most && s->nr_jobs < s->nr_chunks && (job = make_job(s, at))) {
		s->jobs[(s->first_job + s->nr_jobs++) % AHEAD_JOBS_OF_STREAM] = job;
		fresh[n++] = job;
		at = job->end;
	}
	dat_ahead_submit(&s->shared->ahead, fresh, n);
}

/* Whether the walk may decompress so many bytes more. */
static bool charge(struct stream *s, uint32_t size, uint64_t at)
{
	if (size > s->shared->budget) {
		lose(s, SONDE_LOSS_CORRUPT, 1, at, SONDE_NONE,
		     "compressed {chunk|chunks} of pages {says|say} that {it|they} {is|are} larger than can be");
		return false;
	}
	s->shared->budget -= size;
	return true;
}

/* The decompressed chunk of a job becomes the block. The block before becomes room for another job, if
 * nothing else needs it. */
static int adopt(struct stream *s, struct ahead_job *job, struct sonde_error *err)
{
	struct dat_block fresh = { .extent = s->extent, .held = true, .owned = job->out, .cap = job->out_cap };
	struct dat_block *p = s->block == BLOCK_NONE ? NULL : s->f->blocks.at[s->block];
	uint32_t size = job->size;
	uint64_t at = job->at;

	if (p && !p->pins) {
		dat_ahead_release(&s->shared->ahead, job, p->owned, p->cap);
		p->owned = fresh.owned;
		p->cap = fresh.cap;
	} else {
		dat_ahead_release(&s->shared->ahead, job, NULL, 0);
		drop_block(s);
		s->block = dat_block_new(s->f, fresh);
	}
	return s->block == BLOCK_NONE ? err_nomem(err) : make_room(s, size, at, err);
}

/* The next chunk, which is decompressed ahead: 1, 0 if it cannot be read. */
static int take_job(struct stream *s, struct sonde_error *err)
{
	struct ahead *a = &s->shared->ahead;
	struct ahead_job *job = s->jobs[s->first_job++ % AHEAD_JOBS_OF_STREAM];
	int r;

	s->nr_jobs--;
	s->nr_chunks--;
	s->at = job->end;
	dat_ahead_wait(a, job);
	r = charge(s, job->size, job->at) ? 1 : 0;
	if (r && job->state == JOB_RUNNING)  /* no thread had begun */
		job->result = dat_unpack(&s->f->file, job->p, job->packed, job->out, job->size, NULL);
	if (r && job->result == -SONDE_NOMEM)
		r = err_nomem(err);
	else if (r && job->result < 0) {
		lose(s, SONDE_LOSS_CORRUPT, 1, job->at, SONDE_NONE,
		     "compressed {chunk|chunks} of pages cannot be decompressed");
		r = 0;
	}
	if (r <= 0) {
		dat_ahead_release(a, job, job->out, job->out_cap);
		return r;
	}
	r = adopt(s, job, err);
	return r < 0 ? r : 1;
}

/* The same for a chunk that no thread has decompressed. */
static int take_packed(struct stream *s, struct sonde_error *err)
{
	struct tracedat *f = s->f;
	uint64_t at = s->at;
	uint32_t packed, size;
	struct cursor c;
	const uint8_t *p;
	int r = dat_stream_look(s, at, 8, &c, err);

	if (r < 0)
		return r;
	packed = cur_u32(&c);
	size = cur_u32(&c);
	r = dat_stream_look(s, at, 8 + (uint64_t)packed, &c, err);
	if (r < 0)
		return r;
	cur_take(&c, 8);
	p = cur_take(&c, packed);
	s->nr_chunks--;
	s->at = p ? c.at : s->end;
	if (!p) {
		lose(s, SONDE_LOSS_TRUNCATED, s->nr_chunks + UINT64_C(1), at, SONDE_NONE,
		     "compressed {chunk|chunks} of pages {is|are} missing or cut");
		s->nr_chunks = 0;
		return 0;
	}
	if (size == 0 || !charge(s, size, at))
		return 0;
	r = make_room(s, size, at, err);
	if (r < 0)
		return r;
	r = dat_unpack(&f->file, p, packed, f->blocks.at[s->block]->owned, size, NULL);
	if (r == -SONDE_NOMEM)
		return err_nomem(err);
	if (r == 0)
		return 1;
	lose(s, SONDE_LOSS_CORRUPT, 1, at, SONDE_NONE, "compressed {chunk|chunks} of pages cannot be decompressed");
	return 0;
}

/* The next chunk that can be read. */
static int take_chunk(struct stream *s, struct sonde_error *err)
{
	int r = 0;

	while (s->nr_chunks && r == 0)
		r = s->nr_jobs ? take_job(s, err) : take_packed(s, err);
	if (r > 0) {
		set_pages(s, s->f->blocks.at[s->block]->data, s->f->blocks.at[s->block]->size);
		read_ahead(s);
	}
	return r;
}

static uint64_t offset_of(const struct stream *s, const uint8_t *p)
{
	const struct dat_block *block = s->f->blocks.at[s->block];

	return block->packed ? block->file_offset : block->file_offset + (uint64_t)(p - block->data);
}

/* Begins with the next page: 1, 0 at the end. */
static int next_page(struct stream *s, struct sonde_error *err)
{
	size_t page_size = extent_of(s)->page_size, left;
	const uint8_t *p;
	int r;

	for (;;) {
		while (s->p == s->pages_end) {
			r = extent_of(s)->compressed ? take_chunk(s, err) : take_block(s, err);
			if (r <= 0)
				return r;
		}
		p = s->p;
		left = (size_t)(s->pages_end - p);
		s->p += left < page_size ? left : page_size;
		if (dat_page_open(&s->page, &s->f->layout, p, left, page_size) == 0) {
			s->page_at = p;
			if (s->page.overfull && s->page.end <= s->p)
				lose(s, SONDE_LOSS_CORRUPT, 1, offset_of(s, p), SONDE_NONE, DAT_PAGE_OVERFULL);
			return 1;
		}
		lose(s, SONDE_LOSS_CORRUPT, 1, offset_of(s, p), SONDE_NONE, DAT_PAGE_NONE);
	}
}

static uint64_t time_of_page(const struct stream *s)
{
	return dat_clock_ns(&s->f->clock, extent_of(s)->cpu, s->page.time);
}

/* The events are in the ledger as far as the statistics have them: it gets to know where they are missing. */
static void place_lost(struct stream *s, uint64_t time)
{
	uint64_t n = s->page.nr_missed == SONDE_NONE ? 0 : s->page.nr_missed,
		 foretold = n < s->nr_foretold ? n : s->nr_foretold;

	s->nr_foretold -= foretold;
	lose(s, SONDE_LOSS_RECORDER, n - foretold, offset_of(s, s->page_at), time, CPUSTAT_OVERRUN);
}

/* The record of what was lost before this page; it has the time of the page's first event. */
static struct record_ref make_lost(struct stream *s)
{
	struct record_ref ref = { .time = time_of_page(s), .p = s->page_at, .block = s->block, .kind = DAT_LOST };

	if (s->has_cpustat)
		place_lost(s, ref.time);
	else if (s->page.nr_missed == SONDE_NONE)
		lose(s, SONDE_LOSS_RECORDER, 1, offset_of(s, s->page_at), ref.time,
		     "{time|times} that events were lost because the ring buffer was full, the kernel does not say "
		     "how many");
	else
		lose(s, SONDE_LOSS_RECORDER, s->page.nr_missed, offset_of(s, s->page_at), ref.time,
		     CPUSTAT_OVERRUN);
	s->page.missed = false;
	return ref;
}

/* Whether events are missing before this page, at a time that is wanted. */
static bool has_missed(struct stream *s)
{
	uint64_t time;

	if (!s->page.missed)
		return false;
	time = time_of_page(s);
	return time >= s->time_min && time <= s->time_max;
}

int dat_stream_next(struct stream *s, struct record_ref *out, struct sonde_error *err)
{
	struct page_event ev;
	int r;

	if (s->has_after) {
		s->has_after = false;
		*out = s->after;
		return 1;
	}
	for (;;) {
		if (!s->page_at) {
			r = next_page(s, err);
			if (r <= 0)
				return r;
		}
		r = dat_page_next(&s->page, &ev);
		if (r > 0) {
			/* field by field: a copy in other sizes than those it was written in waits for the memory */
			out->time = time_of_page(s);
			out->p = ev.at;
			out->block = s->block;
			out->mark = MARK_NONE;
			out->kind = DAT_EVENT;
			if (has_missed(s)) {
				s->after = *out;
				s->has_after = true;
				*out = make_lost(s);
			}
			s->page.missed = false;
			return 1;
		}
		if (r < 0 && !s->page.cut)
			lose(s, SONDE_LOSS_CORRUPT, 1, offset_of(s, s->page.p), time_of_page(s),
			     "{page|pages} with bytes that are no event: what follows in them is passed over");
		if (has_missed(s)) {
			*out = make_lost(s);
			s->page_at = NULL;
			return 1;
		}
		s->page_at = NULL;
	}
}
