/* SPDX-License-Identifier: MIT */
/*
 * record_source.h - the records of a perf.data for a rewriting: one by one, wherever they lie
 *
 * In the file itself, in the parts of a directory, and, if they are to be expanded, in compressed records. Each is
 * passed in the order of the file, first all of `data`, then part by part.
 */
#ifndef PERFDATA_SCAN_RECORD_SOURCE_H
#define PERFDATA_SCAN_RECORD_SOURCE_H

#include "perfdata/scan/directory.h"
#include "perfdata/scan/image_scan.h"
#include "perfdata/scan/layout.h"
#include "perfdata/scan/unpacker.h"

/* Bytes of compressed records on their way out. */
struct expansion {
	struct scan scan;            /* first; decompressed bytes */
	struct unpacker unpacker;
	uint8_t *p;                  /* they lie in this */
	size_t n, cap;
	uint8_t *packed;             /* a copy of the compressed bytes: the window of the image moves on */
	uint64_t place;              /* of the compressed record */
	struct scanned lost;         /* name is set: damage in it that is to be told */
	VEC(uint64_t) ends;          /* of compressed records, by bytes that came out, beyond what has been passed */
	VEC(size_t) passed_ends;     /* of the record that is passed */
};

struct record_source {
	struct layout *in;
	bool expand;
	bool show_packed;            /* with expand: a compressed record is passed too, before what was in it */
	uint64_t nr_packed;          /* compressed records so far */
	int dir_fd;
	struct part_numbers numbers; /* of the parts beside `data` */
	size_t part;                 /* that is read: 0 is `data` */
	char name[PART_NAME_BYTES];
	struct image part_image;
	struct image_scan scan;
	struct expansion expansion;
	struct sonde_error *err;
};

/* The result of one step. */
struct record_step {
	enum scan_step step;
	struct scanned record;       /* `at`: of an expanded record, the place of the compressed one */
	bool expanded;
	struct image *image;
	const char *part;            /* name of the file in a directory; NULL: the only one, or `data` */
	size_t part_number;          /* 0: `data`; of data.N: N + 1 */
	const size_t *ends;          /* of an expanded record: compressed ones ended so many bytes before its end */
	size_t nr_ends;
};

/**
 * record_source_open - before the first record
 * @in: read from the image of `data`; its data section is what is passed. Outlives the source.
 * @dir_fd: the directory that the other parts are in; -1: there are none
 */
int record_source_open(struct record_source *f, struct layout *in, int dir_fd, bool expand, struct sonde_error *err);

/* The next step: 0 (SCAN_END when all is passed), or negative on failure. */
int record_source_next(struct record_source *f, struct record_step *out);

void record_source_close(struct record_source *f);

#endif
