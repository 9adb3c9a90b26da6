/* SPDX-License-Identifier: MIT */
/* trace.c - a whole trace through the public API, in both orders, which must agree on what there is */
#include <stdlib.h>

#include "consume.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct consumed by_file = consume_trace(data, size, SONDE_ORDER_FILE);
	struct consumed by_time = consume_trace(data, size, SONDE_ORDER_TIME);

	if (by_file.opened != by_time.opened || by_file.events != by_time.events ||
	    by_file.raw_bytes != by_time.raw_bytes)
		abort();
	return 0;
}
