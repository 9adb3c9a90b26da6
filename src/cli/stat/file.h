/* SPDX-License-Identifier: MIT */
/* file.h - counts in a perf.data, for `sonde stat report`, perf stat report and perf script. */
#ifndef CLI_STAT_FILE_H
#define CLI_STAT_FILE_H

#include "cli/stat/table.h"

struct stat_file;

/*
 * Begins a file with the events of an open counter that was read once. @path: "-" is the standard output. NULL after a
 * message.
 */
struct stat_file *stat_file_new(const char *path, const struct sonde_counter *c, const struct stat_table *t,
				uint64_t interval_ms, char **command);

/* The counts that were read last, at @time_ns after the start. 0, or an exit status after a message, as below. */
int stat_file_add(struct stat_file *f, const struct sonde_counter *c, uint64_t time_ns, bool last);

int stat_file_finish(struct stat_file *f);
void stat_file_free(struct stat_file *f);

/* perf's numbers of the ways to tell cells apart, those of perf 7 where they have changed. */
uint64_t stat_file_mode(enum stat_aggregation by);
bool stat_file_aggregation(uint64_t mode, bool has_level, enum stat_aggregation *out);

#endif
