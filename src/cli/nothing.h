/* SPDX-License-Identifier: MIT */
/* nothing.h - a command that found nothing to show says so, and what there is */
#ifndef CLI_NOTHING_H
#define CLI_NOTHING_H

#include <sonde/trace.h>

/* Traces that have been read, and had no sample that was asked for. As with perf this is no failure. */
void say_nothing(struct sonde_trace *const *traces, size_t n);

/* The same of a file that is read again for it: if @output, made from it, has no sample. */
void say_nothing_was_cut(const char *input, const char *output);

#endif
