/* SPDX-License-Identifier: MIT */
/* events.h - the events of a command line, or those of perf stat without -e, as rows of a table. */
#ifndef CLI_STAT_EVENTS_H
#define CLI_STAT_EVENTS_H

#include "cli/stat/words.h"

/* Adds the events to the counter, and a row for each to the table. 0, or an exit status after a message. */
int stat_take_events(struct sonde_counter *c, struct stat_table *t);

/* Takes names, units and refusals from the open counter. 0, or an exit status after a message. */
int stat_describe_rows(const struct sonde_counter *c, struct stat_table *t);

#endif
