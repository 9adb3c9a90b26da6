/* SPDX-License-Identifier: MIT */
/* cmd_check.c - checks a trace against the rules of its format */
#include <sonde/check.h>

#include <stdio.h>
#include <unistd.h>

#include "cli/base/command.h"
#include "cli/base/memory.h"
#include "cli/base/read_progress.h"

static bool json, list;
static uint64_t max_per_rule = 10;

static const struct option_row check_options[] = {
	{ "json", 0, OPTION_FLAG, &json,
	  .help = "print one JSON object for each file, on one line (docs/check-json.md)" },
	{ "max", 0, OPTION_U64, &max_per_rule, .arg = "N",
	  .help = "print at most N findings of each rule (default: 10; 0: all)" },
	{ "rules", 0, OPTION_FLAG, &list, .help = "list the rules" },
	QUIET_ROW,
	{ 0 },
};

static int list_rules(void)
{
	static const char *const names[] = { "note", "warning", "error" };
	const struct sonde_check_rule *rule;

	for (size_t i = 0; (rule = sonde_check_rule_at(i)); i++)
		printf("%-8s %-18s %s\n", names[rule->severity], rule->name, rule->text);
	return 0;
}

static int check_one(const char *path)
{
	const struct sonde_check_print_opts opts = { .sz = sizeof(opts), .json = json, .max_per_rule = max_per_rule,
						     .progress = open_options()->progress,
						     .progress_ctx = open_options()->progress_ctx };
	struct sonde_check_result result = { .sz = sizeof(result) };
	struct sonde_error err = { .sz = sizeof(err) };

	if (sonde_check_print(path, NULL, &opts, &result, &err) < 0)
		return say_error(path, &err);
	return result.severities[SONDE_SEVERITY_WARNING] || result.severities[SONDE_SEVERITY_ERROR];
}

static int check_run(int argc, char **argv)
{
	int status = 0;

	if (list)
		return argc ? say_usage("--rules goes without files") : list_rules();
	if (argc == 0)
		return check_one("perf.data");
	for (int i = 0; i < argc; i++)
		status |= check_one(argv[i]);
	return status;
}

static const struct example check_examples[] = {
	{ "sonde check perf.data trace.dat", "check that files keep the rules of their formats" },
	{ 0 },
};

const struct command cmd_check = {
	.name = "check",
	.args = "[FILE...]",
	.help = "check a perf.data or trace.dat against the rules of its format",
	.details = "Prints a line for each place where a rule is broken: offset, severity, rule, expected and found "
		   "value; then a line with sums. The exit status is 0 if there are no findings or only notes, and 1 "
		   "if there are warnings or errors. Records inside compressed records are checked too; a finding "
		   "there has the offset of the compressed record.",
	.options = check_options,
	.examples = check_examples,
	.prints_a_lot = true,
	.run = check_run,
};
