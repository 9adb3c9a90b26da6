/* SPDX-License-Identifier: MIT */
/* no_samples.h - the message of a command that found nothing to show, with the content of the trace */
#ifndef CLI_BASE_NO_SAMPLES_H
#define CLI_BASE_NO_SAMPLES_H

#include <sonde/trace.h>

/* For traces that were read and had no matching sample. As in perf, this is no failure. */
void say_no_samples(struct sonde_trace *const *traces, size_t n);

/* The same for a file, which is read again, if its output @output has no sample. */
void say_no_samples_cut(const char *input, const char *output);

#endif
