/* SPDX-License-Identifier: MIT */
/* events.h - the events of a tracing instance: selected, filtered, switched on. */
#ifndef RECORD_FTRACE_EVENTS_H
#define RECORD_FTRACE_EVENTS_H

#include "record/ftrace/instance.h"

/* Adds the events that @text names, and returns their number. @add false: only counts them. */
size_t ftrace_events_select(struct ftrace_instance *in, struct arena *a, const char *tracefs, const char *text,
			    bool add);

/*
 * Adds the events that are on in an instance that existed before: they will be in its buffer, too. 0 or -SONDE_NOMEM.
 */
int ftrace_events_take_over(struct ftrace_instance *in, struct arena *a);

/* Sets filters and triggers, and switches the events on. */
int ftrace_events_enable(struct ftrace_instance *in, const struct messenger *m, struct sonde_error *err);

#endif
