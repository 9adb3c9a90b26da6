/* SPDX-License-Identifier: MIT */
/* cmd_dump.c - every record of a trace, with its offset and all its fields. */
#include <sonde/text.h>

#include <unistd.h>

#include "cli/command.h"
#include "cli/ledger.h"
#include "cli/lists.h"

static const char *input;
static bool hex, by_time, samples_only;
static uint64_t time_min, time_max;
static struct numbers cpus, pids, tids;

static int take_time(const char *arg)
{
	return parse_time_range(arg, &time_min, &time_max);
}

static int take_cpus(const char *arg)
{
	return list_add_numbers(&cpus, arg, "--cpu");
}

static int take_pids(const char *arg)
{
	return list_add_numbers(&pids, arg, "--pid");
}

static int take_tids(const char *arg)
{
	return list_add_numbers(&tids, arg, "--tid");
}

static const struct option_row dump_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	{ "hex", 'x', OPTION_FLAG, &hex, .help = "add the bytes of each record" },
	{ "sort-time", 0, OPTION_FLAG, &by_time, .help = "in the order of time, not of the file" },
	{ "samples", 0, OPTION_FLAG, &samples_only, .help = "samples only" },
	{ "time", 0, OPTION_CALL, .call = take_time, .arg = "FROM,TO", .help = "samples between two times in seconds" },
	{ "cpu", 'C', OPTION_CALL, .call = take_cpus, .arg = "LIST", .help = "samples on these CPUs: 0,2-5" },
	{ "pid", 0, OPTION_CALL, .call = take_pids, .arg = "LIST", .help = "samples of these processes" },
	{ "tid", 0, OPTION_CALL, .call = take_tids, .arg = "LIST", .help = "samples of these threads" },
	{ 0 },
};

static int dump_run(int argc, char **argv)
{
	const struct sonde_query query = { .sz = sizeof(query), .order = by_time ? SONDE_ORDER_TIME : SONDE_ORDER_FILE,
					   .time_min = time_min, .time_max = time_max, .cpus = cpus.at, .nr_cpus = cpus.n,
					   .pids = pids.at, .nr_pids = pids.n, .tids = tids.at, .nr_tids = tids.n,
					   .samples_only = samples_only };
	const struct sonde_dump_opts opts = { .sz = sizeof(opts), .query = &query, .hex = hex };
	const char *path = input_path(input, argc, argv);
	struct sonde_error err = { 0 };
	struct sonde_trace *t;
	int r, status = 1;

	if (!path)
		return 2;
	t = sonde_trace_new();
	if (t && sonde_trace_open(t, path, NULL) == 0) {
		r = sonde_dump(t, STDOUT_FILENO, &opts, &err);
		if (r < 0)
			say_error(err.code == SONDE_SYSTEM || err.code == SONDE_DENIED ? NULL : path, &err);
		status = ledger_print(t) | (r < 0);
	} else if (t) {
		say_error(path, sonde_trace_error(t));
	}
	sonde_trace_free(t);
	return status;
}

const struct command cmd_dump = {
	.name = "dump",
	.args = "[FILE]",
	.help = "print every record with its offset and all its fields",
	.details = "One line says where the record is in the file, its time, CPU, task, type, size and event; a line follows for "
		   "each field, with the names of <linux/perf_event.h>. Records of the recorder and unknown types are shown too.",
	.options = dump_options,
	.run = dump_run,
};
