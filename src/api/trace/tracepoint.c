/* SPDX-License-Identifier: MIT */
/* tracepoint.c - formats of tracepoints; struct sonde_tracepoint is the event of the tracefmt room */
#include <sonde/tracepoint.h>

#include <limits.h>

#include "api/trace/meta.h"
#include "api/trace/tracepoint.h"
#include "base/opts.h"
#include "tracefmt/blob.h"
#include "tracefmt/field.h"
#include "tracefmt/print.h"
#include "tracefmt/text.h"
#include "tracefmt/tracefmt.h"

#define TYPE_TRACEPOINT 2   /* PERF_TYPE_TRACEPOINT */

static const struct tracefmt_event *event(const struct sonde_tracepoint *tp)
{
	return (const struct tracefmt_event *)tp;
}

const struct tracefmt *trace_formats(struct sonde_trace *t)
{
	const struct meta *m = t->formats ? NULL : trace_meta(t);

	if (t->reader_formats)
		return t->reader_formats;
	for (size_t i = 0; m && i < m->nr_raw && !t->formats; i++)
		if (m->raw[i].id == SONDE_FEAT_TRACING_DATA)
			tracefmt_open(m->raw[i].payload, m->raw[i].file_offset, &t->formats, NULL);
	return t->formats;
}

const struct sonde_tracepoint *sonde_trace_tracepoint(struct sonde_trace *t, const struct sonde_evsel *evsel)
{
	bool has_format = evsel && evsel->attr && evsel->attr->type == TYPE_TRACEPOINT;
	const struct tracefmt *f = has_format ? trace_formats(t) : NULL;

	return f ? (const struct sonde_tracepoint *)tracefmt_event(f, evsel->attr->config) : NULL;
}

const char *sonde_tracepoint_name(const struct sonde_tracepoint *tp)
{
	return event(tp)->full_name;
}

size_t sonde_tracepoint_field_count(const struct sonde_tracepoint *tp)
{
	return event(tp)->nr_fields;
}

const struct sonde_tracepoint_field *sonde_tracepoint_field_at(const struct sonde_tracepoint *tp, size_t i)
{
	return i < event(tp)->nr_fields ? &event(tp)->fields[i] : NULL;
}

const struct sonde_tracepoint_field *sonde_tracepoint_field(const struct sonde_tracepoint *tp, const char *name)
{
	return tracefmt_field(event(tp), name);
}

bool sonde_tracepoint_u64(const struct sonde_tracepoint *tp, const struct sonde_tracepoint_field *f,
			  const struct sonde_bytes *raw, uint64_t *out)
{
	return tracefmt_u64(event(tp), f, *raw, out);
}

bool sonde_tracepoint_element(const struct sonde_tracepoint *tp, const struct sonde_tracepoint_field *f,
			      const struct sonde_bytes *raw, uint64_t i, uint64_t *out)
{
	return tracefmt_element(event(tp), f, *raw, i, out);
}

bool sonde_tracepoint_bytes(const struct sonde_tracepoint *tp, const struct sonde_tracepoint_field *f,
			    const struct sonde_bytes *raw, struct sonde_bytes *out)
{
	return tracefmt_bytes(event(tp), f, *raw, out);
}

bool sonde_tracepoint_string(const struct sonde_tracepoint *tp, const struct sonde_tracepoint_field *f,
			     const struct sonde_bytes *raw, struct sonde_str *out)
{
	return tracefmt_string(event(tp), f, *raw, out);
}

int sonde_tracepoint_print(const struct sonde_tracepoint *tp, const struct sonde_bytes *raw,
			   const struct sonde_tracepoint_print_opts *opts, char *out, size_t size)
{
	const struct tracefmt_context context = {
		.ctx = OPT(opts, ctx, NULL),
		.symbol = OPT(opts, symbol, NULL),
		.style = OPT(opts, style, 0) == SONDE_TRACEPOINT_TRACE_CMD ? TRACEFMT_TRACE_CMD : TRACEFMT_KERNEL,
		.leaf = { OPT(opts, leaf.p, NULL), OPT(opts, leaf.len, 0) },
		.depth = OPT(opts, depth, 0),
		.time = OPT(opts, time, 0),
		.boot = tracefmt_boot(event(tp)->set, OPT(opts, buffer, NULL)),
	};
	struct buf text = BUF_MEMORY;
	size_t n;
	int r = OPTS_CHECK(sonde_tracepoint_print_opts, opts, NULL);

	if (r < 0)
		return r;
	tracefmt_print(event(tp), *raw, &context, &text);
	r = text.failed ? text.failed : text.n > INT_MAX ? INT_MAX : (int)text.n;
	if (r >= 0 && size) {
		n = text.n < size ? text.n : size - 1;
		if (n)
			memcpy(out, text.p, n);
		out[n] = '\0';
	}
	buf_free(&text);
	return r;
}

const char *sonde_tracepoint_unprintable(const struct sonde_tracepoint *tp)
{
	return tracefmt_unprintable(event(tp));
}
