/* SPDX-License-Identifier: MIT */
#include "cli/help/help.h"

#include <string.h>

#include "cli/base/options.h"
#include "cli/base/terminal.h"
#include "cli/help/commands.h"

enum { WIDTH = 96, HELP_COLUMN = 30, COMMAND_COLUMN = 16 };

/* Breaks `text` into lines that begin at `column`, where the cursor is already; '\n' begins a paragraph. */
static void print_wrapped(const char *text, int column)
{
	int at = column;

	while (*text) {
		int len = (int)strcspn(text, " \n");

		if (at > column && at + 1 + len > WIDTH) {
			printf("\n%*s", column, "");
			at = column;
		}
		at += printf("%s%.*s", at > column ? " " : "", len, text);
		text += len;
		if (*text == '\n') {
			printf("\n\n%*s", column, "");
			at = column;
		}
		text += *text != '\0';
	}
	putchar('\n');
}

/* Prints a heading, bold where colours are shown. */
static void heading(FILE *out, const char *text)
{
	bool bold = out == stdout && terminal_has_colour();

	fprintf(out, "%s%s:%s\n", bold ? "\033[1m" : "", text, bold ? "\033[m" : "");
}

int help_spell_option(const struct option_row *row, char *text, size_t size)
{
	char letter[3] = "  ", argument[64] = "";
	const char *sep = "";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c", row->letter);
	if (row->name)
		sep = row->letter ? ", --" : "  --";
	if (row->arg && row->optional)
		snprintf(argument, sizeof(argument), "[%s%s]", row->name ? "=" : "", row->arg);
	else if (row->arg)
		snprintf(argument, sizeof(argument), " %s", row->arg);
	return snprintf(text, size, "%s%s%s%s", letter, sep, row->name ? row->name : "", argument);
}

static void print_option(const struct option_row *row)
{
	char text[128];
	int n = 2 + help_spell_option(row, text, sizeof(text));

	printf("  %s", text);
	if (n + 2 > HELP_COLUMN)
		printf("\n%*s", HELP_COLUMN, "");
	else
		printf("%*s", HELP_COLUMN - n, "");
	print_wrapped(row->help, HELP_COLUMN);
}

static void print_parts(const struct command *cmd)
{
	const struct command *part;

	for (size_t i = 0; (part = command_part_at(cmd, i)); i++) {
		if (i == 0) {
			putchar('\n');
			heading(stdout, "Commands");
		}
		printf("  %-*s", COMMAND_COLUMN - 2, command_word(part));
		print_wrapped(part->help, COMMAND_COLUMN);
	}
}

static void print_examples(const struct command *cmd)
{
	putchar('\n');
	heading(stdout, "Examples");
	for (const struct example *e = cmd->examples; e->line; e++) {
		printf("  %s\n      ", e->line);
		print_wrapped(e->what, 6);
	}
}

void help_command(const struct command *cmd)
{
	const struct option_row *row;

	printf("usage: sonde %s%s%s%s\n\n", cmd->name, option_at(cmd, 0) ? " [OPTIONS]" : "", cmd->args ? " " : "",
	       cmd->args ? cmd->args : "");
	print_wrapped(cmd->help, 0);
	if (cmd->details) {
		putchar('\n');
		print_wrapped(cmd->details, 0);
	}
	print_parts(cmd);
	if (option_at(cmd, 0))
		putchar('\n');
	for (size_t i = 0; (row = option_at(cmd, i)); i++) {
		if (row->kind != OPTION_HEADING) {
			print_option(row);
			continue;
		}
		if (i > 0)
			putchar('\n');
		heading(stdout, row->help);
	}
	print_examples(cmd);
}

void help_overview(FILE *out)
{
	fprintf(out, "usage: sonde COMMAND [OPTIONS] [ARGUMENTS]\n\n"
		     "Records, reads and explains Linux performance traces.\n\n");
	for (const struct command_row *row = commands(); row->command; row++) {
		if (row->group) {
			if (row != commands())
				fputc('\n', out);
			heading(out, row->group);
		}
		fprintf(out, "  %-*s%s\n", COMMAND_COLUMN - 2, row->command->name, row->command->help);
	}
	fprintf(out,
		"\n'sonde help COMMAND' explains a command, 'sonde --version' prints the version. Before the command,\n"
		"--no-pager prints on the terminal itself, and -p (--paginate) through a pager.\n");
}
