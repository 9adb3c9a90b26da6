/* SPDX-License-Identifier: MIT */
/* cmd_info.c - describes a trace: machine, command line, events, features, losses */
#include <sonde/describe.h>

#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"
#include "cli/base/session.h"

static bool json, count, full;
static const char *input;

static const struct option_row info_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	{ "show-info", 'I', OPTION_FLAG, &full,
	  .help = "print topology, caches and memory in full; list events that are printed as their fields, with the "
		  "reason" },
	{ "count", 0, OPTION_FLAG, &count, .help = "read all records and count them" },
	{ "json", 0, OPTION_FLAG, &json,
	  .help = "print one JSON object for each trace, on one line (docs/info-json.md)" },
	OFFSET_ROW,
	ACCEPTED_ROWS,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

static int describe(struct sonde_trace *t)
{
	const struct sonde_describe_opts opts = { .sz = sizeof(opts), .json = json, .count = count, .full = full };
	struct sonde_error err = { .sz = sizeof(err) };

	if (sonde_trace_describe(t, NULL, &opts, &err) == 0)
		return ledger_status(t);
	return say_error(err.code == SONDE_SYSTEM || err.code == SONDE_DENIED ? NULL : sonde_trace_info(t)->path, &err);
}

static int info_run(int argc, char **argv)
{
	struct session session = { .takes_profiles = true };
	int status = 0;

	if (input || argc == 0)
		status |= session_add(&session, input ? input : "perf.data", open_options());
	for (int i = 0; i < argc && !session.out_of_memory; i++)
		status |= session_add(&session, argv[i], open_options());
	session_keep_open_ones(&session);
	session_align(&session);
	for (size_t i = 0; i < session.n; i++)
		status |= describe(session.traces[i]);
	session_close(&session);
	return status;
}

static const struct example info_examples[] = {
	{ "sonde info", "show what perf.data is" },
	{ "sonde info --count --json trace.dat", "count its events, for a program to read" },
	{ 0 },
};

const struct command cmd_info = {
	.name = "info",
	.args = "[FILE...]",
	.help = "describe a trace: machine, command line, events, features, losses",
	.details = "The first part has the lines of `perf report --header-only`, the second tells how the trace was "
		   "read and what is missing. Without --count the time does not depend on the size of the file: only "
		   "the first records are read, which describe the events, and the end of a stream that sonde "
		   "recorded, which tells whether its recorder was killed.\n"
		   "Of several traces, each has a line with the offset of its clock to that of the first one, as the "
		   "commands script, report and merge apply it, and with the fact that it comes from.\n"
		   "Of a profile of another tool (text of perf script, folded stacks, pprof, Firefox, speedscope) it "
		   "prints the events, how many threads, functions and stacks there are, and the times.",
	.options = info_options,
	.examples = info_examples,
	.prints_a_lot = true,
	.run = info_run,
};
