/* SPDX-License-Identifier: MIT */
/* ticks.h - how ticks of the processor's time stamp counter become nanoseconds: ticks * mult >> shift */
#ifndef RECORD_HOST_TICKS_H
#define RECORD_HOST_TICKS_H

#include <stdbool.h>
#include <stdint.h>

/* False if the kernel does not say it: the counter is not stable, or perf_event_open is not permitted. */
bool host_ticks(uint32_t *mult, uint32_t *shift);

#endif
