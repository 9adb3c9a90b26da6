/* SPDX-License-Identifier: MIT */
/* single.h - the events of one trace */
#ifndef API_SINGLE_H
#define API_SINGLE_H

#include <sonde/trace.h>

struct single;

/* NULL when out of memory. The first step reports other failures. */
struct single *single_new(struct sonde_trace *t, const struct sonde_query *query);
void single_free(struct single *it);

/* See sonde_iter_next() and sonde_iter_progress(). */
int single_next(struct single *it, const struct sonde_event **out);
struct sonde_trace *single_trace(const struct single *it);
double single_progress(const struct single *it);

#endif
