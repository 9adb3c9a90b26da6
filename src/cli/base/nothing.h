/* SPDX-License-Identifier: MIT */
/* nothing.h - the message of a command that found nothing to show, with the content of the trace */
#ifndef CLI_BASE_NOTHING_H
#define CLI_BASE_NOTHING_H

#include <sonde/trace.h>

/* For traces that were read and had no matching sample. As in perf, this is no failure. */
void say_nothing(struct sonde_trace *const *traces, size_t n);

/* The same for a file, which is read again, if its output @output has no sample. */
void say_nothing_was_cut(const char *input, const char *output);

#endif
