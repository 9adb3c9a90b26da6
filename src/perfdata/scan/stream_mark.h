/* SPDX-License-Identifier: MIT */
/*
 * stream_mark.h - the records that tell a finished stream of our recorder from one whose recorder was killed
 *
 * The recorder begins a stream with SAMPLE_TIME of zeros and ends it with another SAMPLE_TIME. perf writes one when it
 * begins, or none.
 */
#ifndef PERFDATA_SCAN_STREAM_MARK_H
#define PERFDATA_SCAN_STREAM_MARK_H

#include "io/image.h"
#include "model/meta.h"

struct stream_mark {
	bool unfinished;             /* the first mark was there, the last one was not yet */
	uint64_t began_at;           /* the file offset of the first mark */
};

#define STREAM_UNFINISHED \
	"recording was never finished (killed, or still recording): up to half a second of records is missing"

/*
 * Takes note of a feature of a stream, which @meta has now; @at is the offset of its record. False: it is a mark, and
 * has no times of samples.
 */
bool stream_mark_note(struct stream_mark *m, uint32_t id, const struct meta *meta, uint64_t at);

/*
 * Whether the end of a file lacks the last mark. Text after the records, as an error message of a recorder whose
 * outputs are one, may be some 60 KiB long.
 */
bool stream_mark_is_missing(const struct stream_mark *m, struct image *im, bool swap);

#endif
