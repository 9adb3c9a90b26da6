/* SPDX-License-Identifier: MIT */
/*
 * walk.h - a walk over the records of a perf.data
 *
 * walk.c goes from record to record; record_search.c finds them in the bytes at hand, ahead.c some of them while another thread does
 * something else. walk_bytes.c brings bytes there from memory, a file or a stream, unpack.c out of compressed records.
 */
#ifndef PERFDATA_READ_WALK_H
#define PERFDATA_READ_WALK_H

#include "codec/codec.h"
#include "perfdata/read/perfdata.h"

/* Bytes at hand, and where they are from. */
struct span {
	const uint8_t *p, *end;
	uint64_t at;                 /* file offset of p; among decompressed bytes: how many came before */
	uint32_t block;              /* that p is in; pinned by the walk */
	uint64_t skip;               /* bytes to be passed over before the next record */
};

/* The compressed stream of a file. */
struct unpack {
	struct decoder decoder;
	struct codec_io io;          /* what is left of the payload of the current record */
	bool waiting;                /* more output may come out of it */
	bool broken;                 /* nothing more can be decompressed until a stream begins */
	struct span span;            /* decompressed bytes */
	uint64_t nr_in, nr_out;      /* bytes so far */
};

struct walk {
	struct perfdata *f;
	uint64_t turn;               /* see perfdata.ledger_turn */
	uint32_t part, last_part;    /* of a directory: the file it is in, and the one it ends with */
	int fd;                      /* of a file or stream, -1: memory */
	uint64_t end;                /* file offset where the records end; SONDE_NONE in a stream */
	uint64_t began;              /* file offset of the first record */
	uint64_t passed;             /* bytes of the parts before */
	struct span file;
	struct unpack unpack;
	bool eof;                    /* nothing more can be read */
	/* Of a file without round marks: which CPU's ring a record was in tells where a new pass over all rings begins. */
	struct u64map passes;        /* CPU to the number of the last pass it was seen in */
	uint32_t pass_number;
	int32_t last_cpu;
	/* Of a stream: what was read at open, to be given out first. */
	struct record_refs replay;
	size_t nr_replayed;
};

static inline size_t at_hand(const struct span *s)
{
	return (size_t)(s->end - s->p);
}

static inline void pass(struct span *s, uint64_t n)
{
	s->p += n;
	s->at += n;
}

/* The file offset of where a span stands: of the compressed record, if it is in one. */
static inline uint64_t walk_place(const struct walk *w, const struct span *s)
{
	return s == &w->file ? s->at : w->f->blocks.list.at[s->block].file_offset;
}

/* Whether this walk writes the ledger. */
static inline bool walk_owns_ledger(const struct walk *w)
{
	return w->turn == w->f->ledger_turn;
}

/* A walk over `data` that leaves the ledger alone: for those who look for something else than records. */
int walk_quietly(struct perfdata *f, struct walk **out, struct sonde_error *err);

int perfdata_walk_new(struct reader *r, struct walk **out, struct sonde_error *err);
int perfdata_walk_part(struct reader *r, uint32_t part, struct walk **out, struct sonde_error *err);
void perfdata_walk_free(struct walk *w);
int perfdata_walk_next(struct walk *w, struct record_ref *out, struct sonde_error *err);
/* Takes the metadata at the beginning of a stream. */
int perfdata_read_ahead(struct perfdata *f, struct sonde_error *err);
uint64_t perfdata_walk_passed(const struct walk *w);
uint64_t perfdata_held(const struct reader *r);
void perfdata_pin(struct reader *r, const struct record_ref *ref);
void perfdata_unpin(struct reader *r, const struct record_ref *ref);

#endif
