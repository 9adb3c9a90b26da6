/* SPDX-License-Identifier: MIT */
/*
 * preamble.h - the recorder's own records at the start of a file: ids, units, threads, CPUs, the clock
 *
 * The same things are in the header of the file. A stream has no header, and readers of perf look for the records.
 */
#ifndef RECORD_PERF_PREAMBLE_H
#define RECORD_PERF_PREAMBLE_H

#include "record/perf/recorder.h"

/* ID_INDEX, TIME_CONV, EVENT_UPDATE, THREAD_MAP and CPU_MAP. */
int preamble_put(struct sonde_perf_recorder *r);

/* FINISHED_INIT: the tasks that exist are described. */
int preamble_end(struct sonde_perf_recorder *r);

#endif
