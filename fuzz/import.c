/* SPDX-License-Identifier: MIT */
/* Any bytes as a profile of another tool, of the format FUZZ_FORMAT. */
#include <stdlib.h>

#include "import/firefox.h"
#include "import/folded.h"
#include "import/formats.h"
#include "import/perf_script.h"
#include "import/pprof.h"
#include "import/speedscope.h"
#include "symbol/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The sums of an event are those of its cells. */
static void check_sums(const struct sonde_profile *p)
{
	for (uint32_t e = 0; e < p->events.n; e++) {
		uint64_t samples = 0, period = 0;

		for (size_t i = 0; i < p->cells.n; i++) {
			samples += p->cells.at[i].event == e ? p->cells.at[i].samples : 0;
			period += p->cells.at[i].event == e ? p->cells.at[i].period : 0;
		}
		if (samples != p->events.at[e].samples || period != p->events.at[e].period)
			abort();
	}
	for (uint32_t i = 1; i < p->stacks.list.n; i++)
		if (p->stacks.list.at[i].parent >= i || p->stacks.list.at[i].frame >= p->frames.list.n)
			abort();
}

static void import(const uint8_t *data, size_t size, const struct sonde_query *query)
{
	const struct symbols_opts nowhere = { .cache_dir = "", .symfs = "/dev/null" };
	const struct sonde_profile_opts opts = { .sz = sizeof(opts),
						 .mode = SONDE_PROFILE_STACKS,
						 .inlined = true,
						 .timed = true,
						 .by = SONDE_BY_SRCLINE | SONDE_BY_TIME,
						 .max_stack = 5 };
	struct sonde_error err = { .sz = sizeof(err), .file_offset = SONDE_NONE };
	struct gathering p;
	struct import im = { .profile = &p, .query = query, .path = "file", .err = &err };

	if (gathering_init(&p, &opts, symbols_new(&nowhere)) == 0 && import_file(&im, &FUZZ_FORMAT, data, size) < 0 &&
	    !err.code)
		abort();
	if (profile_end_trace(&p) == 0)
		check_sums(&p.profile);
	gathering_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int32_t pids[] = { 1 };
	const struct sonde_query all = { .sz = sizeof(all) };
	const struct sonde_query some = { .sz = sizeof(some), .pids = pids, .nr_pids = 1, .time_min = 1 };

	import_recognise(data, size, true, "file");
	import(data, size, &all);
	import(data, size, &some);
	return 0;
}
