/* SPDX-License-Identifier: MIT */
/* cmd_stat.c - counts events of a command or of running tasks, and prints the counts as perf stat does */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/options.h"
#include "cli/record/ftrace.h"
#include "cli/stat/compare.h"
#include "cli/stat/events.h"
#include "cli/stat/options.h"
#include "cli/stat/report.h"
#include "cli/stat/run.h"
#include "cli/stat/words.h"

#define TARGET_BYTES 4096

/* "'ls -l'", "'system wide'", "process id '12'" */
static void name_target(char out[TARGET_BYTES], int argc, char **argv)
{
	const struct stat_words *w = &stat_words;
	const struct numbers *tasks = w->pids.n ? &w->pids : &w->tids;
	size_t n = 0;

	if (w->all_cpus) {
		snprintf(out, TARGET_BYTES, "'system wide'");
	} else if (w->cpus) {
		snprintf(out, TARGET_BYTES, "'CPU(s) %s'", w->cpus);
	} else if (tasks->n) {
		n = (size_t)snprintf(out, TARGET_BYTES, "%s id '", w->pids.n ? "process" : "thread");
		for (size_t i = 0; i < tasks->n && n < TARGET_BYTES; i++)
			n += (size_t)snprintf(out + n, TARGET_BYTES - n, "%s%d", i ? "," : "", tasks->at[i]);
		if (n < TARGET_BYTES)
			snprintf(out + n, TARGET_BYTES - n, "'");
	} else {
		n = (size_t)snprintf(out, TARGET_BYTES, "'");
		for (int i = 0; i < argc && n < TARGET_BYTES; i++)
			n += (size_t)snprintf(out + n, TARGET_BYTES - n, "%s%s", i ? " " : "", argv[i]);
		if (n < TARGET_BYTES)
			snprintf(out + n, TARGET_BYTES - n, "'");
	}
}

static FILE *open_output(void)
{
	const struct stat_words *w = &stat_words;
	time_t now = time(NULL);
	FILE *f = stderr;
	int fd;

	if (w->quiet) {
		f = fopen("/dev/null", "we");
	} else if (w->output) {
		f = fopen(w->output, w->append ? "ae" : "we");
		if (!f)
			say("cannot write %s: %s", w->output, strerror(errno));
		else if (!w->json)
			fprintf(f, "# started on %s\n", ctime(&now));
	} else if (w->log_fd) {
		fd = w->log_fd > INT32_MAX ? -1 : fcntl((int)w->log_fd, F_DUPFD_CLOEXEC, 0);
		f = fd < 0 ? NULL : fdopen(fd, "w");
		if (!f)
			say("--log-fd: file descriptor %llu is not open", (unsigned long long)w->log_fd);
	}
	return f;
}

static int close_output(FILE *f)
{
	bool bad = ferror(f) || fflush(f) != 0;

	if (f != stderr)
		bad |= fclose(f) != 0;
	if (bad)
		say("cannot write the counts: %s", strerror(errno));
	return bad;
}

static void print_end(const struct stat_format *f, const struct stat_run *run, const char *target,
		      const struct stat_end *end)
{
	bool summary = stat_words.interval_ms && stat_words.summary;

	if (stat_words.interval_ms && !summary)
		return;
	stat_print_title(f, target, run->nr);
	stat_print_table(f, run->stat, summary && f->separator && !stat_words.no_csv_summary ? STAT_SUMMARY :
			 STAT_NO_TIME);
	stat_print_end(f, sonde_stat_info(run->stat), end);
}

/* Keeps the time of a run, for --table. */
static int keep_time(struct stat_end *end, const struct stat_run *run)
{
	double *more = realloc((double *)end->each, (run->nr + 1) * sizeof(*more));

	if (!more)
		return say_out_of_memory();
	more[run->nr] = (double)run->elapsed * 1e-9;
	end->each = more;
	return 0;
}

/* run->nr is then the number of runs that have ended. */
static int run_all(struct stat_run *run, struct stat_end *end)
{
	int r = 0;

	for (run->nr = 0; !stat_run_caught() && (!stat_words.runs || run->nr < stat_words.runs); run->nr++) {
		if (stat_words.verbose && stat_words.runs != 1)
			say("run %u", run->nr + 1);
		r = stat_run_once(run);
		if (!r && stat_words.table)
			r = keep_time(end, run);
		if (r)
			break;
	}
	return r;
}

static int count(int argc, char **argv)
{
	const struct stat_words *w = &stat_words;
	struct stat_format format = { .separator = w->separator, .json = w->json,
				      .big_numbers = !w->no_big_num, .metric_only = w->metric_only };
	struct stat_control control;
	struct stat_run run = { .format = &format, .control = &control, .command = argc > 0 ? argv : NULL };
	bool of_command = argc > 0 && !w->pids.n && !w->tids.n && !w->all_cpus && !w->cpus;
	struct stat_end end = { .no_rows = w->null_run, .has_usage = of_command };
	static char target[TARGET_BYTES];
	int r = stat_settle(argc > 0);

	r = r ? r : stat_control_open(&control, w->control);
	r = r ? r : stat_run_catch_signals();
	if (r)
		return r;
	/* as in perf 7, events that were chosen stand alone where a program reads them */
	run.stat = stat_new(w->separator || w->json, false);
	if (!run.stat)
		return 1;
	format.out = open_output();
	if (!format.out)
		return 1;
	format.colour = isatty(fileno(format.out)) && !getenv("NO_COLOR");
	name_target(target, argc, argv);
	r = run_all(&run, &end);
	if (run.nr > 0)
		print_end(&format, &run, target, &end);
	free((double *)end.each);
	sonde_stat_free(run.stat);
	stat_control_close(&control);
	if (close_output(format.out))
		return 1;
	if (r)
		return r;
	return follow_command(run.cut_short ? 0 : run.wait_status, stat_run_caught());
}

extern const struct command cmd_stat;

/* `stat record ...` is as `stat --record FILE ...`, in which -o names that file. */
static int as_record(int *argc, char **argv)
{
	switch (options_parse(&cmd_stat, argc, argv)) {
	case OPTIONS_USAGE:
		return 2;
	case OPTIONS_HELP:
		return say_usage("`sonde help stat` explains the options");
	default:
		break;
	}
	stat_words.record = stat_words.output ? stat_words.output : "perf.data";
	stat_words.output = NULL;
	return 0;
}

static int compare(int argc, char **argv)
{
	const struct stat_words *w = &stat_words;

	if (w->all_cpus || w->cpus || w->pids.n || w->tids.n || w->interval_ms || w->record || w->separator ||
	    w->control)
		return say_usage("--compare counts two commands alone: no targets, -I, -x, --record and --control");
	return stat_compare(argc, argv);
}

static int stat_run(int argc, char **argv)
{
	if (argc > 0 && !strcmp(argv[0], "report"))
		return stat_report(argc, argv);
	if (argc > 0 && !strcmp(argv[0], "record")) {
		int status = as_record(&argc, argv);

		if (status)
			return status;
	}
	return stat_words.compare ? compare(argc, argv) : count(argc, argv);
}

static const struct example stat_examples[] = {
	{ "sonde stat -- ls -R /usr/include", "count what a command takes" },
	{ "sonde stat -r 10 -e task-clock,page-faults -- true", "run a command ten times: means and deviations" },
	{ "sonde stat -a -I 500 -- sleep 1", "count on all CPUs, in steps of half a second" },
	{ "sonde stat -a -A -e context-switches -x, -- sleep 1", "one line for each CPU, fields between commas" },
	{ "sonde stat -e '{instructions,cycles}' -p $(pidof nginx) -- sleep 5",
	  "count two events at the same moments in running processes, for five seconds" },
	{ "sonde stat --compare -r 5 grep -c root /etc/passwd -- grep -ci ROOT /etc/passwd",
	  "compare two commands: differences that are more than chance" },
	{ 0 },
};

const struct command cmd_stat = {
	.name = "stat",
	.args = "[COMMAND [ARGUMENT...]]",
	.help = "count events of a command, of processes or of the whole system",
	.details = "Without a command and without -p, -t, -a or -C all CPUs are counted until Ctrl-C. With a command "
		   "and one of these options, they are counted while the command runs, as in `sonde stat -a sleep "
		   "10`.\n"
		   "Events that this machine cannot count are <not supported> (-v says why), those that had no turn "
		   "on the hardware <not counted>. An event that shared its hardware counter with others is "
		   "estimated for the whole time; the share in which it was counted stands after it.\n"
		   "With -A an event of the term percore, as in cycles/percore/, has a line for each core. The "
		   "environment variable SYSFS_PATH names another /sys for the topology of the CPUs.\n"
		   "The counts go to standard error. The exit status is that of the command; 1 where none of the "
		   "events can be counted. With --compare it is 3 where the second command certainly takes more time "
		   "or, with -e or -M, has more of one of these events; 1 where a command fails.",
	.options = stat_options,
	.reads_no_trace = true,
	.options_first = true,
	.examples = stat_examples,
	.run = stat_run,
};
