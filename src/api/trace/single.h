/* SPDX-License-Identifier: MIT */
/* single.h - the events of one trace */
#ifndef API_TRACE_SINGLE_H
#define API_TRACE_SINGLE_H

#include <sonde/trace.h>

#include "model/reader.h"

struct single;

/* NULL when out of memory. The first step reports other failures. */
struct single *single_new(struct sonde_trace *t, const struct sonde_query *query);
/* With times aligned in this way, instead of that of the trace. */
struct single *single_new_aligned(struct sonde_trace *t, const struct sonde_query *query,
				  const struct sonde_alignment *how);
void single_free(struct single *it);

/* See sonde_iter_next() and sonde_iter_progress(). */
int single_next(struct single *it, const struct sonde_event **out);

/* Heads of samples: views until the next step. */
struct sample_heads {
	const struct sample_head *at;
	size_t n;
};

/*
 * As single_next(), for a program that looks at the content of samples elsewhere: 2 if heads of the next samples were
 * given instead of @out, by sample_heads() of the reader. single_load() gives the event of one of them. In file order
 * the reader is ahead of what is given, so its ledger too.
 */
int single_next_heads(struct single *it, const struct sonde_event **out, struct sample_heads *heads);
const struct sonde_event *single_load(struct single *it, const struct sample_head *head);

/*
 * Before the first step: plain samples are added to @sums instead of being given, until single_free(). False, and
 * nothing has changed, if the query chooses some of them, or their times are moved.
 */
bool single_sums(struct single *it, struct sample_sums *sums);

struct sonde_trace *single_trace(const struct single *it);
double single_progress(const struct single *it);

#endif
