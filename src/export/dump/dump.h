/* SPDX-License-Identifier: MIT */
/* dump.h - a record with all its fields as text */
#ifndef EXPORT_DUMP_DUMP_H
#define EXPORT_DUMP_DUMP_H

#include "model/meta.h"

#include "base/buf.h"

/* @meta: of the trace, for the names of registers */
void dump_event(struct buf *out, const struct sonde_event *ev, const struct meta *meta, bool hex);

/* The fields of a record that is no sample, a line each. */
void dump_fields(struct buf *out, const struct sonde_event *ev);

#endif
