/* SPDX-License-Identifier: MIT */
/* choice.h - the events of a handle, chosen by name, by metrics or as perf stat does without -e: rows of its table */
#ifndef API_STAT_CHOICE_H
#define API_STAT_CHOICE_H

#include "api/stat/stat.h"

/* A counter with the events of all requests so far, in the place of the present one. 0 or a negative code. */
int choice_renew(struct sonde_stat *s);

#endif
