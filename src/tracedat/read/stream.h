/* SPDX-License-Identifier: MIT */
/* stream.h - the records of one extent: what one CPU wrote into one buffer, page by page, in time order */
#ifndef TRACEDAT_READ_STREAM_H
#define TRACEDAT_READ_STREAM_H

#include "tracedat/read/ahead.h"
#include "tracedat/read/tracedat.h"
#include "tracedat/read/view.h"

/* Shared by all streams of a walk. */
struct stream_shared {
	uint64_t budget;             /* bytes that the walk may still decompress */
	struct ahead ahead;
	unsigned jobs_each;          /* that a stream may have given out; 0: nothing is decompressed ahead */
};

struct stream {
	struct tracedat *f;
	const struct walk *walk;     /* the walk that has this stream */
	uint32_t extent;
	uint64_t at, end;            /* file offsets: what has not been read into a block */
	uint32_t nr_chunks;          /* compressed: chunks that are still to come */
	uint32_t block;              /* the one at hand; BLOCK_NONE before the first */
	const uint8_t *p, *pages_end;  /* its pages that have not been looked at */
	const uint8_t *page_at;      /* the page that is being stepped through; NULL: none */
	struct page page;
	struct record_ref after;     /* the record after one of losses */
	bool has_after;
	bool in_hole;                /* the last page was empty: perhaps a hole of the file */
	struct stream_shared *shared;
	struct ahead_job *jobs[AHEAD_JOBS_OF_STREAM];  /* a ring: the chunks from `at` on that are decompressed ahead */
	unsigned first_job, nr_jobs;
	struct view ahead;          /* compressed bytes that have been read of a file */
	uint64_t time_min, time_max; /* losses outside are not told */
	bool has_cpustat;            /* the ledger has them already, of all times */
	uint64_t nr_foretold;        /* of these, lost events that no page has told yet */
};

/* number: of the extent */
int dat_stream_start(struct stream *s, struct tracedat *f, const struct walk *walk, uint32_t number,
		     struct stream_shared *shared, struct sonde_error *err);

/* The next record: 1, 0 at the end, negative when nothing more can be read. It is valid until the next call. */
int dat_stream_next(struct stream *s, struct record_ref *out, struct sonde_error *err);

/* Makes n compressed bytes at @at available, of which there may be fewer at the end: a view until the next call. */
int dat_stream_look(struct stream *s, uint64_t at, uint64_t n, struct cursor *out, struct sonde_error *err);

/* Bytes of the extent that have been looked at. */
uint64_t dat_stream_passed(const struct stream *s);

void dat_stream_end(struct stream *s);

#endif
