/* SPDX-License-Identifier: MIT */
/*
 * spool.h - between the rings and the disk
 *
 * The thread that empties the rings fills chunks of memory; another one writes them to the sink. So a disk that is slow
 * for a while costs memory, not events. All but the two threads' hand-over is without locks.
 */
#ifndef RECORD_SPOOL_H
#define RECORD_SPOOL_H

#include <pthread.h>

#include "base/err.h"
#include "model/sink.h"
#include "record/map_ids.h"
#include "record/tally.h"

struct chunk {
	struct chunk *next;
	uint8_t *p;
	size_t n;
};

struct spool {
	struct sink *sink;
	struct tally *tally;         /* used by the writing thread alone until spool_finish() */
	struct map_ids map_ids;      /* of the writing thread, too */
	size_t chunk_bytes;
	struct chunk *filling;       /* owned by the thread that fills */

	pthread_mutex_t lock;        /* of what follows */
	pthread_cond_t changed;
	struct chunk *queue, *idle;  /* to be written, oldest first; to be filled */
	size_t nr_chunks;
	bool writing, ending, started;
	uint64_t bytes;              /* given to the sink */
	struct sonde_error err;      /* what stopped the writing */
	int failed;
	pid_t tid;                   /* of the writing thread */
	pthread_t thread;
};

/* Starts the writing thread. @largest: the most that spool_room() will be asked for. */
int spool_start(struct spool *s, struct sink *sink, struct tally *tally, size_t largest, struct sonde_error *err);

/* Room for n bytes in one piece; waits for the disk only when all chunks are full. NULL when nothing can be written. */
uint8_t *spool_room(struct spool *s, size_t n);

static inline void spool_advance(struct spool *s, size_t n)
{
	s->filling->n += n;
}

int spool_put(struct spool *s, const void *p, size_t n);

/* Hands over what is gathered, unless the disk is busy and the chunk still has much room. */
int spool_flush(struct spool *s);

/* Bytes taken so far, written or not; for the thread that fills. */
uint64_t spool_bytes(struct spool *s);

/* Writes the rest and ends the thread. 0 or what stopped the writing. */
int spool_finish(struct spool *s, struct sonde_error *err);
void spool_free(struct spool *s);

#endif
