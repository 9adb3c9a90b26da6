/* SPDX-License-Identifier: MIT */
/*
 * relay.h - lines read by several threads in turns, formatted at the same time, written in their order
 *
 * Reading is serial: only the thread that has the baton reads, until its batch is full. It hands the baton on and formats what it
 * has read itself, so that little but the reader's state goes from one CPU to another: with a thread that reads for all, every
 * event did, which took longer than to format it. Batches are written one after the other, by whichever thread finds the oldest
 * ready. There is a fixed number of them.
 */
#ifndef EXPORT_RELAY_H
#define EXPORT_RELAY_H

#include "base/buf.h"

struct relay;

/* What one thread writes must not lie where another one works: they would wait for each other's cache. */
#define RELAY_APART 128

struct relay_work {
	void *ctx;
	size_t item_bytes;
	/* Reads until relay_is_full() and gives lines to relay_next(): 1 if there is more, 0 at the end, negative on failure. Called by
	 * one thread at a time. */
	int (*read)(void *ctx);
	/* The text of an item, of which raw are the bytes that came with it. Called by any thread. */
	void (*format)(const void *ctx, const void *item, const uint8_t *raw, struct buf *out);
};

/* Not yet running; -SONDE_NOMEM. */
int relay_new(struct relay **out, const struct relay_work *work, struct buf *to);
/* NULL is accepted. */
void relay_free(struct relay *r);

/* Reads, formats and writes everything, with as many threads beside the caller's as can be started. 0, what read() failed with, or why
 * the text could not be written. What was read before a failure has been written. */
int relay_run(struct relay *r, unsigned threads);

/* For read(): the place for the next line, to be filled in before the next call, with n bytes that are copied; NULL when out of memory. */
void *relay_next(struct relay *r, const uint8_t *raw, size_t n);
bool relay_is_full(const struct relay *r);

#endif
