/* SPDX-License-Identifier: MIT */
/* csv.h - the events of a trace as a table of comma-separated values (RFC 4180), the columns of docs/events-json.md */
#ifndef EXPORT_CSV_CSV_H
#define EXPORT_CSV_CSV_H

#include "export/events/event_rows.h"

int export_csv(struct event_rows *e);

#endif
