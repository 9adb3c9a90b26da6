/* SPDX-License-Identifier: MIT */
/* common_options.h - options of several commands: the choice of samples, and the files with symbols */
#ifndef CLI_BASE_COMMON_OPTIONS_H
#define CLI_BASE_COMMON_OPTIONS_H

#include <sonde/symbol.h>

#include "cli/base/command.h"
#include "cli/base/debuginfod.h"

/* Rows for a command's table; selection() has their result. */
#define SELECTION_ROWS \
	{ "time", 0, OPTION_CALL, .call = select_time, .arg = "FROM,TO", \
	  .help = "between two times in seconds, either may be left out; or 10%/2, the second tenth; 10%-20%; " \
		  "also several" }, \
	{ "cpu", 'C', OPTION_CALL, .call = select_cpus, .arg = "LIST", .help = "on these CPUs: 0,2-5" }, \
	{ "pid", 0, OPTION_CALL, .call = select_pids, .arg = "LIST", .help = "of these processes" }, \
	{ "tid", 0, OPTION_CALL, .call = select_tids, .arg = "LIST", .help = "of these threads" }

int select_time(const char *arg);
int select_cpus(const char *arg);
int select_pids(const char *arg);
int select_tids(const char *arg);

/* For rows that name threads, binaries and functions: "a,b", may be repeated. */
int select_comms(const char *arg);
int select_dsos(const char *arg);
int select_symbols(const char *arg);

struct selected_names {
	struct strings comms, dsos, symbols;
};
extern struct selected_names selected;

/* The query of the rows, without their times. */
struct sonde_query selection(void);

/*
 * Narrows a query to the times of the rows; shares are those of the trace. Its views live until the next call.
 * Negative with the error in the trace.
 */
int select_within(struct sonde_trace *t, struct sonde_query *q);

/*
 * The same for traces of one clock; shares are of the time from the first event of any trace to the last event.
 * @failed: index of the trace that has the error
 */
int select_within_all(struct sonde_trace *const *traces, size_t n, struct sonde_query *q, size_t *failed);

/* The same for a trace that the library opens later; an error has been printed. */
int select_within_file(const char *path, struct sonde_query *q);

/* Rows for a command's table; they fill symbol_options. */
#define SYMBOL_ROWS \
	{ "symfs", 0, OPTION_STRING, &symbol_options.symfs, .arg = "DIR", \
	  .help = "look for binaries below this directory" }, \
	{ "sysroot", 0, OPTION_STRING, &symbol_options.sysroot, .arg = "DIR", \
	  .help = "look for binaries below this directory first, then at their own paths" }, \
	{ "buildid-dir", 0, OPTION_STRING, &symbol_options.buildid_dir, .arg = "DIR", \
	  .help = "cache of binaries instead of ~/.debug" }, \
	{ "vmlinux", 'k', OPTION_STRING, &symbol_options.vmlinux, .arg = "FILE", \
	  .help = "kernel image with symbols" }, \
	{ "kallsyms", 0, OPTION_STRING, &symbol_options.kallsyms, .arg = "FILE", \
	  .help = "kernel symbols instead of /proc/kallsyms" }, \
	{ "archive", 0, OPTION_STRING, &symbol_options.archive, .arg = "FILE", \
	  .help = "binaries from this file of `perf archive`; else RECORDING.tar.* is used if it is there" }, \
	{ "debuginfod", 0, OPTION_CALL, .call = debuginfod_use, .arg = "URLS", .optional = true, \
	  .help = "fetch missing symbols from these servers, or those of $DEBUGINFOD_URLS; also the kernel's" }, \
	{ "no-debuginfod", 0, OPTION_CALL, .call = debuginfod_use_not, \
	  .help = "ask no servers, even if $DEBUGINFOD_URLS is set" }, \
	{ "no-demangle", 0, OPTION_FLAG, &symbol_options.no_demangle, .help = "do not demangle names" }, \
	{ "demangle-kernel", 0, OPTION_FLAG, &symbol_options.demangle_kernel, \
	  .help = "demangle names of the kernel, too" }

extern struct sonde_symbols_opts symbol_options;

/* A row for a command's table; threads_wanted() has its value. */
#define JOBS_ROW \
	{ "jobs", 0, OPTION_U64, &jobs_option, .arg = "N", .help = "use N threads (default: one for each CPU)" }
extern uint64_t jobs_option;

/* 0: one for each CPU. */
uint32_t threads_wanted(void);

/*
 * Rows for options of perf that have no effect here. They are names of one option, so that an abbreviation is not
 * ambiguous.
 */
#define FORCE_ROW \
	{ "force", 'f', OPTION_FLAG, &symbol_options.force, \
	  .help = "believe the perf-PID.map and jitdumps of other users, also those of processes that have ended" }
#define ACCEPTED_FORCE_ROW \
	{ "force", 'f', OPTION_FLAG, &option_accepted, .help = "accepted: files of other users are always read" }
#define ACCEPTED_VERBOSE_ROW \
	{ "verbose", 'v', OPTION_FLAG, &option_accepted, .help = "accepted: nothing more to print" }
/* For commands in which -v has another meaning, or which have rows of their own for it. */
#define ACCEPTED_ROWS \
	{ .kind = OPTION_HEADING, .help = "For users of perf" }, \
	ACCEPTED_FORCE_ROW, \
	ACCEPTED_SILENT_ROWS
/* The same for commands that name functions. */
#define ACCEPTED_SYMBOL_ROWS \
	{ .kind = OPTION_HEADING, .help = "For users of perf" }, \
	FORCE_ROW, \
	ACCEPTED_SILENT_ROWS
#define ACCEPTED_SILENT_ROWS \
	{ "quiet", 'q', OPTION_FLAG, &option_accepted, .help = "accepted: errors and losses are always printed" }, \
	{ "group", 0, OPTION_FLAG, &option_accepted, .help = "accepted: events of a group stay separate" }, \
	{ "skip-empty", 0, OPTION_FLAG, &option_accepted, \
	  .help = "accepted: events without samples are always left out" }
extern bool option_accepted;

#endif
