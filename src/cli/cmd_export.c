/* SPDX-License-Identifier: MIT */
/* cmd_export.c - writes a profile in the formats of other tools */
#include <sonde/export.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/event.h"
#include "cli/ledger.h"
#include "cli/lists.h"
#include "cli/memory.h"
#include "cli/message.h"
#include "cli/nothing.h"
#include "cli/report.h"
#include "cli/stacks.h"
#include "cli/symbol_notes.h"

static const char *input, *output, *format = "folded", *event, *count;
static const struct sonde_export_format *chosen;
static bool inlined = true, lines;
static uint64_t max_stack;
static bool stitch_lbr;

static const struct option_row export_options[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	JOBS_ROW,
	{ "output", 'o', OPTION_STRING, &output, .arg = "FILE",
	  .help = "write to FILE (default: standard output)" },
	{ "to", 0, OPTION_STRING, &format, .arg = "FORMAT",
	  .help = "write in this format (default: folded, for flame graphs); list: show them all" },
	{ "event", 0, OPTION_STRING, &event, .arg = "EVENT",
	  .help = "write this event (default: all, of formats with one event the first that has samples)" },
	{ "count", 0, OPTION_STRING, &count, .arg = "WHAT",
	  .help = "count samples, or their period (default: of folded samples, else the period)" },
	{ "max-stack", 0, OPTION_U64, &max_stack, .arg = "N",
	  .help = "keep at most N frames of a stack, from the innermost (default: 127)" },
	{ "stitch-lbr", 0, OPTION_FLAG, &stitch_lbr,
	  .help = "add older calls of the samples before to call stacks of branches (--call-graph lbr)" },
	{ "inline", 0, OPTION_FLAG, &inlined,
	  .help = "keep the functions inlined into those of stacks (default; needs DWARF)" },
	{ "lines", 0, OPTION_FLAG, &lines, .help = "tell the lines of a function apart, in formats that have lines" },
	{ .kind = OPTION_HEADING, .help = "Which samples" },
	SELECTION_ROWS,
	{ "comms", 0, OPTION_CALL, .call = select_comms, .arg = "NAME,...", .help = "of threads of these names" },
	{ "dso", 0, OPTION_CALL, .call = select_dsos, .arg = "NAME",
	  .help = "write this binary, in formats of one binary (default: the program with most samples)" },
	{ .kind = OPTION_HEADING, .help = "Symbols" },
	SYMBOL_ROWS,
	ACCEPTED_ROWS,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

static int write_profile(const struct sonde_profile *p, struct sonde_trace *t)
{
	struct sonde_export_opts opts = { .sz = sizeof(opts), .event = event,
					  .by_period = count && !strcmp(count, "period"),
					  .by_samples = count && !strcmp(count, "samples"),
					  .noted = report_say_note,
					  .dsos = selected.dsos.at, .nr_dsos = selected.dsos.n };
	const struct sonde_profile_event *known;
	struct sonde_error err = { .sz = sizeof(err) };
	const char *first = NULL;
	int r = event_check(p, event);

	if (r)
		return r;
	report_describe(&opts, t);
	r = sonde_export_file(p, format, output ? output : "-", &opts, &err);
	if (r < 0)
		return say_error(NULL, &err);
	if (r == 0)
		say_nothing(&t, 1);
	for (size_t i = 0; !event && chosen->one_event && (known = sonde_profile_event_at(p, i)); i++) {
		if (known->samples && first)
			say("wrote only event '%s'; --event '%s' chooses another", first, known->name);
		if (known->samples)
			first = first ? first : known->name;
	}
	return 0;
}

/* In a format that has every event. */
static int export_events(struct sonde_trace *t, const char *path)
{
	struct sonde_query query = selection();
	const struct sonde_export_opts opts = { .sz = sizeof(opts), .event = event, .query = &query,
						.comms = selected.comms.at, .nr_comms = selected.comms.n,
						.symbol_opts = &symbol_options, .inlined = inlined,
						.max_stack = stack_limit(max_stack), .stitch_lbr = stitch_lbr };
	struct sonde_error err = { .sz = sizeof(err) };
	int r;

	if (select_within(t, &query) < 0)
		return say_error(path, sonde_trace_error(t));
	r = sonde_export_events_file(t, format, output ? output : "-", &opts, &err);
	if (r < 0)
		say_error(err.code == SONDE_SYSTEM || err.code == SONDE_DENIED ? NULL : path, &err);
	else if (r == 0)
		say_nothing(&t, 1);
	return (r < 0) | ledger_print(t);
}

static int export_profile(struct sonde_trace *t, const char *path)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .symbols = &symbol_options, .callchains = true,
						 .max_stack = stack_limit(max_stack), .threads = threads_wanted(),
						 .inlined = inlined, .stitch_lbr = stitch_lbr,
						 .full_source_path = true,
						 .branches_if_any = chosen->branches,
						 .basic_blocks = chosen->branches,
						 .timed = chosen->timed || chosen->takes_timed,
						 .timed_most = chosen->timed ? 0 : memory_page_samples(),
						 .by = chosen->by | (lines ? SONDE_BY_SRCLINE : 0),
						 .comms = selected.comms.at, .nr_comms = selected.comms.n };
	struct sonde_query query = selection();
	struct sonde_profile *p;
	int status = 0;

	if (select_within(t, &query) < 0)
		return say_error(path, sonde_trace_error(t));
	p = sonde_profile_new(&opts);
	if (!p)
		return say_out_of_memory();
	if (sonde_profile_add(p, t, &query) < 0)
		status = say_error(path, sonde_trace_error(t));
	if (!status || sonde_trace_error(t)->code != SONDE_NOMEM)
		status |= write_profile(p, t);
	say_shortened(p, max_stack, false);
	if (stitch_lbr)
		say_not_stitched(t);
	status |= ledger_print(t);
	sonde_profile_free(p);
	return status & 2 ? 2 : status;
}

static int export_trace(struct sonde_trace *t, const char *path)
{
	if (sonde_trace_open(t, path, open_options()) < 0)
		return say_error(path, sonde_trace_error(t));
	return chosen->of_events ? export_events(t, path) : export_profile(t, path);
}

/* Finds `chosen`. 0 if `format` is a format; else exit status 2 after a message. */
static int check_format(void)
{
	const struct sonde_export_format *known;
	struct strings names = { 0 };
	int status = 0;

	for (size_t i = 0; (known = sonde_export_format_at(i)); i++) {
		if (!strcmp(known->name, format))
			chosen = known;
		if (list_add(&names, known->name) < 0)
			status = say_out_of_memory();
	}
	if (!chosen && !status)
		status = list_add(&names, NULL) < 0 ? say_out_of_memory() :
						      say_unknown("export format", format, names.at);
	free(names.at);
	return status;
}

static int list_formats(void)
{
	const struct sonde_export_format *f;

	for (size_t i = 0; (f = sonde_export_format_at(i)); i++)
		printf("%-12s %s\n", f->name, f->help);
	return 0;
}

static int export_run(int argc, char **argv)
{
	const char *path = input_path(input, argc, argv);
	struct sonde_trace *t;
	int status;

	if (!path)
		return 2;
	if (!strcmp(format, "list"))
		return list_formats();
	status = check_format();
	if (status)
		return status;
	if (count && strcmp(count, "samples") != 0 && strcmp(count, "period") != 0)
		return say_usage("--count takes samples or period, not '%s'", count);
	if (chosen->binary && (!output || !strcmp(output, "-")) && isatty(STDOUT_FILENO))
		return say_usage("refusing to write binary data to a terminal; use --output FILE, or a pipe");
	symbol_notes_warn_of_lines();
	t = sonde_trace_new();
	if (!t)
		return say_out_of_memory();
	status = export_trace(t, path);
	sonde_trace_free(t);
	return status;
}

const struct command cmd_export = {
	.name = "export",
	.args = "[FILE]",
	.help = "write samples in the format of another tool",
	.options = export_options,
	.run = export_run,
};
