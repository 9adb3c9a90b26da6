/* SPDX-License-Identifier: MIT */
#include "cli/help/values.h"

#include <sonde/catalog.h>
#include <sonde/export.h>
#include <sonde/ftrace_recorder.h>
#include <sonde/perf_recorder.h>
#include <sonde/text.h>

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/base/memory.h"

#define INSTANCES "/sys/kernel/tracing/instances"

static void give_fields(const char *trace, value_taker take, void *ctx)
{
	const char *name;

	(void)trace;
	for (size_t i = 0; (name = sonde_script_field(i)); i++)
		take(ctx, name, NULL);
}

static void give_columns(const char *trace, value_taker take, void *ctx)
{
	const struct sonde_report_column *column;

	(void)trace;
	for (size_t i = 0; (column = sonde_report_column_at(i)); i++) {
		take(ctx, column->name, column->help);
		if (column->other_name)
			take(ctx, column->other_name, column->help);
	}
}

static void give_export_formats(const char *trace, value_taker take, void *ctx)
{
	const struct sonde_export_format *format;

	(void)trace;
	for (size_t i = 0; (format = sonde_export_format_at(i)); i++)
		take(ctx, format->name, format->help);
}

/* The events of the trace on the command line. */
static void give_trace_events(const char *trace, value_taker take, void *ctx)
{
	struct sonde_trace *t = strcmp(trace, "-") ? sonde_trace_new() : NULL;

	if (t && sonde_trace_open(t, trace, open_options()) == 0)
		for (size_t i = 0; i < sonde_trace_evsel_count(t); i++)
			take(ctx, sonde_trace_evsel_at(t, i)->name, NULL);
	sonde_trace_free(t);
}

/* Names of this machine's tracefs. */
static void give_known(enum sonde_ftrace_kind kind, value_taker take, void *ctx)
{
	struct sonde_ftrace_recorder *t = sonde_ftrace_recorder_new();
	const char *const *known = t ? sonde_ftrace_recorder_known(t, kind) : NULL;

	for (; known && *known; known++)
		take(ctx, *known, NULL);
	sonde_ftrace_recorder_free(t);
}

/* What sonde list has. */
static void give_events(const char *trace, value_taker take, void *ctx)
{
	const struct sonde_catalog_opts opts = { .sz = sizeof(opts) };
	struct sonde_catalog *c = sonde_catalog_new();

	(void)trace;
	if (c && sonde_catalog_open(c, &opts) == 0)
		for (size_t i = 0; i < sonde_catalog_count(c); i++) {
			const struct sonde_catalog_event *e = sonde_catalog_at(c, i);

			if (e->kind != SONDE_CATALOG_RAW && e->kind != SONDE_CATALOG_BREAKPOINT)
				take(ctx, e->name, e->description);
			if (e->kind == SONDE_CATALOG_PMU && e->alias)
				take(ctx, e->alias, NULL);
		}
	sonde_catalog_free(c);
}

static void give_branch_filters(const char *trace, value_taker take, void *ctx)
{
	const char *name;

	(void)trace;
	for (size_t i = 0; (name = sonde_branch_filter_at(i)); i++)
		take(ctx, name, NULL);
}

static void give_tracers(const char *trace, value_taker take, void *ctx)
{
	(void)trace;
	give_known(SONDE_FTRACE_TRACERS, take, ctx);
}

static void give_trace_clocks(const char *trace, value_taker take, void *ctx)
{
	(void)trace;
	give_known(SONDE_FTRACE_CLOCKS, take, ctx);
}

static void give_trace_options(const char *trace, value_taker take, void *ctx)
{
	(void)trace;
	give_known(SONDE_FTRACE_OPTIONS, take, ctx);
}

static void give_instances(const char *trace, value_taker take, void *ctx)
{
	DIR *d = opendir(INSTANCES);
	struct dirent *e;

	(void)trace;
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			take(ctx, e->d_name, NULL);
	if (d)
		closedir(d);
}

static void give_pids(const char *trace, value_taker take, void *ctx)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	(void)trace;
	while (d && (e = readdir(d))) {
		char path[300], comm[64] = "";
		FILE *f;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		f = fopen(path, "re");
		if (f) {
			if (!fgets(comm, sizeof(comm), f))
				comm[0] = '\0';
			fclose(f);
		}
		comm[strcspn(comm, "\n")] = '\0';
		take(ctx, e->d_name, comm);
	}
	if (d)
		closedir(d);
}

static void give_commands(const char *trace, value_taker take, void *ctx)
{
	(void)trace;
	for (size_t i = 0; command_rows[i].command; i++)
		take(ctx, command_rows[i].command->name, command_rows[i].command->help);
}

#define WORDS(...) .kind = VALUES_WORDS, .words = (const char *const[]){ __VA_ARGS__, NULL }
#define GIVEN(function) .kind = VALUES_WORDS, .give = function
#define CODE_VALUES(command) \
	{ command, "percent-type", { WORDS("local-period", "local-hits", "global-period", "global-hits") } }, \
	{ command, "disassembler-style", { WORDS("att", "intel") } }

/*
 * By long name, or by the letter of an option without one. Other options are told by the name of their argument: FILE,
 * DIR.
 */
static const struct {
	const char *command, *option;
	struct values values;
} rows[] = {
	{ "record", "event", { GIVEN(give_events), .list = true } },
	{ "stat", "event", { GIVEN(give_events), .list = true } },
	{ "stat", "pid", { GIVEN(give_pids), .list = true } },
	{ "top", "event", { GIVEN(give_events), .list = true } },
	{ "top", "pid", { GIVEN(give_pids), .list = true } },
	{ "top", "freq", { WORDS("max") } },
	CODE_VALUES("top"),
	{ "top", "sort", { GIVEN(give_columns), .list = true } },
	{ "top", "fields", { GIVEN(give_columns), .list = true } },
	{ "top",
	  "call-graph",
	  { WORDS("fp", "dwarf", "lbr", "graph", "fractal", "flat", "folded", "none", "caller", "callee",
		  "function", "address", "srcline", "branch", "percent", "period", "count"),
	    .list = true } },
	{ "top", "percentage", { WORDS("absolute", "relative") } },
	{ "top", "branch-filter", { GIVEN(give_branch_filters), .list = true } },
	{ "record", "freq", { WORDS("max") } },
	{ "record", "pid", { GIVEN(give_pids), .list = true } },
	{ "record", "call-graph", { WORDS("fp", "dwarf", "lbr", "no") } },
	{ "record", "branch-filter", { GIVEN(give_branch_filters), .list = true } },
	{ "record", "affinity", { WORDS("sys", "cpu", "node") } },
	{ "record", "clockid", { WORDS("monotonic", "monotonic_raw", "realtime", "boottime", "tai") } },
	{ "record", "tracer", { GIVEN(give_tracers) } },
	{ "record", "clock", { GIVEN(give_trace_clocks) } },
	{ "record", "trace-option", { GIVEN(give_trace_options) } },
	{ "record", "instance", { GIVEN(give_instances) } },
	/* after --ftrace */
	{ "record", "p", { GIVEN(give_tracers) } },
	{ "record", "C", { GIVEN(give_trace_clocks) } },
	{ "record", "B", { GIVEN(give_instances) } },
	{ "record", "reader", { WORDS("auto", "mapped", "splice", "read") } },
	{ "record", "file-version", { WORDS("6", "7") } },
	{ "record", "compression", { WORDS("any", "none", "zlib", "zstd") } },
	{ "extract", "instance", { GIVEN(give_instances) } },
	{ "extract", "reader", { WORDS("auto", "mapped", "splice", "read") } },
	{ "extract", "file-version", { WORDS("6", "7") } },
	{ "extract", "compression", { WORDS("any", "none", "zlib", "zstd") } },
	CODE_VALUES("annotate"),
	{ "annotate", "stdio-color", { WORDS("always", "never", "auto") } },
	CODE_VALUES("report"),
	{ "report", "sort", { GIVEN(give_columns), .list = true } },
	{ "report", "fields", { GIVEN(give_columns), .list = true } },
	{ "report",
	  "call-graph",
	  { WORDS("graph", "fractal", "flat", "folded", "none", "caller", "callee", "function", "address", "srcline",
		  "branch", "percent", "period", "count"),
	    .list = true } },
	{ "report", "percentage", { WORDS("absolute", "relative") } },
	{ "report", "stdio-color", { WORDS("always", "never", "auto") } },
	{ "report", "event", { GIVEN(give_trace_events) } },
	{ "script", "fields", { GIVEN(give_fields), .list = true } },
	{ "script", "layout", { WORDS("perf", "trace-cmd", "trace-cmd-3.1") } },
	{ "export", "to", { GIVEN(give_export_formats) } },
	{ "export", "event", { GIVEN(give_trace_events) } },
	{ "export", "count", { WORDS("samples", "period") } },
	{ "export", "table", { WORDS("samples", "stacks", "frames", "modules", "runs") } },
	{ "convert", "to", { WORDS("file", "pipe", "dir", "v6", "v7") } },
	{ "convert", "endian", { WORDS("little", "big") } },
	{ "convert", "file-version", { WORDS("6", "7") } },
	{ "convert", "compression", { WORDS("none", "zlib", "zstd") } },
	{ "convert", "build-ids", { WORDS("feature", "mmap2") } },
	{ "cut", "event", { GIVEN(give_trace_events), .list = true } },
	{ "cut", "drop", { WORDS("callchain", "stack", "regs", "raw", "branch"), .list = true } },
	{ "help", "man", { GIVEN(give_commands) } },
	{ "help", "completion", { WORDS("bash", "zsh", "fish") } },
};

bool values_row(int i, const char **command, const char **option)
{
	if ((size_t)i >= sizeof(rows) / sizeof(*rows))
		return false;
	*command = rows[i].command;
	*option = rows[i].option;
	return true;
}

static bool is_row(const struct option_row *row, const char *name)
{
	return row->name ? strcmp(row->name, name) == 0 : row->letter == name[0] && !name[1];
}

const struct values *values_of(const struct command *cmd, const struct option_row *row)
{
	static const struct values none = { .kind = VALUES_NONE }, file = { .kind = VALUES_FILE },
				   dir = { .kind = VALUES_DIRECTORY };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].command, cmd->name) == 0 && is_row(row, rows[i].option))
			return &rows[i].values;
	return strcmp(row->arg, "FILE") == 0 ? &file : strcmp(row->arg, "DIR") == 0 ? &dir : &none;
}
