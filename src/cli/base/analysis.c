/* SPDX-License-Identifier: MIT */
#include "cli/base/analysis.h"

#include <sonde/analysis.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/common_options.h"
#include "cli/base/ledger.h"
#include "cli/base/lists.h"
#include "cli/base/memory.h"
#include "cli/base/message.h"

/* A command with what its options have set. */
struct analysis_cmd {
	struct command cmd;
	const struct sonde_analysis_kind *kind;
	struct option_row *rows;
	struct example *examples;
	bool *flags;                 /* by the places of the options */
	const char **values;
};

static const char *input, *page;
static bool json, csv;

static const struct option_row output_rows[] = {
	{ "input", 'i', OPTION_STRING, &input, .arg = "FILE", .help = "the trace, - for the standard input" },
	{ "json", 0, OPTION_FLAG, &json, .help = "print one JSON object: docs/analysis-json.md" },
	{ "csv", 0, OPTION_FLAG, &csv, .help = "print comma-separated values, with all columns" },
	{ "html", 0, OPTION_STRING, &page, .arg = "FILE",
	  .help = "write a page whose tables can be ordered and searched, - to the standard output" },
	{ .kind = OPTION_HEADING, .help = "Of this analysis" },
	{ 0 },
};

static const struct option_row choice_rows[] = {
	{ .kind = OPTION_HEADING, .help = "Which rows (the choice does not change times)" },
	{ "time", 0, OPTION_CALL, .call = select_time, .arg = "FROM,TO",
	  .help = "between two times in seconds, either may be left out; or 10%/2, the second tenth" },
	{ "cpu", 'C', OPTION_CALL, .call = select_cpus, .arg = "LIST", .help = "on these CPUs: 0,2-5" },
	{ "pid", 'p', OPTION_CALL, .call = select_pids, .arg = "LIST", .help = "of these processes" },
	{ "tid", 't', OPTION_CALL, .call = select_tids, .arg = "LIST", .help = "of these threads" },
	{ .kind = OPTION_HEADING, .help = "Names in stacks" },
	SYMBOL_ROWS,
	{ .kind = OPTION_HEADING, .help = "For users of perf" },
	FORCE_ROW,
	ACCEPTED_VERBOSE_ROW,
	{ 0 },
};

/* ---- the run ---- */

/* "name" and "name=value" of the options that were given, NULL at the end; NULL when out of memory. */
static char **options_of(const struct analysis_cmd *a, size_t nr)
{
	char **options = calloc(nr + 1, sizeof(*options));
	size_t n = 0;

	for (size_t i = 0; options && i < nr; i++) {
		const char *name = sonde_analysis_option_at(a->kind, i)->name;
		const char *value = a->values[i] ? a->values[i] : "";
		const size_t size = strlen(name) + strlen(value) + 2;

		if (!a->flags[i] && !a->values[i])
			continue;
		options[n] = malloc(size);
		if (!options[n])
			break;
		snprintf(options[n++], size, "%s%s%s", name, a->values[i] ? "=" : "", value);
	}
	return options;
}

static int print(struct sonde_analysis *a)
{
	struct sonde_error err = { .sz = sizeof(err) };
	int r;

	if (page)
		r = sonde_analysis_write(a, "html", page, &err);
	else
		r = sonde_analysis_print(a, json ? "json" : csv ? "csv" : "text", NULL, &err);
	if (r < 0)
		return say_error(page, &err);
	if (sonde_analysis_note(a))
		warn("%s", sonde_analysis_note(a));
	return 0;
}

static int run_trace(struct sonde_analysis *a, struct sonde_trace *t, const char *path)
{
	struct sonde_query query = selection();
	int status = 0;

	sonde_analysis_use_symbols(a, &symbol_options);
	if (select_within(t, &query) < 0)
		return say_error(path, sonde_trace_error(t));
	if (sonde_analysis_run(a, t, &query) < 0) {
		status = say_error(path, sonde_analysis_error(a));
		if (sonde_analysis_error(a)->code == SONDE_MISSING || sonde_analysis_error(a)->code == SONDE_USAGE)
			return status | ledger_print(t);
	}
	return status | print(a) | ledger_print(t);
}

static int open_and_run(struct sonde_analysis *a, const char *path)
{
	struct sonde_trace *t = sonde_trace_new();
	int status;

	if (!t)
		return say_out_of_memory();
	if (sonde_trace_open(t, path, open_options()) < 0)
		status = say_error(path, sonde_trace_error(t));
	else
		status = run_trace(a, t, path);
	sonde_trace_free(t);
	return status;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const struct analysis_cmd *c = (const struct analysis_cmd *)cmd;  /* cmd is its first member */
	const char *path = input_path(input, argc, argv);
	struct sonde_analysis *a;
	size_t nr = 0;
	char **options;
	int status;

	if (!path)
		return 2;
	if (json + csv + (page != NULL) > 1)
		return say_usage("--json, --csv and --html exclude each other");
	while (sonde_analysis_option_at(c->kind, nr))
		nr++;
	options = options_of(c, nr);
	a = options ? sonde_analysis_new(c->kind->name, (const char *const *)options) : NULL;
	if (!a)
		status = say_out_of_memory();
	else if (sonde_analysis_error(a)->code)
		status = say_usage("%s", sonde_analysis_error(a)->text);
	else
		status = open_and_run(a, path);
	sonde_analysis_free(a);
	for (size_t i = 0; options && options[i]; i++)
		free(options[i]);
	free(options);
	return status;
}

/* ---- the command ---- */

/* A letter means the first row that has it: a letter of the analysis is not that of the common rows. */
static void add_row(struct option_row *rows, size_t *n, struct option_row row)
{
	for (size_t i = 0; i < *n; i++)
		if (rows[i].letter == row.letter)
			row.letter = 0;
	rows[(*n)++] = row;
}

static void add_rows(struct analysis_cmd *a)
{
	const struct sonde_analysis_option *o;
	size_t n = 0;

	for (const struct option_row *row = output_rows; row->name || row->kind == OPTION_HEADING; row++)
		add_row(a->rows, &n, *row);
	for (size_t i = 0; (o = sonde_analysis_option_at(a->kind, i)); i++)
		add_row(a->rows, &n, (struct option_row){
				.name = o->name, .letter = o->letter, .arg = o->arg, .help = o->help,
				.kind = o->arg ? OPTION_STRING : OPTION_FLAG,
				.value = o->arg ? (void *)&a->values[i] : (void *)&a->flags[i],
				.values = { .words = o->words, .list = o->words != NULL } });
	for (const struct option_row *row = choice_rows; row->name || row->kind == OPTION_HEADING; row++)
		add_row(a->rows, &n, *row);
}

static void add_examples(struct analysis_cmd *a)
{
	const struct sonde_analysis_example *e;

	for (size_t i = 0; (e = sonde_analysis_example_at(a->kind, i)); i++) {
		const char *options = e->options;
		const size_t size = strlen(a->kind->name) + strlen(options) + sizeof("sonde  ");
		char *line = malloc(size);

		if (!line)
			return;
		snprintf(line, size, "sonde %s%s%s", a->kind->name, *options ? " " : "", options);
		a->examples[i] = (struct example){ line, e->what };
	}
}

static struct command *make(const struct sonde_analysis_kind *kind)
{
	struct analysis_cmd *a = calloc(1, sizeof(*a));
	size_t options = 0, examples = 0;

	if (!a)
		return NULL;
	while (sonde_analysis_option_at(kind, options))
		options++;
	while (sonde_analysis_example_at(kind, examples))
		examples++;
	a->kind = kind;
	a->rows = calloc(options + sizeof(output_rows) / sizeof(*output_rows) +
			 sizeof(choice_rows) / sizeof(*choice_rows), sizeof(*a->rows));
	a->examples = calloc(examples + 1, sizeof(*a->examples));
	a->flags = calloc(options + 1, sizeof(*a->flags));
	a->values = calloc(options + 1, sizeof(*a->values));
	if (!a->rows || !a->examples || !a->flags || !a->values)
		return NULL;
	add_rows(a);
	add_examples(a);
	a->cmd = (struct command){ .name = kind->name, .args = "[FILE]", .help = kind->help, .details = kind->details,
				   .options = a->rows, .examples = a->examples, .prints_a_lot = true, .run_as = run };
	return &a->cmd;
}

const struct command *analysis_command(const char *group, size_t i)
{
	static struct command *made[64];     /* by the number of the analysis; they live as long as the process */
	const size_t n = strlen(group);
	const struct sonde_analysis_kind *kind;

	for (size_t k = 0; (kind = sonde_analysis_kind_at(k)) && k < sizeof(made) / sizeof(*made); k++) {
		if (strncmp(kind->name, group, n) != 0 || kind->name[n] != ' ' || i-- > 0)
			continue;
		if (!made[k])
			made[k] = make(kind);
		return made[k];
	}
	return NULL;
}

int analysis_missing(const char *group, int argc, char **argv)
{
	struct strings names = { 0 };
	const struct command *cmd;
	int status;

	for (size_t i = 0; (cmd = analysis_command(group, i)); i++)
		if (list_add(&names, cmd->name + strlen(group) + 1) < 0)
			return 1;
	if (list_add(&names, NULL) < 0)
		return 1;
	status = argc ? say_unknown("analysis", argv[0], names.at) :
			say_usage("%s expects what to show: sonde %s %s", group, group, names.at[0]);
	free(names.at);
	return status;
}
