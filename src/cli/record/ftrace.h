/* SPDX-License-Identifier: MIT */
/* ftrace.h - the part of `sonde record` that uses tracefs */
#ifndef CLI_RECORD_FTRACE_H
#define CLI_RECORD_FTRACE_H

#include <sonde/ftrace_recorder.h>
#include <sonde/perf_recorder.h>

#include "cli/base/command.h"
#include "cli/base/values.h"

/* A request whose place on the command line matters: a filter is for the event before it. */
enum record_request_kind {
	REQUEST_EVENT, REQUEST_FILTER, REQUEST_TRIGGER, REQUEST_TRACER, REQUEST_OPTION, REQUEST_INSTANCE,
	REQUEST_FUNCTION, REQUEST_NO_FUNCTION, REQUEST_GRAPH_FUNCTION, REQUEST_GRAPH_DEPTH, REQUEST_MODULE,
	REQUEST_CGROUP, REQUEST_PFM,
};
struct record_request {
	enum record_request_kind kind;
	const char *text;
};
extern struct record_request requests[];
extern size_t nr_requests;

/* 0, or -SONDE_USAGE if there are too many. */
int request_add(enum record_request_kind kind, const char *text);
/* "--trigger" */
const char *request_option(enum record_request_kind kind);

/* Adds all requests. The *nr_perf events that tracefs does not have go to @recorder. Returns the exit status. */
int ftrace_requests_take(struct sonde_ftrace_recorder *tracer, struct sonde_perf_recorder *recorder, size_t *nr_perf);

/* "sched:sched_switch happened 0 times where the filter holds: 'next_pid == 5'", of tasks that @scope names. */
void ftrace_requests_tell_empty(struct sonde_ftrace_recorder *tracer, const char *scope);

/* 0 if tracefs knows the word; else exit status 2, after a message that lists the known words. */
int ftrace_check_name(struct sonde_ftrace_recorder *tracer, enum sonde_ftrace_kind kind, const char *what,
		      const char *word);

/* The options of this part only. */
struct ftrace_words {
	bool wanted, stacktrace, include_self, nothing;  /* nothing: options that have nothing to change here */
	const char *clock, *buffer_size, *subbuf_size, *cpumask, *duration, *file_version, *reader, *tracefs,
		*compression;
};
extern struct ftrace_words ftrace;

int ftrace_add_trigger(const char *arg);
int ftrace_add_tracer(const char *arg);
int ftrace_add_option(const char *arg);
int ftrace_add_instance(const char *arg);
int ftrace_add_function(const char *arg);
int ftrace_add_no_function(const char *arg);
int ftrace_add_graph_function(const char *arg);
int ftrace_add_graph_depth(const char *arg);
int ftrace_add_function_stacks(const char *arg);
int ftrace_add_module(const char *arg);
int ftrace_set_nothing(const char *arg);
int ftrace_set_include_self(const char *arg);
int ftrace_set_ticks(const char *arg);

/* After --ftrace, letters have the meaning of trace-cmd if the next word fits it. */
bool ftrace_applies(const char *next);
bool ftrace_applies_to_number(const char *next);
bool ftrace_applies_to_name(const char *next);     /* does not begin with a digit */
bool ftrace_applies_alone(const char *next);       /* before a word that is not a number */
bool ftrace_applies_to_function(const char *next); /* after a tracer */

#define FTRACE_LETTERS \
	{ .kind = OPTION_HEADING, .help = "After --ftrace, as in trace-cmd" }, \
	{ NULL, 'p', OPTION_CALL, .call = ftrace_add_tracer, .arg = "TRACER", .applies = ftrace_applies_to_name, \
	  .help = "use this tracer besides the events (--tracer); numbers are processes", \
	  .values = { .give = give_tracers } }, \
	{ NULL, 'C', OPTION_STRING, &ftrace.clock, .arg = "CLOCK", .applies = ftrace_applies_to_name, \
	  .help = "use this clock (--clock); numbers are CPUs", \
	  .values = { .give = give_trace_clocks } }, \
	{ NULL, 'b', OPTION_STRING, &ftrace.buffer_size, .arg = "KB", .applies = ftrace_applies_to_number, \
	  .help = "buffer per CPU in KiB (--buffer-size)" }, \
	{ NULL, 'B', OPTION_CALL, .call = ftrace_add_instance, .arg = "NAME", .applies = ftrace_applies, \
	  .help = "record the following events in a tracing instance of this name (--instance)", \
	  .values = { .give = give_instances } }, \
	{ NULL, 'g', OPTION_CALL, .call = ftrace_add_graph_function, .arg = "PATTERN", \
	  .applies = ftrace_applies_to_function, \
	  .help = "after -p function_graph: show these functions with their callees (--graph-func)" }, \
	{ NULL, 'n', OPTION_CALL, .call = ftrace_add_no_function, .arg = "PATTERN", .applies = ftrace_applies, \
	  .help = "leave these functions out of the tracer (--notrace)" }, \
	{ NULL, 'R', OPTION_CALL, .call = ftrace_add_trigger, .arg = "TRIGGER", .applies = ftrace_applies, \
	  .help = "trigger of the events of the -e before it (--trigger)" }, \
	{ NULL, 'T', OPTION_FLAG, &ftrace.stacktrace, .applies = ftrace_applies, \
	  .help = "record the kernel stack of each event (--stacktrace)" }, \
	{ NULL, 'F', OPTION_FLAG, &ftrace.nothing, .applies = ftrace_applies_alone, \
	  .help = "the command only (always so without -a)" }, \
	{ NULL, 'c', OPTION_FLAG, &ftrace.nothing, .applies = ftrace_applies_alone, \
	  .help = "and what it starts (always so without -i)" }, \
	{ NULL, 's', OPTION_CALL, .call = ftrace_set_nothing, .arg = "USECS", .applies = ftrace_applies_to_number, \
	  .help = "interval of emptying the buffers (not needed: the kernel says when)" }

#define FTRACE_OPTIONS \
	{ "trigger", 0, OPTION_CALL, .call = ftrace_add_trigger, .arg = "TRIGGER", \
	  .help = "trigger of the events of the -e before it, for example 'stacktrace if prev_pid == 1'" }, \
	{ "tracer", 0, OPTION_CALL, .call = ftrace_add_tracer, .arg = "NAME", \
	  .help = "use this tracer besides the events: function, ...", \
	  .values = { .give = give_tracers } }, \
	{ "func", 'l', OPTION_CALL, .call = ftrace_add_function, .arg = "PATTERN", .help = "trace these functions" }, \
	{ "notrace", 0, OPTION_CALL, .call = ftrace_add_no_function, .arg = "PATTERN", \
	  .help = "leave these functions out" }, \
	{ "graph-func", 0, OPTION_CALL, .call = ftrace_add_graph_function, .arg = "PATTERN", \
	  .help = "show these functions with their callees in function_graph" }, \
	{ "trace-option", 'O', OPTION_CALL, .call = ftrace_add_option, .arg = "[no]NAME", \
	  .help = "set a trace option of tracefs", \
	  .values = { .give = give_trace_options } }, \
	{ "stacktrace", 0, OPTION_FLAG, &ftrace.stacktrace, .help = "record the kernel stack of each event" }, \
	{ "instance", 0, OPTION_CALL, .call = ftrace_add_instance, .arg = "NAME", \
	  .help = "record the following events in a tracing instance of this name, with its own buffer in the file", \
	  .values = { .give = give_instances } }, \
	{ "clock", 0, OPTION_STRING, &ftrace.clock, .arg = "CLOCK", \
	  .help = "clock: local (default), global, mono, boot, tai, x86-tsc, ...; mono with events of perf; " \
		  "tsc2nsec: x86-tsc, shown as seconds", \
	  .values = { .give = give_trace_clocks } }, \
	{ "tsc2nsec", 0, OPTION_CALL, .call = ftrace_set_ticks, .help = "the same as --clock tsc2nsec" }, \
	{ "buffer-size", 0, OPTION_STRING, &ftrace.buffer_size, .arg = "KB", \
	  .help = "buffer per CPU in KiB (or -m)" }, \
	{ "subbuf-size", 0, OPTION_STRING, &ftrace.subbuf_size, .arg = "KB", .help = "pages of the buffers in KiB" }, \
	{ "cpumask", 'M', OPTION_STRING, &ftrace.cpumask, .arg = "HEX", .help = "record these CPUs (or -C)" }, \
	{ "module", 0, OPTION_CALL, .call = ftrace_add_module, .arg = "NAME", \
	  .help = "trace the functions of this module" }, \
	{ "max-graph-depth", 0, OPTION_CALL, .call = ftrace_add_graph_depth, .arg = "N", \
	  .help = "maximal depth of function_graph" }, \
	{ "func-stack", 0, OPTION_CALL, .call = ftrace_add_function_stacks, \
	  .help = "record the kernel stack of each function (slow)" }, \
	{ "no-filter", 0, OPTION_CALL, .call = ftrace_set_include_self, \
	  .help = "record the recorder's own threads too" }, \
	{ "cmdlines-size", 0, OPTION_CALL, .call = ftrace_set_nothing, .arg = "N", \
	  .help = "names of tasks (all are always kept)" }, \
	{ "temp", 0, OPTION_CALL, .call = ftrace_set_nothing, .arg = "DIR", \
	  .help = "directory for temporary files (there are none)" }, \
	{ "compression", 0, OPTION_STRING, &ftrace.compression, .arg = "ALGORITHM", \
	  .help = "compress while recording: zstd (or any, the default), zlib or none; version 6 has none", \
	  .values = { .words = WORDS("any", "none", "zlib", "zstd") } }, \
	{ "duration", 0, OPTION_STRING, &ftrace.duration, .arg = "SECONDS", .help = "stop after SECONDS" }, \
	{ "file-version", 0, OPTION_STRING, &ftrace.file_version, .arg = "6|7", \
	  .help = "version of the trace.dat (default: 7)", \
	  .values = { .words = WORDS("6", "7") } }, \
	{ "reader", 0, OPTION_STRING, &ftrace.reader, .arg = "HOW", \
	  .help = "read the buffers by auto, mapped, splice or read", \
	  .values = { .words = WORDS("auto", "mapped", "splice", "read") } }, \
	{ "tracefs", 0, OPTION_STRING, &ftrace.tracefs, .arg = "DIR", \
	  .help = "where tracefs is mounted (default: /sys/kernel/tracing)" }

/**
 * ftrace_record - the whole recording
 * @recorder: takes the events that tracefs does not have
 * @record: what else was said; the same options mean the same
 * @wait_status: of the command, set if 0 is returned
 * Returns the exit status. The kernel has nothing of this recording then.
 */
int ftrace_record(struct sonde_perf_recorder *recorder, struct sonde_perf_recorder_opts *record, bool quiet,
		  int *wait_status);
/* Stops the recording; for signal handlers. */
void ftrace_record_stop(void);

/*
 * The exit status of the command. If a signal killed the command or ended the recording, sonde dies by the same
 * signal.
 */
int follow_command(int wait_status, int sig);

/* auto, mapped, splice, read; exit status 2 after a message. NULL means auto. */
int ftrace_parse_reader(const char *word, enum sonde_ftrace_reader *out);

/* any, none, zlib, zstd; exit status 2 after a message. NULL means any. */
int ftrace_parse_compression(const char *word, enum sonde_compression *out);

#endif
