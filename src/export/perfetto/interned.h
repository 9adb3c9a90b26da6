/* SPDX-License-Identifier: MIT */
/*
 * interned.h - call stacks of a sequence of packets, which are written when they are first needed
 *
 * InternedData of perfetto/trace/interned_data/interned_data.proto: names, mappings, frames and stacks have numbers
 * from 1 on, each kind its own, which hold for the sequence.
 */
#ifndef EXPORT_PERFETTO_INTERNED_H
#define EXPORT_PERFETTO_INTERNED_H

#include "base/u64map.h"
#include "export/events/event_rows.h"

/* {0} has written nothing. */
struct interned {
	VEC(bool) stacks, frames, modules;   /* by number, those that were written */
	struct u64map names;         /* address of the name -> number */
	uint32_t nr_names;
	VEC(uint64_t) ids;           /* frames of the stack at hand, outermost first */
};

/* Appends to @data, the fields of an InternedData, what readers lack for a stack, whose number is its own. */
int interned_stack(struct interned *n, const struct event_rows *e, uint32_t stack, struct buf *data);

void interned_free(struct interned *n);

#endif
