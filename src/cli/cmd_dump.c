/* SPDX-License-Identifier: MIT */
/* cmd_dump.c - prints every record of a trace with all its fields */
#include <sonde/text.h>

#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"

static const char *input, *layout;
static bool hex, by_time, samples_only;

static const struct option_row dump_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	{ "hex", 'x', OPTION_FLAG, &hex, .help = "print the bytes of each record, too" },
	{ "layout", 0, OPTION_STRING, &layout, .arg = "NAME",
	  .help = "sonde (default), or perf: as perf report -D, in time order and with the bytes",
	  .values = { .words = WORDS("sonde", "perf") } },
	{ "sort-time", 0, OPTION_FLAG, &by_time, .help = "print in time order, not in file order" },
	{ "samples", 0, OPTION_FLAG, &samples_only, .help = "samples only" },
	{ .kind = OPTION_HEADING, .help = "Which samples" },
	SELECTION_ROWS,
	ACCEPTED_ROWS,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

static int dump_run(int argc, char **argv)
{
	struct sonde_query query = selection();
	struct sonde_dump_opts opts = { .sz = sizeof(opts), .query = &query, .hex = hex };
	const char *path = input_path(input, argc, argv);
	struct sonde_error err = { .sz = sizeof(err) };
	struct sonde_trace *t;
	int r, status = 1;

	query.order = by_time ? SONDE_ORDER_TIME : SONDE_ORDER_FILE;
	query.samples_only = samples_only;
	if (!path)
		return 2;
	if (layout && strcmp(layout, "perf") == 0)
		opts.layout = SONDE_DUMP_PERF;
	else if (layout && strcmp(layout, "sonde") != 0)
		return say_usage("--layout takes sonde or perf, not '%s'", layout);
	t = sonde_trace_new();
	if (t && sonde_trace_open(t, path, open_options()) == 0) {
		r = select_within(t, &query);
		if (r < 0)
			err = *sonde_trace_error(t);
		else
			r = sonde_dump(t, NULL, &opts, &err);
		if (r < 0)
			say_error(err.code == SONDE_SYSTEM || err.code == SONDE_DENIED ? NULL : path, &err);
		status = ledger_print(t) | (r < 0);
	} else if (t) {
		say_error(path, sonde_trace_error(t));
	}
	sonde_trace_free(t);
	return status;
}

static const struct example dump_examples[] = {
	{ "sonde dump --hex perf.data", "print every record with its bytes" },
	{ 0 },
};

const struct command cmd_dump = {
	.name = "dump",
	.args = "[FILE]",
	.help = "print every record with its offset and all its fields",
	.details = "Prints a line for each record: offset in the file, time, CPU, task, type, size and event; then a "
		   "line for each field, with the names of <linux/perf_event.h>. Records of the recorder and unknown "
		   "types are shown too.",
	.options = dump_options,
	.examples = dump_examples,
	.prints_a_lot = true,
	.prints_at_once = true,
	.run = dump_run,
};
