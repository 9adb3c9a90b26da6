/* SPDX-License-Identifier: MIT */
/*
 * stat.h - the counts of `perf stat record`, as the table of perf script
 *
 * Each STAT record has the value of one counter, on a CPU and for a thread. The end of a round (STAT_ROUND) prints all
 * values.
 */
#ifndef EXPORT_SCRIPT_STAT_H
#define EXPORT_SCRIPT_STAT_H

#include <sonde/event.h>

#include "base/buf.h"
#include "base/u64map.h"
#include "base/vec.h"

struct script_stat {
	VEC(struct stat_count) counts;
	struct u64map count_of;      /* of evsel, CPU and thread -> index in counts */
	VEC(int64_t) threads;        /* numbers of the THREAD_MAP */
	bool begun;                  /* the titles have been printed */
};

/* The last value of one counter. */
struct stat_count {
	uint32_t evsel;              /* index */
	int32_t cpu;
	uint32_t thread;             /* index in the thread map */
	uint64_t val, ena, run;
};

/**
 * script_stat_event - takes in a STAT, STAT_ROUND or THREAD_MAP; any other event changes nothing
 * @by_id: event id -> index in @evsels
 * @name: printed before each line
 * Returns 0 or -SONDE_NOMEM.
 */
int script_stat_event(struct script_stat *s, const struct sonde_event *ev, const struct u64map *by_id,
		      const struct sonde_evsel *const *evsels, struct sonde_str name, struct buf *out);

void script_stat_free(struct script_stat *s);

#endif
