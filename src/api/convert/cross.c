/* SPDX-License-Identifier: MIT */
#include "api/convert/cross.h"

#include "api/trace/trace.h"

int cross_open(struct sonde_trace *t, const struct image *im, const char *in, struct sonde_error *err)
{
	int r = im->dir_fd >= 0 ? sonde_trace_open(t, in, NULL) : sonde_trace_open_fd(t, im->fd, in, NULL);

	if (r < 0)
		*err = *sonde_trace_error(t);
	return r;
}

int cross_walk(struct sonde_rewrite *handle, struct sonde_trace *t, cross_event_fn fn, void *ctx)
{
	const struct sonde_query query = { .sz = sizeof(query), .order = SONDE_ORDER_TIME };
	struct sonde_iter *it = sonde_iter_new(t, &query);
	const struct sonde_event *ev;
	int r = it ? 0 : err_nomem(&handle->err);

	t->progress = handle->progress.fn;
	t->progress_ctx = handle->progress.ctx;
	while (r == 0 && (r = sonde_iter_next(it, &ev)) > 0)
		r = fn(ctx, ev);
	if (r < 0 && !handle->err.code)
		handle->err = *sonde_trace_error(t);
	sonde_iter_free(it);
	return r;
}

void cross_lose(struct sonde_rewrite *handle, const struct sonde_event *ev, const char *what)
{
	ledger_add(&handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, ev->file_offset, ev->time, ev->cpu, "%s", what);
}
