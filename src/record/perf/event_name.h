/* SPDX-License-Identifier: MIT */
/* event_name.h - the names of the kernel's generic events. */
#ifndef RECORD_PERF_EVENT_NAME_H
#define RECORD_PERF_EVENT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct generic_event {
	const char *name;
	uint32_t type;               /* PERF_TYPE_* */
	uint64_t config;
};

/* "cycles", "cs", "L1-dcache-load-misses"; false if the name is none of them. */
bool event_name_generic(const char *name, struct generic_event *out);

/* The i-th of the names that are not made of parts; NULL behind the last. */
const char *event_name_at(size_t i);

#endif
