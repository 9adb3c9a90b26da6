/* SPDX-License-Identifier: MIT */
/* record_search.h - where the next record of a walk is */
#ifndef PERFDATA_READ_RECORD_SEARCH_H
#define PERFDATA_READ_RECORD_SEARCH_H

#include "perfdata/read/walk.h"

/* Finds the next whole record, at which the span then stands, and its header: 1, 0 at the end, negative on failure. */
int walk_find_record(struct walk *w, struct span *s, struct record_header *h, struct sonde_error *err);

/*
 * Bytes that follow the record beyond its size. A size that leads behind the end of a file may be damaged: records are looked for
 * right behind the record then.
 */
uint64_t walk_payload_size(struct walk *w, const struct span *s, const struct record_header *h);

/* Whether the record at the start of the span is not there in whole, or no other can begin behind it, as far as the bytes at hand tell. */
bool walk_is_doubtful(const struct walk *w, const struct span *s, const struct record_header *h);

#endif
