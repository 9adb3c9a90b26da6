/* SPDX-License-Identifier: MIT */
/* events.h - a walk through the events of a trace, and its event */
#ifndef PYTHON_EVENTS_H
#define PYTHON_EVENTS_H

#include "module.h"

#include <sonde/symbol.h>

struct events_object {
	PyObject ob_base;
	struct trace_object *trace;  /* used */
	struct sonde_iter *it;       /* NULL: at the end */
	struct sonde_tasks *tasks;
	struct sonde_symbols *symbols;   /* NULL: nobody has asked for a function */
	const struct sonde_event *now;   /* the event at hand; NULL: none */
	uint64_t serial;             /* of the event at hand */
	struct choice choice;
	PyObject *arguments;         /* that the choice has views of */
	bool records, begun;
};

/*
 * What an event has when the walk has gone on: a copy. Functions are looked up while it is at hand, because mappings
 * change.
 */
struct event_object {
	PyObject ob_base;
	struct events_object *events;
	uint64_t serial;
	const struct sonde_evsel *evsel;         /* lives as long as the trace */
	const struct sonde_tracepoint *tracepoint;   /* NULL: it is none */
	uint64_t time, ip, addr, period, file_offset;
	uint32_t type;
	uint8_t cpumode, kind;
	int32_t pid, tid, cpu;
	bool has_ip;
	bool has_chain;              /* recorded, or to be found in a copy of the stack or in branches */
	uint8_t *raw;
	size_t raw_len;
	PyObject *comm, *callchain, *fields;     /* NULL: not made yet */
};

/* ---- event.c ---- */

PyObject *event_new(struct events_object *events, const struct sonde_event *ev);

#endif
