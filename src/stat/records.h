/* SPDX-License-Identifier: MIT */
/*
 * records.h - the records of counts in a perf.data, which no kernel writes
 *
 * THREAD_MAP and CPU_MAP number the threads and tell the CPUs, STAT_CONFIG has tags with values, STAT the counts of a
 * cell since the start, STAT_ROUND ends a round; EVENT_UPDATE tells the unit and scale of an event.
 */
#ifndef STAT_RECORDS_H
#define STAT_RECORDS_H

#include <sonde/stat.h>

enum stat_record_type {
	STAT_THREAD_MAP = 73, STAT_CPU_MAP, STAT_CONFIG, STAT_COUNT, STAT_ROUND, STAT_EVENT_UPDATE,
};

/* Of STAT_CONFIG. */
enum stat_tag { STAT_TAG_AGGREGATION, STAT_TAG_INTERVAL, STAT_TAG_SCALE, STAT_TAG_CACHE_LEVEL };

/* perf's numbers of the ways to tell cells apart, those of perf 7 where they have changed. */
uint64_t stat_recorded_mode(enum sonde_stat_by by);
/* @has_level: a level of caches is written since clusters and caches have numbers of their own */
bool stat_mode_by(uint64_t mode, bool has_level, enum sonde_stat_by *out);

#endif
