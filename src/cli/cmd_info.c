/* SPDX-License-Identifier: MIT */
/* cmd_info.c - describes a trace: machine, command line, events, features, losses */
#include <sonde/describe.h>

#include <unistd.h>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/ledger.h"
#include "cli/memory.h"

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
	ACCEPTED_ROWS,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

static int info_one(const char *path)
{
	const struct sonde_describe_opts opts = { .sz = sizeof(opts), .json = json, .count = count, .full = full };
	struct sonde_error err = { .sz = sizeof(err) };
	struct sonde_trace *t = sonde_trace_new();
	int status = 1;

	if (!t)
		return say_error(path, &(struct sonde_error){ .code = SONDE_NOMEM, .file_offset = SONDE_NONE,
							      .text = "out of memory" });
	if (sonde_trace_open(t, path, open_options()) < 0)
		say_error(path, sonde_trace_error(t));
	else if (sonde_trace_describe(t, NULL, &opts, &err) < 0)
		say_error(err.code == SONDE_SYSTEM || err.code == SONDE_DENIED ? NULL : path, &err);
	else
		status = ledger_status(t);
	sonde_trace_free(t);
	return status;
}

static int info_run(int argc, char **argv)
{
	int status = 0;

	if (input || argc == 0)
		status |= info_one(input ? input : "perf.data");
	for (int i = 0; i < argc; i++)
		status |= info_one(argv[i]);
	return status;
}

const struct command cmd_info = {
	.name = "info",
	.args = "[FILE...]",
	.help = "describe a trace: machine, command line, events, features, losses",
	.details = "The first part has the lines of `perf report --header-only`, the second tells how the trace was "
		   "read and what is missing. Without --count the time does not depend on the size of the file: only "
		   "the first records are read, which describe the events, and the end of a stream that sonde "
		   "recorded, which tells whether its recorder was killed.",
	.options = info_options,
	.run = info_run,
};
