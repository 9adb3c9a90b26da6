/* SPDX-License-Identifier: MIT */
/*
 * walk.h - a walk over the records of a perf.data
 *
 * walk.c goes from record to record; find.c finds them in the bytes at hand, ahead.c some of them while another thread does something
 * else. fill.c brings bytes there from memory, a file or a stream, unpack.c out of compressed records.
 */
#ifndef PERFDATA_READ_WALK_H
#define PERFDATA_READ_WALK_H

#include "codec/codec.h"
#include "perfdata/read/perfdata.h"

/* Bytes at hand, and where they are from. */
struct span {
	const uint8_t *p, *end;
	uint64_t at;                 /* file offset of p; among decompressed bytes: how many came before */
	uint32_t chunk;              /* that p is in; pinned by the walk */
	uint64_t skip;               /* bytes to be passed over before the next record */
};

/*
 * A compressed record cannot expand without end: of one stream, more than EXPANSION_MAX times its bytes, and a little that is
 * free, are not decompressed. Samples with stacks of zeros come to a few hundred.
 */
#define EXPANSION_MAX 1000
#define EXPANSION_FREE_BYTES (16 << 20)

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

/* A walk over `data` that leaves the ledger alone: for those who look for something else than records. */
int walk_quietly(struct perfdata *f, struct walk **out, struct sonde_error *err);

/* Puts the walk at the first record of its part. */
int walk_begin(struct walk *w, struct sonde_error *err);

/* Makes need bytes available in w->file: 1, 0 if the input ends before, negative on failure. */
int walk_read(struct walk *w, uint64_t need, struct sonde_error *err);

/* Passes over n bytes of the input that need not be at hand together: how many there were, or negative. */
int64_t walk_skip(struct walk *w, uint64_t n, struct sonde_error *err);

/* Finds the next whole record, at which the span then stands, and its header: 1, 0 at the end, negative on failure. */
int walk_find_record(struct walk *w, struct span *s, struct record_header *h, struct sonde_error *err);

/*
 * Bytes that follow the record beyond its size. A size that leads behind the end of a file may be damaged: records are looked for
 * right behind the record then.
 */
uint64_t walk_payload_size(struct walk *w, const struct span *s, const struct record_header *h);

/* Whether the record at the start of the span is not there in whole, or no other can begin behind it, as far as the bytes at hand tell. */
bool walk_is_doubtful(const struct walk *w, const struct span *s, const struct record_header *h);

/* Gives the payload of a COMPRESSED or COMPRESSED2 at the start of w->file to the decoder. */
int walk_take_compressed(struct walk *w, const struct record_header *h, struct sonde_error *err);

/* Makes need bytes available in w->unpack.span: 1, 0 if that needs more input, negative on failure. */
int walk_unpack(struct walk *w, uint64_t need, struct sonde_error *err);

void walk_unpack_end(struct walk *w);

/* Makes need bytes available in one of the walk's spans: 1, 0 if there will not be so many, negative on failure. */
static inline int walk_fill(struct walk *w, struct span *s, uint64_t need, struct sonde_error *err)
{
	if (at_hand(s) >= need)
		return 1;
	return s == &w->file ? walk_read(w, need, err) : walk_unpack(w, need, err);
}

/* The file offset of where a span stands: of the compressed record, if it is in one. */
static inline uint64_t walk_place(const struct walk *w, const struct span *s)
{
	return s == &w->file ? s->at : w->f->chunks.list.at[s->chunk].file_offset;
}

/* Adds to the ledger. Only the newest walk writes it. */
void walk_lose(struct walk *w, uint64_t place, enum sonde_loss_kind kind, uint64_t count, const char *what);

#endif
