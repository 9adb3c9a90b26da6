/* SPDX-License-Identifier: MIT */
/* colour.h - the option --stdio-color: whether text has colours */
#ifndef CLI_BASE_COLOUR_H
#define CLI_BASE_COLOUR_H

#include <stdbool.h>

/* A row for a command's table. */
#define COLOUR_ROW \
	{ "stdio-color", 0, OPTION_STRING, &colour_word, .arg = "WHEN", .optional = true, .takes = colour_is_when, \
	  .help = "colours: always, never, or auto: on a terminal (the default)", \
	  .values = { .words = WORDS("always", "never", "auto") } }
extern const char *colour_word;
bool colour_is_when(const char *word);

/* The exit status: 2 after a message about a wrong word. */
int colour_check(void);

bool colour_is_on(void);

#endif
