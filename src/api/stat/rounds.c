/* SPDX-License-Identifier: MIT */
/* rounds.c - the public functions of recorded counts */
#include "api/stat/stat.h"

#include "api/trace/trace.h"

int sonde_stat_open_trace(struct sonde_stat *s, struct sonde_trace *t)
{
	if (s->refused)
		return -SONDE_USAGE;
	err_clear(&s->err);
	if (s->opened || s->trace || s->table.rows.n)
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "these counts are those of a counter or recording");
	if (!t->reader)
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "this trace is not open");
	s->iter = sonde_iter_new(t, NULL);
	if (!s->iter)
		return err_nomem(&s->err);
	s->trace = t;
	/* until the recording says more */
	s->table.by = SONDE_STAT_BY_EVENT;
	s->table.derived = s->table.only_known = !s->opts.no_rates;
	stat_recorded_begin(&s->recorded, &s->table, t->reader, s->opts.by);
	return 0;
}

int sonde_stat_next_round(struct sonde_stat *s)
{
	const struct sonde_event *ev;
	int n, r;

	if (s->refused)
		return -SONDE_USAGE;
	err_clear(&s->err);
	if (!s->trace)
		return err_set(&s->err, SONDE_USAGE, SONDE_NONE, "these counts are no recording");
	while ((n = sonde_iter_next(s->iter, &ev)) > 0) {
		r = stat_recorded_take(&s->recorded, ev, &s->err);
		if (r != 0)
			return r;
	}
	if (n < 0) {
		s->err = *sonde_iter_error(s->iter);
		return n;
	}
	return s->recorded.any ? 0 : err_set(&s->err, SONDE_MISSING, SONDE_NONE, "the trace has no counts");
}
