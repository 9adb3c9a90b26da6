/* SPDX-License-Identifier: MIT */
/* options.h - parses a command line by the option rows of a command */
#ifndef CLI_BASE_OPTIONS_H
#define CLI_BASE_OPTIONS_H

#include "cli/base/command.h"

static inline bool option_is_end(const struct option_row *row)
{
	return !row->name && !row->letter && row->kind != OPTION_HEADING;
}

/* The i-th row of a command: its own rows, then the common rows of commands that read traces; NULL beyond the last. */
const struct option_row *option_at(const struct command *cmd, size_t i);

/*
 * The row of a letter before @next, NULL if there is none. A row with a condition that holds comes before the others.
 */
const struct option_row *option_of_letter(const struct command *cmd, char letter, const char *next);

/* Results of parsing. */
enum options_result {
	OPTIONS_DONE,
	OPTIONS_HELP,    /* -h or --help was given */
	OPTIONS_USAGE,   /* wrong; a message has been printed */
};

/*
 * Reads the words after argv[0]. Understands -F99, -F 99, -ga, --freq=99, --freq 99, --no-flag, --fre, and --, after
 * which nothing is an option. The remaining words move to the front of argv, followed by NULL, and *argc is their
 * number.
 */
enum options_result options_parse(const struct command *cmd, int *argc, char **argv);

#endif
