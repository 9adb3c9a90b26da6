/* SPDX-License-Identifier: MIT */
/* tracepoint_views.h - a view for each tracepoint, with columns of its fields: tp_sched_sched_switch */
#ifndef EXPORT_SQLITE_TRACEPOINT_VIEWS_H
#define EXPORT_SQLITE_TRACEPOINT_VIEWS_H

#ifdef HAVE_SQLITE

#include "export/events/event_rows.h"
#include "export/sqlite/sqlite_library.h"

/* Adds them to a database that has its tables. 0 or the failure. */
int tracepoint_views_make(const struct event_rows *e, const struct sqlite_library *lib, sqlite3 *db);

#endif

#endif
