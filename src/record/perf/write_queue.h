/* SPDX-License-Identifier: MIT */
/*
 * write_queue.h - between the rings and the disk
 *
 * One thread empties the rings into buffers, another one writes the buffers to the sink: a disk that is slow for a
 * while costs memory, not events. Only the hand-over of a buffer takes a lock.
 */
#ifndef RECORD_PERF_WRITE_QUEUE_H
#define RECORD_PERF_WRITE_QUEUE_H

#include <pthread.h>

#include "base/err.h"
#include "model/sink.h"
#include "record/perf/map_ids.h"
#include "record/perf/off_cpu.h"
#include "record/perf/record_stats.h"

struct write_buffer {
	struct write_buffer *next;
	uint8_t *p;
	size_t n;
	bool aux;                    /* one AUXTRACE record and its trace */
};

struct write_queue {
	struct sink *sink;
	struct record_stats *record_stats;  /* used by the writing thread alone until write_queue_finish() */
	struct map_ids map_ids;      /* of the writing thread, too */
	struct off_cpu *off_cpu;     /* the same; NULL: the records are written as they are. Set before the first one */
	struct buf replaced;         /* the records that off_cpu has made of a buffer */
	size_t buffer_bytes;
	uint64_t memory_max;         /* of all buffers */
	struct write_buffer *filling;  /* owned by the thread that fills */

	pthread_mutex_t lock;        /* of what follows */
	pthread_cond_t changed;
	struct write_buffer *full, *idle;  /* to be written, oldest first; to be filled */
	size_t nr_buffers;
	bool writing, ending, started;
	uint64_t bytes;              /* given to the sink */
	struct sonde_error err;      /* why the writing failed */
	int failed;
	pid_t tid;                   /* of the writing thread */
	pthread_t thread;
};

/* Starts the writing thread. @largest: the most that write_queue_room() will be asked for. */
int write_queue_start(struct write_queue *s, struct sink *sink, struct record_stats *record_stats, size_t largest,
		      struct sonde_error *err);

/* At most so much memory for all buffers, and the two that it needs; before anything is put. */
static inline void write_queue_limit(struct write_queue *s, uint64_t bytes)
{
	s->memory_max = bytes < s->memory_max ? bytes : s->memory_max;
}

/* The memory for all buffers, for @parts queues like this one. */
static inline uint64_t write_queue_share(const struct write_queue *s, size_t parts)
{
	return s->memory_max / parts;
}

/* Contiguous room for n bytes; waits for the disk only if all buffers are full. NULL when writing has failed. */
uint8_t *write_queue_room(struct write_queue *s, size_t n);

static inline void write_queue_advance(struct write_queue *s, size_t n)
{
	s->filling->n += n;
}

int write_queue_put(struct write_queue *s, const void *p, size_t n);

/*
 * An AUXTRACE record with its trace, @n bytes and at most write_queue_aux_max(), goes to the sink alone: it is longer
 * than its header says. write_queue_aux_done() follows when the room is filled.
 */
size_t write_queue_aux_max(const struct write_queue *s);
uint8_t *write_queue_aux_room(struct write_queue *s, size_t n);
int write_queue_aux_done(struct write_queue *s, size_t n);

/* Hands over the buffer at hand, unless the disk is busy and the buffer still has much room. */
int write_queue_flush(struct write_queue *s);

/* Hands over everything and waits until it is written. 0, or why the writing failed. */
int write_queue_wait(struct write_queue *s);

/* Writes what is known only at the end of a file; only after write_queue_wait() or write_queue_finish(). */
int write_queue_end_file(struct write_queue *s, struct sonde_error *err);

/* The sink for all further records; only after write_queue_wait(), before anything else is put. */
void write_queue_redirect(struct write_queue *s, struct sink *sink);

/* Bytes taken so far, written or not; for the thread that fills. */
uint64_t write_queue_bytes(struct write_queue *s);

/* Writes the rest and ends the thread. 0, or why the writing failed. */
int write_queue_finish(struct write_queue *s, struct sonde_error *err);
void write_queue_free(struct write_queue *s);

#endif
