/* SPDX-License-Identifier: MIT */
/* losses.h - the records that the kernel had no room for, when the recording has ended */
#ifndef RECORD_PERF_LOSSES_H
#define RECORD_PERF_LOSSES_H

#include "record/perf/recorder.h"

/* Compares the kernel's counts with the LOST records, and writes LOST_SAMPLES records for the rest. */
int losses_account(struct sonde_perf_recorder *r);

#endif
