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

/* NULL if no command has that name. @name: of a part, too: "sched timehist" */
const struct command *command_find(const char *name);

/* The i-th command below a command; NULL beyond the last. */
const struct command *command_part_at(const struct command *cmd, size_t i);

/* The last word of a command's name: "timehist" of "sched timehist". */
const char *command_word(const struct command *cmd);

/*
 * The part of a command that one of the words names; NULL: none does. Options may come before it, as with perf.
 * @at: set to the place of that word
 */
const struct command *command_part(const struct command *cmd, int nr_words, char *const *words, int *at);

/* Tells that a word is no command; returns the exit status. */
int command_unknown(const char *word);

#endif
