/* SPDX-License-Identifier: MIT */
/* group.h - the events of a group in one table, side by side */
#ifndef EXPORT_REPORT_GROUP_H
#define EXPORT_REPORT_GROUP_H

#include "export/report/table.h"

/* Makes the table of n events, at least one: the first leads. Results as of report_table_make(). */
int group_make(struct report_table *t, struct export *x, const uint32_t *events, size_t n);

/* Makes rows of the events of a table with the same keys one row. 0 or -SONDE_NOMEM. */
int group_join(struct report_table *t);

/* How many events from number i on are one table: members follow their leader. */
uint32_t group_size(const struct export *x, uint32_t i);

/*
 * The events with samples of the table that begins with event i; how many. @events: room for group_size(). Where the
 * options choose an event, @chosen, another one has no table.
 */
size_t group_events(const struct export *x, uint32_t i, uint32_t chosen, uint32_t *events);

#endif
