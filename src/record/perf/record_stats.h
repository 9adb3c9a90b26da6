/* SPDX-License-Identifier: MIT */
/* record_stats.h - counts of a recording: samples, losses, first and last time, binaries that were mapped */
#ifndef RECORD_PERF_RECORD_STATS_H
#define RECORD_PERF_RECORD_STATS_H

#include <sonde/types.h>

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vec.h"

struct record_stats_binary {
	const char *name;
	uint8_t build_id[20];
	uint8_t build_id_size;       /* 0: the records did not say */
};

struct record_stats {
	/* Set before the first call. */
	size_t time_at;              /* offset of the time in a sample; 0: none, or not the same for all events */
	struct u64map ring_of_id;    /* event id to ring */
	uint64_t *lost_by_ring;      /* in LOST records */
	size_t nr_rings;
	bool binaries_wanted;

	uint64_t samples, lost, throttled;
	uint64_t time_first, time_last;  /* of samples; first > last: none */
	VEC(struct record_stats_binary) binaries;
	struct hash_index by_name;   /* of binaries */
	struct arena names;
};

/* Counts n bytes of whole records in host order. 0 or -SONDE_NOMEM. */
int record_stats_count(struct record_stats *t, const uint8_t *p, size_t n);

/* Another file begins: it has no samples and binaries yet. The losses of the rings are kept. */
void record_stats_restart(struct record_stats *t);
void record_stats_free(struct record_stats *t);

#endif
