/* SPDX-License-Identifier: MIT */
/* summary.c - summaries of the records of a trace */
#include <sonde/text.h>

#include "api/base/error.h"
#include "api/base/query.h"
#include "api/base/text_output.h"
#include "api/trace/trace.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "export/summary/stats.h"
#include "export/summary/tasks.h"
#include "export/summary/threads.h"

static struct summary *new_summary(enum sonde_summary what)
{
	switch (what) {
	case SONDE_SUMMARY_STATS: return summary_stats_new();
	case SONDE_SUMMARY_TASKS: return summary_tasks_new(false);
	case SONDE_SUMMARY_MMAPS: return summary_tasks_new(true);
	case SONDE_SUMMARY_THREADS: return summary_threads_new();
	}
	return NULL;
}

static int read_all(struct sonde_iter *it, struct summary *s)
{
	const struct sonde_event *ev;
	int r;

	while ((r = sonde_iter_next(it, &ev)) > 0)
		if (s->event(s, ev) < 0)
			return -SONDE_NOMEM;
	return r;
}

static int write_summary(struct sonde_trace *t, enum sonde_summary what, const struct sonde_output *to,
			 const struct sonde_query *query, struct sonde_error *err)
{
	struct sonde_query by_time = query_by_time(query);
	struct buf out = text_output(to, err);
	int r = OPTS_CHECK(sonde_query, query, err), w = 0;
	struct sonde_iter *it;
	struct summary *s;

	if (r < 0)
		return r;
	by_time.split_reads = false;  /* records are counted */
	it = sonde_iter_new(t, &by_time);
	s = new_summary(what);
	r = it && s ? read_all(it, s) : -SONDE_NOMEM;
	if (r == -SONDE_NOMEM)
		err_nomem(err);
	else if (r < 0 && err && err->code == 0)
		*err = t->err;
	if (r != -SONDE_NOMEM && s->put(s, &out) < 0)
		r = err_nomem(err);
	w = buf_flush(&out);
	buf_free(&out);
	if (s)
		s->free(s);
	sonde_iter_free(it);
	return r < 0 ? r : w;
}

int sonde_summary(struct sonde_trace *t, enum sonde_summary what, const struct sonde_output *to,
		  const struct sonde_query *query, struct sonde_error *err)
{
	WITH_ERROR(err, own, write_summary(t, what, to, query, &own));
}
