/* SPDX-License-Identifier: MIT */
/*
 * file_order.h - the references of a walk as they lie in the file, many at a time
 *
 * Another thread finds the next ones at hand (walk_ahead() in reader.h) while those before them are looked at. The
 * walk is therefore ahead of what has been handed out: by the records of one block.
 */
#ifndef ORDER_FILE_ORDER_H
#define ORDER_FILE_ORDER_H

#include "model/reader.h"

struct file_order {
	struct job job;              /* looks ahead; first, so that a pointer to it is a pointer to this */
	struct look_ahead ahead;
	struct reader *reader;
	struct walk *walk;           /* borrowed */
	struct record_refs found, ready;
	size_t out;                  /* of those ready, the first that has not been handed out */
	int state;                   /* of the walk: 1, 0 at the end, or what it failed with */
	struct sonde_error why;      /* if it has failed */
};

void file_order_start(struct file_order *o, struct reader *r, struct walk *walk);

/* The next references, at most @most: their number, 0 at the end, negative on failure. Valid until the next call. */
int file_order_next_run(struct file_order *o, size_t most, const struct record_ref **run, struct sonde_error *err);

/* To be called before the walk is freed; {0} is accepted. */
void file_order_end(struct file_order *o);

#endif
