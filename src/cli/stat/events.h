/* SPDX-License-Identifier: MIT */
/* events.h - the counts that the command line asks for. */
#ifndef CLI_STAT_EVENTS_H
#define CLI_STAT_EVENTS_H

#include "cli/stat/words.h"

/* @no_rates: events that were chosen stand alone; @keep_runs: for a comparison. NULL after a message. */
struct sonde_stat *stat_new(bool no_rates, bool keep_runs);

/* Adds the events of -e, -M and their like, or those of perf stat without. 0, or an exit status after a message. */
int stat_take_events(struct sonde_stat *s);

#endif
