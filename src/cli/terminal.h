/* SPDX-License-Identifier: MIT */
/* terminal.h - what a terminal gets and a pipe does not: colour, and a pager for what is longer than the screen */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

/* When output goes through a pager. */
enum pager_use {
	PAGER_AUTO,                  /* from commands that may print a lot */
	PAGER_ALWAYS,                /* from any command */
	PAGER_NEVER,
};

/*
 * terminal_begin - starts the pager if output goes to a terminal that has one
 * $SONDE_PAGER, then $PAGER say which, else it is less; empty or cat is none, and so is TERM=dumb. Messages go there
 * too.
 */
void terminal_begin(enum pager_use use, bool prints_a_lot);

/* Waits until the reader has left the pager; the output is flushed. */
void terminal_end(void);

/* Whether the output goes to a terminal, or to the pager on one. */
bool terminal_has_output(void);

/* Where a line can be written that is overwritten again: the terminal behind the standard error; -1 if there is none,
 * or a dumb one. */
int terminal_line(void);

/* Whether the standard output shows colours: a terminal (or a pager on one) that is not dumb, and NO_COLOR is not set.
 */
bool terminal_has_colour(void);

#endif
