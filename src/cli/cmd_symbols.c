/* SPDX-License-Identifier: MIT */
/* cmd_symbols.c - the binaries that a trace needs, where they are, and what is missing */
#include <sonde/export.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"
#include "cli/base/stacks.h"

static const char *input;
static struct sonde_binaries_opts opts = { .sz = sizeof(opts) };

static const struct option_row symbols_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	{ "missing", 0, OPTION_FLAG, &opts.missing,
	  .help = "list only binaries whose symbols are missing or uncertain; exit status 1 if there are some" },
	{ "all", 'a', OPTION_FLAG, &opts.all, .help = "list binaries without samples, too" },
	{ "json", 0, OPTION_FLAG, &opts.json, .help = "print one JSON object on one line" },
	{ "field-separator", 'x', OPTION_STRING, &opts.separator, .arg = "CHAR",
	  .help = "print rows with this character between samples, self, build id, found, gives, missing, binary and "
		  "the command that gets it" },
	JOBS_ROW,
	{ .kind = OPTION_HEADING, .help = "Of which samples" },
	SELECTION_ROWS,
	{ .kind = OPTION_HEADING, .help = "Symbols" },
	SYMBOL_ROWS,
	FORCE_ROW,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

static int add_trace(struct sonde_profile *p, struct sonde_trace *t)
{
	struct sonde_query query = selection();
	int r = select_within(t, &query);

	return r < 0 ? r : sonde_profile_add(p, t, &query);
}

static int print_trace(struct sonde_trace *t, const char *path)
{
	const struct sonde_profile_opts profile_opts = { .sz = sizeof(profile_opts), .symbols = &symbol_options,
							 .mode = SONDE_PROFILE_STACKS_IF_ANY, .max_stack = UINT16_MAX,
							 .threads = threads_wanted() };
	struct sonde_profile *p = sonde_profile_new(&profile_opts);
	struct sonde_error err = { .sz = sizeof(err) };
	int r, status = 0;

	if (!p)
		return say_out_of_memory();
	r = add_trace(p, t);
	if (r < 0)
		status = say_error(path, sonde_trace_error(t));
	if (r != -SONDE_NOMEM) {
		r = sonde_profile_print_binaries(p, NULL, &opts, &err);
		if (r < 0)
			status = say_error(NULL, &err);
		else if (r > 0 && opts.missing)
			status = 1;
	}
	sonde_profile_free(p);
	return status | ledger_print(t);
}

static int symbols_run(int argc, char **argv)
{
	const char *path = input_path(input, argc, argv);
	struct sonde_trace *t;
	int status;

	if (!path)
		return 2;
	if (opts.json && opts.separator)
		return say_usage("--json excludes -x");
	t = sonde_trace_new();
	if (!t)
		return say_out_of_memory();
	if (sonde_trace_open(t, path, open_options()) < 0)
		status = say_error(path, sonde_trace_error(t));
	else
		status = print_trace(t, path);
	sonde_trace_free(t);
	return status;
}

static const struct example symbols_examples[] = {
	{ "sonde symbols --missing", "list the binaries that lack symbols, why, and the command that gets them" },
	{ 0 },
};

const struct command cmd_symbols = {
	.name = "symbols",
	.args = "[FILE]",
	.help = "list the binaries that a trace needs, where they were found, and what is missing",
	.details = "Samples counts the samples that have the binary on their stacks, Self those that interrupted it. "
		   "Found says where its symbols are: in the file itself, a debug file, perf's cache, an archive "
		   "of perf archive, from debuginfod, of the running kernel, in a map of a process that makes "
		   "code, in the recording. Below the table, each binary that lacks symbols has the reason, "
		   "and the command that gets them where one is known.\n"
		   "The exit status is 0, and with --missing it is 1 if a binary lacks symbols.",
	.options = symbols_options,
	.examples = symbols_examples,
	.prints_a_lot = true,
	.run = symbols_run,
};
