/* SPDX-License-Identifier: MIT */
/* read_progress.h - a line with the progress of reading, on a terminal, if it takes a while */
#ifndef CLI_BASE_READ_PROGRESS_H
#define CLI_BASE_READ_PROGRESS_H

#include <stdbool.h>

/*
 * Call it before a command runs. @prints_at_once: the command prints while it reads, which shows the progress if its
 * output is a terminal.
 */
void read_progress_begin(bool prints_at_once);

/* Turns the line off. */
void read_progress_off(void);

/* For commands whose -q turns only the line off; call it before read_progress_begin(). */
#define QUIET_ROW { "quiet", 'q', OPTION_FLAG, &read_progress_quiet, .help = "no progress on a terminal" }
extern bool read_progress_quiet;

#endif
