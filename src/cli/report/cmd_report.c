/* SPDX-License-Identifier: MIT */
/* cmd_report.c - a table of functions, call trees, or a page */
#include <sonde/export.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/browser/browser.h"
#include "cli/code_options.h"
#include "cli/colour.h"
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/event.h"
#include "cli/keys.h"
#include "cli/ledger.h"
#include "cli/lists.h"
#include "cli/memory.h"
#include "cli/nothing.h"
#include "cli/symbol_notes.h"
#include "cli/reading.h"
#include "cli/report.h"
#include "cli/report/blocks.h"
#include "cli/report/event_switch.h"
#include "cli/report/opened.h"
#include "cli/report/page_code.h"
#include "cli/report/trace_words.h"
#include "cli/screen/theme.h"
#include "cli/stacks.h"
#include "cli/terminal.h"
#include "cli/times.h"

#define BRANCH_HISTORY_KEYS \
	"srcline,symbol,dso,callchain_branch_predicted,callchain_branch_abort,callchain_branch_cycles"

enum { THREADS_MAX = 4096 };         /* that run at the same time: one for each CPU */

static struct strings inputs, trace_fields;
static const char *sort, *fields, *graph, *event, *percent_limit, *percentage, *separator, *widths, *parent,
	*symbol_part;
static const char *html, *baseline;
static bool with_source;             /* the page has the code of hot functions */
static bool children_on = true, samples, period, modes, json, full_source_path, stdio, tui, inverted,
	    named_only, with_parent, hierarchy, quiet;
static bool children_given, latency, branches_on = true, branches_given, mem_mode, total_cycles;
static bool raw_trace, branch_history;
static size_t sort_fields;           /* how many of trace_fields are words of --sort */
static bool group_on = true, group_given;
static uint64_t group_sort;
static struct numbers parallelism;
static struct report_besides besides;
static bool on_screen;               /* in the browser */
static uint64_t time_step_ns, saved_samples;
static const char *ignored_callees, *other_program;
static struct numbers sockets;
static bool nanoseconds;

static bool needs_branches(void)
{
	return (branches_given && branches_on) || total_cycles;
}

/* Whether a list of keys, which may be NULL, has a word or a part of one. */
static bool has_word(const char *list, const char *word)
{
	return list && strstr(list, word);
}

static bool is_graph_words(const char *word)
{
	struct report_graph g;

	return report_graph_parse(&g, word) == 0;
}

static int select_parallelism(const char *arg)
{
	int r = list_add_numbers(&parallelism, arg, "--parallelism");

	for (size_t i = 0; i < parallelism.n && r == 0; i++)
		if (parallelism.at[i] < 1 || parallelism.at[i] > THREADS_MAX) {
			say_usage("--parallelism takes numbers from 1 to %d, not '%s'", THREADS_MAX, arg);
			r = -SONDE_USAGE;
		}
	return r;
}

/* A number of s, ms, us or ns, the last without its unit as well, as with perf. */
static int set_time_step(const char *arg)
{
	static const struct { const char *unit; uint64_t ns; } units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	char *end;
	uint64_t n = *arg >= '0' && *arg <= '9' ? strtoull(arg, &end, 10) : 0;

	for (size_t i = 0; n && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0 && !__builtin_mul_overflow(n, units[i].ns, &time_step_ns))
			return 0;
	say_usage("--time-quantum takes a time as 10ms, 5us, 100ns or 1s, not '%s'", arg);
	return -SONDE_USAGE;
}

static int select_sockets(const char *arg)
{
	return list_add_numbers(&sockets, arg, "--socket-filter");
}

static const struct option_row report_options[] = {
	{ "input", 'i', OPTION_STRINGS, &inputs, .arg = "FILE",
	  .help = "a trace, - for the standard input; may be repeated" },
	JOBS_ROW,
	{ .kind = OPTION_HEADING, .help = "What is shown" },
	{ "sort", 's', OPTION_STRING, &sort, .arg = "KEYS",
	  .help = "group samples by these keys: comm, pid, tgid, dso, sym, symoff, cpu, time, addr, cgroup, "
		  "parallelism, parent, srcline, srcfile, type, ..., help for a list; fields of tracepoints "
		  "(next_pid, sched_switch.*, prev_state/raw); +KEYS adds to comm,dso,sym, or to trace where all "
		  "events are tracepoints" },
	{ "fields", 'F', OPTION_STRING, &fields, .arg = "FIELDS",
	  .help = "show these columns: keys, overhead, overhead_children, overhead_sys, overhead_us, latency, "
		  "latency_children, sample, period, help for a list; +FIELDS adds to the default" },
	{ "children", 0, OPTION_FLAG, &children_on, .given = &children_given,
	  .help = "count a function also while its callees run (default with callchains)" },
	{ "call-graph", 'g', OPTION_STRING, &graph, .arg = "MODE", .optional = true, .takes = is_graph_words,
	  .help = "call trees: graph, fractal, flat, folded or none; minimum percentage; number of branches; caller "
		  "or callee; a node for each function, address or srcline; branch: with the branches of samples "
		  "(of --no-branch-stack); percent, period or count" },
	{ "branch-stack", 'b', OPTION_FLAG, &branches_on, .given = &branches_given,
	  .help = "a row for each branch, not for each sample (default with record -b)" },
	{ "branch-history", 0, OPTION_FLAG, &branch_history,
	  .help = "call trees of the branches that led to a sample, and its callers (needs record -b)" },
	{ "total-cycles", 0, OPTION_FLAG, &total_cycles,
	  .help = "basic blocks by their cycles in place of functions (needs record -b, on a CPU that counts them)" },
	{ "mem-mode", 0, OPTION_FLAG, &mem_mode,
	  .help = "accesses to memory by their weight: data, cache, TLB (needs perf mem record, or record -d)" },
	{ "inverted", 'G', OPTION_FLAG, &inverted, .help = "trees from the caller, as -g caller" },
	{ "latency", 0, OPTION_FLAG, &latency,
	  .help = "order by latency: the time divided by the number of threads that ran (needs record --latency)" },
	{ "hierarchy", 'H', OPTION_FLAG, &hierarchy, .help = "rows of each key below those of the previous key" },
	{ "raw-trace", 0, OPTION_FLAG, &raw_trace,
	  .help = "fields of tracepoints as they were recorded, not as the kernel prints them" },
	{ "parent", 'p', OPTION_STRING, &parent, .arg = "REGEX",
	  .help = "a column with the caller whose name matches" },
	{ "exclude-other", 'x', OPTION_FLAG, &with_parent, .help = "only rows with such a caller" },
	{ "show-nr-samples", 'n', OPTION_FLAG, &samples, .help = "a column with the number of samples" },
	{ "show-total-period", 0, OPTION_FLAG, &period, .help = "a column with the sum of periods" },
	{ "time-quantum", 0, OPTION_CALL, .call = set_time_step, .arg = "TIME",
	  .help = "steps of the sort key time: 10ms, 5us, 100ns, 1s (default: 100ms)" },
	{ "ns", 0, OPTION_FLAG, &nanoseconds, .help = "times with nine decimals" },
	{ "showcpuutilization", 0, OPTION_FLAG, &modes, .help = "columns with the shares of kernel and user" },
	{ "show-cpu-utilization", 0, OPTION_FLAG, &modes, .help = "the same" },
	{ "field-separator", 't', OPTION_STRING, &separator, .arg = "CHAR",
	  .help = "separate columns by this character, without padding" },
	{ "column-widths", 'w', OPTION_STRING, &widths, .arg = "WIDTHS",
	  .help = "widths of columns, as 8,20,0: 0 is as wide as needed" },
	{ "percent-limit", 0, OPTION_STRING, &percent_limit, .arg = "PERCENT", .help = "hide rows below" },
	{ "percentage", 0, OPTION_STRING, &percentage, .arg = "OF",
	  .help = "absolute: of all samples; relative: of those shown" },
	{ "json", 0, OPTION_FLAG, &json, .help = "one JSON object (docs/report-json.md)" },
	{ "html", 0, OPTION_STRING, &html, .arg = "FILE",
	  .help = "one page with a time axis, a flame graph and a table" },
	{ "source", 0, OPTION_FLAG, &with_source,
	  .help = "of --html: with the code of the hottest functions and lines of their source" },
	{ "baseline", 0, OPTION_STRING, &baseline, .arg = "FILE",
	  .help = "of --html: compare with this older recording, as perf diff does" },
	COLOUR_ROW,
	{ "stdio", 0, OPTION_FLAG, &stdio, .help = "print text, as in a pipe or with TERM=dumb" },
	{ "tui", 0, OPTION_FLAG, &tui, .help = "open a browser (the default on a terminal)" },
	THEME_ROW,
	{ "quiet", 'q', OPTION_FLAG, &quiet, .help = "rows without titles, and no hints" },
	ACCEPTED_VERBOSE_ROW,
	ACCEPTED_FORCE_ROW,
	{ "group", 0, OPTION_FLAG, &group_on, .given = &group_given,
	  .help = "events of a group side by side (default); all events if the recording has no group" },
	{ "group-sort-idx", 0, OPTION_U64, &group_sort, .arg = "N",
	  .help = "order by event N of a group, from 0 (default: the first)" },
	{ "modules", 'm', OPTION_FLAG, &option_accepted, .help = "accepted: modules always have their symbols" },
	{ "addr2line", 0, OPTION_STRING, &other_program, .arg = "PATH",
	  .help = "accepted: no other program is run for source lines" },
	{ "objdump", 0, OPTION_STRING, &other_program, .arg = "PATH",
	  .help = "accepted: no other program is run for instructions" },
	{ "samples", 0, OPTION_U64, &saved_samples, .arg = "N",
	  .help = "accepted: rows have no list of their samples" },
	{ "skip-empty", 0, OPTION_FLAG, &option_accepted,
	  .help = "accepted: events without samples never have a table" },
	{ .kind = OPTION_HEADING, .help = "Other content of the trace" },
	{ "header", 0, OPTION_FLAG, &besides.header, .help = "print the description of the recording first" },
	{ "header-only", 0, OPTION_FLAG, &besides.header_only, .help = "that alone" },
	{ "show-info", 'I', OPTION_FLAG, &besides.full, .help = "the same, with topology, caches and memory in full" },
	{ "stats", 0, OPTION_FLAG, &besides.stats,
	  .help = "print the number of records of each type instead" },
	{ "tasks", 0, OPTION_FLAG, &besides.tasks, .help = "print the tree of processes and threads instead" },
	{ "mmaps", 0, OPTION_FLAG, &besides.mmaps, .help = "the same, with their mappings" },
	{ "dump-raw-trace", 'D', OPTION_FLAG, &besides.dump,
	  .help = "print every record with all its fields instead, as dump" },
	{ "threads", 'T', OPTION_FLAG, &besides.threads,
	  .help = "print the counts of each thread after the report, of a recording with --stat" },
	{ .kind = OPTION_HEADING, .help = "Of which samples" },
	{ "comms", 'c', OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "of these commands" },
	{ "comm", 0, OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "the same" },
	{ "dsos", 'd', OPTION_CALL, .call = select_dsos, .arg = "NAMES", .help = "rows of these binaries" },
	{ "dso", 0, OPTION_CALL, .call = select_dsos, .arg = "NAMES", .help = "the same" },
	{ "symbols", 'S', OPTION_CALL, .call = select_symbols, .arg = "NAMES", .help = "rows of these functions" },
	{ "symbol-filter", 0, OPTION_STRING, &symbol_part, .arg = "PART",
	  .help = "rows of functions with this in their names" },
	{ "hide-unresolved", 'U', OPTION_FLAG, &named_only,
	  .help = "leave out samples and frames without a symbol" },
	SELECTION_ROWS,
	OFFSET_ROW,
	{ "parallelism", 0, OPTION_CALL, .call = select_parallelism, .arg = "LIST",
	  .help = "while so many threads ran: 1,3-5 (needs record --latency)" },
	{ "event", 0, OPTION_STRING, &event, .arg = "EVENT", .help = "of this event" },
	{ "socket-filter", 0, OPTION_CALL, .call = select_sockets, .arg = "LIST",
	  .help = "on these processor packages: 0,2-3" },
	{ "switch-on", 0, OPTION_STRING, &event_switch.on, .arg = "EVENT",
	  .help = "after each sample of this event" },
	{ "switch-off", 0, OPTION_STRING, &event_switch.off, .arg = "EVENT",
	  .help = "until a sample of this event; --switch-on takes samples again" },
	{ "show-on-off-events", 0, OPTION_FLAG, &event_switch.shown,
	  .help = "of the events of --switch-on and --switch-off, too" },
	{ .kind = OPTION_HEADING, .help = "Code, in the browser and with --html --source" },
	CODE_ROWS,
	{ .kind = OPTION_HEADING, .help = "Names of functions" },
	{ "max-stack", 0, OPTION_U64, &stack_words.max_stack, .arg = "N",
	  .help = "keep at most N frames of a stack (default: 127)" },
	STITCH_LBR_ROW,
	{ "ignore-callees", 0, OPTION_STRING, &ignored_callees, .arg = "REGEX",
	  .help = "count the callees of functions that match as a part of them" },
	{ "inline", 0, OPTION_FLAG, &stack_words.inlined,
	  .help = "show the functions inlined into those of stacks (default; needs DWARF)" },
	{ "full-source-path", 0, OPTION_FLAG, &full_source_path,
	  .help = "show whole paths of source files (srcline, srcfile)" },
	SYMBOL_ROWS,
	{ 0 },
};

/* The options after all words have been read. */
struct request {
	struct report_graph graph;
	uint32_t by;                 /* values that the profile keeps for the columns */
	struct sonde_query query;
	double percent_limit;
	struct sonde_annotate_opts code;
};

static int read_graph(struct report_graph *g)
{
	if (report_graph_parse(g, graph ? graph : "") < 0)
		return say_usage("-g takes graph, fractal, flat, folded, none, a percentage, a number of branches, "
				 "caller, callee, function, address, srcline, branch, percent, period, count, not '%s'",
				 graph);
	if (inverted)
		g->callee = false;
	else if (!g->order_given)  /* as perf: without --children from the function to its callers; not for a bare -g */
		g->callee = !children_on && !(graph && !*graph);
	return 0;
}

static int read_words(struct request *r)
{
	char *end;
	int status;

	status = read_graph(&r->graph);
	if (mem_mode)                        /* as perf: trees begin where they do with children */
		children_on = false;
	if (status == 0)
		status = code_options_read(&r->code);
	r->code.source = true;
	if (branch_history) {
		children_on = false;         /* rows are the instructions that were interrupted */
		sort = sort ? sort : BRANCH_HISTORY_KEYS;
		r->by = SONDE_BY_SRCLINE;
	}
	r->query = selection();
	if (status == 0)
		status = report_read_columns("sort key", sort, &r->by, &trace_fields);
	sort_fields = trace_fields.n;
	if (status == 0)
		status = report_read_columns("field", fields, &r->by, &trace_fields);
	if (status)
		return status;
	if (has_word(sort, "symbol"))        /* as perf: such a list of keys has a column with the IPC */
		r->by |= SONDE_BY_BLOCKS;
	if (needs_branches() && mem_mode)
		return say_usage("--branch-stack and --mem-mode exclude each other");
	if (branch_history && (needs_branches() || mem_mode || html))
		return say_usage("--branch-history and %s exclude each other",
				 total_cycles ? "--total-cycles" : mem_mode ? "--mem-mode" : html ? "--html" : "-b");
	if (total_cycles && (html || hierarchy || sort || fields))
		return say_usage("--total-cycles is a table of its own: it has no %s",
				 html ? "--html" : hierarchy ? "--hierarchy" : sort ? "--sort" : "--fields");
	if (json && html)
		return say_usage("--json and --html exclude each other");
	if (with_source && !html)
		return say_usage("--source is for --html: annotate shows the code of a function");
	if (baseline && !html)
		return say_usage("--baseline is for --html: a page compares two recordings");
	if (stdio && tui)
		return say_usage("--stdio and --tui exclude each other");
	if (tui && !on_screen)
		return say_usage("--tui: %s", terminal_lacks_screen() ? terminal_lacks_screen() :
							 "the browser shows rows of functions, and nothing else");
	status = colour_check();
	if (status)
		return status;
	if (percentage && strcmp(percentage, "relative") != 0 && strcmp(percentage, "absolute") != 0)
		return say_usage("--percentage takes relative or absolute, not '%s'", percentage);
	if (separator && !report_separator(separator))
		return say_usage("-t takes one character, and not '.', not '%s'", separator);
	if (widths && widths[strspn(widths, "0123456789,")])
		return say_usage("-w takes numbers as 8,20,0, not '%s'", widths);
	r->percent_limit = percent_limit ? strtod(percent_limit, &end) : 0;
	if (percent_limit && (*end || end == percent_limit))
		return say_usage("--percent-limit takes a number, not '%s'", percent_limit);
	if (percent_limit && !r->graph.limit_given)  /* of rows and branches */
		r->graph.limit = r->percent_limit > 0 ? r->percent_limit : -1;
	return 0;
}

/*
 * As perf: of a stack that is too long, the frames are kept at which trees begin. A page needs the innermost function.
 */
static bool keeps_outermost(const struct request *r)
{
	return !r->graph.callee && !html;
}

/* perf's keys of a recording of tracepoints, where no others are given. */
static bool takes_usual_keys(void)
{
	return !html && (!sort || *sort == '+') && (!fields || *fields == '+');
}

/* Whether branches are counted where the recording has them. */
static bool takes_branches(void)
{
	return branches_on && !mem_mode && !html && !branch_history;
}

/* Whether the page shows more of a profile that keeps samples one by one. */
static bool page_takes_timed(void)
{
	const struct sonde_export_format *f;

	for (size_t i = 0; html && (f = sonde_export_format_at(i)); i++)
		if (strcmp(f->name, "html") == 0)
			return f->takes_timed;
	return false;
}

/*
 * Which samples are read. The profile chooses threads, so that samples of the others are a part of the whole of which
 * percentages are. Of a page, those that were asked for are the whole.
 */
static struct sonde_query samples_to_read(const struct request *r)
{
	struct sonde_query q = r->query;

	if (!html)
		q.nr_pids = q.nr_tids = 0;
	return q;
}

/* @timed: keep samples one by one. */
static struct sonde_profile *new_profile(const struct request *r, bool timed)
{
	struct sonde_profile_opts opts = {
		.sz = sizeof(opts), .symbols = &symbol_options,
		.callchains = (graph && r->graph.on) || html || parent || ignored_callees,
		.callchains_if_any = r->graph.on || children_on,
		.by = (takes_branches() ? r->by : r->by & ~(uint32_t)SONDE_BY_BLOCKS) |
		      (html && with_source ? (uint32_t)SONDE_BY_SYMBOL_OFFSET : 0),
		.named_only = named_only,
		.max_stack = stack_limit(stack_words.max_stack), .outermost = keeps_outermost(r),
		.comms = selected.comms.at,
		.nr_comms = selected.comms.n,
		.pids = r->query.pids, .nr_pids = r->query.nr_pids, .tids = r->query.tids, .nr_tids = r->query.nr_tids,
		.parallelism = parallelism.at, .nr_parallelism = parallelism.n,
		.threads = threads_wanted(),
		.inlined = stack_words.inlined, .stitch_lbr = stack_words.stitch_lbr,
		.full_source_path = full_source_path,
		.branches = needs_branches(), .branch_history = branch_history, .basic_blocks = total_cycles,
		.branches_if_any = takes_branches(), .weights = mem_mode,
		.timed = timed, .tracks = timed, .timed_most = memory_page_samples(),
		.trace_fields = trace_fields.at, .nr_trace_fields = trace_fields.n, .raw_trace = raw_trace,
		.trace_if_only = takes_usual_keys(),
		.time_step_ns = time_step_ns, .sockets = sockets.at, .nr_sockets = sockets.n,
	};

	report_graph_add(&r->graph, &opts);
	if (html)                    /* frames of pages are functions */
		opts.places = false;
	return sonde_profile_new(&opts);
}

/* Completes a profile when all samples are there. Negative: the error is that of the profile. */
static int complete_profile(struct sonde_profile *p, const struct request *r)
{
	int e = ignored_callees ? sonde_profile_ignore_callees(p, ignored_callees) : 0;

	if (e == 0 && r->by & SONDE_BY_BLOCKS && takes_branches() && sonde_profile_has_branches(p))
		e = sonde_profile_find_ipc(p);
	return e;
}

/* Why a report of these traces has no entry. */
static void say_no_entry(const struct sonde_profile *p, const struct sonde_export_opts *opts, const struct opened *o)
{
	bool chosen = opts->nr_dsos || opts->nr_symbols || opts->symbol_part || opts->with_parent;
	uint64_t taken = 0;

	for (size_t i = 0; i < sonde_profile_event_count(p); i++)
		taken += sonde_profile_event_at(p, i)->samples;
	if (taken && opts->percent_limit > 0 && !chosen)
		warn("all entries are below the limit of --percent-limit %s", percent_limit);
	else
		say_nothing(o->traces, o->n);
}

#ifdef HAVE_NCURSES
/* ---- the browser ---- */

/* Samples that the browser had gathered anew, of the same traces. */
struct browsed {
	const struct request *request;
	const struct opened *first;
	struct sonde_profile *profile;
	struct opened opened;
	struct sonde_profile *gathering;
};

static void stop_gathering(void *ctx)
{
	sonde_profile_stop(((struct browsed *)ctx)->gathering);
}

static struct sonde_profile *gather_again(void *ctx, uint32_t by, const char *time, char *why, size_t size)
{
	struct browsed *b = ctx;
	struct request r = *b->request;
	const struct sonde_query query = samples_to_read(&r);
	struct opened o = { 0 };
	struct sonde_profile *p;
	const char *failure;

	r.by = by;
	if (!opened_can_be_read_again(b->first)) {
		snprintf(why, size, "the recording can be read once only");
		return NULL;
	}
	if (!times_replace(time)) {
		snprintf(why, size, "'%s' is no range of time", time);
		return NULL;
	}
	b->gathering = p = new_profile(&r, false);
	failure = p ? opened_add_again(&o, p, &query, b->first) : "out of memory";
	if (!failure && complete_profile(p, &r) < 0)
		failure = "out of memory";
	if (failure) {
		snprintf(why, size, "%s", failure);
		opened_close(&o);
		sonde_profile_free(p);
		return NULL;
	}
	sonde_profile_free(b->profile);
	opened_close(&b->opened);
	b->profile = p;
	b->opened = o;
	return p;
}

static char *describe(void *ctx)
{
	return opened_describe(((struct browsed *)ctx)->first);
}
#endif

/* Whether the browser shows what was asked for: it has rows of functions, and trees below them. */
static bool takes_screen(void)
{
	struct report_graph g;
	bool drawn = !graph || (report_graph_parse(&g, graph) == 0 &&
				(g.style == SONDE_GRAPH_TREE || g.style == SONDE_GRAPH_FRACTAL));

	on_screen = !stdio && !json && !html && !total_cycles && !separator && !quiet && drawn &&
		    !report_is_instead(&besides) && !besides.header && !besides.threads && !terminal_lacks_screen() &&
		    (tui || terminal_is_large());
	return on_screen;
}

static int browse(const struct request *r, const struct opened *o, struct sonde_profile *p,
		  const struct sonde_export_opts *opts)
{
#ifdef HAVE_NCURSES
	struct browsed b = { .request = r, .first = o };
	const struct browser_source source = { &b, gather_again, stop_gathering, describe, r->graph.on, r->code };
	struct sonde_export_opts shown = *opts;
	int status;

	shown.children = children_on;  /* without stacks it has no effect */
	if (o->n)
		report_describe(&shown, o->traces[0]);
	status = browser_run(&source, p, &shown, r->by);
	sonde_profile_free(b.profile);
	opened_close(&b.opened);
	return status;
#else
	(void)r, (void)o, (void)p, (void)opts;
	return -1;
#endif
}

/* The exit status: 1 after a message about data that were not recorded. */
static int check_data(const struct sonde_profile *p, const struct request *r, const struct opened *o)
{
	if ((latency || parallelism.n || report_asks_latency(sort) || report_asks_latency(fields)) &&
	    !sonde_profile_has_latency(p))
		say("latency and parallelism need context switches: `%s record --latency` records them",
		    program_name());
	else if ((needs_branches() || branch_history) && !opened_have_field(o, PERF_SAMPLE_BRANCH_STACK))
		say("the recording has no branch stacks: `%s record -b` records them", program_name());
	else if (!branch_history && (has_word(sort, "callchain_branch") || has_word(fields, "callchain_branch")))
		say("sort keys callchain_branch_... need --branch-history, and a recording of `%s record -b`",
		    program_name());
	else if (r->by & SONDE_BY_BRANCH && !sonde_profile_has_branches(p))
		say("sort keys of branches need --branch-stack, and a recording of `%s record -b`", program_name());
	else if (mem_mode && !opened_have_field(o, PERF_SAMPLE_DATA_SRC))
		say("the recording has no data sources: `%s record -d` records them", program_name());
	else
		return 0;
	return 1;
}

static bool has_group(const struct sonde_profile *p)
{
	for (size_t i = 0; i < sonde_profile_event_count(p); i++)
		if (sonde_profile_event_at(p, i)->leader != i)
			return true;
	return false;
}

/* The recording of --baseline. */
struct older {
	struct sonde_profile *profile;       /* NULL: there is none */
	struct opened opened;
};

static int write_page(struct sonde_profile *p, const struct request *r, const struct opened *o, const struct older *old,
		      const struct sonde_export_opts *opts)
{
	struct sonde_export_opts page = *opts;
	struct page_code code = { 0 };
	int status = 0;

	if (with_source && page_code_take(&code, p, &r->code) < 0)
		status = say_out_of_memory();
	page.code = code.list;
	page.nr_code = code.n;
	page.baseline = old->profile;
	if (old->profile)
		report_describe_baseline(&page, old->opened.traces[0]);
	if (!status)
		status = report_write_page(p, o->traces, o->n, html, &page);
	page_code_free(&code);
	return status;
}

static int write_report(struct sonde_profile *p, const struct request *r, const struct opened *o,
			const struct older *old)
{
	int written;
	bool chains = sonde_profile_has_callchains(p);
	const struct sonde_export_opts opts = {
		.sz = sizeof(opts),
		.event = event,
		.sort = sort || opened_have_addresses(o) ? sort : "comm",
		.fields = fields,
		.children = children_on && chains,
		.graph = r->graph.on && chains,
		.callee = r->graph.callee,
		.graph_style = r->graph.style,
		.graph_lines = r->graph.nodes == NODES_LINES,
		.graph_value = r->graph.value,
		.graph_branches = r->graph.branches,
		.graph_limit = r->graph.limit,
		.show_samples = samples,
		.show_period = period,
		.show_modes = modes,
		.hierarchy = hierarchy,
		.no_header = quiet,
		.separator = report_separator(separator),
		.widths = widths,
		.of_shown = percentage && !strcmp(percentage, "relative"),
		.percent_limit = r->percent_limit,
		.dsos = selected.dsos.at,
		.nr_dsos = selected.dsos.n,
		.symbols = selected.symbols.at,
		.nr_symbols = selected.symbols.n,
		.symbol_part = symbol_part,
		.parent = parent,
		.with_parent = with_parent,
		.colour = colour_is_on(),
		.latency = latency,
		.blocks = total_cycles,
		.group = group_on,
		.group_all = group_on && group_given && !has_group(p),
		.nanoseconds = nanoseconds,
		.group_sort = group_sort < UINT32_MAX ? (uint32_t)group_sort : 0,
	};
	struct sonde_error err = { .sz = sizeof(err) };

	written = check_data(p, r, o);
	if (!written)
		written = event_check(p, event);
	if (written)
		return written;
	if (html)
		return write_page(p, r, o, old, &opts);
	if (on_screen && sonde_profile_event_count(p)) {
		written = browse(r, o, p, &opts);
		if (written >= 0)
			return written;
	}
	if (!json && !quiet && opened_have_addresses(o))
		opened_print_lost(o);
	if (total_cycles && !json)
		return blocks_print(p, !quiet, opts.separator, r->percent_limit);
	if (total_cycles && sonde_profile_find_blocks(p) < 0)
		return say_out_of_memory();
	written = sonde_export(p, json ? "json" : "report", NULL, &opts, &err);
	if (written < 0)
		return err.code == SONDE_USAGE ? say_usage("%s", err.text) : say_error(NULL, &err);
	if (written == 0)
		say_no_entry(p, &opts, o);
	return 0;
}

/* Hints about missing names, for tables only: a page has its own. */
static bool shows_functions(void)
{
	return !html && (!sort || strstr(sort, "sym") || *sort == '+');
}

/* What is still to be done when all samples are there. Returns the exit status. */
static int finish_samples(struct sonde_profile *p, const struct request *r, const struct opened *o)
{
	int status = 0;

	for (size_t i = 0; i < o->n && status == 0 && event_switch_is_used(); i++)
		status = event_switch_check(o->traces[i]);
	if (status == 0)
		status = trace_words_check(o, p, &trace_fields, sort_fields);
	if (status == 0 && complete_profile(p, r) < 0)
		status = sonde_profile_error(p)->code == SONDE_USAGE ?
			 say_usage("--ignore-callees: %s", sonde_profile_error(p)->text) : say_out_of_memory();
	return status;
}

/* Reads the recording of --baseline, if there is one. Returns the exit status. */
static int add_baseline(struct older *old, const struct request *r)
{
	int status;

	if (!baseline)
		return 0;
	old->profile = new_profile(r, false);
	if (!old->profile)
		return say_out_of_memory();
	status = opened_add(&old->opened, old->profile, &r->query, &baseline, 1);
	if (!old->opened.out_of_memory)
		return status | finish_samples(old->profile, r, &old->opened);
	return status;
}

/* Notes on the samples of a profile, and the losses of its traces. Returns the exit status. */
static int report_notes(const struct sonde_profile *p, const struct request *r, const struct opened *o)
{
	int status = 0;

	if (p && !quiet)
		say_shortened(p, stack_words.max_stack, keeps_outermost(r));
	for (size_t i = 0; i < o->n; i++) {
		if ((graph && r->graph.on) || (children_given && children_on))
			say_no_callchains(o->traces[i]);
		if (stack_words.stitch_lbr)
			say_not_stitched(o->traces[i]);
		status |= ledger_print(o->traces[i]);
	}
	return status;
}

static int report(const struct request *r, const char *const *paths, size_t n)
{
	const struct sonde_query query = samples_to_read(r);
	struct sonde_profile *p = new_profile(r, page_takes_timed());
	struct opened o = { 0 };
	struct older old = { 0 };
	int status;

	if (!p)
		return say_out_of_memory();
	status = add_baseline(&old, r);
	status |= opened_add(&o, p, &query, paths, n);
	if (!o.out_of_memory)
		status |= finish_samples(p, r, &o);
	if (!o.out_of_memory && !old.opened.out_of_memory && status < 2)
		status |= write_report(p, r, &o, &old);
	if (!quiet && shows_functions())
		report_hint(p);
	status |= report_notes(old.profile, r, &old.opened);
	status |= report_notes(p, r, &o);
	opened_close(&old.opened);
	opened_close(&o);
	sonde_profile_free(old.profile);
	sonde_profile_free(p);
	return status & 2 ? 2 : status;
}

static int report_all(const struct request *r, const char *const *paths, size_t n)
{
	int status = report_before(&besides, &r->query, paths, n);

	if (status || report_is_instead(&besides))
		return status;
	status = report(r, paths, n);
	return status ? status : report_after(&besides, &r->query, paths, n);
}

static int report_run(int argc, char **argv)
{
	static const char *const usual[] = { "perf.data" };
	struct request r = { 0 };
	int status;

	if (report_asks_columns(sort, fields))
		return report_list_columns(true);
	status = read_words(&r);
	if (status)
		return status;
	if (quiet)
		reading_is_quiet();
	else
		symbol_notes_warn_of_lines();
	if (inputs.n && argc)
		return say_usage("traces with -i or without, not both: '%s'", argv[0]);
	if (inputs.n)
		return report_all(&r, inputs.at, inputs.n);
	return argc ? report_all(&r, (const char *const *)argv, (size_t)argc) : report_all(&r, usual, 1);
}

const struct command cmd_report = {
	.name = "report",
	.args = "[FILE...]",
	.help = "show where the time went",
	.details = "Rows are functions of commands, largest share first; the columns, percentages and trees "
		   "are those of perf report --stdio. If stacks were recorded, a function also counts while its "
		   "callees run (column Children), and a tree below it shows these callees; with --no-children the "
		   "tree shows its callers. -g none leaves the trees out.\n"
		   "On a terminal a browser opens, in which rows and trees open and close: h shows its keys. With "
		   "--stdio, on a pipe, with TERM=dumb, on a terminal of less than 20 columns or 5 rows, and for "
		   "output that is no table of rows (-g folded, -t, --header, ...) there is text.\n"
		   "Several traces are one report, with their times by the clock of the first trace: --header shows "
		   "the offset of each, --offset gives it.\n"
		   "FILE may also be a profile of another tool: folded stacks, pprof, a processed profile of the "
		   "Firefox Profiler, or speedscope, compressed with gzip or not. Its content tells which.\n"
		   "--sort type shows the data that a program touches: the type of the memory operand of each sampled "
		   "instruction, from the program's debug information (cc -g). typeoff adds the member, typecln the "
		   "cache line. The type is (unknown) if the instruction touches no memory, without debug "
		   "information, in the kernel, and in programs for other machines than x86-64.",
	.options = report_options,
	.keys = KEYS_REPORT,
	.takes_screen = takes_screen,
	.run = report_run,
};
