/* SPDX-License-Identifier: MIT */
/* record_ftrace.h - the part of `sonde record` that traces the kernel through tracefs. */
#ifndef CLI_RECORD_FTRACE_H
#define CLI_RECORD_FTRACE_H

#include <signal.h>
#include <sonde/ftrace.h>
#include <sonde/record.h>

#include "cli/command.h"

/* What stands on the command line in an order that matters: a filter is for the event before it. */
enum wish_kind {
	WISH_EVENT, WISH_FILTER, WISH_TRIGGER, WISH_TRACER, WISH_OPTION, WISH_INSTANCE, WISH_FUNCTION, WISH_NO_FUNCTION, WISH_GRAPH_FUNCTION,
};
struct wish {
	enum wish_kind kind;
	const char *text;
};
extern struct wish wishes[];
extern size_t nr_wishes;

/* 0, or -SONDE_USAGE when there are too many. */
int wish_add(enum wish_kind kind, const char *text);
/* "--trigger" */
const char *wish_option(enum wish_kind kind);

/* All of them, as far as tracefs has what they name; the events that it does not have go to @recorder, *nr_perf of them. Exit status. */
int wishes_take(struct sonde_ftrace *tracer, struct sonde_recorder *recorder, size_t *nr_perf);

/* The options that only this part has. */
struct ftrace_words {
	bool wanted, stacktrace;
	const char *clock, *buffer_size, *subbuf_size, *cpumask, *duration, *file_version, *reader, *tracefs;
};
extern struct ftrace_words ftrace;

int ftrace_add_trigger(const char *arg);
int ftrace_add_tracer(const char *arg);
int ftrace_add_option(const char *arg);
int ftrace_add_instance(const char *arg);
int ftrace_add_function(const char *arg);
int ftrace_add_no_function(const char *arg);
int ftrace_add_graph_function(const char *arg);

#define FTRACE_OPTIONS \
	{ "trigger", 0, OPTION_CALL, .call = ftrace_add_trigger, .arg = "TRIGGER", \
	  .help = "what the events of the -e before it set off, as 'stacktrace if prev_pid == 1'" }, \
	{ "tracer", 0, OPTION_CALL, .call = ftrace_add_tracer, .arg = "NAME", .help = "a tracer beside the events: function, ..." }, \
	{ "func", 'l', OPTION_CALL, .call = ftrace_add_function, .arg = "PATTERN", .help = "functions for the tracer" }, \
	{ "notrace", 0, OPTION_CALL, .call = ftrace_add_no_function, .arg = "PATTERN", .help = "functions that it leaves out" }, \
	{ "graph-func", 0, OPTION_CALL, .call = ftrace_add_graph_function, .arg = "PATTERN", \
	  .help = "functions that function_graph shows with what they call" }, \
	{ "trace-option", 'O', OPTION_CALL, .call = ftrace_add_option, .arg = "[no]NAME", .help = "one of tracefs's options" }, \
	{ "stacktrace", 0, OPTION_FLAG, &ftrace.stacktrace, .help = "the kernel's stack with each event" }, \
	{ "instance", 0, OPTION_CALL, .call = ftrace_add_instance, .arg = "NAME", \
	  .help = "what follows is for a tracing instance of this name: a buffer of its own in the trace.dat" }, \
	{ "clock", 0, OPTION_STRING, &ftrace.clock, .arg = "CLOCK", \
	  .help = "time by local (default), global, mono, boot, tai, x86-tsc, counter, ...; mono together with events of perf" }, \
	{ "buffer-size", 0, OPTION_STRING, &ftrace.buffer_size, .arg = "KB", .help = "buffer per CPU in KiB (or -m)" }, \
	{ "subbuf-size", 0, OPTION_STRING, &ftrace.subbuf_size, .arg = "KB", .help = "pages of the buffers in KiB" }, \
	{ "cpumask", 'M', OPTION_STRING, &ftrace.cpumask, .arg = "HEX", .help = "these CPUs (or -C)" }, \
	{ "duration", 0, OPTION_STRING, &ftrace.duration, .arg = "SECONDS", .help = "end after so long" }, \
	{ "file-version", 0, OPTION_STRING, &ftrace.file_version, .arg = "6|7", .help = "of the trace.dat (default: 7)" }, \
	{ "reader", 0, OPTION_STRING, &ftrace.reader, .arg = "HOW", .help = "read the buffers by auto, mapped, splice or read" }, \
	{ "tracefs", 0, OPTION_STRING, &ftrace.tracefs, .arg = "DIR", .help = "where tracefs is mounted (default: /sys/kernel/tracing)" }

/**
 * ftrace_record - the whole recording
 * @recorder: takes the events that tracefs does not have
 * @record: what else was said; the same options mean the same
 * Returns the exit status.
 */
int ftrace_record(struct sonde_recorder *recorder, struct sonde_record_opts *record, bool quiet, const volatile sig_atomic_t *caught);
/* For signal handlers. */
void ftrace_record_stop(void);

/* The exit status of the command; who was killed by a signal, or has stopped us by one, is followed. */
int follow_command(int wait_status, int sig);

/* auto, mapped, splice, read; exit status 2 after a message. NULL is auto. */
int ftrace_parse_reader(const char *word, enum sonde_ftrace_reader *out);

#endif
