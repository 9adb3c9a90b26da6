/* SPDX-License-Identifier: MIT */
/* cmd_report.c - a table of functions, call trees, or a page */
#include <sonde/export.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/colour.h"
#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/event.h"
#include "cli/base/itrace.h"
#include "cli/base/keys.h"
#include "cli/base/ledger.h"
#include "cli/base/memory.h"
#include "cli/base/no_samples.h"
#include "cli/base/read_progress.h"
#include "cli/base/report.h"
#include "cli/base/stacks.h"
#include "cli/base/symbol_notes.h"
#include "cli/base/times.h"
#include "cli/browser/browser.h"
#include "cli/report/blocks.h"
#include "cli/report/event_switch.h"
#include "cli/report/opened.h"
#include "cli/report/page_code.h"
#include "cli/report/trace_words.h"
#include "cli/report/words.h"

/*
 * As perf: of a stack that is too long, the frames are kept at which trees begin. A page needs the innermost function.
 */
static bool keeps_outermost(const struct report_request *r)
{
	return !r->graph.callee && !report_words.html;
}

/* perf's keys of a recording of tracepoints, where no others are given. */
static bool takes_usual_keys(void)
{
	const struct report_words *w = &report_words;

	return !w->html && (!w->sort || *w->sort == '+') && (!w->fields || *w->fields == '+');
}

/* Whether branches are counted where the recording has them. */
static bool takes_branches(void)
{
	const struct report_words *w = &report_words;

	return w->branches_on && !w->mem_mode && !w->html && !w->branch_history;
}

/* Whether the page shows more of a profile that keeps samples one by one. */
static bool page_takes_timed(void)
{
	const struct sonde_export_format *f;

	for (size_t i = 0; report_words.html && (f = sonde_export_format_at(i)); i++)
		if (strcmp(f->name, "html") == 0)
			return f->takes_timed;
	return false;
}

/*
 * Which samples are read. The profile chooses threads, so that samples of the others are a part of the whole of which
 * percentages are. Of a page, those that were asked for are the whole.
 */
static struct sonde_query samples_to_read(const struct report_request *r)
{
	struct sonde_query q = r->query;

	if (!report_words.html)
		q.nr_pids = q.nr_tids = 0;
	return q;
}

static enum sonde_profile_mode mode_of(const struct report_request *r)
{
	const struct report_words *w = &report_words;

	if (r->branches)
		return SONDE_PROFILE_BRANCHES;
	if (w->branch_history)
		return SONDE_PROFILE_BRANCH_HISTORY;
	if ((w->graph && r->graph.on) || w->html || w->parent || w->ignored_callees)
		return SONDE_PROFILE_STACKS;
	return r->graph.on || w->children_on ? SONDE_PROFILE_STACKS_IF_ANY : SONDE_PROFILE_FUNCTIONS;
}

/* @timed: keep samples one by one. */
static struct sonde_profile *new_profile(const struct report_request *r, bool timed)
{
	const struct report_words *w = &report_words;
	struct sonde_profile_opts opts = {
		.sz = sizeof(opts), .symbols = &symbol_options,
		.mode = mode_of(r),
		.by = (takes_branches() ? r->by : r->by & ~(uint32_t)SONDE_BY_BLOCKS) |
		      (w->html && w->with_source ? (uint32_t)SONDE_BY_SYMBOL_OFFSET : 0),
		.named_only = w->named_only,
		.max_stack = stack_limit(stack_words.max_stack), .outermost = keeps_outermost(r),
		.comms = selected.comms.at,
		.nr_comms = selected.comms.n,
		.pids = r->query.pids, .nr_pids = r->query.nr_pids, .tids = r->query.tids, .nr_tids = r->query.nr_tids,
		.parallelism = w->parallelism.at, .nr_parallelism = w->parallelism.n,
		.threads = threads_wanted(),
		.inlined = stack_words.inlined, .stitch_lbr = stack_words.stitch_lbr,
		.full_source_path = w->full_source_path,
		.basic_blocks = w->total_cycles,
		.branches_if_any = takes_branches(), .weights = w->mem_mode,
		.timed = timed, .tracks = timed, .timed_most = memory_page_samples(),
		.trace_fields = r->trace_fields.at, .nr_trace_fields = r->trace_fields.n, .raw_trace = w->raw_trace,
		.trace_if_only = takes_usual_keys(),
		.time_step_ns = w->time_step_ns, .sockets = w->sockets.at, .nr_sockets = w->sockets.n,
	};

	report_graph_add(&r->graph, &opts);
	if (w->html)                 /* frames of pages are functions */
		opts.places = false;
	return sonde_profile_new(&opts);
}

/* Completes a profile when all samples are there. Negative: the error is that of the profile. */
static int complete_profile(struct sonde_profile *p, const struct report_request *r)
{
	int e = report_words.ignored_callees ? sonde_profile_ignore_callees(p, report_words.ignored_callees) : 0;

	if (e == 0 && r->by & SONDE_BY_BLOCKS && takes_branches() && sonde_profile_has_branches(p))
		e = sonde_profile_find_ipc(p);
	return e;
}

/* Why a report of these traces has no entry. */
static void say_no_entry(const struct sonde_profile *p, const struct sonde_export_opts *opts,
			 const struct opened_input *o)
{
	const struct sonde_report_opts *report = opts->report;
	bool chosen = opts->nr_dsos || report->nr_symbols || report->symbol_part || report->with_parent;
	uint64_t taken = 0;

	for (size_t i = 0; i < sonde_profile_event_count(p); i++)
		taken += sonde_profile_event_at(p, i)->samples;
	if (taken && report->percent_limit > 0 && !chosen)
		warn("all entries are below the limit of --percent-limit %s", report_words.percent_limit);
	else
		say_no_samples(o->traces, o->n);
}

#ifdef HAVE_NCURSES
/* ---- the browser ---- */

/* Samples that the browser had gathered anew, of the same traces. */
struct browsed {
	const struct report_request *request;
	const struct opened_input *first;
	struct sonde_profile *profile;
	struct opened_input opened;
	struct sonde_profile *gathering;
};

static void stop_gathering(void *ctx)
{
	sonde_profile_stop(((struct browsed *)ctx)->gathering);
}

static struct sonde_profile *gather_again(void *ctx, uint32_t by, const char *time, char *why, size_t size)
{
	struct browsed *b = ctx;
	struct report_request r = *b->request;
	const struct sonde_query query = samples_to_read(&r);
	struct opened_input o = { 0 };
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

static int browse(const struct report_request *r, const struct opened_input *o, struct sonde_profile *p,
		  const struct sonde_export_opts *opts)
{
#ifdef HAVE_NCURSES
	struct browsed b = { .request = r, .first = o };
	const struct browser_source source = { &b, gather_again, stop_gathering, describe, r->graph.on, r->code };
	struct sonde_report_opts report = *opts->report;
	struct sonde_export_opts shown = *opts;
	int status;

	shown.report = &report;
	report.children = report_words.children_on;  /* without stacks it has no effect */
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

/* Whether a list of keys, which may be NULL, has a word or a part of one. */
static bool has_word(const char *list, const char *word)
{
	return list && strstr(list, word);
}

/* The exit status: 1 after a message about data that were not recorded. */
static int check_data(const struct sonde_profile *p, const struct report_request *r, const struct opened_input *o)
{
	const struct report_words *w = &report_words;

	if ((w->latency || w->parallelism.n || report_asks_latency(w->sort) || report_asks_latency(w->fields)) &&
	    !sonde_profile_has_latency(p))
		say("latency and parallelism need context switches: `%s record --latency` records them",
		    program_name());
	else if ((r->branches || w->branch_history) && !opened_have_field(o, PERF_SAMPLE_BRANCH_STACK))
		say("the recording has no branch stacks: `%s record -b` records them", program_name());
	else if (!w->branch_history &&
		 (has_word(w->sort, "callchain_branch") || has_word(w->fields, "callchain_branch")))
		say("sort keys callchain_branch_... need --branch-history, and a recording of `%s record -b`",
		    program_name());
	else if (r->by & SONDE_BY_BRANCH && !sonde_profile_has_branches(p))
		say("sort keys of branches need --branch-stack, and a recording of `%s record -b`", program_name());
	else if (w->mem_mode && !opened_have_field(o, PERF_SAMPLE_DATA_SRC))
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
	struct opened_input opened;
};

enum { CODE_NOTES_MOST = 8 };

/* Says, once each, why parts of the code are not in the page. */
static void say_code_notes(const struct page_code *code)
{
	const char *note, *said[CODE_NOTES_MOST];
	size_t n = 0;

	for (size_t i = 0; i < code->n; i++)
		for (size_t k = 0; (note = sonde_annotation_note_at(code->list[i], k)); k++) {
			size_t known = 0;

			while (known < n && strcmp(said[known], note) != 0)
				known++;
			if (known < n || n == CODE_NOTES_MOST)
				continue;
			said[n++] = note;
			warn("%s", note);
		}
}

static int write_page(struct sonde_profile *p, const struct report_request *r, const struct opened_input *o,
		      const struct older *old, const struct sonde_export_opts *opts)
{
	struct sonde_page_opts page = { .sz = sizeof(page), .baseline = old->profile };
	struct sonde_export_opts whole = *opts;
	struct sonde_annotate_opts how = r->code;
	struct page_code code = { 0 };
	int status = 0;

	how.embedded = true;
	if (report_words.with_source && page_code_take(&code, p, &how) < 0)
		status = say_out_of_memory();
	if (!report_words.quiet)
		say_code_notes(&code);
	page.code = code.list;
	page.nr_code = code.n;
	whole.page = &page;
	if (old->profile)
		report_describe_baseline(&page, old->opened.traces[0]);
	if (!status)
		status = report_write_page(p, o->traces, o->n, report_words.html, &whole);
	page_code_free(&code);
	return status;
}

static int write_report(struct sonde_profile *p, const struct report_request *r, const struct opened_input *o,
			const struct older *old)
{
	const struct report_words *w = &report_words;
	int written;
	bool chains = sonde_profile_has_callchains(p);
	const struct sonde_report_opts report = {
		.sz = sizeof(report),
		.sort = w->sort || opened_have_addresses(o) ? w->sort : "comm",
		.fields = w->fields,
		.children = w->children_on && chains,
		.graph = r->graph.on && chains,
		.callee = r->graph.callee,
		.graph_style = r->graph.style,
		.graph_lines = r->graph.nodes == NODES_LINES,
		.graph_value = r->graph.value,
		.graph_branches = r->graph.branches,
		.graph_limit = r->graph.limit,
		.show_samples = w->samples,
		.show_period = w->period,
		.show_modes = w->modes,
		.hierarchy = w->hierarchy,
		.no_header = w->quiet,
		.separator = report_separator(w->separator),
		.widths = w->widths,
		.of_shown = w->percentage && !strcmp(w->percentage, "relative"),
		.percent_limit = r->percent_limit,
		.symbols = selected.symbols.at,
		.nr_symbols = selected.symbols.n,
		.symbol_part = w->symbol_part,
		.parent = w->parent,
		.with_parent = w->with_parent,
		.colour = colour_is_on(),
		.latency = w->latency,
		.blocks = w->total_cycles,
		.group = w->group_on,
		.group_all = w->group_on && w->group_given && !has_group(p),
		.nanoseconds = w->nanoseconds,
		.group_sort = w->group_sort < UINT32_MAX ? (uint32_t)w->group_sort : 0,
	};
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .event = w->event, .report = &report,
						.dsos = selected.dsos.at, .nr_dsos = selected.dsos.n };
	struct sonde_error err = { .sz = sizeof(err) };

	written = check_data(p, r, o);
	if (!written)
		written = event_check(p, w->event);
	if (written)
		return written;
	if (w->html)
		return write_page(p, r, o, old, &opts);
	if (w->on_screen && sonde_profile_event_count(p)) {
		written = browse(r, o, p, &opts);
		if (written >= 0)
			return written;
	}
	if (!w->json && !w->quiet && opened_have_addresses(o))
		opened_print_lost(o);
	if (w->total_cycles && !w->json)
		return blocks_print(p, !w->quiet, report.separator, r->percent_limit);
	if (w->total_cycles && sonde_profile_find_blocks(p) < 0)
		return say_out_of_memory();
	written = sonde_export(p, w->json ? "json" : "report", NULL, &opts, &err);
	if (written < 0)
		return err.code == SONDE_USAGE ? say_usage("%s", err.text) : say_error(NULL, &err);
	if (written == 0)
		say_no_entry(p, &opts, o);
	return 0;
}

/* Hints about missing names, for tables only: a page has its own. */
static bool shows_functions(void)
{
	const struct report_words *w = &report_words;

	return !w->html && (!w->sort || strstr(w->sort, "sym") || *w->sort == '+');
}

/* The work that is left when all samples are there. Returns the exit status. */
static int finish_samples(struct sonde_profile *p, const struct report_request *r, const struct opened_input *o)
{
	int status = 0;

	for (size_t i = 0; i < o->n && status == 0 && event_switch_is_used(); i++)
		status = event_switch_check(o->traces[i]);
	if (status == 0)
		status = trace_words_check(o, p, &r->trace_fields, r->sort_fields);
	if (status == 0 && complete_profile(p, r) < 0)
		status = sonde_profile_error(p)->code == SONDE_USAGE ?
			 say_usage("--ignore-callees: %s", sonde_profile_error(p)->text) : say_out_of_memory();
	return status;
}

/* Reads the recording of --baseline, if there is one. Returns the exit status. */
static int add_baseline(struct older *old, const struct report_request *r)
{
	int status;

	if (!report_words.baseline)
		return 0;
	old->profile = new_profile(r, false);
	if (!old->profile)
		return say_out_of_memory();
	status = opened_add(&old->opened, old->profile, &r->query, &report_words.baseline, 1);
	if (!old->opened.out_of_memory)
		return status | finish_samples(old->profile, r, &old->opened);
	return status;
}

/* Notes on the samples of a profile, and the losses of its traces. Returns the exit status. */
static int report_notes(const struct sonde_profile *p, const struct report_request *r, const struct opened_input *o)
{
	const struct report_words *w = &report_words;
	int status = 0;

	if (p && !w->quiet)
		say_shortened(p, stack_words.max_stack, keeps_outermost(r));
	for (size_t i = 0; i < o->n; i++) {
		if ((w->graph && r->graph.on) || (w->children_given && w->children_on))
			say_no_callchains(o->traces[i]);
		if (stack_words.stitch_lbr)
			say_not_stitched(o->traces[i]);
		itrace_say_not_decoded(o->traces[i]);
		status |= ledger_print(o->traces[i]);
	}
	return status;
}

static int report(const struct report_request *r, const char *const *paths, size_t n)
{
	const struct sonde_query query = samples_to_read(r);
	struct sonde_profile *p = new_profile(r, page_takes_timed());
	struct opened_input o = { 0 };
	struct older old = { 0 };
	int status;

	if (!p)
		return say_out_of_memory();
	status = add_baseline(&old, r);
	status |= opened_add(&o, p, &query, paths, n);
	if (!o.out_of_memory)
		status |= finish_samples(p, r, &o);
	if (!o.out_of_memory && !old.opened.out_of_memory && status < 2 && opened_have_any(&o))
		status |= write_report(p, r, &o, &old);
	if (!report_words.quiet && shows_functions())
		report_hint(p);
	status |= report_notes(old.profile, r, &old.opened);
	status |= report_notes(p, r, &o);
	opened_close(&old.opened);
	opened_close(&o);
	sonde_profile_free(old.profile);
	sonde_profile_free(p);
	return status & 2 ? 2 : status;
}

static int report_all(const struct report_request *r, const char *const *paths, size_t n)
{
	const struct report_words *w = &report_words;
	int status = report_extras_before(&w->extras, &r->query, paths, n);

	if (status || report_extras_only(&w->extras))
		return status;
	status = report(r, paths, n);
	return status ? status : report_extras_after(&w->extras, &r->query, paths, n);
}

static int report_run(int argc, char **argv)
{
	static const char *const usual[] = { "perf.data" };
	static struct report_request r;  /* its lists live as long as the command, as those of the words */
	const struct report_words *w = &report_words;
	int status;

	if (report_asks_columns(w->sort, w->fields))
		return report_list_columns(true);
	status = report_settle(&r);
	if (status)
		return status;
	if (w->quiet)
		read_progress_off();
	else
		symbol_notes_warn_of_lines(&symbol_options);
	if (w->inputs.n && argc)
		return say_usage("traces with -i or without, not both: '%s'", argv[0]);
	if (w->inputs.n)
		return report_all(&r, w->inputs.at, w->inputs.n);
	return argc ? report_all(&r, (const char *const *)argv, (size_t)argc) : report_all(&r, usual, 1);
}

static const struct example report_examples[] = {
	{ "sonde report", "show where the time of perf.data went, by command, binary and function" },
	{ "sonde report -g --no-children", "show it with the call chains that led there" },
	{ "sonde report --sort comm,cpu --time 10%-20%", "show a part of the time, by command and CPU" },
	{ "sonde report --html report.html", "make a page with a flame graph" },
	{ 0 },
};

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
		   "FILE may also be a profile of another tool: the text of perf script, folded stacks, pprof, a "
		   "processed profile of the Firefox Profiler, or speedscope, compressed with gzip or not. Its content "
		   "tells which.\n"
		   "--sort type shows the data that a program touches: the type of the memory operand of each sampled "
		   "instruction, from the program's debug information (cc -g). typeoff adds the member, typecln the "
		   "cache line. The type is (unknown) if the instruction touches no memory, without debug "
		   "information, in the kernel, and in programs for other machines than x86-64.",
	.options = report_options,
	.keys = KEYS_REPORT,
	.takes_screen = report_takes_screen,
	.examples = report_examples,
	.prints_a_lot = true,
	.run = report_run,
};
