/* SPDX-License-Identifier: MIT */
/* event_name.h - the names of the kernel's generic events. */
#ifndef RECORD_EVENT_EVENT_NAME_H
#define RECORD_EVENT_EVENT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct generic_event {
	const char *name;
	uint32_t type;               /* PERF_TYPE_* */
	uint64_t config;
};

/* "cycles", "cs", "L1-dcache-load-misses"; false for another name. */
bool event_name_generic(const char *name, struct generic_event *out);

/* The i-th name that is not composed of parts; NULL after the last. */
const char *event_name_at(size_t i);

/* The i-th name of a cache event in perf's spelling, "L1-dcache-load-misses"; false after the last. */
bool event_name_cache_at(size_t i, char *out, size_t size);

#endif
