/* SPDX-License-Identifier: MIT */
/* progress.h - the line of a terminal that says how a recording goes; nowhere else is a word of it */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* @command: something is started whose output the terminal shows; the line is not renewed then. */
void progress_begin(bool quiet, bool command);

/* The callback of a recorder: with so many bytes. */
void progress_show(void *ctx, uint64_t bytes);

/* Something else is to be said: the line goes. */
void progress_clear(void);

#endif
