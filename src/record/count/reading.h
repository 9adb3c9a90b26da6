/* SPDX-License-Identifier: MIT */
/* reading.h - the counts of cells, with those of a group by one read, and their sums. */
#ifndef RECORD_COUNT_READING_H
#define RECORD_COUNT_READING_H

#include "record/count/counter.h"

int counter_read(struct sonde_counter *c);
int counter_reset(struct sonde_counter *c);
int counter_read_self(struct sonde_counter *c, size_t event, struct sonde_counter_reading *out);

#endif
