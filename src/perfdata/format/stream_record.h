/* SPDX-License-Identifier: MIT */
/* stream_record.h - the records by which a stream says what a file says in its header */
#ifndef PERFDATA_FORMAT_STREAM_RECORD_H
#define PERFDATA_FORMAT_STREAM_RECORD_H

#include "base/buf.h"

void stream_put_header(struct buf *b, uint32_t type, size_t size, bool swap);

/* A header feature, as it lies in a file; false if it has no place in a stream. Build ids have records of their own. */
bool stream_put_feature(struct buf *b, uint32_t id, const void *p, size_t n, bool swap);

/* perf takes the names of a stream's events from these records only. Nothing if the name is too long for one. */
void stream_put_event_name(struct buf *b, uint64_t id, const char *name, bool swap);

#endif
