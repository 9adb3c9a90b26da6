/* SPDX-License-Identifier: MIT */
/* times.h - the ranges of --time: times in seconds, or shares of the recording */
#ifndef CLI_BASE_TIMES_H
#define CLI_BASE_TIMES_H

#include <sonde/trace.h>

#include "cli/base/command.h"

/*
 * times_parse - "1.5,3", ",3", "1.5,", several of them between spaces; or "10%/2" (the second tenth), "10%-20%", "10%"
 * (the first tenth), several of them between commas. Replaces what was there before. -SONDE_USAGE after say_usage().
 */
int times_parse(const char *text);

/*
 * times_replace - use these ranges, or with NULL again those of times_parse()
 * False, and nothing else happens, if @text is none.
 */
bool times_replace(const char *text);

/* Whether the ranges are shares, which need the times of the first and the last sample. */
bool times_are_shares(void);

/* Narrows @q to the ranges. @first, @last: of the samples, if times_are_shares(). Views live until the next call. */
void times_narrow(struct sonde_query *q, uint64_t first, uint64_t last);

void times_forget(void);

#endif
