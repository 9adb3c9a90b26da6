/* SPDX-License-Identifier: MIT */
/* summary.h - messages of `sonde record` about a recording of perf's events */
#ifndef CLI_RECORD_SUMMARY_H
#define CLI_RECORD_SUMMARY_H

#include <sonde/perf_recorder.h>

/* With --verbose: prints the opened events. */
void record_print_opened(const struct sonde_perf_recorder_stats *s);

/*
 * The MB of a recording of @bytes. One that could not be written to its end may take another size than was written on
 * purpose: it is that on the disk.
 */
double record_mb(const char *output, uint64_t bytes, bool failed);

/* Prints the sizes of the recording, and its losses. @failed: it could not be written to its end. */
void record_print_summary(const struct sonde_perf_recorder_stats *s, bool failed);

/* Tells whether the copies of stacks in a file are too short, and a size that would have been enough. */
void record_print_stack_sizes(const char *path);

#endif
