/* SPDX-License-Identifier: MIT */
/* json_lines.h - the events of a trace as one JSON object a line: docs/events-json.md */
#ifndef EXPORT_JSON_LINES_JSON_LINES_H
#define EXPORT_JSON_LINES_JSON_LINES_H

#include "export/events/event_rows.h"

int export_json_lines(struct event_rows *e);

#endif
