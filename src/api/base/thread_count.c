/* SPDX-License-Identifier: MIT */
#include "api/base/thread_count.h"

#include "base/thread.h"

/* Memory for each thread: its stack, its text and the events that wait. */
#define THREAD_BYTES ((uint64_t)64 << 20)

unsigned thread_count(uint32_t wanted, uint64_t max_memory)
{
	unsigned n = wanted ? wanted : thread_nr_cpus();
	uint64_t most = max_memory ? 1 + max_memory / THREAD_BYTES : UINT64_MAX;

	return n < most ? n : (unsigned)most;
}
