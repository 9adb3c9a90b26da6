/* SPDX-License-Identifier: MIT */
/* tracefmt_blob.c - the "tracing data" of a perf.data */
#include "tracefmt/blob.h"
#include "tracefmt/tracefmt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracefmt *t;

	tracefmt_open((struct sonde_bytes){ data, size }, 0, &t, NULL);
	for (size_t i = 0; t && i < tracefmt_nr_events(t); i++)
		if (!tracefmt_event(t, tracefmt_event_at(t, i)->id))
			__builtin_trap();
	tracefmt_free(t);
	return 0;
}
