/* SPDX-License-Identifier: MIT */
/* opening.h - every event, opened for every thread and CPU of the target. */
#ifndef RECORD_COUNT_OPENING_H
#define RECORD_COUNT_OPENING_H

#include "record/count/counter.h"

int counter_open(struct sonde_counter *c, const struct sonde_counter_opts *opts);

#endif
