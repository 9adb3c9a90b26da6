/* SPDX-License-Identifier: MIT */
/* kernel_attr.h - our attr as the bytes that perf_event_open(2) takes. */
#ifndef RECORD_EVENT_KERNEL_ATTR_H
#define RECORD_EVENT_KERNEL_ATTR_H

#include <sonde/event.h>

#define KERNEL_ATTR_BYTES 144  /* PERF_ATTR_SIZE_VER9; an older kernel takes a longer one if its tail is zero */

void kernel_attr_encode(const struct sonde_attr *attr, uint8_t out[KERNEL_ATTR_BYTES]);

#endif
