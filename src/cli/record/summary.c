/* SPDX-License-Identifier: MIT */
#include "cli/record/summary.h"

#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "cli/record/words.h"

void record_print_opened(const struct sonde_perf_recorder_stats *s)
{
	if (record_words.verbose)
		say("opened %" PRIu32 " %s, %" PRIu32 " file descriptors and %" PRIu32 " buffers; each buffer for "
		    "samples has %" PRIu64 " KiB",
		    s->nr_events, s->nr_events == 1 ? "event" : "events", s->nr_fds, s->nr_rings, s->ring_bytes >> 10);
}

static void print_done(const struct sonde_perf_recorder_stats *s)
{
	const char *output = record_words.output ? record_words.output : "perf.data";

	say_done("Woken up %" PRIu64 " %s to write data", s->wakeups, s->wakeups == 1 ? "time" : "times");
	say_done("Captured and wrote %.3f MB %s%s (%" PRIu64 " samples)", (double)s->bytes / 1048576,
		 strcmp(output, "-") ? output : "to standard output",
		 record_words.opts.switch_output ? ".<timestamp>" : "", s->samples);
}

void record_print_summary(const struct sonde_perf_recorder_stats *s)
{
	if (!record_words.quiet && s->bytes) /* 0: the recording has not begun */
		print_done(s);
	if (s->full)
		say("the recording has ended: the file has reached --max-size");
	if (s->lost)
		warn("%" PRIu64 " %s lost: %" PRIu64 " of %" PRIu32 " buffers of %" PRIu64 " KiB ran full; record less "
		     "(-F, -c, --filter) or give them more room (-m)", s->lost,
		     s->lost == 1 ? "record was" : "records were", s->lost_rings, s->nr_rings, s->ring_bytes >> 10);
	if (s->throttled)
		warn("the kernel stopped events %" PRIu64 " %s because they came too often: lower -F, or raise "
		     "kernel.perf_event_max_sample_rate", s->throttled, s->throttled == 1 ? "time" : "times");
}
