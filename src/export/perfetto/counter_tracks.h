/* SPDX-License-Identifier: MIT */
/* counter_tracks.h - what events of groups count in threads: TrackDescriptor and TrackEvent of Perfetto */
#ifndef EXPORT_PERFETTO_COUNTER_TRACKS_H
#define EXPORT_PERFETTO_COUNTER_TRACKS_H

#include "export/events/thread_counts.h"

/* Begins as {0}. */
struct counter_tracks {
	struct thread_counts counts;
	struct u64map threads;       /* that have a track: space << 32 | tid */
};

/* Appends packets with the counts of a row, if it has some. @start: of the trace. 0 or -SONDE_NOMEM. */
int counter_tracks_put(struct counter_tracks *t, const struct event_row *row, uint64_t start, struct buf *packets);

void counter_tracks_free(struct counter_tracks *t);

#endif
