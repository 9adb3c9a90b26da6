/* SPDX-License-Identifier: MIT */
/* text.h - `sonde top --stdio`: a table of text after each interval, as perf top --stdio shows it */
#ifndef CLI_TOP_TEXT_H
#define CLI_TOP_TEXT_H

#include "cli/top/live.h"

/* Refreshes until the recording ends or a signal comes. Returns the exit status. */
int text_run(struct top_live *l);

#endif
