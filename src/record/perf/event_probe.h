/* SPDX-License-Identifier: MIT */
/* event_probe.h - events at a place that the text defines: probe:FUNCTION, uprobe:FILE:FUNCTION */
#ifndef RECORD_PERF_EVENT_PROBE_H
#define RECORD_PERF_EVENT_PROBE_H

#include "record/perf/event_scan.h"

/*
 * uprobe:FILE:FUNCTION[+OFFSET][%return][ ARGUMENT...], or FILE:0xOFFSET in the file, with s->p behind "uprobe:"; or
 * probe:FUNCTION[+OFFSET][%return][ ARGUMENT...] of the kernel, with s->p behind "probe:". The list owns the probe.
 */
int event_probe(struct scan *s, const char *start, bool user);

#endif
