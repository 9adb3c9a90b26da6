/* SPDX-License-Identifier: MIT */
/* perfetto.h - the events of a trace as a trace of Perfetto: a row of TracePacket messages */
#ifndef EXPORT_PERFETTO_PERFETTO_H
#define EXPORT_PERFETTO_PERFETTO_H

#include "export/events/event_rows.h"

int export_perfetto(struct event_rows *e);

#endif
