/* SPDX-License-Identifier: MIT */
/* cmd_repair.c - writes a sound trace from a damaged one */
#include <inttypes.h>
#include <stdio.h>

#include "cli/base/command.h"
#include "cli/base/read_progress.h"
#include "cli/base/rewriting.h"

static bool quiet, drop_tracepoints;

static const struct option_row repair_options[] = {
	{ "quiet", 'q', OPTION_FLAG, &quiet, .help = "do not print the number of recovered records" },
	{ "drop-tracepoints", 0, OPTION_FLAG, &drop_tracepoints,
	  .help = "perf.data: leave out tracepoints without formats, because perf refuses a file that has them" },
	{ 0 },
};

static int repair_run(int argc, char **argv)
{
	struct sonde_rewrite *w;
	int r = 0;

	if (argc != 2)
		return say_usage("an input and an output are needed");
	if (quiet)
		read_progress_off();
	w = rewriting_begin();
	if (w) {
		sonde_rewrite_set_drop_tracepoints(w, drop_tracepoints);
		r = sonde_repair(w, argv[0], argv[1]);
		if (r == 0)
			say_bundle_left_out(argv[0]);
		if (r == 0 && !quiet)
			say("%s: %" PRIu64 " records recovered", argv[0], sonde_rewrite_counts(w)->written);
	}
	return rewriting_end(w, argv[0], r, false);
}

static const struct example repair_examples[] = {
	{ "sonde repair perf.data sound.data", "make a sound file of what a killed recorder left" },
	{ 0 },
};

const struct command cmd_repair = {
	.name = "repair",
	.args = "INPUT OUTPUT",
	.help = "write a sound perf.data or trace.dat from a damaged one",
	.details = "Repairs files of a killed recorder, files that were cut or overwritten in places, and files with "
		   "bytes in the middle that are no records. If a trace.dat has no pages or does not exist, the files "
		   "of a killed recorder beside it (trace.dat.cpu0, ...) are taken in; the running kernel tells their "
		   "formats if they are of this boot. The same holds for tracepoints of a killed perf. Losses are "
		   "printed. The exit status is 0 if a sound file was written, whatever was lost, and 1 if none could "
		   "be written: then there is no OUTPUT.",
	.options = repair_options,
	.examples = repair_examples,
	.run = repair_run,
};
