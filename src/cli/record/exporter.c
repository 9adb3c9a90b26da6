/* SPDX-License-Identifier: MIT */
#include "cli/record/exporter.h"

#include <sonde/export.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/report.h"
#include "cli/record/words.h"

enum { WINDOW_S = 60, NICE = 10 };     /* at 19, a machine with many busy tasks never gets it done */

static const char *folder;           /* NULL: --export was not given */
static int to_child = -1;            /* paths, each with its NUL */
static pid_t child;

int exporter_set(const char *arg)
{
	static const char format[] = "parquet:";
	size_t n = sizeof(format) - 1;

	if (strncmp(arg, format, n) != 0 || !arg[n]) {
		say_usage("--export: '%s' is not parquet:DIR", arg);
		return -SONDE_USAGE;
	}
	folder = arg + n;
	return 0;
}

int exporter_settle(void)
{
	struct sonde_perf_recorder_opts *o = &record_words.opts;

	if (!folder)
		return 0;
	if (!o->switching.switch_output)
		return say_usage("--export: --switch-output tells when a file is finished, for example after 1m");
	if (o->clock != SONDE_CLOCK_ID) {    /* windows and directories have dates */
		o->clock = SONDE_CLOCK_ID;
		o->clock_id = CLOCK_MONOTONIC;
	}
	return 0;
}

/* ---- the process of low priority ---- */

/* Adds a file to the data set. 0, or exit status 1 after a message. */
static int export_trace(struct sonde_trace *t, const char *path, struct sonde_export_known *known)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .mode = SONDE_PROFILE_STACKS, .threads = 1,
						 .by = SONDE_BY_TIME | SONDE_BY_CGROUP, .dated_steps = true,
						 .time_step_ns = WINDOW_S * UINT64_C(1000000000) };
	const struct sonde_fleet_opts fleet = { .sz = sizeof(fleet), .known = known };
	struct sonde_export_opts to = { .sz = sizeof(to), .fleet = &fleet };
	struct sonde_error err = { .sz = sizeof(err) };
	struct sonde_profile *p;
	int status = 0;

	if (sonde_trace_open(t, path, NULL) < 0)
		return say_error(path, sonde_trace_error(t));
	p = sonde_profile_new(&opts);
	if (!p)
		return say_out_of_memory();
	report_describe(&to, t);
	if (sonde_profile_add(p, t, NULL) < 0)
		status = say_error(path, sonde_trace_error(t));
	else if (sonde_export_file(p, "parquet", folder, &to, &err) < 0)
		status = say_error(path, &err);
	sonde_profile_free(p);
	return status;
}

/* The recorder removes files itself if it keeps the newest. */
static int export_file(const char *path, struct sonde_export_known *known)
{
	struct sonde_trace *t = sonde_trace_new();
	int status = t ? export_trace(t, path, known) : say_out_of_memory();

	sonde_trace_free(t);
	if (status)
		warn("%s was not exported; it stays", path);
	else if (!record_words.opts.switching.switch_max_files && unlink(path) < 0)
		say("cannot remove %s: %s", path, strerror(errno));
	return status;
}

/* Ends when the recorder has closed its end of the pipe, or was killed. */
static int export_all(int from_recorder)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR2 };
	struct sonde_export_known *known = sonde_export_known_new();
	FILE *paths = fdopen(from_recorder, "re");
	char *path = NULL;
	size_t size = 0;
	int status = 0;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);    /* those of a terminal are for the recorder */
	setpriority(PRIO_PROCESS, 0, NICE);
	if (!known || !paths)
		return say_out_of_memory();
	while (getdelim(&path, &size, '\0', paths) > 0)
		status |= export_file(path, known);
	free(path);
	fclose(paths);
	sonde_export_known_free(known);
	return status;
}

/* ---- the recorder ---- */

int exporter_start(void)
{
	int ends[2];

	if (!folder)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0 || (child = fork()) < 0) {
		say("cannot start the process that exports: %s", strerror(errno));
		return 1;
	}
	if (child == 0) {
		close(ends[1]);
		_exit(export_all(ends[0]));
	}
	close(ends[0]);
	to_child = ends[1];
	fcntl(to_child, F_SETFL, O_NONBLOCK);
	return 0;
}

/* A path is shorter than what a pipe takes as a whole; the recorder never waits. */
void exporter_take(const char *path)
{
	size_t n = strlen(path) + 1;

	if (to_child >= 0 && write(to_child, path, n) != (ssize_t)n)
		warn("%s was not exported: %s; it stays", path,
		     errno == EAGAIN ? "too many files wait" : "the process that exports has ended");
}

int exporter_finish(void)
{
	int status = 0;

	if (to_child < 0)
		return 0;
	close(to_child);
	to_child = -1;
	setpriority(PRIO_PROCESS, child, 0);    /* somebody waits for it now; not everybody may */
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
