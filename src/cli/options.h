/* SPDX-License-Identifier: MIT */
/* options.h - words of a command line against the option rows of a command. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/command.h"

static inline bool option_is_end(const struct option_row *row)
{
	return !row->name && !row->letter && row->kind != OPTION_HEADING;
}

/* The i-th row of a command: its own, then those that all commands have which read traces; NULL behind the last. */
const struct option_row *option_at(const struct command *cmd, size_t i);

/* The row of a letter before @next, NULL if there is none. One that applies there goes before one that always does. */
const struct option_row *option_of_letter(const struct command *cmd, char letter, const char *next);

/* What parsing came to. */
enum options_result {
	OPTIONS_DONE,
	OPTIONS_HELP,    /* -h or --help was there */
	OPTIONS_USAGE,   /* wrong, the message has been printed */
};

/*
 * Reads the words after argv[0]. Understands -F99, -F 99, -ga, --freq=99, --freq 99, --no-flag, --fre, and --, after
 * which nothing is an option. What is left is gathered at the front of argv, followed by NULL, and *argc is its number.
 */
enum options_result options_parse(const struct command *cmd, int *argc, char **argv);

#endif
