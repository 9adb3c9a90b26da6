/* SPDX-License-Identifier: MIT */
/*
 * clock.h - from the time stamps of the ring buffer to the times of the trace
 *
 * In this order: the stamps of a guest go to the clock of its host (TIME_SHIFT), ticks to ns (TSC2NSEC), then what was
 * recorded as the distance to another clock is added (DATE, OFFSET). Without these options a stamp stays as it is.
 */
#ifndef TRACEDAT_FORMAT_CLOCK_H
#define TRACEDAT_FORMAT_CLOCK_H

#include "base/arena.h"
#include "base/cursor.h"

/* A measurement between guest and host: from @time on, host = (guest * scaling >> fraction) + offset. */
struct clock_sample {
	int64_t time, offset, scaling;
	uint32_t fraction;
};

struct clock_shift {
	struct clock_sample *samples;
	size_t nr;
};

struct dat_clock {
	struct clock_shift *shifts;  /* by CPU */
	uint32_t nr_shifts;
	uint64_t host_id;            /* trace id of the host's file, to whose clock the shifts lead */
	bool interpolate;            /* offsets change evenly between two samples */
	bool ticks;                  /* TSC2NSEC */
	uint32_t mult, shift;
	uint64_t ticks_per_second;   /* by who reads it, and instead of TSC2NSEC; 0: not said */
	uint64_t date, offset;       /* ns to be added */
	bool adjusts;                /* any of these */
};

/* Whether an option says something of the clock, and taking it: 0, -SONDE_TRUNCATED, -SONDE_CORRUPT with
 * c->err set, -SONDE_NOMEM. */
bool dat_clock_has_option(uint32_t id);
int dat_clock_take_option(struct dat_clock *clock, uint32_t id, struct cursor *c, struct arena *arena);

uint64_t dat_clock_adjust(const struct dat_clock *clock, int32_t cpu, uint64_t stamp);

static inline uint64_t dat_clock_ns(const struct dat_clock *clock, int32_t cpu, uint64_t stamp)
{
	return clock->adjusts ? dat_clock_adjust(clock, cpu, stamp) : stamp;
}

#endif
