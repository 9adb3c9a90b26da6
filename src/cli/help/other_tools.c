/* SPDX-License-Identifier: MIT */
#include "cli/help/other_tools.h"

#include <stdio.h>
#include <string.h>

#include "cli/base/command.h"

#define PERF "perf"
#define TRACE_CMD "trace-cmd"

/* In the order of `perf help` of 7.2 and `trace-cmd -h` of 3.4; tests/command/others.sh compares. */
const struct other_command other_commands[] = {
	{ PERF, "annotate", "annotate", "show samples beside the instructions of a function" },
	{ PERF, "archive", NULL, "pack the binaries of a recording" },
	{ PERF, "bench", NULL, "measure this machine" },
	{ PERF, "buildid-cache", NULL, "keep copies of binaries" },
	{ PERF, "buildid-list", "buildid-list", "list build ids" },
	{ PERF, "c2c", NULL, "find cache lines that CPUs fight for" },
	{ PERF, "config", NULL, "read and write a configuration file" },
	{ PERF, "daemon", NULL, "record in the background" },
	{ PERF, "data", "convert, export", "write a recording in another format" },
	{ PERF, "diff", NULL, "compare recordings" },
	{ PERF, "evlist", "evlist", "list the events of a recording" },
	{ PERF, "ftrace", "record --ftrace", "trace with the kernel's tracers" },
	{ PERF, "help", "help", "explain a command" },
	{ PERF, "inject", "convert --build-ids", "add to a recording" },
	{ PERF, "iostat", NULL, "count traffic of PCIe ports" },
	{ PERF, "kallsyms", NULL, "look up a symbol of the kernel" },
	{ PERF, "kvm", NULL, "measure guests" },
	{ PERF, "list", "list", "list the events of this machine" },
	{ PERF, "mem", NULL, "measure memory accesses" },
	{ PERF, "record", "record", "record events" },
	{ PERF, "report", "report", "show where the time went" },
	{ PERF, "script", "script", "print samples" },
	{ PERF, "stat", "stat", "count events of a command" },
	{ PERF, "test", NULL, "test perf itself" },
	{ PERF, "top", "top", "show what runs now" },
	{ PERF, "version", "version", "print the version" },
	{ PERF, "probe", NULL, "define new tracepoints" },
	{ PERF, "trace", NULL, "print system calls" },
	{ PERF, "kmem", NULL, "measure allocations of the kernel" },
	{ PERF, "kwork", NULL, "measure interrupts and work queues" },
	{ PERF, "lock", NULL, "measure locks" },
	{ PERF, "sched", "sched", "measure the scheduler" },
	{ PERF, "timechart", NULL, "draw what the machine did" },
	{ TRACE_CMD, "record", "record --ftrace", "record into a trace.dat" },
	{ TRACE_CMD, "set", NULL, "change settings of the tracer" },
	{ TRACE_CMD, "start", NULL, "start tracing without a file" },
	{ TRACE_CMD, "extract", "extract", "write the trace buffers to a file" },
	{ TRACE_CMD, "stop", NULL, "stop tracing" },
	{ TRACE_CMD, "restart", NULL, "start tracing again" },
	{ TRACE_CMD, "show", NULL, "print the trace buffers" },
	{ TRACE_CMD, "reset", NULL, "bring the tracer into its first state" },
	{ TRACE_CMD, "clear", NULL, "empty the trace buffers" },
	{ TRACE_CMD, "report", "script", "print the events of a trace.dat" },
	{ TRACE_CMD, "stream", NULL, "trace and print at once" },
	{ TRACE_CMD, "profile", NULL, "trace and sum up at once" },
	{ TRACE_CMD, "hist", "report -g", "sum up the call stacks of a trace.dat" },
	{ TRACE_CMD, "stat", NULL, "show the state of the tracer" },
	{ TRACE_CMD, "split", "cut", "write parts of a trace.dat" },
	{ TRACE_CMD, "options", NULL, "list options of plug-ins" },
	{ TRACE_CMD, "listen", NULL, "take in traces over the network" },
	{ TRACE_CMD, "agent", NULL, "trace a guest for its host" },
	{ TRACE_CMD, "setup-guest", NULL, "make the FIFOs of a guest" },
	{ TRACE_CMD, "list", NULL, "list events, tracers and options of this machine" },
	{ TRACE_CMD, "restore", "repair", "make a trace.dat from the files of a killed recorder" },
	{ TRACE_CMD, "snapshot", NULL, "take a snapshot of the trace buffers" },
	{ TRACE_CMD, "stack", NULL, "watch the kernel's stack" },
	{ TRACE_CMD, "check-events", NULL, "parse the print formats of this machine" },
	{ TRACE_CMD, "dump", "info, dump, check", "show the parts of a trace.dat" },
	{ TRACE_CMD, "attach", "merge", "make one trace of a host's and a guest's" },
	{ TRACE_CMD, "convert", "convert", "write a trace.dat of another version" },
	{ TRACE_CMD, "sqlhist", NULL, "make histograms and synthetic events from SQL" },
	{ 0 },
};

/* "convert, export" as "sonde convert or sonde export" */
static void say_here(const struct other_command *o)
{
	char text[128] = "";
	size_t n = 0;

	for (const char *p = o->here; *p; p += strspn(p, ", ")) {
		int len = (int)strcspn(p, ",");

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s'sonde %.*s'", n ? " or " : "", len, p);
		p += len;
	}
	say("there is no 'sonde %s': use %s (%s %s: %s)", o->name, text, o->tool, o->name, o->what);
}

bool other_tools_answer(const char *name)
{
	bool known = false;

	for (const struct other_command *o = other_commands; o->tool; o++) {
		if (strcmp(o->name, name) != 0)
			continue;
		known = true;
		if (o->here)
			say_here(o);
		else
			say("there is no 'sonde %s' yet (%s %s: %s)", o->name, o->tool, o->name, o->what);
	}
	return known;
}
