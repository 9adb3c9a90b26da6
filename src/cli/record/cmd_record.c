/* SPDX-License-Identifier: MIT */
/* cmd_record.c - opens a recorder, runs it until a signal or the end of the command, and exits as the command did */
#include <signal.h>
#include <sonde/perf_recorder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/ending.h"
#include "cli/base/file_limit.h"
#include "cli/base/progress.h"
#include "cli/record/bits.h"
#include "cli/record/exporter.h"
#include "cli/record/ftrace.h"
#include "cli/record/options.h"
#include "cli/record/perf_requests.h"
#include "cli/record/summary.h"
#include "cli/record/words.h"

static struct sonde_perf_recorder *volatile recorder;  /* for the signal handler */
static volatile sig_atomic_t caught;

static void print_message(void *ctx, const char *text)
{
	(void)ctx;
	progress_clear();
	if (!record_words.quiet)
		say("%s", text);
}

/* The answer to evlist of --control. */
static void print_answer(void *ctx, const char *text)
{
	(void)ctx;
	progress_clear();
	fputs(text, stdout);
	fflush(stdout);
}

static void print_switched(void *ctx, const char *path)
{
	(void)ctx;
	progress_clear();
	if (!record_words.quiet)
		say_done("Dump %s", path);
	exporter_take(path);
}

static void on_signal(int sig)
{
	caught = sig;
	if (recorder)
		sonde_perf_recorder_stop(recorder);
	ftrace_record_stop();
}

static void on_snapshot(int sig)
{
	(void)sig;
	if (recorder)
		sonde_perf_recorder_snapshot(recorder);
}

/* A signal may come meanwhile. */
static void free_recorder(void)
{
	struct sonde_perf_recorder *r = recorder;

	recorder = NULL;
	sonde_perf_recorder_free(r);
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_snapshot, .sa_flags = SA_RESTART };

	ending_catch(on_signal, true);       /* a write error ends the recording */
	if (record_words.opts.rings.overwrite || record_words.opts.switching.switch_output)
		sigaction(SIGUSR2, &sa, NULL);
}

#define CMDLINE_BYTES 65536
#define CMDLINE_WORDS 4096

/*
 * Reads the command line from the kernel, because the option parser has reordered argv. The words are views of @text.
 */
static size_t command_line(char text[CMDLINE_BYTES], const char *words[CMDLINE_WORDS])
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	size_t n = f ? fread(text, 1, CMDLINE_BYTES - 1, f) : 0, nr = 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	for (char *p = text; p < text + n && nr < CMDLINE_WORDS; p += strlen(p) + 1)
		words[nr++] = p;
	return nr;
}

/* perf's environment variables: the directories of this machine's files, or of another machine's. */
static int set_roots(void)
{
	const char *sysfs = getenv("SYSFS_PATH"), *tracefs = getenv("TRACEFS_PATH"), *procfs = getenv("PROC_PATH");
	int r = sonde_perf_recorder_set_roots(recorder, sysfs, tracefs);

	if (r == 0 && procfs)
		r = sonde_perf_recorder_set_procfs(recorder, procfs);
	for (size_t i = 0; r == 0 && i < record_words.event_files.n; i++)
		r = sonde_perf_recorder_add_event_file(recorder, record_words.event_files.at[i]);
	return r;
}

static int dry_run(void)
{
	const struct sonde_output to = { .sz = sizeof(to), .fd = STDERR_FILENO };
	int r = 0;

	if (record_words.verbose) {
		r = sonde_perf_recorder_plan(recorder, &record_words.opts);
		r = r < 0 ? r : sonde_perf_recorder_print_attrs(recorder, &to);
	}
	return r < 0 ? say_error(NULL, sonde_perf_recorder_error(recorder)) : 0;
}

/* One file or directory that can be read now, and somebody who reads what is said about it. */
static bool has_plain_output(void)
{
	return !record_words.quiet && !record_words.opts.switching.switch_output &&
	       !(record_words.output && !strcmp(record_words.output, "-"));
}

static int record_perf(void)
{
	int status, exported, r = set_roots();

	if (r < 0)
		return say_error(NULL, sonde_perf_recorder_error(recorder));
	status = perf_requests_take(recorder);
	if (status)
		return status;
	if (record_words.dry_run)
		return dry_run();
	r = sonde_perf_recorder_open(recorder, &record_words.opts);
	if (r == 0) {
		record_print_opened(sonde_perf_recorder_stats(recorder));
		r = sonde_perf_recorder_run(recorder);
		progress_clear();
		record_print_summary(sonde_perf_recorder_stats(recorder), r < 0);
	}
	if (r < 0)
		return say_error(NULL, sonde_perf_recorder_error(recorder));
	status = sonde_perf_recorder_stats(recorder)->wait_status;
	/* By then the kernel has nothing of ours: the process may end by a signal. */
	free_recorder();
	exported = exporter_finish();
	if (has_plain_output())
		record_print_stack_sizes(record_words.output ? record_words.output : "perf.data");
	status = follow_command(status, caught);
	return status ? status : exported;
}

static int record_run(int argc, char **argv)
{
	static char text[CMDLINE_BYTES];
	static const char *words[CMDLINE_WORDS];
	struct sonde_perf_recorder_opts *opts = &record_words.opts;
	int status, wait_status = -1;

	if (record_words.list_registers) {
		puts(register_list());
		return 0;
	}
	status = record_settle(argc > 0);
	if (!status && !record_words.dry_run)
		status = exporter_start();
	if (status)
		return status;
	recorder = sonde_perf_recorder_new();
	if (!recorder)
		return say_out_of_memory();
	opts->calls.message = print_message;
	opts->calls.progress = progress_show;
	opts->calls.print = print_answer;
	opts->calls.switched = print_switched;
	opts->calls.more_files = raise_file_limit;
	opts->rings.prefer_realtime = !record_words.normal_priority;
	if (argc > 0)
		opts->target.command = (const char *const *)argv;
	opts->file.cmdline = words;
	opts->file.nr_cmdline = command_line(text, words);
	progress_begin(record_words.quiet, argc > 0);
	catch_signals();
	status = ftrace.wanted ? ftrace_record(recorder, opts, record_words.quiet, &wait_status) : record_perf();
	free_recorder();
	exporter_finish();
	/* last: the process may end by a signal */
	return ftrace.wanted && status == 0 ? follow_command(wait_status, caught) : status;
}

static const struct example record_examples[] = {
	{ "sonde record -g -- ls -R /usr/include",
	  "record where a command spends its time, with call chains, into perf.data" },
	{ "sonde record -a -g -- sleep 1", "record all CPUs for a second" },
	{ "sonde record -e sched:sched_switch -a -- sleep 1", "record who runs when" },
	{ "sonde record -F 999 -g -p $(pidof nginx)", "record running processes until Ctrl-C" },
	{ "sonde record --ftrace -e sched -e irq -- sleep 1",
	  "record events of the kernel's tracer into trace.dat" },
	{ 0 },
};

const struct command cmd_record = {
	.name = "record",
	.args = "[COMMAND [ARGUMENT...]]",
	.help = "record a command, processes or the whole system",
	.details = "Without a command and without -p, -t, -a or -C all CPUs are recorded until Ctrl-C. With a command "
		   "and one of these options, they are recorded while the command runs, as in `sonde record -a sleep "
		   "10`.\n"
		   "The file can be read at any time. The records are flushed at least every half second: these "
		   "survive even if the recorder is killed.\n"
		   "`uprobe:FILE:FUNCTION[+OFFSET][%return] [ARGUMENT...]` and `probe:` with a function of the kernel "
		   "add a tracepoint for the time of the recording, also with --ftrace; arguments are in the kernel's "
		   "words, as `len=%dx:u64`. `sdt:FILE:PROVIDER:NAME` does so at a static probe (USDT) of a file, as "
		   "`sonde list sdt FILE` names it: with its arguments, and its semaphore turned on.\n"
		   "--dry-run -v prints the attrs that would be opened. The environment variables SYSFS_PATH and "
		   "TRACEFS_PATH name other places than /sys and /sys/kernel/tracing, where events are looked up, and "
		   "PROC_PATH one than /proc, for --kcore.\n"
		   "The exit status is that of the command.",
	.options = record_options,
	.reads_no_trace = true,
	.options_first = true,
	.examples = record_examples,
	.run = record_run,
};
