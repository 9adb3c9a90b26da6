/* SPDX-License-Identifier: MIT */
/*
 * readers.h - threads that empty rings beside the thread that runs the recorder, each into a file of its own
 *
 * They have the rings for samples of some CPUs. The side band stays with the thread that runs the recorder: it goes to
 * the file `data`, with what describes the machine.
 */
#ifndef RECORD_PERF_READERS_H
#define RECORD_PERF_READERS_H

#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "record/perf/reader_plan.h"
#include "record/perf/ring_set.h"

struct ring_reader {
	struct ring_set *set;
	size_t *rings;               /* of the set: nr_rings that this thread has */
	size_t *owners;              /* the thread whose event is polled for each of them */
	struct pollfd *pollfds;      /* of them, then wake_fd */
	size_t nr_rings;
	int wake_fd;                 /* eventfd: it is to end */
	int told_fd;                 /* eventfd of the recorder: it has something to tell */
	cpu_set_t runs_on;

	struct sink *sink;
	struct write_queue queue;
	struct record_stats record_stats;
	bool started;
	pthread_t thread;
	sem_t begun;                 /* tid is known */
	pid_t tid;

	atomic_bool ending;          /* the events are off: the next round is the last */
	atomic_bool tasks_ended;     /* no event writes to its rings any more */
	atomic_bool failed;          /* err tells more once the thread is joined */
	atomic_uint_least64_t bytes; /* taken from the rings */
	uint64_t wakeups;            /* these two once the thread is joined */
	struct sonde_error err;
};

struct readers {
	struct ring_reader *at;
	size_t nr;
};

/* Allocates readers for a plan, and takes their rings out of the set. Nothing runs yet; readers_free() in any case. */
int readers_prepare(struct readers *rs, const struct reader_plan *plan, struct ring_set *set, int told_fd,
		    struct sonde_error *err);

/* Starts the threads of a reader whose sink and record_stats are set. @queue_bytes: the most memory of its queue. */
int reader_start(struct ring_reader *r, uint64_t queue_bytes, struct sonde_error *err);

uint64_t readers_bytes(const struct readers *rs);
bool readers_failed(const struct readers *rs);
bool readers_tasks_ended(const struct readers *rs);

/* Empties the rings a last time and ends the threads, which is done once. 0, or why one of them failed. */
int readers_finish(struct readers *rs, struct sonde_error *err);
void readers_free(struct readers *rs);

#endif
