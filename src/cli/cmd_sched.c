/* SPDX-License-Identifier: MIT */
/* cmd_sched.c - when tasks ran, waited and were late */
#include <sonde/analysis.h>

#include <string.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/lists.h"
#include "cli/base/memory.h"

static const char *input, *prios;
static bool wakeups, migrations, next, cpu_visual, state, show_prio, summary, with_summary, json, csv;

static const struct option_row sched_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	{ "json", 0, OPTION_FLAG, &json, .help = "print one JSON object: docs/analysis-json.md" },
	{ "csv", 0, OPTION_FLAG, &csv, .help = "print comma-separated values, with all columns" },
	{ .kind = OPTION_HEADING, .help = "Lines" },
	{ "wakeups", 'w', OPTION_FLAG, &wakeups, .help = "print wakeups, too: who wakes whom" },
	{ "migrations", 'M', OPTION_FLAG, &migrations, .help = "print migrations to other CPUs, too" },
	{ "next", 'n', OPTION_FLAG, &next, .help = "print the task that comes to the CPU" },
	{ "cpu-visual", 'V', OPTION_FLAG, &cpu_visual,
	  .help = "print a column for each CPU: s for a switch, i where the idle task leaves, m for a migration" },
	{ "state", 0, OPTION_FLAG, &state,
	  .help = "print the state in which a task leaves; in a summary the wait times, too" },
	{ "show-prio", 0, OPTION_FLAG, &show_prio,
	  .help = "print the priority; 120->79 if it changed during the run" },
	{ "summary", 's', OPTION_FLAG, &summary, .help = "print only sums of each task" },
	{ "with-summary", 'S', OPTION_FLAG, &with_summary, .help = "print sums of each task after the lines" },
	{ .kind = OPTION_HEADING, .help = "Of which switches (the choice does not change times)" },
	{ "time", 0, OPTION_CALL, .call = select_time, .arg = "FROM,TO",
	  .help = "between two times in seconds, either may be left out; or 10%/2, the second tenth" },
	{ "cpu", 'C', OPTION_CALL, .call = select_cpus, .arg = "LIST", .help = "on these CPUs: 0,2-5" },
	{ "pid", 'p', OPTION_CALL, .call = select_pids, .arg = "LIST", .help = "of these processes" },
	{ "tid", 't', OPTION_CALL, .call = select_tids, .arg = "LIST", .help = "of these threads" },
	{ "prio", 0, OPTION_STRING, &prios, .arg = "LIST", .help = "of tasks of these priorities: 0-99,120,-1" },
	ACCEPTED_FORCE_ROW,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

/* The options of the analysis; NULL after a message. */
static const char *const *analysis_options(void)
{
	static const struct { const bool *on; const char *option; } rows[] = {
		{ &wakeups, "wakeups" }, { &migrations, "migrations" }, { &next, "next" },
		{ &cpu_visual, "cpu-visual" },
		{ &state, "state" }, { &show_prio, "show-prio" }, { &summary, "summary" },
		{ &with_summary, "with-summary" },
	};
	static char prio[512];
	static const char *options[sizeof(rows) / sizeof(*rows) + 2];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (*rows[i].on)
			options[n++] = rows[i].option;
	if (prios && strlen(prios) + sizeof("prio=") > sizeof(prio)) {
		say_usage("--prio has too long a list");
		return NULL;
	}
	if (prios) {
		strcpy(prio, "prio=");
		strcat(prio, prios);
		options[n++] = prio;
	}
	return options;
}

static int print(struct sonde_analysis *a)
{
	struct sonde_error err = { .sz = sizeof(err) };

	if (sonde_analysis_print(a, json ? "json" : csv ? "csv" : "text", NULL, &err) < 0)
		return say_error(NULL, &err);
	if (sonde_analysis_note(a))
		warn("%s", sonde_analysis_note(a));
	return 0;
}

static int run_trace(struct sonde_analysis *a, struct sonde_trace *t, const char *path)
{
	struct sonde_query query = selection();
	int status = 0;

	if (select_within(t, &query) < 0)
		return say_error(path, sonde_trace_error(t));
	if (sonde_analysis_run(a, t, &query) < 0) {
		status = say_error(path, sonde_analysis_error(a));
		if (sonde_analysis_error(a)->code == SONDE_MISSING || sonde_analysis_error(a)->code == SONDE_USAGE)
			return status | ledger_print(t);
	}
	return status | print(a) | ledger_print(t);
}

static int open_and_run(struct sonde_analysis *a, const char *path)
{
	struct sonde_trace *t = sonde_trace_new();
	int status;

	if (!t)
		return say_out_of_memory();
	if (sonde_trace_open(t, path, open_options()) < 0)
		status = say_error(path, sonde_trace_error(t));
	else
		status = run_trace(a, t, path);
	sonde_trace_free(t);
	return status;
}

static int timehist(const char *path)
{
	const char *const *options = analysis_options();
	struct sonde_analysis *a;
	int status;

	if (!options)
		return 2;
	a = sonde_analysis_new("timehist", options);
	if (!a)
		return say_out_of_memory();
	if (sonde_analysis_error(a)->code)
		status = say_usage("%s", sonde_analysis_error(a)->text);
	else
		status = open_and_run(a, path);
	sonde_analysis_free(a);
	return status;
}

static int sched_run(int argc, char **argv)
{
	const char *path;

	if (argc == 0)
		return say_usage("sched expects what to show: sonde sched timehist");
	if (strcmp(argv[0], "timehist") != 0)
		return say_usage("sched has no '%s'; it has: timehist", argv[0]);
	path = input_path(input, argc - 1, argv + 1);
	if (!path)
		return 2;
	if (json && csv)
		return say_usage("--json excludes --csv");
	if (summary && (wakeups || migrations || next || with_summary))
		return say_usage("-s excludes -w, -M, -n and -S");
	return timehist(path);
}

static const struct example sched_examples[] = {
	{ "sonde sched timehist -S", "print each switch of perf.data, and sums of each task" },
	{ "sonde sched timehist --csv", "print all columns for a spreadsheet" },
	{ 0 },
};

const struct command cmd_sched = {
	.name = "sched",
	.args = "timehist [FILE]",
	.help = "show when tasks ran, waited and were late, as perf sched timehist does",
	.details = "`timehist` prints a line for each switch, about the task that leaves its CPU: how long it was off "
		   "a CPU before this run (wait time), the part of that in which it could have run (sch delay), and "
		   "how long it ran. Times are milliseconds. A time whose begin was not recorded, or during which "
		   "events were lost, is 0.000 as in perf; --json and --csv leave it out, and it is part of no sum.\n"
		   "The trace needs each sched:sched_switch, and for delays sched:sched_waking or sched:sched_wakeup: "
		   "sonde record -a -e 'sched:*'. docs/sched-differences.md has the differences to perf.",
	.options = sched_options,
	.examples = sched_examples,
	.prints_a_lot = true,
	.run = sched_run,
};
