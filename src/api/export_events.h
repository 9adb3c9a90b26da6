/* SPDX-License-Identifier: MIT */
/* export_events.h - the formats of exports of events */
#ifndef API_EXPORT_EVENTS_H
#define API_EXPORT_EVENTS_H

#include <sonde/export.h>

/* The i-th format, NULL beyond the last. */
const struct sonde_export_format *export_events_format_at(size_t i);

#endif
