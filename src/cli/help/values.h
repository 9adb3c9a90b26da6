/* SPDX-License-Identifier: MIT */
/* values.h - the possible arguments of options, for completion */
#ifndef CLI_HELP_VALUES_H
#define CLI_HELP_VALUES_H

#include <stdbool.h>

struct command;
struct option_row;

enum value_kind {
	VALUES_NONE,                 /* numbers and the like */
	VALUES_FILE,
	VALUES_DIRECTORY,
	VALUES_WORDS,
};

/* Takes one possible word, and a short explanation or NULL. */
typedef void (*value_taker)(void *ctx, const char *word, const char *about);

struct values {
	enum value_kind kind;
	bool list;                   /* several values, separated by commas */
	const char *const *words;    /* ends with NULL; or */
	void (*give)(const char *trace, value_taker take, void *ctx);  /* @trace: the trace on the command line */
};

/* The values of a row that takes an argument; never NULL. */
const struct values *values_of(const struct command *cmd, const struct option_row *row);

/* The i-th row of the table of values, for the test that each row names an option; false beyond the last. */
bool values_row(int i, const char **command, const char **option);

#endif
