/* SPDX-License-Identifier: MIT */
/*
 * ordered_pool.h - items read by several threads in turn, formatted at the same time, written in the order of reading
 *
 * One thread at a time reads, until its batch is full; then the next one may read, and the batch is formatted by the
 * thread that read it. Little but the reader's state moves between CPUs: with one thread that reads for all, every
 * item did, which took longer than to format it. Batches are written in their order by the thread that finds the
 * oldest one formatted. Their number is fixed, and so is the memory. Without a second thread items are formatted as
 * they come.
 */
#ifndef BASE_ORDERED_POOL_H
#define BASE_ORDERED_POOL_H

#include <stdbool.h>

#include "base/buf.h"

struct ordered_pool;

/* Distance between data that different threads write: closer, they would wait for each other's cache. */
#define ORDERED_POOL_APART 128

/* Results of read(); negative: a failure. */
enum ordered_pool_read {
	ORDERED_POOL_END,
	ORDERED_POOL_MORE,
	ORDERED_POOL_SETTLE,         /* more, but only after everything that has been read is written */
};

struct ordered_pool_work {
	void *ctx;
	size_t item_bytes;
	/* Makes the data that one thread formats with, on that thread; NULL when out of memory. Without it: ctx. */
	void *(*worker_new)(void *ctx);
	void (*worker_free)(void *worker);
	/* Puts items into the pool until it is full. Called by one thread at a time, by any of them. */
	int (*read)(void *ctx);
	/*
	 * Appends the text of an item, which it may change; raw: the bytes that were put with it. Called by several
	 * threads at a time.
	 */
	void (*format)(void *worker, void *item, const uint8_t *raw, struct buf *out);
};

/* -SONDE_NOMEM. */
int ordered_pool_new(struct ordered_pool **out, const struct ordered_pool_work *work, struct buf *to);

/* NULL is accepted. */
void ordered_pool_free(struct ordered_pool *p);

/*
 * Reads, formats and writes everything, with up to `helpers` threads beside the caller's. Returns 0, the failure of
 * read(), -SONDE_NOMEM, or why the text could not be written. Items that were read before a failure of read() are
 * written.
 */
int ordered_pool_run(struct ordered_pool *p, unsigned helpers);

/* ---- for read() ---- */

/* The place for the next item, to be filled in and put; NULL when out of memory. It may be left unused. */
void *ordered_pool_item(struct ordered_pool *p);

/* Puts the item into the pool, with n bytes that are copied. 0 or -SONDE_NOMEM. */
int ordered_pool_put(struct ordered_pool *p, const uint8_t *raw, size_t n);

/* True when read() has to return. */
bool ordered_pool_is_full(const struct ordered_pool *p);

#endif
