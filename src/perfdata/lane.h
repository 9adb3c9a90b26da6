/* SPDX-License-Identifier: MIT */
/*
 * lane.h - one file of records that is being written: as they are, or compressed
 *
 * What is to be compressed is gathered, and written as COMPRESSED records when there is much of it or a record comes that stays as it
 * is. All that is compressed in one file is one stream. As perf does, records of the recorder and what is compressed already stay.
 */
#ifndef PERFDATA_LANE_H
#define PERFDATA_LANE_H

#include "codec/codec.h"
#include "io/output.h"

/* Gathered before it is compressed: what a reader must have room for. */
#define LANE_GATHER_BYTES (640 * 1024)

/* How the records of all lanes are compressed, and what came of it. */
struct packing {
	uint32_t level;              /* 0: not at all */
	bool swap;                   /* not the host's byte order */
	bool aligned;                /* COMPRESSED2 */
	uint64_t nr_plain, nr_packed;  /* bytes before and after */
};

struct lane {
	struct output *to;           /* NULL: not begun */
	struct output own;           /* of a data.N */
	struct stream_packer packer;
	uint8_t *gathered;
	size_t nr_gathered;
};

void lane_free(struct lane *l);

int lane_record(struct lane *l, struct packing *how, const void *p, size_t n, struct sonde_error *err);

/* One that is not to be compressed, whatever it is. */
int lane_plain(struct lane *l, struct packing *how, const void *p, size_t n, struct sonde_error *err);

/* Compresses what has been gathered but for its last @keep bytes, which begin the next piece. */
int lane_pack(struct lane *l, struct packing *how, size_t keep, struct sonde_error *err);

#endif
