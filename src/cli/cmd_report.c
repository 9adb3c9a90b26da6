/* SPDX-License-Identifier: MIT */
/* cmd_report.c - where the time went: a table of functions, call trees, a page. */
#include <sonde/export.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/ledger.h"
#include "cli/memory.h"
#include "cli/nothing.h"
#include "cli/report.h"

static struct strings inputs;
static const char *sort, *fields, *graph, *event, *percent_limit, *percentage;
static const char *html;
static bool children_on = true, samples, json, no_inline, stdio;
static uint64_t max_stack;

static bool is_graph_words(const char *word)
{
	struct report_graph g;

	return report_graph_parse(&g, word) == 0;
}

static const struct option_row report_options[] = {
	{ "input", 'i', OPTION_STRINGS, &inputs, .arg = "FILE", .help = "a trace, - for the standard input; may be repeated" },
	{ .kind = OPTION_HEADING, .help = "What is shown" },
	{ "sort", 's', OPTION_STRING, &sort, .arg = "KEYS", .help = "comm, pid, tid, dso, sym, cpu, event; default: comm,dso,sym, of a trace.dat comm" },
	{ "fields", 'F', OPTION_STRING, &fields, .arg = "FIELDS", .help = "columns: keys, overhead, overhead_children, sample, period" },
	{ "children", 0, OPTION_FLAG, &children_on, .help = "count a function also while those that it calls run (the default with -g)" },
	{ "call-graph", 'g', OPTION_STRING, &graph, .arg = "MODE", .optional = true, .takes = is_graph_words,
	  .help = "call trees: graph, fractal or none, the least percentage, caller or callee" },
	{ "show-nr-samples", 'n', OPTION_FLAG, &samples, .help = "a column with the number of samples" },
	{ "percent-limit", 0, OPTION_STRING, &percent_limit, .arg = "PERCENT", .help = "hide rows below" },
	{ "percentage", 0, OPTION_STRING, &percentage, .arg = "OF", .help = "absolute: of all samples; relative: of those shown" },
	{ "json", 0, OPTION_FLAG, &json, .help = "one JSON object (docs/report-json.md)" },
	{ "html", 0, OPTION_STRING, &html, .arg = "FILE", .help = "one page with a flame graph and a table" },
	{ "stdio", 0, OPTION_FLAG, &stdio, .help = "as with perf; there is no other way" },
	{ .kind = OPTION_HEADING, .help = "Of which samples" },
	{ "comms", 'c', OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "of these commands" },
	{ "comm", 0, OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "the same" },
	{ "dsos", 'd', OPTION_CALL, .call = select_dsos, .arg = "NAMES", .help = "rows of these binaries" },
	{ "dso", 0, OPTION_CALL, .call = select_dsos, .arg = "NAMES", .help = "the same" },
	{ "symbols", 'S', OPTION_CALL, .call = select_symbols, .arg = "NAMES", .help = "rows of these functions" },
	SELECTION_ROWS,
	{ "event", 0, OPTION_STRING, &event, .arg = "EVENT", .help = "of this event" },
	{ .kind = OPTION_HEADING, .help = "Names of functions" },
	{ "max-stack", 0, OPTION_U64, &max_stack, .arg = "N", .help = "frames to take of a stack, from the innermost" },
	{ "no-inline", 0, OPTION_FLAG, &no_inline, .help = "as with perf; inlined functions are not shown anyway" },
	SYMBOL_ROWS,
	{ 0 },
};

/* What the words of the command line come to. */
struct request {
	struct report_graph graph;
	struct sonde_query query;
	double percent_limit;
};

static int read_words(struct request *r)
{
	char *end;

	r->query = selection();
	if (report_graph_parse(&r->graph, graph ? graph : "none") < 0)
		return say_usage("-g takes graph, fractal, none, a percentage, caller, callee, not '%s'", graph);
	if (!r->graph.order_given)  /* as perf: trees of callers below rows of what they called, but not for a bare -g */
		r->graph.callee = graph && *graph && !children_on;
	if (percentage && strcmp(percentage, "relative") != 0 && strcmp(percentage, "absolute") != 0)
		return say_usage("--percentage takes relative or absolute, not '%s'", percentage);
	r->percent_limit = percent_limit ? strtod(percent_limit, &end) : 0;
	if (percent_limit && (*end || end == percent_limit))
		return say_usage("--percent-limit takes a number, not '%s'", percent_limit);
	return 0;
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word), len;

	for (; list && *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len == n && memcmp(list, word, n) == 0)
			return true;
	}
	return false;
}

static struct sonde_profile *new_profile(const struct request *r)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .symbols = &symbol_options, .callchains = r->graph.on || html,
						 .by_cpu = has_word(sort, "cpu") || has_word(fields, "cpu"),
						 .max_stack = (uint32_t)max_stack, .comms = selected.comms.at, .nr_comms = selected.comms.n };

	return sonde_profile_new(&opts);
}

/* The traces stay open until the end: the report speaks of their events. */
struct opened {
	struct sonde_trace **traces;
	size_t n;
	bool out_of_memory;          /* there is nothing to be reported */
};

static int add_trace(struct sonde_profile *p, const struct request *r, struct sonde_trace *t, const char *path)
{
	struct sonde_query query = r->query;
	int e = sonde_trace_open(t, path, open_options());

	if (e == 0)
		e = select_within(t, &query);
	return e == 0 ? sonde_profile_add(p, t, &query) : e;
}

static int add_traces(struct sonde_profile *p, const struct request *r, struct opened *o, const char *const *paths, size_t n)
{
	int status = 0;

	o->traces = calloc(n + 1, sizeof(*o->traces));
	for (; o->traces && o->n < n; o->n++) {
		struct sonde_trace *t = o->traces[o->n] = sonde_trace_new();

		if (!t)
			break;
		if (add_trace(p, r, t, paths[o->n]) < 0) {
			status |= say_error(paths[o->n], sonde_trace_error(t));
			o->out_of_memory |= sonde_trace_error(t)->code == SONDE_NOMEM;
		}
	}
	if (o->n < n) {
		o->out_of_memory = true;
		return say_out_of_memory();
	}
	return status;
}

/* Of events without an address there is only who; the functions are in the trees. */
static bool has_addresses(const struct opened *o)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct sonde_trace_info *info = sonde_trace_info(o->traces[i]);

		if (!info || strcmp(info->format, "trace.dat") != 0)
			return true;
	}
	return false;
}

static int write_report(const struct sonde_profile *p, const struct request *r, const struct opened *o)
{
	int written;
	bool by_children = children_on && r->graph.on;
	const struct sonde_export_opts opts = {
		.sz = sizeof(opts), .event = event, .sort = sort || has_addresses(o) ? sort : "comm", .fields = fields, .children = by_children, .graph = r->graph.on,
		.callee = r->graph.callee, .relative = r->graph.relative,
		.show_samples = samples, .of_shown = percentage && !strcmp(percentage, "relative"),
		.percent_limit = r->percent_limit, .graph_limit = r->graph.limit, .dsos = selected.dsos.at, .nr_dsos = selected.dsos.n,
		.symbols = selected.symbols.at, .nr_symbols = selected.symbols.n,
	};
	struct sonde_error err = { 0 };

	if (html)
		return report_write_page(p, o->traces, o->n, html, &opts);
	written = sonde_export(p, json ? "json" : "report", STDOUT_FILENO, &opts, &err);
	if (written < 0)
		return err.code == SONDE_USAGE ? say_usage("%s", err.text) : say_error(NULL, &err);
	if (written == 0)
		say_nothing(o->traces, o->n);
	return 0;
}

static int report(const struct request *r, const char *const *paths, size_t n)
{
	struct sonde_profile *p = new_profile(r);
	struct opened o = { 0 };
	int status;

	if (!p)
		return say_out_of_memory();
	status = add_traces(p, r, &o, paths, n);
	if (!o.out_of_memory)
		status |= write_report(p, r, &o);
	report_hint(p);
	for (size_t i = 0; i < o.n; i++) {
		status |= ledger_print(o.traces[i]);
		sonde_trace_free(o.traces[i]);
	}
	free(o.traces);
	sonde_profile_free(p);
	return status & 2 ? 2 : status;
}

static int report_run(int argc, char **argv)
{
	static const char *const usual[] = { "perf.data" };
	struct request r = { 0 };
	int status = read_words(&r);

	if (status == 0 && inputs.n && argc)
		status = say_usage("traces with -i or without, not both: '%s'", argv[0]);
	if (status == 0 && inputs.n)
		status = report(&r, inputs.at, inputs.n);
	else if (status == 0 && argc)
		status = report(&r, (const char *const *)argv, (size_t)argc);
	else if (status == 0)
		status = report(&r, usual, 1);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.args = "[FILE...]",
	.help = "show where the time went",
	.details = "Rows are functions of commands, those with most samples first; the columns, percentages and trees are those of "
		   "perf report --stdio. With -g a function also counts while those that it calls run (column Children), and a tree "
		   "below it says which; with --no-children -g graph the tree says by whom it was called.",
	.options = report_options,
	.run = report_run,
};
