/* SPDX-License-Identifier: MIT */
/* lines.h - the lines of all traces: one thread at a time reads in time order, several format */
#ifndef EXPORT_SCRIPT_LINES_H
#define EXPORT_SCRIPT_LINES_H

#include "export/script/script.h"

/* An event, or the head of a sample that script_takes_heads() of its evsel. */
struct script_input {
	const struct sonde_event *ev;
	const struct sample_head *head;      /* NULL: the event */
	const struct reader *reader;         /* of the head */
	size_t script;
};

/* Gives the next input in time order: 1, 0 at the end, or negative. One thread at a time calls it. */
typedef int script_next(void *ctx, struct script_input *in);

/*
 * Prints all events, with up to @helpers threads beside the caller's. The evsels of the events live until it returns. 0
 * or negative.
 */
int script_run(struct script *scripts, script_next *next, void *ctx, unsigned helpers, struct buf *to);

#endif
