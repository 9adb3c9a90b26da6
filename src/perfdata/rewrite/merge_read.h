/* SPDX-License-Identifier: MIT */
/* merge_read.h - one read_format for all events of a merged file */
#ifndef PERFDATA_REWRITE_MERGE_READ_H
#define PERFDATA_REWRITE_MERGE_READ_H

#include "perfdata/rewrite/merge.h"

/* Gives all events one read_format, and notes what is lost by it; 0, or negative if there is none for all. */
int merge_read_format(struct merge *m);

/* From one read_format to another, as read(2) gives counts. */
struct read_change {
	uint64_t from, to;
	uint64_t id;                 /* of the event, for a count that has none */
};

/* Whether the one has all that the other is to have. */
bool merge_read_fits(uint64_t from, uint64_t to);

/**
 * merge_read - the counts at *p, which end before @end, in the other format at *to
 * Both are advanced. Formats that fit need at most 16 bytes more than before. 0, or -SONDE_CORRUPT when there are fewer
 * bytes than counts.
 */
int merge_read(const struct merge *m, const struct merge_input *in, const struct read_change *c, const uint8_t **p,
	       const uint8_t *end, uint8_t **to);

/* The new id for @id; an id that no table has may be that of an inherited event, and stays. */
uint64_t merge_stream_id(const struct merge_input *in, uint64_t id);

#endif
