/* SPDX-License-Identifier: MIT */
/* overflow.h - the effects of an overflow: a signal, a wakeup, the end of counting. */
#ifndef RECORD_COUNT_OVERFLOW_H
#define RECORD_COUNT_OVERFLOW_H

#include "record/count/counter.h"

/* All are for an event that counter_check_event() has found sound. */
int overflow_set_signal(struct sonde_counter *c, size_t event, int signo, int32_t tid);
int overflow_wait(struct sonde_counter *c, size_t event, int timeout_ms);
int overflow_refresh(struct sonde_counter *c, size_t event, int overflows);
int overflow_set_period(struct sonde_counter *c, size_t event, uint64_t period);

#endif
