/* SPDX-License-Identifier: MIT */
#include "cli/record/summary.h"

#include <sonde/symbol.h>

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/command.h"
#include "cli/record/words.h"

void record_print_opened(const struct sonde_perf_recorder_stats *s)
{
	if (record_words.verbose)
		say("opened %" PRIu32 " %s, %" PRIu32 " file descriptors and %" PRIu32 " buffers; each buffer for "
		    "samples has %" PRIu64 " KiB",
		    s->nr_events, s->nr_events == 1 ? "event" : "events", s->nr_fds, s->nr_rings, s->ring_bytes >> 10);
}

double record_mb(const char *output, uint64_t bytes, bool failed)
{
	struct stat st;

	if (failed && output && stat(output, &st) == 0 && S_ISREG(st.st_mode))
		bytes = (uint64_t)st.st_blocks * 512;
	return (double)bytes / 1048576;
}

static void print_done(const struct sonde_perf_recorder_stats *s, bool failed)
{
	const char *output = record_words.output ? record_words.output : "perf.data";

	say_done("Woken up %" PRIu64 " %s to write data", s->wakeups, s->wakeups == 1 ? "time" : "times");
	say_done("Captured and wrote %.3f MB %s%s (%" PRIu64 " samples)", record_mb(output, s->bytes, failed),
		 strcmp(output, "-") ? output : "to standard output",
		 record_words.opts.switching.switch_output ? ".<timestamp>" : "", s->samples);
}

void record_print_summary(const struct sonde_perf_recorder_stats *s, bool failed)
{
	if (!record_words.quiet && s->bytes) /* 0: the recording has not begun */
		print_done(s, failed);
	if (s->why_empty && s->bytes && !s->lost && !record_words.quiet)
		warn("there are no samples: %s", s->why_empty);
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

/* Stacks that are looked at: the message shall come at once. */
enum { STACKS_MOST = 10000 };

/* Below, there are stacks of unknown size, or all that can be copied is too little. */
enum { WANTED = 97 };

/* A share below 1 % is not worth a message. */
static void print_sizes(const struct sonde_stack_sizes *s)
{
	double cut = 100.0 * (double)s->cut / (double)s->stacks;
	double whole = 100.0 * (double)s->whole_with_enough / (double)s->stacks;

	if (cut < 1)
		return;
	if (s->enough)
		say("%.1f%% of the stacks are cut at %" PRIu32 " bytes: --call-graph dwarf,%" PRIu32
		    " would have reached %s%.1f%%", cut, s->copied, s->enough,
		    whole < WANTED ? "at least " : "", whole);
	else
		say("%.1f%% of the stacks are cut at %" PRIu32
		    " bytes: try more (--call-graph dwarf,BYTES up to %d)", cut, s->copied, SONDE_STACK_BYTES_MOST);
}

void record_print_stack_sizes(const char *path)
{
	struct sonde_trace *t = sonde_trace_new();
	const struct sonde_stack_sizes *sizes;

	if (t && sonde_trace_open(t, path, NULL) == 0 && sonde_trace_stack_sizes(t, STACKS_MOST, &sizes) == 0 &&
	    sizes->stacks)
		print_sizes(sizes);
	sonde_trace_free(t);
}
