/* SPDX-License-Identifier: MIT */
/* cross.h - conversion between file formats: the events that both can hold, and a ledger of the others */
#ifndef API_CONVERT_CROSS_H
#define API_CONVERT_CROSS_H

#include "model/rewriting.h"

/* Opens the trace of an image. */
int cross_open(struct sonde_trace *t, const struct image *im, const char *in, struct sonde_error *err);

/* Calls fn for each event by time. Returns 0, or the first negative result of fn, with the reason in the handle. */
typedef int (*cross_event_fn)(void *ctx, const struct sonde_event *ev);
int cross_walk(struct sonde_rewrite *handle, struct sonde_trace *t, cross_event_fn fn, void *ctx);

/* Adds the parts of an event, or of events of its kind, that were left out to the ledger. */
void cross_lose(struct sonde_rewrite *handle, const struct sonde_event *ev, const char *what);

#endif
