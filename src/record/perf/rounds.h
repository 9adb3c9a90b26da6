/* SPDX-License-Identifier: MIT */
/* rounds.h - the loop that empties the rings until the recording ends */
#ifndef RECORD_PERF_ROUNDS_H
#define RECORD_PERF_ROUNDS_H

#include "record/perf/recorder.h"

/* A FINISHED_ROUND record. */
int rounds_put_mark(struct sonde_perf_recorder *r);

/* @enable_at: turns the events on at this time of rounds_now_ms(); 0: does not. */
int rounds_until_end(struct sonde_perf_recorder *r, uint64_t enable_at);

uint64_t rounds_now_ms(void);

#endif
