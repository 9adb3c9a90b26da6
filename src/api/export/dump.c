/* SPDX-License-Identifier: MIT */
#include <sonde/text.h>

#include <string.h>

#include "api/base/error.h"
#include "api/base/query.h"
#include "api/base/text_output.h"
#include "api/trace/trace.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "export/dump/dump.h"
#include "export/dump/perf_layout.h"

static int put_fields(struct sonde_trace *t, struct sonde_iter *it, struct buf *out, bool hex)
{
	const struct sonde_event *ev;
	int r;

	while ((r = sonde_iter_next(it, &ev)) > 0 && !out->failed)
		dump_event(out, ev, &t->reader->meta, hex);
	return r;
}

static int put_as_perf(struct sonde_trace *t, struct sonde_iter *it, struct buf *out)
{
	const struct sonde_trace_info *info = sonde_trace_info(t);
	bool piped = info->mode == SONDE_MODE_PIPE;
	const struct sonde_event *ev;
	struct perf_layout layout;
	int r = perf_layout_init(&layout, t->reader, piped ? NULL : info->path);

	layout.stream_begin = info->data_offset;
	layout.files = info->files;
	layout.nr_files = info->nr_files;
	while (r == 0 && (r = sonde_iter_next(it, &ev)) > 0 && !out->failed)
		r = perf_layout_event(&layout, out, ev);
	perf_layout_free(&layout);
	return r == -SONDE_NOMEM ? err_nomem(&t->err) : r;
}

static int dump(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_dump_opts *opts,
		struct sonde_error *err)
{
	bool as_perf = OPT(opts, layout, SONDE_DUMP_FIELDS) == SONDE_DUMP_PERF &&
		       strcmp(sonde_trace_info(t)->format, "perf.data") == 0;
	const struct sonde_query *query = OPT(opts, query, NULL);
	struct sonde_query by_time;
	struct buf out = text_output(to, err);
	struct sonde_iter *it;
	int r = OPTS_CHECK(sonde_dump_opts, opts, err);

	if (r < 0)
		return r;
	if (as_perf) {
		by_time = query_by_time(query);
		by_time.split_reads = false;  /* a record is shown once */
		query = &by_time;
	}
	it = sonde_iter_new(t, query);
	if (!it)
		return err_nomem(err);
	r = as_perf ? put_as_perf(t, it, &out) : put_fields(t, it, &out, OPT(opts, hex, false));
	if (r < 0 && err && err->code == 0)
		*err = t->err;
	if (buf_flush(&out) < 0)
		r = out.failed;
	buf_free(&out);
	sonde_iter_free(it);
	return r;
}

int sonde_dump(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_dump_opts *opts,
	       struct sonde_error *err)
{
	WITH_ERROR(err, own, dump(t, to, opts, &own));
}
