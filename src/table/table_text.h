/* SPDX-License-Identifier: MIT */
/*
 * table_text.h - a table as text: a line of titles, one of units, a rule, the rows; two blanks between columns
 *
 * As perf: durations are milliseconds and times seconds, both cut (not rounded) at microseconds. Numbers are right
 * below their titles. Columns without a title are for programs. A value that is not there is "-". Names come from the
 * trace: control bytes become '.'.
 */
#ifndef TABLE_TABLE_TEXT_H
#define TABLE_TABLE_TEXT_H

#include "base/buf.h"
#include "table/table.h"

/* Titles, units and rule. */
void table_text_head(const struct sonde_table *t, struct buf *out);

void table_text(struct sonde_table *t, struct buf *out);

/* "12.034": milliseconds with the microseconds that are whole. Right-aligned. */
void text_duration(struct buf *out, uint64_t ns, int width);
/* "1358.011685": seconds with the microseconds that are whole. Right-aligned. */
void text_time(struct buf *out, uint64_t ns, int width);

/* "comm[tid/pid]", "comm[tid]" of the first thread of a process or where the process is not known, "<idle>". */
void text_task(struct buf *out, const struct sonde_table_value *task);

#endif
