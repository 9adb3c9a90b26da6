/* SPDX-License-Identifier: MIT */
/* iter.c - events one after the other, of one trace or of several */
#include <stdlib.h>

#include "api/several.h"
#include "api/single.h"

struct sonde_iter {
	struct single *single;
	struct several *several;     /* one of the two */
};

struct sonde_iter *sonde_iter_new(struct sonde_trace *t, const struct sonde_query *query)
{
	struct sonde_iter *it = calloc(1, sizeof(*it));

	if (!it)
		return NULL;
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

	if (!it)
		return NULL;
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

int sonde_iter_next(struct sonde_iter *it, const struct sonde_event **out)
{
	return it->several ? several_next(it->several, out) : single_next(it->single, out);
}

const struct sonde_error *sonde_iter_error(const struct sonde_iter *it)
{
	return sonde_trace_error(it->several ? several_trace_of(it->several) : single_trace(it->single));
}

size_t sonde_iter_trace(const struct sonde_iter *it)
{
	return it->several ? several_trace(it->several) : 0;
}

double sonde_iter_progress(const struct sonde_iter *it)
{
	return it->several ? several_progress(it->several) : single_progress(it->single);
}
