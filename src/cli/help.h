/* SPDX-License-Identifier: MIT */
/* help.h - texts made from the tables of commands, options and examples: help and manual pages */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

/* NULL if there is none of that name */
const struct command *command_find(const char *name);

/* What is said of a word that is no command; returns the exit status. */
int command_unknown(const char *word);

void help_overview(FILE *out);
void help_command(const struct command *cmd);

/* "-F, --freq HZ", "    --call-graph[=MODE]"; returns its length */
int help_spell_option(const struct option_row *row, char *text, size_t size);

/* In troff. */
void manual_overview(void);
void manual_command(const struct command *cmd);

/* A command line to begin with. */
struct example {
	const char *command, *line, *what;
};

/* In the order of the commands; ends with a row of zeros. */
extern const struct example examples[];

#endif
