/* SPDX-License-Identifier: MIT */
/* several.h - the events of several traces in one order of time */
#ifndef API_TRACE_SEVERAL_H
#define API_TRACE_SEVERAL_H

#include <sonde/trace.h>

/* Each trace has an iterator; the oldest event among their heads comes next. */
struct several;

/* NULL when out of memory. The array of traces is read during the call only. */
struct several *several_new(struct sonde_trace *const *traces, size_t nr, const struct sonde_query *query,
			    const struct sonde_several_opts *opts);
void several_free(struct several *s);

/* See sonde_iter_next(), sonde_iter_trace(), sonde_iter_progress(). */
int several_next(struct several *s, const struct sonde_event **out);
size_t several_trace(const struct several *s);
/* The trace of that index. */
const struct sonde_trace *several_trace_of(const struct several *s);
double several_progress(const struct several *s);

#endif
