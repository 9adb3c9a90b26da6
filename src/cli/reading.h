/* SPDX-License-Identifier: MIT */
/* reading.h - how far the reading of traces has come, said on a terminal where it takes a while */
#ifndef CLI_READING_H
#define CLI_READING_H

#include <stdbool.h>

/* Before a command runs. @prints_at_once: while it reads, which shows the progress where the output is a terminal. */
void reading_begin(bool prints_at_once);

/* Nothing is to be said of it. */
void reading_is_quiet(void);

/* For commands of which -q asks for that alone; before reading_begin(). */
#define QUIET_ROW { "quiet", 'q', OPTION_FLAG, &reading_quiet, .help = "no progress on a terminal" }
extern bool reading_quiet;

#endif
