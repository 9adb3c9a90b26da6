/* SPDX-License-Identifier: MIT */
/* thread_count.h - how many threads work on a trace */
#ifndef API_BASE_THREAD_COUNT_H
#define API_BASE_THREAD_COUNT_H

#include <stdint.h>

/*
 * Threads with the caller's, at least 1. @wanted: by the program, 0: one for each CPU. @max_memory: that threads may
 * use, 0: no limit.
 */
unsigned thread_count(uint32_t wanted, uint64_t max_memory);

#endif
