/* SPDX-License-Identifier: MIT */
/* cmd_annotate.c - the instructions and source lines of functions with their samples */
#include <sonde/annotate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/annotate/look.h"
#include "cli/annotate/screen.h"
#include "cli/base/code_options.h"
#include "cli/base/colour.h"
#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/itrace.h"
#include "cli/base/keys.h"
#include "cli/base/ledger.h"
#include "cli/base/lists.h"
#include "cli/base/memory.h"
#include "cli/base/no_samples.h"
#include "cli/base/read_progress.h"
#include "cli/base/terminal.h"
#include "cli/screen/theme.h"

static const char *input, *html, *percent_limit, *other_program;
static bool source = true, stdio2, stdio, samples, period, raw, print_line, full_paths, skip_missing, quiet, tui,
	    group = true, on_screen;

static const struct option_row annotate_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	JOBS_ROW,
	{ .kind = OPTION_HEADING, .help = "Of which functions and samples" },
	{ "symbol", 's', OPTION_CALL, .call = select_symbols, .arg = "NAMES", .help = "annotate these functions" },
	{ "dsos", 'd', OPTION_CALL, .call = select_dsos, .arg = "NAMES",
	  .help = "annotate functions of these binaries" },
	{ "dso", 0, OPTION_CALL, .call = select_dsos, .arg = "NAMES", .help = "the same" },
	{ "percent-limit", 0, OPTION_STRING, &percent_limit, .arg = "PERCENT",
	  .help = "leave out functions with a smaller share" },
	{ "skip-missing", 0, OPTION_FLAG, &skip_missing,
	  .help = "say nothing of functions that cannot be annotated" },
	{ "comms", 'c', OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "samples of these commands" },
	{ "comm", 0, OPTION_CALL, .call = select_comms, .arg = "NAMES", .help = "the same" },
	SELECTION_ROWS,
	{ .kind = OPTION_HEADING, .help = "What is shown" },
	{ "source", 0, OPTION_FLAG, &source, .help = "lines of the source between instructions (default)" },
	{ "stdio", 0, OPTION_FLAG, &stdio, .help = "print text, as in a pipe or with TERM=dumb" },
	{ "tui", 0, OPTION_FLAG, &tui, .help = "show a screen of the hottest function (the default on a terminal)" },
	THEME_ROW,
	{ "stdio2", 0, OPTION_FLAG, &stdio2,
	  .help = "arrows at jumps, offsets at their targets; cycles and IPC of branch stacks that have cycles" },
	{ "html", 0, OPTION_STRING, &html, .arg = "FILE",
	  .help = "one page with all functions of half a percent and more (see --percent-limit)" },
	{ "print-line", 'l', OPTION_FLAG, &print_line, .help = "print a summary by source line first" },
	{ "full-paths", 'P', OPTION_FLAG, &full_paths, .help = "show whole paths of source files" },
	{ "show-nr-samples", 'n', OPTION_FLAG, &samples, .help = "show numbers of samples, not percentages" },
	{ "show-total-period", 0, OPTION_FLAG, &period, .help = "show sums of periods, not percentages" },
	CODE_ROWS,
	{ "group", 0, OPTION_FLAG, &group, .help = "a column for each event of a group (default)" },
	{ "asm-raw", 0, OPTION_FLAG, &raw, .help = "show the bytes of instructions" },
	COLOUR_ROW,
	{ "skip-empty", 0, OPTION_FLAG, &option_accepted,
	  .help = "accepted: functions without samples are always left out" },
	{ "quiet", 'q', OPTION_FLAG, &quiet, .help = "no warnings" },
	FORCE_ROW,
	ACCEPTED_VERBOSE_ROW,
	ITRACE_ROWS,
	{ "modules", 'm', OPTION_FLAG, &option_accepted, .help = "accepted: modules always have their symbols" },
	{ "addr2line", 0, OPTION_STRING, &other_program, .arg = "PATH",
	  .help = "accepted: no other program is run for source lines" },
	{ "objdump", 0, OPTION_STRING, &other_program, .arg = "PATH",
	  .help = "accepted: no other program is run for instructions" },
	{ .kind = OPTION_HEADING, .help = "Where code and names are from" },
	SYMBOL_ROWS,
	{ 0 },
};

/* The options, and the outcome. */
struct annotate_request {
	struct sonde_annotate_opts opts;
	struct annotate_look look;
	struct sonde_query query;
	size_t nr_printed, nr_failed;
	char *last_note;
	struct sonde_annotation **page;      /* functions of a page; nr_printed of them */
};

#define PAGE_FROM 0.5                        /* percent of an event */

static int read_words(struct annotate_request *r)
{
	char *end;
	int status = code_options_read(&r->opts);

	if (status)
		return status;
	if (tui && (stdio || stdio2))
		return say_usage("--stdio and --tui exclude each other");
	if (tui && !on_screen)
		return say_usage("--tui: %s", terminal_lacks_screen() ? terminal_lacks_screen() :
							 "the screen has no -l, -q and --asm-raw");
	status = colour_check();
	if (status)
		return status;
	r->opts.percent_limit = percent_limit ? strtod(percent_limit, &end) : html ? PAGE_FROM : 0;
	if (percent_limit && (*end || end == percent_limit))
		return say_usage("--percent-limit takes a number, not '%s'", percent_limit);
	if (html && (stdio2 || print_line))
		return say_usage("--html excludes --stdio2 and -l");
	if (samples && period)
		return say_usage("-n and --show-total-period exclude each other");
	r->opts.source = source;
	r->opts.full_source_path = full_paths;
	r->opts.embedded = html != NULL;
	r->look.percent = r->opts.percent;
	r->look.column = samples ? ANNOTATE_SAMPLES : period ? ANNOTATE_PERIOD : ANNOTATE_PERCENT;
	r->look.raw = raw;
	r->look.lines = print_line;
	r->look.colour = colour_is_on();
	r->query = selection();
	return 0;
}

static void put_notes(struct annotate_request *r, const struct sonde_annotation *a)
{
	const char *note;

	for (size_t i = 0; !quiet && (note = sonde_annotation_note_at(a, i)); i++) {
		if (r->last_note && strcmp(note, r->last_note) == 0)
			continue;
		warn("%s: %s", sonde_annotation_info(a)->symbol, note);
		free(r->last_note);
		r->last_note = strdup(note);
	}
}

static int print(struct annotate_request *r, const struct sonde_annotation *a)
{
	if (r->nr_printed++)
		putchar('\n');
	if (print_line && annotate_print_lines(a, &r->look) < 0)
		return say_out_of_memory();
	if (stdio2)
		annotate_print_arrows(a, &r->look);
	else
		annotate_print(a, &r->look);
	fflush(stdout);
	put_notes(r, a);
	return 0;
}

/* Keeps a function for the page, which owns it then. */
static int keep_for_page(struct annotate_request *r, struct sonde_annotation *a)
{
	struct sonde_annotation **page = realloc(r->page, (r->nr_printed + 1) * sizeof(*page));

	put_notes(r, a);
	if (!page) {
		sonde_annotation_free(a);
		return say_out_of_memory();
	}
	r->page = page;
	page[r->nr_printed++] = a;
	return 0;
}

static int show(struct annotate_request *r, struct sonde_annotation *a)
{
	int status;

	if (html)
		return keep_for_page(r, a);
	status = print(r, a);
	sonde_annotation_free(a);
	return status;
}

/* The first function that fails is named; the others are counted. */
static void note_failure(struct annotate_request *r, const struct sonde_error *err)
{
	if (!skip_missing && !quiet && !r->nr_failed)
		say("%s", err->text);
	r->nr_failed++;
}

/* All functions that the options name, hottest first. */
static int annotate_functions(struct annotate_request *r, struct sonde_profile *p)
{
	struct sonde_annotation *a;

	for (r->opts.nth = 0;; r->opts.nth++) {
		struct sonde_error err = { .sz = sizeof(err) };
		int status = 0;

		a = sonde_annotate(p, &r->opts, &err);
		if (!a && err.code == SONDE_MISSING)
			return 0;
		if (!a && err.code != SONDE_UNSUPPORTED)
			return say_error(NULL, &err);
		if (a)
			status = show(r, a);
		else
			note_failure(r, &err);
		if (status)
			return status;
	}
}

/* Each function by each binary, where both are named. */
static int annotate_names(struct annotate_request *r, struct sonde_profile *p)
{
	const size_t nr_symbols = selected.symbols.n ? selected.symbols.n : 1;
	const size_t nr_dsos = selected.dsos.n ? selected.dsos.n : 1;
	int status = 0;

	for (size_t i = 0; i < nr_symbols && !status; i++)
		for (size_t k = 0; k < nr_dsos && !status; k++) {
			r->opts.symbol = selected.symbols.n ? selected.symbols.at[i] : NULL;
			r->opts.dso = selected.dsos.n ? selected.dsos.at[k] : NULL;
			status = annotate_functions(r, p);
		}
	return status;
}

/* The events of a group: numbers of the other members, and the name of the whole. */
struct event_group {
	uint32_t *others;
	size_t n;
	char *name;
};

static int find_group(struct event_group *g, const struct sonde_trace *t, size_t leader)
{
	const struct sonde_evsel *evsel;
	size_t size;
	FILE *name = open_memstream(&g->name, &size);

	if (!name)
		return say_out_of_memory();
	fprintf(name, "anon group { %s", sonde_trace_evsel_at(t, leader)->name);
	for (size_t i = 0; group && (evsel = sonde_trace_evsel_at(t, i)); i++) {
		uint32_t *others;

		if (i == leader || evsel->leader != leader)
			continue;
		others = realloc(g->others, (g->n + 1) * sizeof(*others));
		if (!others) {
			fclose(name);
			return say_out_of_memory();
		}
		g->others = others;
		g->others[g->n++] = (uint32_t)i;
		fprintf(name, ", %s", evsel->name);
	}
	fprintf(name, " }");
	fclose(name);
	return 0;
}

static int annotate_event(struct annotate_request *r, struct sonde_profile *p, const struct sonde_trace *t, size_t i)
{
	const struct sonde_profile_event *event = sonde_profile_event_at(p, i);
	struct event_group g = { 0 };
	int status = find_group(&g, t, i);

	if (!status) {
		r->opts.event = (uint32_t)i;
		r->opts.events = g.others;
		r->opts.nr_events = g.n;
		r->look.event = g.n ? g.name : event->name;
		r->look.frequency = 0;
		if (event->attr && event->attr->flags & SONDE_ATTR_FREQ)
			r->look.frequency = event->attr->sample_period;
		status = annotate_names(r, p);
	}
	free(g.others);
	free(g.name);
	return status;
}

static bool is_member(const struct sonde_trace *t, size_t i)
{
	const struct sonde_evsel *evsel = sonde_trace_evsel_at(t, i);

	return group && evsel && evsel->leader != i;
}

/* Why binaries have no names, without which there are no functions; false: nothing is to say. */
static bool say_missing_names(struct sonde_profile *p)
{
	const struct sonde_profile_dso_note *note;
	bool said = false;

	for (size_t i = 0; (note = sonde_profile_dso_note_at(p, i)); i++) {
		if (!note->samples || note->doubt)
			continue;
		say("cannot annotate functions of %s: %s", note->dso_name, note->reason ? note->reason : "no symbols");
		said = true;
	}
	return said;
}

/* Tells why functions are missing, when all others have been printed. The exit status. */
static int close_up(const struct annotate_request *r, struct sonde_profile *p, struct sonde_trace *t)
{
	if (r->nr_failed > 1 && !skip_missing && !quiet)
		say("%zu further function%s cannot be annotated (--skip-missing leaves this out)", r->nr_failed - 1,
		    r->nr_failed > 2 ? "s" : "");
	if (r->nr_printed)
		return 0;
	if (r->nr_failed)
		return selected.symbols.n > 0;
	if (!quiet && say_missing_names(p))
		return selected.symbols.n > 0;
	if (selected.symbols.n) {
		say("no function '%s'%s has samples", selected.symbols.at[0],
		    selected.symbols.n > 1 ? " nor another of those named" : "");
		return 1;
	}
	say_no_samples(&t, 1);
	return 0;
}

static bool takes_screen(void)
{
	on_screen = !stdio && !stdio2 && !html && !print_line && !raw && !quiet && !terminal_lacks_screen() &&
		    (tui || terminal_is_large());
	return on_screen;
}

/* The hottest function of the first event with samples. */
static int annotate_on_screen(struct annotate_request *r, struct sonde_profile *p)
{
	const struct sonde_profile_event *event;

	for (size_t i = 0; (event = sonde_profile_event_at(p, i)) && !event->samples; i++)
		r->opts.event = (uint32_t)i + 1;
	r->opts.symbol = selected.symbols.n ? selected.symbols.at[0] : NULL;
	r->opts.dso = selected.dsos.n ? selected.dsos.at[0] : NULL;
	return annotate_screen(p, &r->opts);
}

static int write_page(struct annotate_request *r)
{
	struct sonde_error err = { .sz = sizeof(err) };

	return r->nr_printed && sonde_annotation_write_page(r->page, r->nr_printed, html, &err) < 0 ?
		say_error(html, &err) : 0;
}

static int annotate_profile(struct annotate_request *r, struct sonde_profile *p, struct sonde_trace *t)
{
	const struct sonde_profile_event *event;
	int status = on_screen ? annotate_on_screen(r, p) : -1;

	if (status >= 0)
		return status;
	status = 0;
	for (size_t i = 0; !status && (event = sonde_profile_event_at(p, i)); i++)
		if (event->samples && !is_member(t, i))
			status = annotate_event(r, p, t, i);
	if (!status && html)
		status = write_page(r);
	for (size_t i = 0; html && i < r->nr_printed; i++)
		sonde_annotation_free(r->page[i]);
	free(r->page);
	free(r->last_note);
	return status ? status : close_up(r, p, t);
}

static int annotate_trace(struct annotate_request *r, struct sonde_trace *t, const char *path)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .symbols = &symbol_options,
						 .by = SONDE_BY_SYMBOL_OFFSET, .comms = selected.comms.at,
						 .nr_comms = selected.comms.n, .threads = threads_wanted(),
						 .basic_blocks = true, .any_task = true };
	struct sonde_profile *p;
	int status = 0;

	if (sonde_trace_open(t, path, open_options()) < 0 || select_within(t, &r->query) < 0)
		return say_error(path, sonde_trace_error(t));
	p = sonde_profile_new(&opts);
	if (!p)
		return say_out_of_memory();
	if (sonde_profile_add(p, t, &r->query) < 0)
		status = say_error(path, sonde_trace_error(t));
	if (!status || sonde_trace_error(t)->code != SONDE_NOMEM)
		status |= annotate_profile(r, p, t);
	itrace_say_not_decoded(t);
	status |= ledger_print(t);
	sonde_profile_free(p);
	return status & 2 ? 2 : status;
}

static int annotate_run(int argc, char **argv)
{
	struct annotate_request r = { 0 };
	struct sonde_trace *t;
	int status = read_words(&r);

	if (status)
		return status;
	if (quiet)
		read_progress_off();
	for (int i = 0; i < argc; i++)
		if (select_symbols(argv[i]) < 0)
			return 1;
	t = sonde_trace_new();
	if (!t)
		return say_out_of_memory();
	status = annotate_trace(&r, t, input ? input : "perf.data");
	sonde_trace_free(t);
	return status;
}

static const struct example annotate_examples[] = {
	{ "sonde annotate", "show the instructions of each function with their shares of its time" },
	{ "sonde annotate --stdio2 -l --percent-limit 2",
	  "show the hottest functions, with a summary by source line and arrows at jumps" },
	{ 0 },
};

const struct command cmd_annotate = {
	.name = "annotate",
	.args = "[SYMBOL...]",
	.help = "show where in a function the time went, by instruction and source line",
	.details = "The instructions of each function with samples, hottest function first, with the lines of the "
		   "source between them. A percentage stands at the instruction at which the program was interrupted: "
		   "unless the event is precise (cycles:pp), that is often one after the instruction that took the "
		   "time.\n"
		   "Of a recording with branch stacks, text behind an instruction tells which share of the runs of "
		   "code began there, with a branch to it (+), and which share ended there, with a branch that was "
		   "taken (-), of which so many were predicted (p).\n"
		   "On a terminal there is a screen of the hottest function, or of SYMBOL: h shows its keys.\n"
		   "The code comes from the recording itself (BPF programs, jitdumps), or from the binary of the "
		   "recorded build id. Code of the kernel comes from its memory if it runs since the recording, else "
		   "from a vmlinux of its build id.",
	.options = annotate_options,
	.keys = KEYS_ANNOTATE,
	.takes_screen = takes_screen,
	.examples = annotate_examples,
	.prints_a_lot = true,
	.run = annotate_run,
};
