/* SPDX-License-Identifier: MIT */
/* iter.c - the iterator over the events of one trace or of several */
#include <stdlib.h>

#include "api/trace/iter.h"
#include "api/trace/several.h"
#include "base/opts.h"

struct sonde_iter {
	struct single *single;
	struct several *several;     /* one of the two is set, unless the query was refused */
	struct sonde_error refusal;
};

struct sonde_iter *sonde_iter_new(struct sonde_trace *t, const struct sonde_query *query)
{
	struct sonde_iter *it = calloc(1, sizeof(*it));

	if (!it || OPTS_CHECK(sonde_query, query, &it->refusal) < 0)
		return it;
	it->single = single_new(t, query);
	if (!it->single) {
		free(it);
		return NULL;
	}
	return it;
}

struct sonde_iter *sonde_iter_new_several(struct sonde_trace *const *traces, size_t nr, const struct sonde_query *query,
					  const struct sonde_several_opts *opts)
{
	struct sonde_iter *it = calloc(1, sizeof(*it));

	if (!it || OPTS_CHECK(sonde_query, query, &it->refusal) < 0 ||
	    OPTS_CHECK(sonde_several_opts, opts, &it->refusal) < 0)
		return it;
	it->several = several_new(traces, nr, query, opts);
	if (!it->several) {
		free(it);
		return NULL;
	}
	return it;
}

void sonde_iter_free(struct sonde_iter *it)
{
	if (!it)
		return;
	single_free(it->single);
	several_free(it->several);
	free(it);
}

struct single *iter_single(struct sonde_iter *it)
{
	return it->single;
}

int sonde_iter_next(struct sonde_iter *it, const struct sonde_event **out)
{
	if (it->refusal.code)
		return -(int)it->refusal.code;
	return it->several ? several_next(it->several, out) : single_next(it->single, out);
}

const struct sonde_error *sonde_iter_error(const struct sonde_iter *it)
{
	if (it->refusal.code)
		return &it->refusal;
	return sonde_trace_error(it->several ? several_trace_of(it->several) : single_trace(it->single));
}

size_t sonde_iter_trace(const struct sonde_iter *it)
{
	return it->several ? several_trace(it->several) : 0;
}

double sonde_iter_progress(const struct sonde_iter *it)
{
	if (it->several)
		return several_progress(it->several);
	return it->single ? single_progress(it->single) : 0;
}
