/* SPDX-License-Identifier: MIT */
/* writer.h - counts in a perf.data, for `sonde stat report`, perf stat report and perf script */
#ifndef API_STAT_WRITER_H
#define API_STAT_WRITER_H

#include "stat/table.h"

struct stat_writer;

/* Begins a file with the events of an open counter that was read once. @path: "-" is the standard output. */
struct stat_writer *stat_writer_new(const char *path, const struct sonde_counter *c, const struct stat_table *t,
				    uint64_t interval_ms, char *const *command, struct sonde_error *err);

/* The counts that were read last, at @time_ns after the start. 0 or a negative code, as below. */
int stat_writer_add(struct stat_writer *w, const struct sonde_counter *c, uint64_t time_ns, bool last,
		    struct sonde_error *err);

int stat_writer_finish(struct stat_writer *w, struct sonde_error *err);
void stat_writer_free(struct stat_writer *w);

#endif
