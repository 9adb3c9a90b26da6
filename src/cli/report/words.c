/* SPDX-License-Identifier: MIT */
#include "cli/report/words.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/code_options.h"
#include "cli/base/colour.h"
#include "cli/base/common_options.h"
#include "cli/base/itrace.h"
#include "cli/base/report.h"
#include "cli/base/session.h"
#include "cli/base/stacks.h"
#include "cli/base/terminal.h"
#include "cli/base/values.h"
#include "cli/report/event_switch.h"
#include "cli/screen/theme.h"

#define BRANCH_HISTORY_KEYS \
	"srcline,symbol,dso,callchain_branch_predicted,callchain_branch_abort,callchain_branch_cycles"

enum { THREADS_MAX = 4096 };         /* that run at the same time: one for each CPU */

struct report_words report_words = { .children_on = true, .branches_on = true, .group_on = true };

/* Values of options without effect. */
static uint64_t saved_samples;
static const char *other_program;

static bool is_graph_words(const char *word)
{
	struct report_graph g;

	return report_graph_parse(&g, word) == 0;
}

static int select_parallelism(const char *arg)
{
	struct numbers *list = &report_words.parallelism;
	int r = list_add_numbers(list, arg, "--parallelism");

	for (size_t i = 0; i < list->n && r == 0; i++)
		if (list->at[i] < 1 || list->at[i] > THREADS_MAX) {
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
		if (strcmp(end, units[i].unit) == 0 &&
		    !__builtin_mul_overflow(n, units[i].ns, &report_words.time_step_ns))
			return 0;
	say_usage("--time-quantum takes a time as 10ms, 5us, 100ns or 1s, not '%s'", arg);
	return -SONDE_USAGE;
}

static int select_sockets(const char *arg)
{
	return list_add_numbers(&report_words.sockets, arg, "--socket-filter");
}

static int show_no_graph(const char *arg)
{
	(void)arg;
	report_words.graph = "none";
	return 0;
}

const struct option_row report_options[] = {
	{ "input", 'i', OPTION_STRINGS, &report_words.inputs, .arg = "FILE",
	  .help = "a trace, - for the standard input; may be repeated" },
	JOBS_ROW,
	{ .kind = OPTION_HEADING, .help = "What is shown" },
	{ "sort", 's', OPTION_STRING, &report_words.sort, .arg = "KEYS",
	  .help = "group samples by these keys: comm, pid, tgid, dso, sym, symoff, cpu, time, addr, cgroup, "
		  "parallelism, parent, srcline, srcfile, type, ..., help for a list; fields of tracepoints "
		  "(next_pid, sched_switch.*, prev_state/raw); +KEYS adds to comm,dso,sym, or to trace where all "
		  "events are tracepoints",
	  .values = { .give = give_columns, .list = true } },
	{ "fields", 'F', OPTION_STRING, &report_words.fields, .arg = "FIELDS",
	  .help = "show these columns: keys, overhead, overhead_children, overhead_sys, overhead_us, latency, "
		  "latency_children, sample, period, help for a list; +FIELDS adds to the default",
	  .values = { .give = give_columns, .list = true } },
	{ "children", 0, OPTION_FLAG, &report_words.children_on, .given = &report_words.children_given,
	  .help = "count a function also while its callees run (default with callchains)" },
	{ "call-graph", 'g', OPTION_STRING, &report_words.graph, .arg = "MODE", .optional = true,
	  .takes = is_graph_words,
	  .help = "call trees: graph, fractal, flat, folded or none; minimum percentage; number of branches; caller "
		  "or callee; a node for each function, address or srcline; branch: with the branches of samples "
		  "(of --no-branch-stack); percent, period or count",
	  .values = { .words = WORDS("graph", "fractal", "flat", "folded", "none", "caller", "callee", "function",
			      "address", "srcline", "branch", "percent", "period", "count"),
		      .list = true } },
	{ "no-call-graph", 0, OPTION_CALL, .call = show_no_graph, .help = "no call trees, as -g none" },
	{ "branch-stack", 'b', OPTION_FLAG, &report_words.branches_on, .given = &report_words.branches_given,
	  .help = "a row for each branch, not for each sample (default with record -b)" },
	{ "branch-history", 0, OPTION_FLAG, &report_words.branch_history,
	  .help = "call trees of the branches that led to a sample, and its callers (needs record -b)" },
	{ "total-cycles", 0, OPTION_FLAG, &report_words.total_cycles,
	  .help = "basic blocks by their cycles in place of functions (needs record -b, on a CPU that counts them)" },
	{ "mem-mode", 0, OPTION_FLAG, &report_words.mem_mode,
	  .help = "accesses to memory by their weight: data, cache, TLB (needs perf mem record, or record -d)" },
	{ "inverted", 'G', OPTION_FLAG, &report_words.inverted, .help = "trees from the caller, as -g caller" },
	{ "latency", 0, OPTION_FLAG, &report_words.latency,
	  .help = "order by latency: the time divided by the number of threads that ran (needs record --latency)" },
	{ "hierarchy", 'H', OPTION_FLAG, &report_words.hierarchy,
	  .help = "rows of each key below those of the previous key" },
	{ "raw-trace", 0, OPTION_FLAG, &report_words.raw_trace,
	  .help = "fields of tracepoints as they were recorded, not as the kernel prints them" },
	{ "parent", 'p', OPTION_STRING, &report_words.parent, .arg = "REGEX",
	  .help = "a column with the caller whose name matches" },
	{ "exclude-other", 'x', OPTION_FLAG, &report_words.with_parent, .help = "only rows with such a caller" },
	{ "show-nr-samples", 'n', OPTION_FLAG, &report_words.samples, .help = "a column with the number of samples" },
	{ "show-total-period", 0, OPTION_FLAG, &report_words.period, .help = "a column with the sum of periods" },
	{ "time-quantum", 0, OPTION_CALL, .call = set_time_step, .arg = "TIME",
	  .help = "steps of the sort key time: 10ms, 5us, 100ns, 1s (default: 100ms)" },
	{ "ns", 0, OPTION_FLAG, &report_words.nanoseconds, .help = "times with nine decimals" },
	{ "showcpuutilization", 0, OPTION_FLAG, &report_words.modes,
	  .help = "columns with the shares of kernel and user" },
	{ "show-cpu-utilization", 0, OPTION_FLAG, &report_words.modes, .help = "the same" },
	{ "field-separator", 't', OPTION_STRING, &report_words.separator, .arg = "CHAR",
	  .help = "separate columns by this character, without padding" },
	{ "column-widths", 'w', OPTION_STRING, &report_words.widths, .arg = "WIDTHS",
	  .help = "widths of columns, as 8,20,0: 0 is as wide as needed" },
	{ "percent-limit", 0, OPTION_STRING, &report_words.percent_limit, .arg = "PERCENT", .help = "hide rows below" },
	{ "percentage", 0, OPTION_STRING, &report_words.percentage, .arg = "OF",
	  .help = "absolute: of all samples; relative: of those shown",
	  .values = { .words = WORDS("absolute", "relative") } },
	{ "json", 0, OPTION_FLAG, &report_words.json, .help = "one JSON object (docs/report-json.md)" },
	{ "html", 0, OPTION_STRING, &report_words.html, .arg = "FILE",
	  .help = "one page with a time axis, a flame graph and a table" },
	{ "source", 0, OPTION_FLAG, &report_words.with_source,
	  .help = "of --html: with the code of the hottest functions and lines of their source; the browser shows it "
		  "anyhow" },
	{ "baseline", 0, OPTION_STRING, &report_words.baseline, .arg = "FILE",
	  .help = "of --html: compare with this older recording, as perf diff does" },
	COLOUR_ROW,
	{ "stdio", 0, OPTION_FLAG, &report_words.stdio, .help = "print text, as in a pipe or with TERM=dumb" },
	{ "tui", 0, OPTION_FLAG, &report_words.tui, .help = "open a browser (the default on a terminal)" },
	THEME_ROW,
	{ "quiet", 'q', OPTION_FLAG, &report_words.quiet, .help = "rows without titles, and no hints" },
	ACCEPTED_VERBOSE_ROW,
	FORCE_ROW,
	{ "group", 0, OPTION_FLAG, &report_words.group_on, .given = &report_words.group_given,
	  .help = "events of a group side by side (default); all events if the recording has no group" },
	{ "group-sort-idx", 0, OPTION_U64, &report_words.group_sort, .arg = "N",
	  .help = "order by event N of a group, from 0 (default: the first)" },
	ITRACE_ROWS,
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
	{ "header", 0, OPTION_FLAG, &report_words.extras.header,
	  .help = "print the description of the recording first" },
	{ "header-only", 0, OPTION_FLAG, &report_words.extras.header_only, .help = "that alone" },
	{ "show-info", 'I', OPTION_FLAG, &report_words.extras.full,
	  .help = "the same, with topology, caches and memory in full" },
	{ "stats", 0, OPTION_FLAG, &report_words.extras.stats,
	  .help = "print the number of records of each type instead" },
	{ "tasks", 0, OPTION_FLAG, &report_words.extras.tasks,
	  .help = "print the tree of processes and threads instead" },
	{ "mmaps", 0, OPTION_FLAG, &report_words.extras.mmaps, .help = "the same, with their mappings" },
	{ "dump-raw-trace", 'D', OPTION_FLAG, &report_words.extras.dump,
	  .help = "print every record instead, as dump --layout perf" },
	{ "threads", 'T', OPTION_FLAG, &report_words.extras.threads,
	  .help = "print the counts of each thread after the report, of a recording with --stat" },
	{ .kind = OPTION_HEADING, .help = "Of which samples" },
	{ "comms", 'c', OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "of these commands" },
	{ "comm", 0, OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "the same" },
	{ "dsos", 'd', OPTION_CALL, .call = select_dsos, .arg = "NAMES", .help = "rows of these binaries" },
	{ "dso", 0, OPTION_CALL, .call = select_dsos, .arg = "NAMES", .help = "the same" },
	{ "symbols", 'S', OPTION_CALL, .call = select_symbols, .arg = "NAMES", .help = "rows of these functions" },
	{ "symbol-filter", 0, OPTION_STRING, &report_words.symbol_part, .arg = "PART",
	  .help = "rows of functions with this in their names" },
	{ "hide-unresolved", 'U', OPTION_FLAG, &report_words.named_only,
	  .help = "leave out samples and frames without a symbol" },
	SELECTION_ROWS,
	OFFSET_ROW,
	{ "parallelism", 0, OPTION_CALL, .call = select_parallelism, .arg = "LIST",
	  .help = "while so many threads ran: 1,3-5 (needs record --latency)" },
	{ "event", 0, OPTION_STRING, &report_words.event, .arg = "EVENT", .help = "of this event",
	  .values = { .give = give_trace_events } },
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
	{ "ignore-callees", 0, OPTION_STRING, &report_words.ignored_callees, .arg = "REGEX",
	  .help = "count the callees of functions that match as a part of them" },
	{ "inline", 0, OPTION_FLAG, &stack_words.inlined,
	  .help = "show the functions inlined into those of stacks (default; needs DWARF)" },
	{ "full-source-path", 0, OPTION_FLAG, &report_words.full_source_path,
	  .help = "show whole paths of source files (srcline, srcfile)" },
	SYMBOL_ROWS,
	{ 0 },
};

static int read_graph(struct report_graph *g)
{
	const struct report_words *w = &report_words;

	if (report_graph_parse(g, w->graph ? w->graph : "") < 0)
		return say_usage("-g takes graph, fractal, flat, folded, none, a percentage, a number of branches, "
				 "caller, callee, function, address, srcline, branch, percent, period, count, not '%s'",
				 w->graph);
	if (w->inverted)
		g->callee = false;
	else if (!g->order_given)  /* as perf: without --children from the function to its callers; not for a bare -g */
		g->callee = !w->children_on && !(w->graph && !*w->graph);
	return 0;
}

int report_settle(struct report_request *r)
{
	struct report_words *w = &report_words;
	char *end;
	int status;

	status = read_graph(&r->graph);
	if (w->mem_mode)                     /* as perf: trees begin where they do with children */
		w->children_on = false;
	if (status == 0)
		status = code_options_read(&r->code);
	r->code.source = true;
	if (w->branch_history) {
		w->children_on = false;      /* rows are the instructions that were interrupted */
		w->sort = w->sort ? w->sort : BRANCH_HISTORY_KEYS;
		r->by = SONDE_BY_SRCLINE;
	}
	r->query = selection();
	if (status == 0)
		w->sort = report_spell_columns(w->sort);
	w->fields = report_spell_columns(w->fields);
	if (status == 0)
		status = report_read_columns("sort key", w->sort, &r->by, &r->trace_fields);
	r->sort_fields = r->trace_fields.n;
	if (status == 0)
		status = report_read_columns("field", w->fields, &r->by, &r->trace_fields);
	if (status)
		return status;
	if (w->sort && strstr(w->sort, "symbol"))  /* as perf: such a list of keys has a column with the IPC */
		r->by |= SONDE_BY_BLOCKS;
	r->branches = (w->branches_given && w->branches_on) || w->total_cycles;
	if (r->branches && w->mem_mode)
		return say_usage("--branch-stack and --mem-mode exclude each other");
	if (w->branch_history && (r->branches || w->mem_mode || w->html))
		return say_usage("--branch-history and %s exclude each other",
				 w->total_cycles ? "--total-cycles" : w->mem_mode ? "--mem-mode" :
				 w->html ? "--html" : "-b");
	if (w->total_cycles && (w->html || w->hierarchy || w->sort || w->fields))
		return say_usage("--total-cycles is a table of its own: it has no %s",
				 w->html ? "--html" : w->hierarchy ? "--hierarchy" : w->sort ? "--sort" : "--fields");
	if (w->json && w->html)
		return say_usage("--json and --html exclude each other");
	if (w->baseline && !w->html)
		return say_usage("--baseline is for --html: a page compares two recordings");
	if (w->stdio && w->tui)
		return say_usage("--stdio and --tui exclude each other");
	if (w->tui && !w->on_screen)
		return say_usage("--tui: %s", terminal_lacks_screen() ? terminal_lacks_screen() :
							 "the browser shows rows of functions, and nothing else");
	status = colour_check();
	if (status)
		return status;
	if (w->percentage && strcmp(w->percentage, "relative") != 0 && strcmp(w->percentage, "absolute") != 0)
		return say_usage("--percentage takes relative or absolute, not '%s'", w->percentage);
	if (w->separator && !report_separator(w->separator))
		return say_usage("-t takes one character, and not '.', not '%s'", w->separator);
	if (w->widths && w->widths[strspn(w->widths, "0123456789,")])
		return say_usage("-w takes numbers as 8,20,0, not '%s'", w->widths);
	r->percent_limit = w->percent_limit ? strtod(w->percent_limit, &end) : 0;
	if (w->percent_limit && (*end || end == w->percent_limit))
		return say_usage("--percent-limit takes a number, not '%s'", w->percent_limit);
	if (w->percent_limit && !r->graph.limit_given)  /* of rows and branches */
		r->graph.limit = r->percent_limit > 0 ? r->percent_limit : -1;
	return 0;
}

bool report_takes_screen(void)
{
	struct report_words *w = &report_words;
	struct report_graph g;
	bool drawn = !w->graph || (report_graph_parse(&g, w->graph) == 0 &&
				   (g.style == SONDE_GRAPH_TREE || g.style == SONDE_GRAPH_FRACTAL));

	w->on_screen = !w->stdio && !w->json && !w->html && !w->total_cycles && !w->separator && !w->quiet && drawn &&
		       !report_extras_only(&w->extras) && !w->extras.header && !w->extras.threads &&
		       !terminal_lacks_screen() && (w->tui || terminal_is_large());
	return w->on_screen;
}

