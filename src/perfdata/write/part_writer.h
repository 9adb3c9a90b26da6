/* SPDX-License-Identifier: MIT */
/*
 * part_writer.h - one file of records that is being written: as they are, or compressed
 *
 * Records that are to be compressed are gathered, and written as COMPRESSED records when there are many or one comes
 * that stays as it is. All that is compressed in one file is one stream. As perf does, records of the recorder and what
 * is compressed already stay.
 */
#ifndef PERFDATA_WRITE_PART_WRITER_H
#define PERFDATA_WRITE_PART_WRITER_H

#include "codec/codec.h"
#include "io/output.h"

/* Bytes that are gathered before they are compressed: a reader must have room for them. */
#define PART_GATHER_BYTES (640 * 1024)

/* How the records of all writers are compressed, and what came of it. */
struct packing {
	uint32_t level;              /* 0: not at all */
	bool swap;                   /* not the host's byte order */
	bool aligned;                /* COMPRESSED2 */
	uint64_t nr_plain, nr_packed;  /* bytes before and after */
};

struct part_writer {
	struct output *to;           /* NULL: not begun */
	struct output own;           /* of a data.N */
	struct stream_packer packer;
	uint8_t *gathered;
	size_t nr_gathered;
};

void part_writer_free(struct part_writer *l);

int part_writer_record(struct part_writer *l, struct packing *how, const void *p, size_t n, struct sonde_error *err);

/* Adds a record that is not to be compressed, whatever it is. */
int part_writer_plain(struct part_writer *l, struct packing *how, const void *p, size_t n, struct sonde_error *err);

/* Compresses what has been gathered but for its last @keep bytes, which begin the next compressed block. */
int part_writer_pack(struct part_writer *l, struct packing *how, size_t keep, struct sonde_error *err);

#endif
