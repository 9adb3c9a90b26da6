/* SPDX-License-Identifier: MIT */
/*
 * walk.h - a walk over the records of a perf.data
 *
 * walk.c takes record after record as scan/scan.c finds them in the bytes at hand, look_ahead.c some of them while
 * another thread does something else. walk_bytes.c brings bytes there from memory, a file or a stream, of a file also
 * those that read_ahead.c has read meanwhile, unpacked_bytes.c out of compressed records.
 */
#ifndef PERFDATA_READ_WALK_H
#define PERFDATA_READ_WALK_H

#include "perfdata/read/perfdata.h"
#include "perfdata/read/read_ahead.h"
#include "perfdata/scan/unpacker.h"

/* Bytes that a walk looks for records in: those of the file, or those out of its compressed records. */
struct walk_bytes {
	struct scan scan;            /* first; of decompressed bytes `at` is how many came before */
	struct walk *walk;
	uint32_t block;              /* that they are in; pinned by the walk */
};

struct walk {
	struct perfdata *f;
	uint64_t turn;               /* see perfdata.ledger_turn */
	uint32_t part, last_part;    /* of a directory: the file it is in, and the one it ends with */
	int fd;                      /* of a file or stream, -1: memory */
	uint64_t began;              /* file offset of the first record */
	uint64_t passed;             /* bytes of the parts before */
	struct walk_bytes file, unpacked;
	struct read_ahead ahead;     /* of the file */
	uint64_t skip;               /* bytes of the file to be passed over before the next record */
	struct unpacker unpacker;
	bool eof;                    /* nothing more can be read */
	bool ended;                  /* what is known at the end has been told */
	/*
	 * In a file without round marks the CPU of a record tells where a new pass over all rings begins.
	 */
	struct u64map passes;        /* CPU to the number of the last pass it was seen in */
	uint32_t pass_number;
	int32_t last_cpu;
	/* The records of a stream that were read at open: they are given out first. */
	struct record_refs replay;
	size_t nr_replayed;
};

/* The file offset of where a walk stands: of the compressed record, if it is in one. */
static inline uint64_t walk_place(const struct walk_bytes *b)
{
	return b->scan.unpacked ? b->walk->f->blocks.list.at[b->block].file_offset : b->scan.at;
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
void perfdata_unpin(struct reader *r, const struct record_ref *refs, size_t n);

#endif
