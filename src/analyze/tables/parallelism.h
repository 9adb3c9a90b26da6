/* SPDX-License-Identifier: MIT */
/* parallelism.h - how many threads run at a moment, reckoned from context switches as perf does it */
#ifndef ANALYZE_TABLES_PARALLELISM_H
#define ANALYZE_TABLES_PARALLELISM_H

#include <sonde/event.h>

/* A latency is a period divided by the number of threads that ran, in thousandths: as integers exact enough. */
enum { LATENCY_UNITS = 1000, PARALLELISM_MAX = 4096 };

struct parallelism {
	bool known;                  /* the recording has context switches */
	int64_t running;             /* threads of the host; switches that come too late may make it negative */
	uint64_t samples, alone;     /* of the recording; at which one thread ran */
	bool filtered;
	uint64_t wanted[PARALLELISM_MAX / 64 + 1];  /* one bit for each number of threads */
};

/* The filter: only samples at which so many threads ran; numbers beyond PARALLELISM_MAX are passed over. */
void parallelism_want(struct parallelism *p, uint32_t threads);
bool parallelism_is_wanted(const struct parallelism *p, uint32_t threads);

/* A recording begins with the thread that it begins with. */
void parallelism_restart(struct parallelism *p);

/* An event is described: does it bring context switches? */
void parallelism_expect(struct parallelism *p, const struct sonde_attr *attr);

/* Takes in a record of the side band; other types are passed over. */
void parallelism_apply(struct parallelism *p, const struct sonde_event *ev);

/* The number of threads that run at a sample, at least 1 and at most @nr_cpus (0: nobody says how many there are). */
uint32_t parallelism_at(struct parallelism *p, const struct sonde_event *sample, uint32_t nr_cpus);

/* Almost all samples are of one thread alone: latency tells nothing. */
bool parallelism_is_trivial(const struct parallelism *p);

#endif
