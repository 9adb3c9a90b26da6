/* SPDX-License-Identifier: MIT */
/* event_name.h - what to call an event whose file does not say: old files and pipes without EVENT_DESC. */
#ifndef PERFDATA_FORMAT_EVENT_NAME_H
#define PERFDATA_FORMAT_EVENT_NAME_H

#include <sonde/event.h>

#define EVENT_NAME_BYTES 64

/*
 * "cycles:u", "cpu-clock", "L1-dcache-load-misses", "raw 0x1c2", "mem:0x601040:rw"; "type 8 config 0x2" if nothing fits
 */
void event_name_of_attr(const struct sonde_attr *attr, char out[EVENT_NAME_BYTES]);

#endif
