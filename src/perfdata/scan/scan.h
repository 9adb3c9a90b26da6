/* SPDX-License-Identifier: MIT */
/*
 * scan.h - from record to record through bytes of which nothing is certain
 *
 * Stricter than the reader's walk: a record behind which no other one can begin, and inside which others do, is no record. So what
 * is passed as a record can be written into a new file.
 */
#ifndef PERFDATA_SCAN_SCAN_H
#define PERFDATA_SCAN_SCAN_H

#include "io/image.h"
#include "perfdata/scan/record_check.h"

enum scan_step {
	SCAN_END,
	SCAN_RECORD,
	SCAN_GARBAGE,                /* no records, and behind them there are some again, or the end */
	SCAN_CUT,                    /* a record that goes on behind the end */
	SCAN_ZEROS,                  /* up to the end: set aside and never written */
};

struct scan {
	struct image *image;
	struct sources *sources;
	bool swap;
	uint64_t at, end;            /* what has not been passed yet */
};

/* What was passed with one step. */
struct scanned {
	uint64_t at, bytes;          /* of a record with the payload that follows it */
	const uint8_t *p;            /* SCAN_RECORD: a view of h.size bytes, until the next look at the image */
	struct record_header h;
	uint64_t payload;
};

enum scan_step scan_next(struct scan *s, struct scanned *out);

#endif
