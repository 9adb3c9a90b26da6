/* SPDX-License-Identifier: MIT */
/* rounds.h - the loop that empties the rings until the recording ends */
#ifndef RECORD_PERF_ROUNDS_H
#define RECORD_PERF_ROUNDS_H

#include "record/perf/recorder.h"

/* Obeys the schedule, the control file and requests for snapshots meanwhile. */
int rounds_until_end(struct sonde_perf_recorder *r);

#endif
