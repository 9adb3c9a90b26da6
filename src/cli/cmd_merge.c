/* SPDX-License-Identifier: MIT */
/* cmd_merge.c - writes one trace from several */
#include <sonde/merge.h>

#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/memory.h"
#include "cli/base/read_progress.h"
#include "cli/base/rewriting.h"
#include "cli/base/session.h"

static const char *output;

static const struct option_row merge_options[] = {
	{ "output", 'o', OPTION_STRING, &output, .arg = "FILE",
	  .help = "write to FILE; -: a stream on standard output" },
	OFFSET_ROW,
	QUIET_ROW,
	{ 0 },
};

static int merge_run(int argc, char **argv)
{
	struct sonde_merge_opts opts = { .sz = sizeof(opts), .offsets_ns = session_offsets()->offsets_ns,
					 .nr_offsets = session_offsets()->nr_offsets,
					 .max_memory = open_options()->max_memory };
	struct sonde_rewrite *w;
	int r = 0;

	if (argc == 0 || !output)
		return say_usage("inputs and -o OUTPUT are needed");
	w = rewriting_begin();
	if (w)
		r = sonde_merge(w, (const char *const *)argv, (size_t)argc, output, &opts);
	for (int i = 0; w && r == 0 && i < argc; i++)
		say_bundle_left_out(argv[i]);
	return rewriting_end(w, r < 0 ? NULL : output, r, false);
}

static const struct example merge_examples[] = {
	{ "sonde merge -o both.data perf.data part.data", "make one recording of two" },
	{ 0 },
};

const struct command cmd_merge = {
	.name = "merge",
	.args = "INPUT...",
	.help = "merge several traces into one",
	.details = "Records come by time. Events that are the same in several inputs become one, ids that mean "
		   "another event get a new number, and samples get an id where their event could not be told "
		   "without. Clocks are aligned where the inputs say how they stand to the wall clock (perf record "
		   "-k; host and guest of trace-cmd). Files of trace-cmd of one session share their buffers, those of "
		   "others get the name of their file. Counts in samples of perf.data get one read_format: values "
		   "that only some inputs have are left out and named; if some are of groups, single counts become "
		   "groups of one. The new file has the byte order of the first input. Host, command line and the "
		   "like are those of the first input; differences of the others are named.",
	.options = merge_options,
	.examples = merge_examples,
	.run = merge_run,
};
