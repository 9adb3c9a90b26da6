/* SPDX-License-Identifier: MIT */
/* profile.c - a profile of traces. */
#include <sonde/profile.h>

#include <stdlib.h>

#include "analyze/profile.h"
#include "api/query.h"
#include "api/symbol.h"
#include "api/trace.h"
#include "base/bytes.h"

struct sonde_profile *sonde_profile_new(const struct sonde_profile_opts *opts)
{
	struct sonde_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (profile_init(p, opts, symbols_from_opts(OPT(opts, symbols, NULL))) < 0) {
		sonde_profile_free(p);
		return NULL;
	}
	return p;
}

void sonde_profile_free(struct sonde_profile *p)
{
	if (!p)
		return;
	profile_free(p);
	free(p);
}

static int add(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *query)
{
	const struct sonde_query q = query_by_time(query);
	const struct sonde_meta *meta = sonde_trace_meta(t);
	struct sonde_iter *it;
	const struct sonde_event *ev;
	int r = profile_begin_trace(p, t->reader_formats);

	for (size_t i = 0; i < sonde_trace_sources(t) && r == 0; i++)
		if (profile_source(p, sonde_trace_source(t, i)) == UINT32_MAX)
			r = -SONDE_NOMEM;
	if (r == 0)
		r = symbols_carry(p->symbols, meta);
	for (size_t i = 0; i < t->nr_files && r == 0; i++)
		r = vec_push(&p->inputs, t->files[i]);
	it = r == 0 ? sonde_iter_new(t, &q) : NULL;
	if (!it)
		return -SONDE_NOMEM;
	while ((r = sonde_iter_next(it, &ev)) > 0) {
		r = profile_event(p, ev, meta);
		if (r < 0)
			break;
	}
	sonde_iter_free(it);
	return profile_end_trace(p) < 0 ? -SONDE_NOMEM : r;
}

int sonde_profile_add(struct sonde_profile *p, struct sonde_trace *t, const struct sonde_query *query)
{
	int r = add(p, t, query);

	if (r != -SONDE_NOMEM)
		return r;
	p->out_of_memory = true;
	return err_nomem(&t->err);
}

size_t sonde_profile_events(const struct sonde_profile *p, const struct sonde_profile_event **out)
{
	*out = p->events.at;
	return p->events.n;
}

size_t sonde_profile_tasks(const struct sonde_profile *p, const struct sonde_profile_task **out)
{
	*out = p->who.at;
	return p->who.n;
}

size_t sonde_profile_frames(const struct sonde_profile *p)
{
	return p->frames.list.n;
}

size_t sonde_profile_stacks(const struct sonde_profile *p, const struct sonde_profile_stack **out)
{
	*out = p->stacks.list.at;
	return p->stacks.list.n;
}

size_t sonde_profile_cells(const struct sonde_profile *p, const struct sonde_profile_cell **out)
{
	*out = p->cells.at;
	return p->cells.n;
}
