/* SPDX-License-Identifier: MIT */
/* help.h - texts made from the table of commands: help, manual pages, shell completion. */
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

#endif
