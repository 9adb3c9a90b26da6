/* SPDX-License-Identifier: MIT */
/* event_probe.h - events at a place that the text defines: probe:FUNCTION, uprobe:FILE:FUNCTION */
#ifndef RECORD_EVENT_EVENT_PROBE_H
#define RECORD_EVENT_EVENT_PROBE_H

#include "record/event/event_scan.h"
#include "record/host/probe.h"

/*
 * uprobe:FILE:FUNCTION[+OFFSET][%return][ ARGUMENT...], or FILE:0xOFFSET in the file, with s->p after "uprobe:"; or
 * probe:FUNCTION[+OFFSET][%return][ ARGUMENT...] of the kernel, with s->p after "probe:". The list owns the probe.
 */
int event_probe(struct event_scan *s, const char *start, bool user);

/* Where a probe is, in the kernel's words, and the system that its event is shown with. */
struct probe_place {
	const char *place, *args, *system;
	bool on_return;
};

/* The name of a probe's tracepoint: the letters and digits of a name. */
void event_probe_name(struct probe *p, const char *name);

/* Adds the probe to the kernel, and the event to the list, as "SYSTEM:NAME". */
int event_probe_add(struct event_scan *s, const char *start, struct probe *p, const struct probe_place *at);

#endif
