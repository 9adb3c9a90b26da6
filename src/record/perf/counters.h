/* SPDX-License-Identifier: MIT */
/* counters.h - the opened events: one file descriptor for each event, thread and CPU. */
#ifndef RECORD_PERF_COUNTERS_H
#define RECORD_PERF_COUNTERS_H

#include <sonde/perf_recorder.h>

#include "record/event/event.h"
#include "record/event/target.h"
#include "record/host/messenger.h"

struct counters {
	struct events *list;
	const struct target *target;
	const struct messenger *messenger;
	bool (*more_files)(void *ctx);  /* of struct sonde_perf_recorder_opts; gets the messenger's ctx; may be NULL */
	int *fds;                    /* [event][thread][cpu]; -1: not open */
	uint64_t *ids;               /* in the same order; 0: not open */
	bool *gone;                  /* [thread]: ended before it could be opened */
	uint32_t nr_dropped;         /* newest features that this kernel lacks */
	bool others_suffice;         /* an event that this machine lacks is left out if there are others */
	uint32_t nr_open;
};

static inline size_t counters_cell(const struct counters *c, size_t event, size_t thread, size_t cpu)
{
	return (event * c->target->tids.n + thread) * c->target->cpus.n + cpu;
}

/**
 * counters_open - open all of c->list on c->target
 * Opens less where the kernel or the permissions demand it, and changes attrs and names in c->list accordingly. The
 * error says what the user can do.
 */
int counters_open(struct counters *c, struct sonde_error *err);

/* Applies the kernel filters of the events. */
int counters_filter(struct counters *c, struct sonde_error *err);

/* Enables all events that exec does not enable, or disables all. */
int counters_enable(struct counters *c, bool on, struct sonde_error *err);

/* Events of the user's: by name, by number, or all. */
struct event_choice {
	const char *name;            /* NULL: by number */
	size_t index;                /* SIZE_MAX: all */
};

/* @name: NULL: all events */
static inline struct event_choice events_named(const char *name)
{
	return (struct event_choice){ name, SIZE_MAX };
}

/*
 * Turns events on or off. The side band stays as it is. Any thread may call this and the next two functions between
 * counters_open() and counters_close(). -SONDE_MISSING: there is no such event.
 */
int counters_turn(const struct counters *c, struct event_choice which, bool on, struct sonde_error *err);

/* Another period, or frequency for an event that has one. */
int counters_set_period(const struct counters *c, struct event_choice which, uint64_t period, struct sonde_error *err);

/* A filter for tracepoints that have none. */
int counters_set_filter(const struct counters *c, struct event_choice which, const char *text, struct sonde_error *err);

/* The kernel's own count of what counter `cell` could not write; 0 if this kernel does not count. */
uint64_t counters_lost(const struct counters *c, size_t event, size_t cell);

/* The count of counter `cell`, with its children; 0 if it cannot be read. */
uint64_t counters_value(const struct counters *c, size_t event, size_t cell);

void counters_close(struct counters *c);

#endif
