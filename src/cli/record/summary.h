/* SPDX-License-Identifier: MIT */
/* summary.h - messages of `sonde record` about a recording of perf's events */
#ifndef CLI_RECORD_SUMMARY_H
#define CLI_RECORD_SUMMARY_H

#include <sonde/perf_recorder.h>

/* With --verbose: prints the opened events. */
void record_print_opened(const struct sonde_perf_recorder_stats *s);

/* Prints the sizes of the recording, and its losses. */
void record_print_summary(const struct sonde_perf_recorder_stats *s);

/* Tells whether the copies of stacks in a file are too short, and a size that would have been enough. */
void record_print_stack_sizes(const char *path);

#endif
