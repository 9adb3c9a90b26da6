/* SPDX-License-Identifier: MIT */
/* manual.c - manual pages from the tables of commands, options and examples */
#include <ctype.h>
#include <string.h>

#include "cli/base/keys.h"
#include "cli/base/options.h"
#include "cli/help/commands.h"
#include "cli/help/help.h"

/*
 * Escapes text for troff: a backslash, and a dot or quote at the start of a line, are commands; '-' would become a
 * hyphen.
 */
static void print_troff(const char *text)
{
	bool line_start = true;

	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			printf("\\&");
		line_start = *text == '\n';
		if (*text == '\\')
			printf("\\e");
		else if (*text == '-')
			printf("\\-");
		else if (*text == '\n')
			printf("\n.PP\n");
		else
			putchar(*text);
	}
	putchar('\n');
}

static void man_header(const char *title)
{
	printf(".\\\" SPDX-License-Identifier: MIT\n.TH \"");
	for (const char *c = title; *c; c++)
		putchar(toupper((unsigned char)*c));
	printf("\" \"1\" \"\" \"sonde %s\" \"sonde\"\n.SH NAME\n%s \\- ", sonde_version(), title);
}

static void man_examples(const struct command *cmd)
{
	printf(".SH EXAMPLES\n");
	for (const struct example *e = cmd->examples; e->line; e++) {
		printf(".TP\n.B ");
		print_troff(e->line);
		print_troff(e->what);
	}
}

static void man_keys(const struct command *cmd)
{
	const struct key_row *row;

	for (size_t i = 0; (row = key_at(cmd->keys, i)); i++) {
		printf("%s.TP\n.B ", i ? "" : ".SH KEYS\nOn a terminal:\n");
		print_troff(row->keys);
		print_troff(row->text);
	}
}

static void man_synopsis(const struct command *cmd)
{
	printf(".B sonde %s\n", cmd->name);
	if (option_at(cmd, 0))
		printf("[OPTIONS]\n");
	if (cmd->args)
		print_troff(cmd->args);
}

static void man_options(const struct command *cmd)
{
	const struct option_row *row;
	char text[128];

	for (size_t i = 0; (row = option_at(cmd, i)); i++) {
		if (row->kind == OPTION_HEADING) {
			printf(".SS ");
			print_troff(row->help);
			continue;
		}
		help_spell_option(row, text, sizeof(text));
		printf(".TP\n.B ");
		print_troff(text + strspn(text, " "));
		print_troff(row->help);
	}
}

/* The commands below one are sections of its page. */
static void man_parts(const struct command *cmd)
{
	const struct command *part;

	for (size_t i = 0; (part = command_part_at(cmd, i)); i++) {
		printf(".SH \"SONDE ");
		for (const char *c = part->name; *c; c++)
			putchar(toupper((unsigned char)*c));
		printf("\"\n");
		man_synopsis(part);
		printf(".PP\n");
		print_troff(part->help);
		if (part->details) {
			printf(".PP\n");
			print_troff(part->details);
		}
		man_options(part);
	}
}

void manual_command(const struct command *cmd)
{
	char text[128];

	snprintf(text, sizeof(text), "sonde-%s", cmd->name);
	for (char *c = text; *c; c++)
		*c = *c == ' ' ? '-' : *c;
	man_header(text);
	print_troff(cmd->help);
	printf(".SH SYNOPSIS\n");
	man_synopsis(cmd);
	if (cmd->details) {
		printf(".SH DESCRIPTION\n");
		print_troff(cmd->details);
	}
	if (option_at(cmd, 0))
		printf(".SH OPTIONS\n");
	man_options(cmd);
	man_parts(cmd);
	man_keys(cmd);
	man_examples(cmd);
	printf(".SH EXIT STATUS\n0 success; 1 the input or the run had errors, the rest was still delivered; "
	       "2 wrong command line.\n.SH SEE ALSO\n.BR sonde (1)\n");
}

void manual_overview(void)
{
	man_header("sonde");
	printf("record, read and explain Linux performance traces\n"
	       ".SH SYNOPSIS\n.B sonde\nCOMMAND [OPTIONS] [ARGUMENTS]\n.SH COMMANDS\n");
	for (const struct command_row *row = commands(); row->command; row++) {
		if (row->group)
			printf(".SS %s\n", row->group);
		printf(".TP\n.BR sonde\\-%s (1)\n", row->command->name);
		print_troff(row->command->help);
	}
	printf(".SH OPTIONS\nBefore the command:\n"
	       ".TP\n"
	       ".B \\-p, \\-\\-paginate\n"
	       "print through a pager, whatever is printed\n"
	       ".TP\n"
	       ".B \\-\\-no\\-pager\n"
	       "print on the terminal itself\n"
	       ".SH ENVIRONMENT\n"
	       ".TP\n"
	       ".B SONDE_PAGER, PAGER\n"
	       "what shows output that is longer than the screen, on a terminal (less); empty or cat: nothing\n"
	       ".TP\n"
	       ".B NO_COLOR\n"
	       "if it is not empty: no colours\n"
	       ".TP\n"
	       ".B TERM\n"
	       "if it is dumb: neither\n"
	       ".TP\n"
	       ".B SONDE_THEME\n"
	       "colours of screens: default, classic or mono\n"
	       ".SH SEE ALSO\n.BR libsonde (3)\n");
}
