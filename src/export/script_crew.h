/* SPDX-License-Identifier: MIT */
/*
 * script_crew.h - samples formatted by several threads, written in their order
 *
 * Samples go into batches; a batch that is full is formatted into a buffer of its own by whichever thread is free, the
 * one that fills them included, and the buffers are written one after the other. A fixed number of batches goes round, so
 * memory does not grow with the trace.
 */
#ifndef EXPORT_SCRIPT_CREW_H
#define EXPORT_SCRIPT_CREW_H

#include "export/script_sample.h"

struct script_crew;

/* threads: that help the caller's, at least 1. -SONDE_NOMEM, or -SONDE_SYSTEM when no thread can be started. */
int script_crew_new(struct script_crew **out, const struct script *s, struct symbols *symbols, unsigned threads, struct buf *to);

/* Waits for the threads; what has not been written is dropped. NULL is accepted. */
void script_crew_free(struct script_crew *c);

/*
 * The place for the sample @ev, to be filled in before the next call; the record is copied. Writes what is ready. Look at the
 * failed field of the buffer that the crew writes to.
 */
struct script_moment *script_crew_next(struct script_crew *c, const struct sonde_event *ev);

/* Moves what is in @text behind what is in @to. To a descriptor it goes without being copied. */
void script_hand_over(struct buf *text, struct buf *to);

/* Formats and writes everything that there is. */
void script_crew_drain(struct script_crew *c);

#endif
