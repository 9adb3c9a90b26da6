/* SPDX-License-Identifier: MIT */
/* live.h - a recording that is decoded while it goes on: a pipe, and the thread at its reading end */
#ifndef API_RECORD_LIVE_H
#define API_RECORD_LIVE_H

#include <sonde/perf_recorder.h>
#include <sonde/trace.h>

struct live;

/* Reads the whole trace, on the thread of the live. The pipe is emptied in any case after it. */
typedef int (*live_reader)(void *ctx, struct live *l);

int live_new(live_reader read, void *ctx, struct live **out, struct sonde_error *err);

/* The writing end of the pipe, which is the live's. */
int live_fd(const struct live *l);

/* Nothing more is delivered. NULL is accepted here and below. */
void live_cancel(struct live *l);

/*
 * Closes the writing end and waits until everything is read. Returns what the reader returned, 0 after live_cancel().
 * @err: set if the stream could not be read
 */
int live_finish(struct live *l, struct sonde_error *err);

/* The trace, for the reader, and after live_finish(); lives as long as @l. */
struct sonde_trace *live_trace(const struct live *l);

/* After live_finish() or live_cancel(), or when nothing writes any more. */
void live_free(struct live *l);

/* Calls o->event for each event that is not about the file. Returns what it returned, or an error. */
int live_deliver(struct live *l, const struct sonde_perf_recorder_opts *o);

#endif
