/* SPDX-License-Identifier: MIT */
/* time_span.c - the times of the first and the last sample */
#include "api/trace/trace.h"

/* Reads all samples, in any order. */
static int look_at_all(struct sonde_trace *t, uint64_t *first, uint64_t *last)
{
	const struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_FILE, .samples_only = true };
	struct sonde_iter *it = sonde_iter_new(t, &query);
	const struct sonde_event *ev;
	int r;

	if (!it)
		return err_nomem(&t->err);
	*first = UINT64_MAX;
	*last = 0;
	while ((r = sonde_iter_next(it, &ev)) > 0) {
		if (ev->time == SONDE_NONE)
			continue;
		*first = ev->time < *first ? ev->time : *first;
		*last = ev->time > *last ? ev->time : *last;
	}
	sonde_iter_free(it);
	if (r == 0 && *first > *last)
		r = err_set(&t->err, SONDE_MISSING, SONDE_NONE, "no sample has a time, so there are no shares");
	return r;
}

int sonde_trace_time_span(struct sonde_trace *t, uint64_t *first, uint64_t *last)
{
	const struct sonde_meta *meta = t->profile ? NULL : sonde_trace_meta(t);
	int64_t shift = t->reader ? t->reader->time_shift : 0;
	bool cut = false;

	err_clear(&t->err);
	if (!meta)
		return err_set(&t->err, SONDE_UNSUPPORTED, SONDE_NONE,
			       "a profile of another tool has no shares of time: give seconds");
	if (meta->sample_time_first && meta->sample_time_first <= meta->sample_time_last) {
		*first = clocks_move(meta->sample_time_first, shift, &cut);
		*last = clocks_move(meta->sample_time_last, shift, &cut);
		return 0;
	}
	if (t->reader && t->reader->info.data_size == SONDE_NONE)
		return err_set(
			&t->err, SONDE_UNSUPPORTED, SONDE_NONE,
			"the length of a stream is unknown, so it has no shares: give seconds, or a file");
	return look_at_all(t, first, last);
}
