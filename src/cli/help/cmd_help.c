/* SPDX-License-Identifier: MIT */
#include <sonde/analysis.h>

#include <stdio.h>
#include <string.h>

#include "cli/base/keys.h"
#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/help/commands.h"
#include "cli/help/complete.h"
#include "cli/help/help.h"
#include "cli/help/other_tools.h"

static const char *man_page, *completion_shell;
static bool completes, tables;

static void give_commands(const char *trace, take_value take, void *ctx)
{
	(void)trace;
	for (const struct command_row *row = commands(); row->command; row++)
		take(ctx, row->command->name, row->command->help);
}

/* The number of the first row with the same effect: two rows with one number are two spellings of an option. */
static size_t same_as(const struct command *cmd, size_t i)
{
	const struct option_row *row = option_at(cmd, i), *other;
	size_t k = 0;

	for (; (other = option_at(cmd, k)) != row; k++)
		if (other->kind == row->kind && other->value == row->value && other->call == row->call)
			break;
	return k;
}

static void print_option_row(const struct command *cmd, size_t i)
{
	const struct option_row *row = option_at(cmd, i);

	printf("option\t%s\t%c\t%s\t%s\t%zu\t%s\t%s\n", cmd->name, row->letter ? row->letter : '-',
	       row->name ? row->name : "-", !row->arg ? "no" : row->optional ? "maybe" : "yes", same_as(cmd, i),
	       row->applies ? "behind" : "always", row->help);
	if (row->values.words || row->values.give)
		printf("values\t%s\t%s\n", cmd->name, row->name ? row->name : (char[]){ row->letter, '\0' });
}

static void print_command(const struct command *cmd, const char *kind)
{
	const struct option_row *row;
	const struct command *part;
	const struct key_row *key;

	printf("%s\t%s\n", kind, cmd->name);
	for (size_t i = 0; (key = key_at(cmd->keys, i)); i++)
		printf("key\t%s\t%s\t%s\n", cmd->name, key->keys, key->text);
	for (size_t i = 0; (row = option_at(cmd, i)); i++)
		if (row->kind != OPTION_HEADING)
			print_option_row(cmd, i);
	for (size_t i = 0; (part = command_part_at(cmd, i)); i++)
		print_command(part, "part");
}

static void print_command_examples(const struct command *cmd)
{
	const struct command *part;

	for (const struct example *e = cmd->examples; e && e->line; e++)
		printf("example\t%s\t%s\n", cmd->name, e->line);
	for (size_t i = 0; (part = command_part_at(cmd, i)); i++)
		print_command_examples(part);
}

/* The tables that analyses give; docs/analyses/make.py reads it. */
static void print_analysis(const struct sonde_analysis_kind *kind)
{
	const struct sonde_table_schema *t;
	const struct sonde_table_column *c;

	printf("analysis\t%s\t%s\n", kind->name, kind->help);
	for (const char *const *event = kind->uses; *event; event++)
		printf("uses\t%s\t%s\n", kind->name, *event);
	for (const char *const *option = kind->all; *option; option++)
		printf("all\t%s\t%s\n", kind->name, *option);
	for (size_t i = 0; (t = sonde_analysis_schema_at(kind, i)); i++) {
		printf("table\t%s\t%s\t%s\n", kind->name, t->name, t->help);
		for (size_t k = 0; (c = sonde_table_schema_column_at(t, k)); k++)
			printf("column\t%s\t%s\t%s\t%s\t%s\n", kind->name, t->name, c->name,
			       sonde_table_kind_name(c->kind), c->help);
	}
}

/* One line for each row, words separated by tabs; docs/options/make.py and tests read it. */
static void print_tables(void)
{
	for (const struct command_row *c = commands(); c->command; c++)
		print_command(c->command, "command");
	for (const struct other_command *o = other_commands; o->tool; o++)
		printf("other\t%s\t%s\t%s\t%s\n", o->tool, o->name, o->here ? o->here : "", o->what);
	for (const struct command_row *c = commands(); c->command; c++)
		print_command_examples(c->command);
	for (size_t i = 0; sonde_analysis_kind_at(i); i++)
		print_analysis(sonde_analysis_kind_at(i));
}

static int help_run(int argc, char **argv)
{
	const char *name = man_page ? man_page : argv[0];
	const struct command *cmd = name ? command_find(name) : NULL, *part = NULL;
	const char *script;
	int at;

	if (completes) {
		complete(argc, argv);
		return 0;
	}
	if (tables) {
		print_tables();
		return 0;
	}
	if (cmd && argc == 2)
		part = command_part(cmd, 1, argv + 1, &at);
	cmd = part ? part : cmd;
	if (argc > 1 + (part != NULL))
		return say_usage("one command at a time, '%s' is too many", argv[1]);
	if (completion_shell) {
		script = completion_script(completion_shell);
		if (!script)
			return say_unknown("shell", completion_shell, completion_shells);
		fputs(script, stdout);
	} else if (name && !cmd && strcmp(name, "sonde") != 0) {
		return command_unknown(name);
	} else if (man_page) {
		cmd ? manual_command(cmd) : manual_overview();
	} else if (cmd) {
		help_command(cmd);
	} else {
		help_overview(stdout);
	}
	return 0;
}

static const struct option_row help_options[] = {
	{ .name = "man", .kind = OPTION_STRING, .value = &man_page, .arg = "COMMAND",
	  .help = "print the manual page of a command, or of 'sonde', in troff",
	  .values = { .give = give_commands } },
	{ .name = "completion", .kind = OPTION_STRING, .value = &completion_shell, .arg = "SHELL",
	  .help = "print the completion script for a shell: bash, zsh, fish",
	  .values = { .words = WORDS("bash", "zsh", "fish") } },
	{ .name = "complete", .kind = OPTION_FLAG, .value = &completes,
	  .help = "for these scripts: print the completions of the last word after --" },
	{ .name = "tables", .kind = OPTION_FLAG, .value = &tables,
	  .help = "print commands, options, their values, keys and commands of other tools, for programs" },
	{ 0 },
};

static const struct example help_examples[] = {
	{ "sonde help record", "explain sonde record" },
	{ "sonde help --completion bash", "print what `source` takes to complete sonde in bash" },
	{ 0 },
};

const struct command cmd_help = {
	.name = "help",
	.args = "[COMMAND]",
	.help = "explain a command",
	.options = help_options,
	.values = { .give = give_commands },
	.details = "On a terminal, output that is longer than the screen goes through a pager: $SONDE_PAGER, $PAGER "
		   "or less. With NO_COLOR there are no colours, with TERM=dumb neither.",
	.reads_no_trace = true,
	.examples = help_examples,
	.prints_a_lot = true,
	.run = help_run,
};
