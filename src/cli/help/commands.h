/* SPDX-License-Identifier: MIT */
/* commands.h - the table of all commands, which main.c gives */
#ifndef CLI_HELP_COMMANDS_H
#define CLI_HELP_COMMANDS_H

#include "cli/base/command.h"

/* A command in the order of `sonde help`. */
struct command_row {
	const char *group;           /* the heading before it; NULL: the heading of the previous command */
	const struct command *command;
};

/* The table ends with a row of zeros, and stays the caller's. */
void commands_begin(const struct command_row *table);

/* The table. */
const struct command_row *commands(void);

/* NULL if no command has that name. */
const struct command *command_find(const char *name);

/* Tells that a word is no command; returns the exit status. */
int command_unknown(const char *word);

#endif
