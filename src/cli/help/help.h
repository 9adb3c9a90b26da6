/* SPDX-License-Identifier: MIT */
/* help.h - help and manual pages from the tables of commands and options */
#ifndef CLI_HELP_HELP_H
#define CLI_HELP_HELP_H

#include <stdio.h>

#include "cli/base/command.h"

void help_overview(FILE *out);
void help_command(const struct command *cmd);

/* "-F, --freq HZ", "    --call-graph[=MODE]"; returns its length */
int help_spell_option(const struct option_row *row, char *text, size_t size);

/* The same pages in troff. */
void manual_overview(void);
void manual_command(const struct command *cmd);

#endif
