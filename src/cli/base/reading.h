/* SPDX-License-Identifier: MIT */
/* reading.h - a line with the progress of reading, on a terminal, if it takes a while */
#ifndef CLI_BASE_READING_H
#define CLI_BASE_READING_H

#include <stdbool.h>

/*
 * Call it before a command runs. @prints_at_once: the command prints while it reads, which shows the progress if its
 * output is a terminal.
 */
void reading_begin(bool prints_at_once);

/* Turns the line off. */
void reading_is_quiet(void);

/* For commands whose -q turns only the line off; call it before reading_begin(). */
#define QUIET_ROW { "quiet", 'q', OPTION_FLAG, &reading_quiet, .help = "no progress on a terminal" }
extern bool reading_quiet;

#endif
