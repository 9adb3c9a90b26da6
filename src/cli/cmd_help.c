/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"

enum { WIDTH = 96, HELP_COLUMN = 30 };

static const char *man_page;
static const char *completion_shell;

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

/* Words of `text` broken into lines that start at `column`, where the cursor is already; '\n' starts a paragraph. */
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

/* "-F, --freq HZ", "    --call-graph[=MODE]"; returns its length */
static int spell_option(const struct option_row *row, char *text, size_t size)
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
	int n = 2 + spell_option(row, text, sizeof(text));

	printf("  %s", text);
	if (n + 2 > HELP_COLUMN)
		printf("\n%*s", HELP_COLUMN, "");
	else
		printf("%*s", HELP_COLUMN - n, "");
	print_wrapped(row->help, HELP_COLUMN);
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
	if (option_at(cmd, 0))
		putchar('\n');
	for (size_t i = 0; (row = option_at(cmd, i)); i++) {
		if (row->kind == OPTION_HEADING)
			printf("%s%s:\n", i > 0 ? "\n" : "", row->help);
		else
			print_option(row);
	}
}

void help_overview(FILE *out)
{
	fprintf(out, "usage: sonde COMMAND [OPTIONS] [ARGUMENTS]\n\n"
		     "Records, reads and explains Linux performance traces.\n\n");
	for (const struct command *const *c = commands; *c; c++)
		fprintf(out, "  %-12s%s\n", (*c)->name, (*c)->help);
	fprintf(out, "\n'sonde help COMMAND' explains one of them, 'sonde --version' says which sonde this is.\n");
}

/* Text for troff: a backslash, and a dot or quote at the start of a line, are commands there; '-' would become a hyphen. */
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

static void man_command(const struct command *cmd)
{
	const struct option_row *row;
	char text[128];

	snprintf(text, sizeof(text), "sonde-%s", cmd->name);
	man_header(text);
	print_troff(cmd->help);
	printf(".SH SYNOPSIS\n.B sonde %s\n", cmd->name);
	if (option_at(cmd, 0))
		printf("[OPTIONS]\n");
	if (cmd->args)
		print_troff(cmd->args);
	if (cmd->details) {
		printf(".SH DESCRIPTION\n");
		print_troff(cmd->details);
	}
	if (option_at(cmd, 0))
		printf(".SH OPTIONS\n");
	for (size_t i = 0; (row = option_at(cmd, i)); i++) {
		if (row->kind == OPTION_HEADING) {
			printf(".SS ");
			print_troff(row->help);
			continue;
		}
		spell_option(row, text, sizeof(text));
		printf(".TP\n.B ");
		print_troff(text + strspn(text, " "));
		print_troff(row->help);
	}
	printf(".SH EXIT STATUS\n0 done; 1 something was wrong with the input or the run, the rest was still delivered; "
	       "2 the command line was wrong.\n.SH SEE ALSO\n.BR sonde (1)\n");
}

static void man_overview(void)
{
	man_header("sonde");
	printf("record, read and explain Linux performance traces\n.SH SYNOPSIS\n.B sonde\nCOMMAND [OPTIONS] [ARGUMENTS]\n"
	       ".SH COMMANDS\n");
	for (const struct command *const *c = commands; *c; c++) {
		printf(".TP\n.BR sonde\\-%s (1)\n", (*c)->name);
		print_troff((*c)->help);
	}
}

static void bash_options(const struct command *cmd)
{
	const struct option_row *row;

	for (size_t i = 0; (row = option_at(cmd, i)); i++) {
		if (row->kind == OPTION_HEADING)
			continue;
		if (row->letter)
			printf(" -%c", row->letter);
		if (row->name)
			printf(" --%s", row->name);
	}
}

static void bash_completion(void)
{
	printf("# bash completion for sonde %s\n"
	       "_sonde()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} options=\n"
	       "\tCOMPREPLY=()\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W '",
	       sonde_version());
	for (const struct command *const *c = commands; *c; c++)
		printf("%s ", (*c)->name);
	printf("--help --version' -- \"$word\"))\n\t\treturn\n\tfi\n"
	       "\tcase ${COMP_WORDS[1]} in\n");
	for (const struct command *const *c = commands; *c; c++) {
		printf("\t%s) options='--help", (*c)->name);
		bash_options(*c);
		printf("' ;;\n");
	}
	printf("\tesac\n"
	       "\tcase $word in\n"
	       "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
	       "\tesac\n"
	       "}\n"
	       "complete -o default -F _sonde sonde\n");
}

static int help_run(int argc, char **argv)
{
	const char *name = man_page ? man_page : argv[0];
	const struct command *cmd = name ? command_find(name) : NULL;

	if (argc > 1)
		return say_usage("one command at a time, '%s' is too many", argv[1]);
	if (completion_shell) {
		if (strcmp(completion_shell, "bash") != 0)
			return say_usage("--completion knows bash, not '%s'", completion_shell);
		bash_completion();
	} else if (name && !cmd && strcmp(name, "sonde") != 0) {
		return command_unknown(name);
	} else if (man_page) {
		cmd ? man_command(cmd) : man_overview();
	} else if (cmd) {
		help_command(cmd);
	} else {
		help_overview(stdout);
	}
	return 0;
}

static const struct option_row help_options[] = {
	{ .name = "man", .kind = OPTION_STRING, .value = &man_page, .arg = "COMMAND",
	  .help = "print the manual page of a command, or of 'sonde', in troff" },
	{ .name = "completion", .kind = OPTION_STRING, .value = &completion_shell, .arg = "SHELL",
	  .help = "print the completion script for a shell (bash)" },
	{ 0 },
};

const struct command cmd_help = {
	.name = "help",
	.args = "[COMMAND]",
	.help = "explain a command",
	.options = help_options,
	.reads_no_trace = true,
	.run = help_run,
};
