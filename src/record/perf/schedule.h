/* SPDX-License-Identifier: MIT */
/* schedule.h - the times at which the events of a recording are turned on and off; times are milliseconds */
#ifndef RECORD_PERF_SCHEDULE_H
#define RECORD_PERF_SCHEDULE_H

#include <sonde/perf_recorder.h>

struct schedule {
	const struct sonde_perf_window *windows;
	size_t nr, next;
	uint64_t began;
	bool on;
};

/* From now on. @windows is a view that lives as long as @s. */
void schedule_begin(struct schedule *s, const struct sonde_perf_window *windows, size_t nr, uint64_t now);

/* 1: turn the events on, -1: turn them off, 0: nothing has to be done now. Call again after anything but 0. */
int schedule_due(struct schedule *s, uint64_t now);

/* Milliseconds to the next change, at most @most. */
uint64_t schedule_wait(const struct schedule *s, uint64_t now, uint64_t most);

#endif
