/* SPDX-License-Identifier: MIT */
/*
 * unpacker.h - the stream in the COMPRESSED and COMPRESSED2 records of a file
 *
 * All of them in one file are one zstd stream that the recorder flushes after each and never ends, so a stream that
 * just stops is normal. Its bytes are records; a record may begin in one compressed record and end in the next.
 * Layout: PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2 in tools/lib/perf/include/perf/event.h.
 */
#ifndef PERFDATA_SCAN_UNPACKER_H
#define PERFDATA_SCAN_UNPACKER_H

#include "model/meta.h"

#include "codec/codec.h"
#include "perfdata/format/compressed.h"
#include "perfdata/scan/scan.h"

struct unpacker {
	struct decoder decoder;
	struct codec_io io;  /* bytes of the compressed record that are still to be decompressed: the caller's */
	bool waiting;                /* more may come out of them */
	bool broken;                 /* nothing more can be decompressed until a stream begins */
	uint64_t nr_in, nr_out;      /* bytes so far */
};

/**
 * unpacker_take - the compressed record that was scanned comes next; @out->p stays until nothing is waiting
 * Returns 1; 0 when it is lost, then @out tells the damage; or negative.
 */
int unpacker_take(struct unpacker *u, const struct meta *meta, bool swap, struct scanned *out,
		  struct sonde_error *err);

/**
 * unpacker_step - decompress as far as there is room
 * *n: the room, then the bytes that came out. Returns 1; 0 when nothing more comes of the record since it is damaged,
 * then
 * @out tells the damage; or negative.
 */
int unpacker_step(struct unpacker *u, uint8_t *to, size_t *n, struct scanned *out, struct sonde_error *err);

void unpacker_free(struct unpacker *u);

#endif
