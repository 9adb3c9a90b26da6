/* SPDX-License-Identifier: MIT */
/* callchain.h - from address to address of a callchain, each with the mode of the CPU in which it ran */
#ifndef THREADS_CALLCHAIN_H
#define THREADS_CALLCHAIN_H

#include "model/event.h"

/* A walk along a callchain, innermost first, that keeps count of the context markers. */
struct callchain {
	struct u64s ips;
	uint64_t next;
	uint8_t cpumode;
	bool bad;                    /* a marker is not known: the rest makes no sense */
};

/* True and an ip with its cpumode; false at the end. Markers and the cookie of a deferred chain are passed over. */
bool callchain_next(struct callchain *c, uint64_t *ip, uint8_t *cpumode);

#endif
