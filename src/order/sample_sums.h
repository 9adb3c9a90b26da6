/* SPDX-License-Identifier: MIT */
/*
 * sample_sums.h - samples added up by task, mode and address where a walk finds them, whatever their order
 *
 * To look a sum up takes the maps that the task had while its samples were taken, from `first` to `last`. Most samples
 * are like one of the last ones: a sum stays in its slot until another one takes that, so an address has one or a few.
 * A sample that cannot be added up, or too many sums, make them give up: samples have to be counted by time instead.
 */
#ifndef ORDER_SAMPLE_SUMS_H
#define ORDER_SAMPLE_SUMS_H

#include <linux/perf_event.h>

#include "model/reader.h"

struct sample_sum {
	uint64_t samples;            /* 0: a free slot */
	const struct sonde_evsel *evsel;
	uint64_t ip, period;
	uint64_t first, last;        /* times */
	int32_t pid, tid;            /* pid: -1 of the kernel; tid: of the first sample */
	uint8_t cpumode;
};

struct sample_sums {
	struct sample_sum *slots;
	VEC(struct sample_sum) list; /* whose slots were taken; after sample_sums_end() all sums */
	size_t most;                 /* of the list */
	uint64_t samples;
	bool given_up;
};

enum { SAMPLE_SUMS_SLOTS = 1 << 12 };

/* 0 or -SONDE_NOMEM. @max_memory: that a trace may take; 0: no limit */
int sample_sums_begin(struct sample_sums *s, uint64_t max_memory);

/* All sums are in the list. 0 or -SONDE_NOMEM. */
int sample_sums_end(struct sample_sums *s);

void sample_sums_free(struct sample_sums *s);

/* Begins the sum of @h in a slot. The sum that the slot had goes to the list. */
void sample_sums_take_slot(struct sample_sums *s, struct sample_sum *slot, const struct sample_head *h, int32_t pid);

/* Guests and hypervisors have other maps than tasks; without a time it is not known which maps there were. */
static inline bool sample_sums_takes(const struct sample_head *h)
{
	return (h->cpumode == PERF_RECORD_MISC_USER || h->cpumode == PERF_RECORD_MISC_KERNEL) && h->time &&
	       h->time != SONDE_NONE;
}

/* @h: sample_sums_takes() is true of it. */
static inline void sample_sums_add(struct sample_sums *s, const struct sample_head *h)
{
	int32_t pid = h->cpumode == PERF_RECORD_MISC_USER ? h->pid : -1;
	uint64_t hash = (h->ip ^ (uint64_t)(uint32_t)pid << 32) * UINT64_C(0x9e3779b97f4a7c15);
	struct sample_sum *c = &s->slots[hash >> 32 & (SAMPLE_SUMS_SLOTS - 1)];

	if (c->ip != h->ip || c->evsel != h->evsel || c->pid != pid || !c->samples || c->cpumode != h->cpumode)
		sample_sums_take_slot(s, c, h, pid);
	s->samples++;
	c->samples++;
	c->period += h->period;
	if (h->time < c->first)
		c->first = h->time;
	if (h->time > c->last)
		c->last = h->time;
}

#endif
