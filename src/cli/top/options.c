/* SPDX-License-Identifier: MIT */
#include "cli/top/options.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/code_options.h"
#include "cli/base/common_options.h"
#include "cli/base/values.h"
#include "cli/record/options.h"
#include "cli/record/words.h"
#include "cli/screen/theme.h"

#define DAY_S 86400
#define QUEUE_BYTES (UINT64_C(32) << 20)  /* seconds of samples: older ones are dropped in any case */

struct top_words top_words = { .children = true };
static bool accepted;
static const char *ignored;

static int add_pids(const char *arg)
{
	return list_add_numbers(&top_words.pids, arg, "-p");
}

static int add_tids(const char *arg)
{
	return list_add_numbers(&top_words.tids, arg, "-t");
}

/* perf's words: how to record, then those of report. "dwarf,8192,graph,0.5,caller" */
static int set_call_graph(const char *arg)
{
	static const char *const modes[] = { "fp", "dwarf", "lbr", "no" };
	size_t n = strcspn(arg, ","), digits;
	char mode[64];
	int r;

	top_words.call_graph = arg;
	record_set_frame_pointers(NULL);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strlen(modes[i]) != n || strncmp(arg, modes[i], n) != 0)
			continue;
		digits = arg[n] ? strspn(arg + n + 1, "0123456789") : 0;
		if (i == 1 && digits && (!arg[n + 1 + digits] || arg[n + 1 + digits] == ','))
			n += 1 + digits;
		if (n >= sizeof(mode))
			break;
		memcpy(mode, arg, n);
		mode[n] = '\0';
		r = record_set_callgraph(mode);
		top_words.call_graph = arg[n] ? arg + n + 1 : "";
		return r;
	}
	return 0;
}

const struct option_row top_options[] = {
	{ .kind = OPTION_HEADING, .help = "What to sample" },
	{ "event", 'e', OPTION_CALL, .call = record_add_event, .arg = "EVENT",
	  .help = "events, separated by commas, as in record (default: cycles, or the nearest that there is)",
	  .values = { .give = give_events, .list = true } },
	{ "filter", 0, OPTION_CALL, .call = record_add_filter, .arg = "FILTER",
	  .help = "kernel filter for the tracepoints of the -e before it" },
	{ "freq", 'F', OPTION_CALL, .call = record_set_freq, .arg = "HZ",
	  .help = "samples per second, or max (default: 4000)",
	  .values = { .words = WORDS("max") } },
	{ "count", 'c', OPTION_CALL, .call = record_set_period, .arg = "N", .help = "one sample every N events" },
	{ "group", 0, OPTION_FLAG, &record_words.opts.group_all, .help = "make one group of all events" },
	{ .kind = OPTION_HEADING, .help = "Where" },
	{ "all-cpus", 'a', OPTION_FLAG, &record_words.opts.target.all_cpus, .help = "all CPUs (the default)" },
	{ "cpu", 'C', OPTION_STRING, &record_words.cpus, .arg = "LIST", .help = "these CPUs, for example 0-3,8" },
	{ "pid", 'p', OPTION_CALL, .call = add_pids, .arg = "PID", .help = "running processes, separated by commas",
	  .values = { .give = give_pids, .list = true } },
	{ "tid", 't', OPTION_CALL, .call = add_tids, .arg = "TID", .help = "running threads, separated by commas" },
	{ "uid", 'u', OPTION_CALL, .call = record_set_user, .arg = "USER",
	  .help = "what this user (name or number) is running, and what it starts" },
	{ "cgroup", 'G', OPTION_CALL, .call = record_add_cgroups, .arg = "NAME",
	  .help = "these control groups, separated by commas, one for each event before this option" },
	{ "no-inherit", 'i', OPTION_FLAG, &record_words.opts.target.no_inherit,
	  .help = "leave out threads and processes that start later" },
	{ .kind = OPTION_HEADING, .help = "With each sample" },
	{ NULL, 'g', OPTION_CALL, .call = record_set_frame_pointers, .help = "call chains by frame pointers" },
	{ "call-graph", 0, OPTION_CALL, .call = set_call_graph, .arg = "HOW",
	  .help = "call chains: fp, dwarf[,BYTES] or lbr; then graph, fractal, flat, folded or none; minimum "
		  "percentage; number of branches; caller or callee; a node for each function, address or srcline; "
		  "percent, period or count",
	  .values = { .words = WORDS("fp", "dwarf", "lbr", "graph", "fractal", "flat", "folded", "none", "caller",
			      "callee", "function", "address", "srcline", "branch", "percent", "period", "count"),
		      .list = true } },
	{ "no-call-graph", 0, OPTION_CALL, .call = record_set_no_callgraph, .help = "no call chains" },
	{ "max-stack", 0, OPTION_U64, &top_words.max_stack, .arg = "N", .help = "keep at most N frames of a stack" },
	{ "branch-any", 'b', OPTION_CALL, .call = record_set_branch_any, .help = "sample taken branches" },
	{ "branch-filter", 'j', OPTION_CALL, .call = record_set_branch_filter, .arg = "LIST",
	  .help = "branches: any, any_call, any_ret, ind_call, ind_jmp, call, cond, u, k, ...",
	  .values = { .give = give_branch_filters, .list = true } },
	{ "namespaces", 0, OPTION_FLAG, &record_words.opts.side.namespaces, .help = "namespaces of tasks" },
	{ "all-cgroups", 0, OPTION_FLAG, &record_words.opts.side.all_cgroups,
	  .help = "control groups, for the sort key cgroup" },
	{ "no-bpf-event", 0, OPTION_FLAG, &record_words.opts.side.no_bpf_events,
	  .help = "leave out BPF programs that are loaded or unloaded" },
	{ .kind = OPTION_HEADING, .help = "What is shown" },
	{ "stdio", 0, OPTION_FLAG, &top_words.stdio, .help = "show text, as on a pipe or with TERM=dumb" },
	{ "tui", 0, OPTION_FLAG, &top_words.tui, .help = "show a screen (the default on a terminal)" },
	THEME_ROW,
	{ "delay", 'd', OPTION_STRING, &top_words.delay, .arg = "SECONDS",
	  .help = "time between two refreshes (default: 2)" },
	{ "iterations", 0, OPTION_U64, &top_words.iterations, .arg = "N", .help = "end after N refreshes" },
	{ "entries", 'E', OPTION_U64, &top_words.entries, .arg = "N",
	  .help = "show at most N functions (default: as many as fit)" },
	{ "sort", 's', OPTION_STRING, &top_words.sort, .arg = "KEYS",
	  .help = "group samples by these keys: comm, pid, tgid, dso, sym, symoff, cpu, cgroup, ... (default: "
		  "dso,symbol), help for a list; +KEYS adds to comm,dso,sym",
	  .values = { .give = give_columns, .list = true } },
	{ "fields", 0, OPTION_STRING, &top_words.fields, .arg = "FIELDS",
	  .help = "show these columns: keys, overhead, overhead_children, overhead_sys, overhead_us, sample, "
		  "period, help for a list",
	  .values = { .give = give_columns, .list = true } },
	{ "show-nr-samples", 'n', OPTION_FLAG, &top_words.samples, .help = "a column with the number of samples" },
	{ "show-total-period", 0, OPTION_FLAG, &top_words.period, .help = "a column with the sum of periods" },
	{ "children", 0, OPTION_FLAG, &top_words.children,
	  .help = "count a function also while its callees run (default with call chains)" },
	{ "hierarchy", 0, OPTION_FLAG, &top_words.hierarchy,
	  .help = "rows of each key below those of the previous key" },
	{ "parent", 0, OPTION_STRING, &top_words.parent, .arg = "REGEX",
	  .help = "a column with the caller whose name matches" },
	{ "percent-limit", 0, OPTION_STRING, &top_words.percent_limit, .arg = "PERCENT", .help = "hide rows below" },
	{ "percentage", 0, OPTION_STRING, &top_words.percentage, .arg = "OF",
	  .help = "absolute: of all samples; relative: of those shown",
	  .values = { .words = WORDS("absolute", "relative") } },
	{ "column-widths", 'w', OPTION_STRING, &top_words.widths, .arg = "WIDTHS",
	  .help = "widths of columns, as 8,20,0: 0 is as wide as needed" },
	{ "zero", 'z', OPTION_FLAG, &top_words.zero,
	  .help = "forget all samples after each refresh; else each keeps 7/8 of their weight" },
	{ "hide_kernel_symbols", 'K', OPTION_FLAG, &top_words.hide_kernel, .help = "leave out samples of the kernel" },
	{ "hide_user_symbols", 'U', OPTION_FLAG, &top_words.hide_user, .help = "leave out samples of user space" },
	{ "comms", 0, OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "samples of these commands" },
	{ "dsos", 0, OPTION_CALL, .call = select_dsos, .arg = "NAMES", .help = "rows of these binaries" },
	{ "symbols", 0, OPTION_CALL, .call = select_symbols, .arg = "NAMES", .help = "rows of these functions" },
	{ .kind = OPTION_HEADING, .help = "The code of a function" },
	CODE_ROWS,
	{ .kind = OPTION_HEADING, .help = "Names of functions" },
	SYMBOL_ROWS,
	{ .kind = OPTION_HEADING, .help = "How" },
	{ "mmap-pages", 'm', OPTION_STRING, &record_words.ring_size, .arg = "PAGES",
	  .help = "buffer size per CPU: a number of pages, or a size in B, K, M or G" },
	{ "realtime", 'r', OPTION_CALL, .call = record_set_realtime, .arg = "PRIO",
	  .help = "empty the buffers at this real-time priority; 0: at none (default: 1 if permitted)" },
	{ "overwrite", 0, OPTION_FLAG, &accepted, .help = "accepted: buffers are emptied all the time" },
	{ "force", 0, OPTION_FLAG, &symbol_options.force,
	  .help = "believe the perf-PID.map and jitdumps of other users, also those of processes that have ended" },
	{ "verbose", 'v', OPTION_FLAG, &accepted, .help = "accepted: nothing more to print" },
	{ "num-thread-synthesize", 0, OPTION_STRING, &ignored, .arg = "N",
	  .help = "accepted: one thread describes the tasks that exist" },
	{ "proc-map-timeout", 0, OPTION_STRING, &ignored, .arg = "MS",
	  .help = "accepted: mappings are always read whole" },
	{ 0 },
};

static bool read_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && *out >= 0 && *out <= DAY_S;
}

/*
 * A copy with "symbol" as "sym": to perf report, and so to a report of sonde, the longer word means a column for
 * instructions per cycle as well. NULL when out of memory.
 */
static char *shorten_symbol(const char *sort)
{
	char *copy = strdup(sort), *at = copy;
	size_t n;

	for (; at && *at; at += n + (at[n] == ',')) {
		n = strcspn(at, ",");
		if (n == 6 && !strncmp(at, "symbol", n)) {
			memmove(at + 3, at + 6, strlen(at + 6) + 1);
			n = 3;
		}
	}
	return copy;
}

static const char *settle_sort(const char *sort)
{
	char *shorter = shorten_symbol(sort);
	const char *spelled = report_spell_columns(shorter ? shorter : sort);

	if (spelled != shorter)
		free(shorter);
	return spelled;
}

static int settle_shown(struct top_words *w)
{
	double delay = 2;
	int status = code_options_read(&w->code);

	if (status)
		return status;
	w->code.source = true;
	if (report_graph_parse(&w->graph, w->call_graph ? w->call_graph : "") < 0)
		return say_usage("--call-graph takes fp, dwarf[,BYTES], lbr, graph, fractal, flat, folded, none, a "
				 "percentage, a number of branches, caller, callee, function, address, srcline, "
				 "branch, percent, period, count, not '%s'", w->call_graph);
	w->graph.on &= record_words.opts.stack.callgraph != SONDE_CALLGRAPH_NONE;
	if (!w->graph.order_given)
		w->graph.callee = !w->children;
	if (w->delay && (!read_number(w->delay, &delay) || delay < 0.1))
		return say_usage("-d takes seconds from 0.1 on, not '%s'", w->delay);
	w->delay_ms = (uint64_t)(delay * 1000);
	if (w->percent_limit && (!read_number(w->percent_limit, &w->least_percent) || w->least_percent > 100))
		return say_usage("--percent-limit takes a percentage, not '%s'", w->percent_limit);
	if (w->percentage && strcmp(w->percentage, "relative") != 0 && strcmp(w->percentage, "absolute") != 0)
		return say_usage("--percentage takes relative or absolute, not '%s'", w->percentage);
	if (w->widths && w->widths[strspn(w->widths, "0123456789,")])
		return say_usage("-w takes numbers as 8,20,0, not '%s'", w->widths);
	if (w->entries > UINT32_MAX)
		return say_usage("-E takes a number of functions, not %llu", (unsigned long long)w->entries);
	if (w->stdio && w->tui)
		return say_usage("--stdio and --tui exclude each other");
	if (w->hide_kernel && w->hide_user)
		return say_usage("-K and -U exclude each other");
	w->sort = settle_sort(w->sort ? w->sort : "dso,symbol");
	w->fields = report_spell_columns(w->fields);
	status = report_read_columns("sort key", w->sort, &w->by, NULL);
	return status ? status : report_read_columns("field", w->fields, &w->by, NULL);
}

int top_settle(void)
{
	struct sonde_perf_recorder_opts *o = &record_words.opts;
	int status = settle_shown(&top_words);

	o->target.nr_pids = top_words.pids.n;
	o->target.nr_tids = top_words.tids.n;
	o->target.all_cpus |= !o->target.nr_pids && !o->target.nr_tids && !record_words.cpus && !o->target.of_user;
	if (status == 0)
		status = record_settle(false);
	o->target.pids = top_words.pids.at;
	o->target.tids = top_words.tids.at;
	o->fields.cpu = true;
	o->file.no_build_ids = true;
	o->rings.queue_bytes = QUEUE_BYTES;
	o->rings.prefer_realtime = !record_words.normal_priority;
	/* so that the age of a sample is known */
	o->clock = SONDE_CLOCK_ID;
	o->clock_id = CLOCK_MONOTONIC;
	return status;
}
