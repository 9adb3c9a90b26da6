/* SPDX-License-Identifier: MIT */
/* cmd_evlist.c - prints the events of a trace */
#include <sonde/describe.h>

#include <stdio.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"

#define TYPE_TRACEPOINT 2   /* PERF_TYPE_TRACEPOINT */

static const char *input;
static struct sonde_evlist_opts opts = { .sz = sizeof(opts) };

static const struct option_row evlist_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	{ "freq", 'F', OPTION_FLAG, &opts.freq, .help = "print the frequency or period, too" },
	{ "verbose", 'v', OPTION_FLAG, &opts.attrs, .help = "print all fields of the attrs that are not 0" },
	{ "group", 'g', OPTION_FLAG, &opts.groups, .help = "print one line for each group: {leader,member,...}" },
	{ "trace-fields", 0, OPTION_FLAG, &opts.fields, .help = "print the field names of tracepoints" },
	ACCEPTED_FORCE_ROW,
	{ 0 },
};

/* The end of perf's list. */
static void print_tips(const struct sonde_trace *t)
{
	bool tracepoint = false, group = false;

	for (size_t i = 0; i < sonde_trace_evsel_count(t); i++) {
		const struct sonde_evsel *s = sonde_trace_evsel_at(t, i);

		tracepoint |= s->attr && s->attr->type == TYPE_TRACEPOINT;
		group |= s->leader != s->index;
	}
	if (tracepoint && !opts.fields)
		puts("# Tip: use 'sonde evlist --trace-fields' to show fields for tracepoint events");
	if (group && !opts.groups)
		puts("# Tip: use 'sonde evlist -g' to show group information");
}

static int evlist_run(int argc, char **argv)
{
	const char *path = input_path(input, argc, argv);
	struct sonde_error err = { .sz = sizeof(err) };
	struct sonde_trace *t;
	int status = 1;

	if (!path)
		return 2;
	if (opts.groups && (opts.attrs || opts.freq || opts.fields))
		return say_usage("-g excludes -v, -F and --trace-fields");
	t = sonde_trace_new();
	if (!t) {
		say("out of memory");
		return 1;
	}
	if (sonde_trace_open(t, path, open_options()) < 0) {
		say_error(path, sonde_trace_error(t));
	} else if (sonde_trace_evlist(t, NULL, &opts, &err) < 0) {
		say_error(err.code == SONDE_SYSTEM ? NULL : path, &err);
	} else {
		print_tips(t);
		status = ledger_print(t);
	}
	sonde_trace_free(t);
	return status;
}

static const struct example evlist_examples[] = {
	{ "sonde evlist -v", "list the events of perf.data with their attrs" },
	{ 0 },
};

const struct command cmd_evlist = {
	.name = "evlist",
	.args = "[FILE]",
	.help = "list the events of a trace, as perf evlist does",
	.details = "For a trace.dat, the list has every event whose format is in the file, recorded or not; sonde "
		   "info --count counts the recorded ones.",
	.options = evlist_options,
	.examples = evlist_examples,
	.prints_a_lot = true,
	.run = evlist_run,
};
