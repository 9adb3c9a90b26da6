/* SPDX-License-Identifier: MIT */
/* terminal.h - colours, and a pager for output longer than the screen: on a terminal only */
#ifndef CLI_BASE_TERMINAL_H
#define CLI_BASE_TERMINAL_H

#include <stdbool.h>

/* Whether output goes through a pager. */
enum pager_use {
	PAGER_AUTO,                  /* for commands that may print a lot */
	PAGER_ALWAYS,                /* for every command */
	PAGER_NEVER,
};

/*
 * terminal_begin - starts the pager if output goes to a terminal that has one
 * $SONDE_PAGER, then $PAGER say which, else it is less; empty or cat is none, and so is TERM=dumb. Messages go there
 * too.
 */
void terminal_begin(enum pager_use use, bool prints_a_lot);

/* Waits until the reader has quit the pager; the output is flushed. */
void terminal_end(void);

/* Whether the output goes to a terminal, directly or through the pager. */
bool terminal_has_output(void);

/*
 * A descriptor for a line that can be overwritten: the terminal of the standard error; -1 if it is no terminal, or a
 * dumb one.
 */
int terminal_line(void);

/* Why there can be no screen of lines and keys; NULL: there can be one. */
const char *terminal_lacks_screen(void);

/* Whether the terminal has the least size of a screen. */
bool terminal_is_large(void);

/*
 * Whether the standard output shows colours: it goes to a terminal (or to a pager on one) that is not dumb, and
 * NO_COLOR is not set.
 */
bool terminal_has_colour(void);

#endif
