/* SPDX-License-Identifier: MIT */
/* help.h - help and manual pages from the tables of commands, options and examples */
#ifndef CLI_HELP_HELP_H
#define CLI_HELP_HELP_H

#include <stdio.h>

#include "cli/base/command.h"

/* NULL if no command has that name. */
const struct command *command_find(const char *name);

/* Tells that a word is no command; returns the exit status. */
int command_unknown(const char *word);

void help_overview(FILE *out);
void help_command(const struct command *cmd);

/* "-F, --freq HZ", "    --call-graph[=MODE]"; returns its length */
int help_spell_option(const struct option_row *row, char *text, size_t size);

/* The same pages in troff. */
void manual_overview(void);
void manual_command(const struct command *cmd);

/* An example command line. */
struct example {
	const char *command, *line, *what;
};

/* In the order of the commands; ends with a row of zeros. */
extern const struct example examples[];

#endif
