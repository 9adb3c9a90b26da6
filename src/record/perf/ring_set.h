/* SPDX-License-Identifier: MIT */
/*
 * ring_set.h - all rings of a recording, and the wait for records
 *
 * One ring per CPU (or per thread, if one event follows a thread over all CPUs) for samples, and a smaller one for the
 * side band, so that a flood of samples does not cost the records that identify tasks and mappings.
 */
#ifndef RECORD_PERF_RING_SET_H
#define RECORD_PERF_RING_SET_H

#include <poll.h>

#include "record/perf/affinity.h"
#include "record/perf/aux_area.h"
#include "record/perf/counters.h"
#include "record/perf/ring.h"

#define RING_SET_EXTRA_FDS 5

struct ring_set {
	const struct counters *counters;
	struct ring *rings;          /* nr for samples, then nr for the side band */
	struct aux_area *areas;      /* of the rings for samples; NULL: no hardware trace */
	size_t nr;
	bool by_thread;
	bool backward;               /* the rings for samples keep the newest records, for ring_set_dump() */
	struct pollfd *pollfds;      /* of the rings, then the extra ones; fd -1: ended or not there */
	size_t *owner;               /* thread whose event is polled for the ring */
	bool *given_away;            /* another thread waits for the ring and empties it */
	size_t bytes;                /* of each ring for samples */
	bool shrunk;                 /* smaller than what its events were opened for: nearly full at their watermark */
	struct affinity affinity;    /* of the thread that empties them */
};

/* The size of a ring of the side band beside rings of @bytes for samples. */
size_t ring_set_sideband_bytes(size_t bytes);

/* Maps rings of @bytes for samples, or smaller ones if the limit of locked memory demands it. */
int ring_set_map(struct ring_set *s, const struct counters *c, size_t bytes, struct sonde_error *err);

/* An AUX area for the first event, in each of its rings, with the size and form of @like; of 0 bytes: none. */
int ring_set_map_aux(struct ring_set *s, const struct aux_area *like, struct sonde_error *err);

/* Events that an area has turned off are turned on again, or no more. */
void ring_set_keep_traces(struct ring_set *s, bool on);

/* The ring of a cell of the last event (the side band) or of any other. */
size_t ring_set_index(const struct ring_set *s, size_t event, size_t thread, size_t cpu);

/* Empties all rings once, or only the rings of the side band; bytes moved, or negative. */
ssize_t ring_set_drain(struct ring_set *s, struct write_queue *queue, bool sideband_only);

/* Copies from backward rings and the areas of snapshots what came since the last call; bytes, or negative. */
ssize_t ring_set_dump(struct ring_set *s, struct write_queue *queue);

/* Sleeps until a ring or an extra fd is ready. Rings whose tasks have ended are no longer polled. */
int ring_set_poll(struct ring_set *s, int timeout_ms);

/* The ring is another thread's, from before the first wait on. */
void ring_set_give_away(struct ring_set *s, size_t ring);

/* The event of another of the tasks that write to this ring, after *owner; -1 if none is left. */
int ring_set_next_owner(const struct ring_set *s, size_t ring, size_t *owner);

/* Have all tasks ended, as far as the rings that are not given away tell? */
bool ring_set_ended(const struct ring_set *s);
void ring_set_free(struct ring_set *s);

#endif
