/* SPDX-License-Identifier: MIT */
/* cmd_export.c - writes a profile in the formats of other tools */
#include <sonde/export.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/common_options.h"
#include "cli/base/event.h"
#include "cli/base/ledger.h"
#include "cli/base/lists.h"
#include "cli/base/memory.h"
#include "cli/base/message.h"
#include "cli/base/no_samples.h"
#include "cli/base/report.h"
#include "cli/base/session.h"
#include "cli/base/stacks.h"
#include "cli/base/symbol_notes.h"
#include "cli/base/values.h"

enum { WINDOW_MAX_S = 24 * 60 * 60 };

static struct strings inputs;
static const char *output, *format = "folded", *event, *count;
static const struct sonde_export_format *chosen;
static bool lines;
static const char *host, *service, *table;
static uint64_t window_s = 60;

static void give_formats(const char *trace, take_value take, void *ctx)
{
	const struct sonde_export_format *f;

	(void)trace;
	for (size_t i = 0; (f = sonde_export_format_at(i)); i++)
		take(ctx, f->name, f->help);
}

static const struct option_row export_options[] = {
	{ "input", 'i', OPTION_STRINGS, &inputs, .arg = "FILE", .help = "the trace, - for the standard input" },
	JOBS_ROW,
	{ "output", 'o', OPTION_STRING, &output, .arg = "FILE",
	  .help = "write to FILE (default: standard output)" },
	{ "to", 0, OPTION_STRING, &format, .arg = "FORMAT",
	  .help = "write in this format (default: folded, for flame graphs); list: show them all",
	  .values = { .give = give_formats } },
	{ "event", 0, OPTION_STRING, &event, .arg = "EVENT",
	  .help = "write this event (default: all, of formats with one event the first that has samples)",
	  .values = { .give = give_trace_events } },
	{ "count", 0, OPTION_STRING, &count, .arg = "WHAT",
	  .help = "count samples, or their period (default: of folded samples, else the period)",
	  .values = { .words = WORDS("samples", "period") } },
	MAX_STACK_ROW,
	STITCH_LBR_ROW,
	INLINE_ROW,
	{ "lines", 0, OPTION_FLAG, &lines, .help = "tell the lines of a function apart, in formats that have lines" },
	{ .kind = OPTION_HEADING, .help = "Tables of a fleet (parquet, clickhouse)" },
	{ "host", 0, OPTION_STRING, &host, .arg = "NAME", .help = "write samples of this host (default: as recorded)" },
	{ "service", 0, OPTION_STRING, &service, .arg = "NAME",
	  .help = "write samples of this service (default: by control group, or else by command)" },
	{ "window", 0, OPTION_U64, &window_s, .arg = "SECONDS", .help = "sum samples up by this time (default: 60)" },
	{ "table", 0, OPTION_STRING, &table, .arg = "TABLE",
	  .help = "of clickhouse: write samples, stacks, frames, modules or runs (default: all, in a new directory)",
	  .values = { .words = WORDS("samples", "stacks", "frames", "modules", "runs") } },
	{ .kind = OPTION_HEADING, .help = "Which samples" },
	SELECTION_ROWS,
	OFFSET_ROW,
	{ "comms", 0, OPTION_CALL, .call = select_comms, .arg = "NAME,...", .help = "of threads of these names" },
	{ "dso", 0, OPTION_CALL, .call = select_dsos, .arg = "NAME",
	  .help = "write this binary, in formats of one binary (default: the program with most samples)" },
	{ .kind = OPTION_HEADING, .help = "Symbols" },
	SYMBOL_ROWS,
	ACCEPTED_SYMBOL_ROWS,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

/* The event that a format of one event writes; NULL: none has samples. */
static const struct sonde_profile_event *first_with_samples(const struct sonde_profile *p)
{
	const struct sonde_profile_event *known;

	for (size_t i = 0; (known = sonde_profile_event_at(p, i)); i++)
		if (known->samples && (!event || !strcmp(known->name, event)))
			return known;
	return NULL;
}

/* Names the other events where the format has one event only. */
static void say_other_events(const struct sonde_profile *p, const struct sonde_profile_event *written)
{
	const struct sonde_profile_event *known;
	size_t others = 0;
	const char *other = NULL;

	for (size_t i = 0; (known = sonde_profile_event_at(p, i)); i++) {
		if (!known->samples || known == written)
			continue;
		other = other ? other : known->name;
		others++;
	}
	if (others == 1)
		say("wrote only event '%s'; --event '%s' chooses the other", written->name, other);
	else if (others)
		say("wrote only event '%s'; --event '%s', or one of %zu more, chooses another", written->name, other,
		    others - 1);
}

/* @word: of --count; NULL: none */
static enum sonde_export_weight weight_of(const char *word)
{
	if (!word)
		return SONDE_WEIGHT_OF_FORMAT;
	return strcmp(word, "period") == 0 ? SONDE_WEIGHT_PERIOD : SONDE_WEIGHT_SAMPLES;
}

static int write_profile(const struct sonde_profile *p, const struct session *session)
{
	const struct sonde_report_opts report = { .sz = sizeof(report), .group = true };
	const struct sonde_fleet_opts fleet = { .sz = sizeof(fleet), .host = host, .service = service,
						.table = table };
	struct sonde_export_opts opts = { .sz = sizeof(opts), .event = event, .weight = weight_of(count),
					  .noted = report_say_note,
					  .dsos = selected.dsos.at, .nr_dsos = selected.dsos.n,
					  .report = &report, .fleet = &fleet };
	const struct sonde_profile_event *written = first_with_samples(p);
	struct sonde_error err = { .sz = sizeof(err) };
	int r = event_check(p, event);

	if (r)
		return r;
	report_describe_all(&opts, session->traces, session->n);
	r = sonde_export_file(p, format, output ? output : "-", &opts, &err);
	if (r < 0)
		return say_error(NULL, &err);
	if (r == 0 && !written)  /* else the format has no place for the samples, and a note said so */
		say_no_samples(session->traces, session->n);
	if (written && !event && chosen->one_event)
		say_other_events(p, written);
	return 0;
}

static int print_ledgers(const struct session *session)
{
	int status = 0;

	for (size_t i = 0; i < session->n; i++)
		status |= ledger_print(session->traces[i]);
	return status;
}

/* In a format that has every event. */
static int export_events(const struct session *session, const struct sonde_query *query)
{
	struct sonde_trace *t = session->traces[0];
	const struct sonde_events_opts opts = { .sz = sizeof(opts), .event = event, .query = query,
						.comms = selected.comms.at, .nr_comms = selected.comms.n,
						.symbols = &symbol_options, .inlined = stack_words.inlined,
						.max_stack = stack_limit(stack_words.max_stack),
						.stitch_lbr = stack_words.stitch_lbr,
						.others = session->traces + 1, .nr_others = session->n - 1 };
	struct sonde_error err = { .sz = sizeof(err) };
	int r = sonde_export_events_file(t, format, output ? output : "-", &opts, &err);

	if (r < 0)
		say_error(err.code == SONDE_SYSTEM || err.code == SONDE_DENIED ? NULL : sonde_trace_info(t)->path,
			  &err);
	else if (r == 0)
		say_no_samples(session->traces, session->n);
	return (r < 0) | print_ledgers(session);
}

static int export_profile(const struct session *session, const struct sonde_query *query)
{
	const struct sonde_profile_opts opts = { .sz = sizeof(opts), .symbols = &symbol_options,
						 .mode = SONDE_PROFILE_STACKS,
						 .max_stack = stack_limit(stack_words.max_stack),
						 .threads = threads_wanted(),
						 .inlined = stack_words.inlined, .stitch_lbr = stack_words.stitch_lbr,
						 .full_source_path = true,
						 .branches_if_any = chosen->branches,
						 .basic_blocks = chosen->branches,
						 .timed = chosen->timed || chosen->takes_timed,
						 .tracks = chosen->takes_timed,
						 .timed_most = chosen->timed ? 0 : memory_page_samples(),
						 .by = chosen->by | (lines ? SONDE_BY_SRCLINE : 0),
						 .time_step_ns = window_s * 1000000000,
						 .dated_steps = chosen->windows,
						 .comms = selected.comms.at, .nr_comms = selected.comms.n };
	struct sonde_profile *p = sonde_profile_new(&opts);
	bool out_of_memory = false;
	int status = 0;

	if (!p)
		return say_out_of_memory();
	for (size_t i = 0; i < session->n && !out_of_memory; i++) {
		struct sonde_trace *t = session->traces[i];

		if ((sonde_trace_profile_format(t) ? sonde_profile_import : sonde_profile_add)(p, t, query) < 0)
			status = say_error(sonde_trace_info(t)->path, sonde_trace_error(t));
		out_of_memory = sonde_trace_error(t)->code == SONDE_NOMEM;
	}
	if (!out_of_memory && (!status || sonde_profile_event_count(p)))
		status |= write_profile(p, session);
	if (!out_of_memory)
		report_hint_made_code(p);
	say_shortened(p, stack_words.max_stack, false);
	for (size_t i = 0; i < session->n && stack_words.stitch_lbr; i++)
		say_not_stitched(session->traces[i]);
	status |= print_ledgers(session);
	sonde_profile_free(p);
	return status & 2 ? 2 : status;
}

static int export_traces(const char *const *paths, size_t n)
{
	struct sonde_query query = selection();
	struct session session = { .takes_profiles = !chosen->of_events };
	size_t failed = 0;
	int status = chosen->of_events ? session_open_at_once(&session, paths, n) :
					 session_open(&session, paths, n);

	session_keep_open_ones(&session);
	if (!session.n || session.out_of_memory)
		status |= 1;
	else if (select_within_all(session.traces, session.n, &query, &failed) < 0)
		status = say_error(sonde_trace_info(session.traces[failed])->path,
				   sonde_trace_error(session.traces[failed]));
	else
		status |= chosen->of_events ? export_events(&session, &query) : export_profile(&session, &query);
	session_close(&session);
	return status & 2 ? 2 : status;
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

/* The options of the chosen format. 0, or exit status 2 after a message. */
static int check_options(void)
{
	bool to_terminal = (!output || !strcmp(output, "-")) && isatty(STDOUT_FILENO);

	if (count && strcmp(count, "samples") != 0 && strcmp(count, "period") != 0)
		return say_usage("--count takes samples or period, not '%s'", count);
	if (!window_s || window_s > WINDOW_MAX_S)
		return say_usage("--window takes 1 to %d seconds", WINDOW_MAX_S);
	if (table && strcmp(format, "clickhouse") != 0)
		return say_usage("--table is for --to clickhouse only");
	if (chosen->directory && !table && (!output || !strcmp(output, "-")))
		return say_usage("--to %s writes a directory; --output DIR names it", format);
	if (chosen->binary && to_terminal)
		return say_usage("refusing to write binary data to a terminal; use --output FILE, or a pipe");
	return 0;
}

/* Each trace is a run of its own. The worst exit status. */
static int export_runs(const char *const *paths, size_t n)
{
	int worst = 0;

	for (size_t i = 0; i < n; i++) {
		int status = export_traces(&paths[i], 1);

		worst = status > worst ? status : worst;
	}
	return worst;
}

static int export_run(int argc, char **argv)
{
	static const char *const usual[] = { "perf.data" };
	const char *const *paths = argc ? (const char *const *)argv : inputs.n ? inputs.at : usual;
	size_t n = argc ? (size_t)argc : inputs.n ? inputs.n : 1;
	int status;

	if (inputs.n && argc)
		return say_usage("traces with -i or without, not both: '%s'", argv[0]);
	if (!strcmp(format, "list"))
		return list_formats();
	status = check_format();
	status = status ? status : check_options();
	if (status)
		return status;
	if (n > 1 && chosen->windows && strcmp(format, "parquet") != 0)
		return say_usage("--to %s takes one trace", format);
	symbol_notes_warn_of_lines(&symbol_options);
	return chosen->windows ? export_runs(paths, n) : export_traces(paths, n);
}

static const struct example export_examples[] = {
	{ "sonde export -o perf.folded", "write folded stacks for flamegraph.pl, inferno or speedscope" },
	{ "sonde export --to pprof -o profile.pb.gz", "write a profile for `go tool pprof`" },
	{ "sonde export --to firefox -o profile.json", "write a profile by time for profiler.firefox.com" },
	{ "sonde export --to parquet -o profiles perf.data", "add samples to the data set of a fleet" },
	{ "sonde export --to list", "show all formats" },
	{ "sonde export --to html -o report.html", "write a page with a flame graph" },
	{ "sonde export --to perfetto -o trace.pftrace trace.dat", "write events for ui.perfetto.dev" },
	{ "sonde export --to sqlite -o events.db", "write every event to a database of SQLite" },
	{ "sonde export --to json-lines -o events.jsonl", "write every event as a JSON object on a line" },
	{ 0 },
};

const struct command cmd_export = {
	.name = "export",
	.args = "[FILE...]",
	.help = "write samples in the format of another tool",
	.details = "Several traces become one output, with their times by the clock of the first trace. Formats of "
		   "events tell the traces and their machines apart: a perf.data and a trace.dat of one machine have "
		   "one time line and one set of threads. In --to parquet each trace is a run of its own.\n"
		   "FILE may also be a profile of another tool, as for report: the text of perf script, folded stacks, "
		   "pprof, Firefox or speedscope.",
	.options = export_options,
	.examples = export_examples,
	.run = export_run,
};
