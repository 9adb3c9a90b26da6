/* SPDX-License-Identifier: MIT */
/* evlist.c - the events of a trace: names, groups, frequencies, attrs, fields */
#include <sonde/tracepoint.h>

#include <inttypes.h>

#include "api/base/error.h"
#include "api/base/text_output.h"
#include "api/describe/describe.h"
#include "api/trace/meta.h"
#include "base/opts.h"
#include "perfdata/format/attr_text.h"

#define TYPE_TRACEPOINT 2   /* PERF_TYPE_TRACEPOINT */

struct evlist_print {
	struct sonde_trace *t;
	const struct meta *meta;
	struct buf *out;
};

static void put_text(struct evlist_print *l, const char *text)
{
	buf_text(l->out, text, strlen(text));
}

static const char *pmu_name(const struct evlist_print *l, uint32_t type)
{
	for (size_t i = 0; i < l->meta->nr_pmus; i++)
		if (l->meta->pmus[i].type == type)
			return l->meta->pmus[i].name;
	return NULL;
}

static void print_attr(struct evlist_print *l, const struct sonde_evsel *s)
{
	buf_char(l->out, ' ');
	attr_list(l->out, s->attr, pmu_name(l, attr_pmu(s->attr)), s->name);
}

static void print_freq(struct evlist_print *l, const struct sonde_attr *attr)
{
	buf_str(l->out, attr->flags & SONDE_ATTR_FREQ ? " sample_freq=" : " sample_period=");
	buf_u64(l->out, attr->sample_period);
}

static void print_fields(struct evlist_print *l, const struct sonde_evsel *s)
{
	const struct sonde_tracepoint *tp = sonde_trace_tracepoint(l->t, s);
	const struct sonde_tracepoint_field *field;
	const char *sep = "";

	if (!tp) {
		buf_str(l->out, s->attr && s->attr->type != TYPE_TRACEPOINT ?
			" (not a tracepoint)" : " (its format is not in the trace)");
		return;
	}
	buf_str(l->out, " trace_fields: ");
	for (size_t i = 0; (field = sonde_tracepoint_field_at(tp, i)); i++) {
		if (field->flags & SONDE_TRACEPOINT_COMMON)
			continue;
		buf_str(l->out, sep);
		put_text(l, field->name);
		sep = ",";
	}
}

static void print_event(struct evlist_print *l, const struct sonde_evsel *s, const struct sonde_evlist_opts *opts)
{
	bool attrs = OPT(opts, attrs, false) && s->attr, freq = OPT(opts, freq, false) && s->attr && !attrs;

	put_text(l, s->name);
	if (attrs || freq)
		buf_char(l->out, ':');
	if (attrs)
		print_attr(l, s);
	if (freq)
		print_freq(l, s->attr);
	if (OPT(opts, fields, false)) {
		buf_char(l->out, attrs || freq ? ',' : ':');
		print_fields(l, s);
	}
	buf_char(l->out, '\n');
}

/* "name{leader,member,...}" for a group; only the name of an event outside groups. */
static void print_group(struct evlist_print *l, const struct sonde_evsel *leader, size_t end)
{
	if (leader->group)
		put_text(l, leader->group);
	if (end > leader->index + 1u)
		buf_char(l->out, '{');
	for (size_t i = leader->index; i < end; i++) {
		if (i > leader->index)
			buf_char(l->out, ',');
		put_text(l, sonde_trace_evsel_at(l->t, i)->name);
	}
	buf_str(l->out, end > leader->index + 1u ? "}\n" : "\n");
}

static void print_groups(struct evlist_print *l)
{
	size_t n = sonde_trace_evsel_count(l->t), end;

	for (size_t i = 0; i < n; i = end) {
		end = i + 1;
		while (end < n && sonde_trace_evsel_at(l->t, end)->leader == i)
			end++;
		print_group(l, sonde_trace_evsel_at(l->t, i), end);
	}
}

static int trace_evlist(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_evlist_opts *opts,
			struct sonde_error *err)
{
	struct buf out = text_output(to, err);
	struct evlist_print l = { .t = t, .out = &out };
	int r = OPTS_CHECK(sonde_evlist_opts, opts, err), w;

	if (r < 0)
		return r;
	r = describe_read_beginning(t, err);
	l.meta = trace_meta(t);
	if (OPT(opts, groups, false))
		print_groups(&l);
	else
		for (size_t i = 0; i < sonde_trace_evsel_count(t); i++)
			print_event(&l, sonde_trace_evsel_at(t, i), opts);
	w = buf_flush(&out);
	buf_free(&out);
	return r < 0 ? r : w;
}

int sonde_trace_evlist(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_evlist_opts *opts,
		       struct sonde_error *err)
{
	WITH_ERROR(err, own, trace_evlist(t, to, opts, &own));
}
