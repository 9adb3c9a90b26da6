/* SPDX-License-Identifier: MIT */
/*
 * ahead.h - a thread decompresses chunks before the walk needs them
 *
 * The thread that reads finds the chunks, gives them out as jobs, and takes the results in the order of the file:
 * budget, errors and the ledger are its business alone, so nothing depends on who decompresses. A job that nobody has
 * begun when its turn comes is done by the reading thread, while the other one goes on with another (jobs of
 * base/worker.h are never done two at a time). A job owns what it reads and writes, and there is a fixed number for all
 * streams of a walk.
 */
#ifndef TRACEDAT_READ_AHEAD_H
#define TRACEDAT_READ_AHEAD_H

#include <pthread.h>

#include "codec/codec.h"

#define AHEAD_JOBS 64                          /* of all streams */
#define AHEAD_JOBS_OF_STREAM 16
#define AHEAD_BYTES ((size_t)4 << 20)          /* of all jobs; one that needs more is not taken */
#define AHEAD_CHUNKS_MIN 16                    /* a stream with fewer chunks is read before a thread has begun */

enum job_state { JOB_FREE, JOB_WAITING, JOB_RUNNING, JOB_DONE };

struct ahead_job {
	enum job_state state;
	uint64_t number;             /* they are done in this order */
	uint64_t at, end;            /* of the chunk in the file */
	const uint8_t *p;            /* compressed: in memory of the input, or in in */
	uint32_t packed, size;
	uint8_t *in, *out;
	size_t in_cap, out_cap;
	int result;                  /* of decoder_unpack() */
};

struct ahead {
	struct decoder decoder;      /* of the thread */
	pthread_t thread;
	bool started, off;           /* off: no thread can be had, or none is worth it */
	pthread_mutex_t lock;        /* for all fields below, except those of a job that is RUNNING or DONE */
	pthread_cond_t more, done;
	bool ending, waits;          /* waits: the reading thread, for a job */
	uint64_t next_number;
	size_t bytes;
	struct ahead_job jobs[AHEAD_JOBS];
};

/* Begins the thread when it is first called. False: it never will. */
bool dat_ahead_start(struct ahead *a, const struct codec *codec);

/* Room for a job of so many bytes: its in is filled, or its p set, by the caller. NULL: there is none now. */
struct ahead_job *dat_ahead_room(struct ahead *a, size_t in, size_t out);

/* The jobs of dat_ahead_room() whose fields are set may be done. */
void dat_ahead_submit(struct ahead *a, struct ahead_job *const *jobs, size_t n);

/* Waits until a job is done, or takes it over: then its state is still JOB_RUNNING, and the caller does it. */
void dat_ahead_wait(struct ahead *a, struct ahead_job *job);

/* The job is free again, with another buffer of @cap bytes (NULL: none) instead of its out, which the caller keeps. */
void dat_ahead_release(struct ahead *a, struct ahead_job *job, uint8_t *out, size_t cap);

/* Ends the thread; the jobs must have been released. */
void dat_ahead_end(struct ahead *a);

#endif
