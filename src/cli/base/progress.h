/* SPDX-License-Identifier: MIT */
/* progress.h - a line with the progress of a recording, on a terminal only */
#ifndef CLI_BASE_PROGRESS_H
#define CLI_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* @command: a command is started; the line is then not renewed, because the terminal shows the command's output. */
void progress_begin(bool quiet, bool command);

/* The callback of a recorder; @bytes have been recorded. */
void progress_show(void *ctx, uint64_t bytes);

/* Erases the line, before another message is printed. */
void progress_clear(void);

#endif
