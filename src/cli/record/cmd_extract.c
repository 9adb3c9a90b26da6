/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <sonde/ftrace_recorder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/values.h"
#include "cli/record/ftrace.h"

static struct strings instances;
static const char *output, *cpus, *version, *compression, *reader, *tracefs;
static bool quiet, top;

static const struct option_row extract_options[] = {
	{ "output", 'o', OPTION_STRING, &output, .arg = "FILE", .help = "write to FILE (default: trace.dat)" },
	{ "instance", 'B', OPTION_STRINGS, &instances, .arg = "NAME",
	  .help = "read this tracing instance; may be repeated",
	  .values = { .give = give_instances } },
	{ "top", 't', OPTION_FLAG, &top, .help = "read the main buffer too, with -B" },
	{ "cpu", 'C', OPTION_STRING, &cpus, .arg = "LIST", .help = "read these CPUs, for example 0-3,8" },
	{ "file-version", 0, OPTION_STRING, &version, .arg = "6|7", .help = "version of the trace.dat (default: 7)",
	  .values = { .words = WORDS("6", "7") } },
	{ "compression", 0, OPTION_STRING, &compression, .arg = "ALGORITHM",
	  .help = "compress with zstd (or any, the default), zlib or none; version 6 has none",
	  .values = { .words = WORDS("any", "none", "zlib", "zstd") } },
	{ "reader", 0, OPTION_STRING, &reader, .arg = "HOW",
	  .help = "read the buffers by auto, mapped, splice or read",
	  .values = { .words = WORDS("auto", "mapped", "splice", "read") } },
	{ "tracefs", 0, OPTION_STRING, &tracefs, .arg = "DIR",
	  .help = "where tracefs is mounted (default: /sys/kernel/tracing)" },
	{ "quiet", 'q', OPTION_FLAG, &quiet, .help = "print only errors and losses" },
	{ 0 },
};

static void print_message(void *ctx, const char *text)
{
	(void)ctx;
	if (!quiet)
		say("%s", text);
}

/* The main buffer has no name; instances are added after it. */
static int add_instances(struct sonde_ftrace_recorder *t)
{
	int r = 0;

	if (top && instances.n)
		r = sonde_ftrace_recorder_add_instance(t, "");
	for (size_t i = 0; i < instances.n && r == 0; i++)
		r = sonde_ftrace_recorder_add_instance(t, instances.at[i]);
	return r;
}

static int extract_run(int argc, char **argv)
{
	struct sonde_ftrace_recorder_opts o = {
		.sz = sizeof(o), .output = output, .cpus = cpus, .message = print_message
	};
	const struct sonde_ftrace_recorder_stats *s;
	struct sonde_ftrace_recorder *t;
	int r;

	if (argc > 0)
		return say_usage("this command takes no argument, not '%s'", argv[0]);
	if (ftrace_parse_reader(reader, &o.reader) || ftrace_parse_compression(compression, &o.compression))
		return 2;
	if (version && strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return say_usage("--file-version: '%s' is not 6 or 7", version);
	o.file_version = version ? (uint32_t)(*version - '0') : 0;
	t = sonde_ftrace_recorder_new();
	if (!t)
		return 1;
	r = tracefs ? sonde_ftrace_recorder_set_tracefs(t, tracefs) : 0;
	if (r == 0)
		r = add_instances(t);
	if (r == 0)
		r = sonde_ftrace_recorder_extract(t, &o);
	s = sonde_ftrace_recorder_stats(t);
	if (r == 0 && !quiet)
		say_done("wrote %.3f MB %s (%" PRIu64 " events)", (double)s->bytes / 1048576,
			output ? output : "trace.dat", s->events);
	if (r == 0 && s->lost)
		warn("%" PRIu64 " older %s overwritten before", s->lost, s->lost == 1 ? "event was" : "events were");
	if (r < 0)
		r = say_error(NULL, sonde_ftrace_recorder_error(t));
	sonde_ftrace_recorder_free(t);
	return r;
}

static const struct example extract_examples[] = {
	{ "sonde extract -o now.dat", "write what the kernel's trace buffers hold" },
	{ 0 },
};

const struct command cmd_extract = {
	.name = "extract", .args = "", .help = "write the content of the kernel's trace buffers to a trace.dat",
	.details = "Reads tracing that was set up by hand, and buffers that persist over a reboot (-B boot_map): "
		   "sonde finds the place of the old kernel, so that functions have their names. No setting is "
		   "changed and nothing is stopped, but events that are written to the file leave the buffers.",
	.options = extract_options,
	.reads_no_trace = true,
	.examples = extract_examples,
	.run = extract_run,
};
