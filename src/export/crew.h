/* SPDX-License-Identifier: MIT */
/*
 * crew.h - lines formatted by several threads, written in their order
 *
 * Items (what a line is made of) go into batches; a batch that is full is formatted into a buffer of its own by whichever thread is
 * free, the one that fills them included, and the buffers are written one after the other. A fixed number of batches goes
 * round, so memory does not grow with the trace.
 */
#ifndef EXPORT_CREW_H
#define EXPORT_CREW_H

#include "base/buf.h"

struct crew;

/* What one thread writes must not lie where another one works: they would wait for each other's cache. */
#define CREW_APART 128

/* What a crew does. */
struct crew_work {
	void *ctx;
	size_t item_bytes;
	/* What one thread formats with; NULL when out of memory. */
	void *(*worker_new)(void *ctx);
	void (*worker_free)(void *worker);
	/* Called on any thread; may change the item. raw: the bytes that came with it. */
	void (*format)(void *worker, void *item, const uint8_t *raw, struct buf *out);
};

/* threads: that help the caller's; with 0 it works alone. -SONDE_NOMEM. */
int crew_new(struct crew **out, const struct crew_work *work, unsigned threads, struct buf *to);

/* Waits for the threads; what has not been written is dropped. NULL is accepted. */
void crew_free(struct crew *c);

/* How many threads help. */
unsigned crew_threads(const struct crew *c);

/*
 * The place for the next item, to be filled in before the next call, with n bytes that are copied. Writes what is ready. Look at the
 * failed field of the buffer that the crew writes to.
 */
void *crew_next(struct crew *c, const uint8_t *raw, size_t n);

/* Moves what is in @text behind what is in @to. To a descriptor it goes without being copied. */
void crew_hand_over(struct buf *text, struct buf *to);

/* Formats and writes everything that there is. */
void crew_drain(struct crew *c);

#endif
