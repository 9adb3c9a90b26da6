/* SPDX-License-Identifier: MIT */
/*
 * window.h - one walk, and its records until it is certain which is the oldest
 *
 * References that were found lie in `found`, a row of sorted runs. When it is certain that nothing older than some will
 * come, it is merged, and these are its first `complete` ones. They become `ready` when what was ready before has been
 * handed out.
 *
 * While there is much to hand out, another thread looks ahead: it finds the next records and merges them at a round
 * mark. Until it has been waited for, `found` and what is said of it, and the walk, are its own.
 */
#ifndef ORDER_WINDOW_H
#define ORDER_WINDOW_H

#include "model/reader.h"

struct window {
	struct job job;              /* looks ahead; first, so that a pointer to it is a pointer to this */
	struct look_ahead ahead;
	size_t vain_looks;           /* one after the other */
	struct reader *reader;
	struct walk *walk;
	struct record_refs found, scratch;
	size_t sorted;               /* of those found, the first that are in order */
	size_t complete;
	uint64_t newest, newest_of_last_round;
	uint64_t gone;               /* what is not newer than this has become complete */
	struct record_ref pending;   /* acted on before what has become complete; `p` is NULL if there is none */
	struct record_refs ready;    /* what has not been handed out begins at `out` */
	size_t out;
	uint64_t bytes;              /* of records in here */
	size_t max_refs;             /* of all that is in here */
	uint64_t max_bytes;          /* of its records */
	uint64_t max_held;           /* of memory that the pins of all windows of the reader keep */
	bool ended;
	int failed;                  /* what looking on failed with, 0 if it did not */
};

/* Makes some ready (0; at the end none), or gives a record that is acted on at once (1, in @out). Nothing is
 * ready when it is called. */
int window_fill(struct window *w, struct record_ref *out, struct sonde_error *err);

/* To be called now and then while there is something ready. What fails is said when nothing is. */
void window_look_on(struct window *w, struct sonde_error *err);

/* Frees what is in it, and the walk. */
void window_end(struct window *w);

/* How many are handed out between two looks: a power of two. */
#define WINDOW_LOOK_EVERY 64

static inline size_t window_nr_ready(const struct window *w)
{
	return w->ready.n - w->out;
}

#endif
