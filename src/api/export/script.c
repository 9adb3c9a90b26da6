/* SPDX-License-Identifier: MIT */
#include <sonde/text.h>

#include <stdlib.h>

#include "api/base/error.h"
#include "api/base/query.h"
#include "api/base/text_output.h"
#include "api/base/thread_count.h"
#include "api/trace/iter.h"
#include "api/trace/symbol.h"
#include "api/trace/trace.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "base/thread.h"
#include "export/script/lines.h"
#include "export/script/trace_name.h"
#include "export/trace_report/trace_report.h"

/* The iterator over the samples of the caller's query: by time, with the side band that attributes them. */
static struct sonde_iter *iterate(struct sonde_trace *const *traces, size_t nr, const struct sonde_script_opts *opts)
{
	const struct sonde_query q = query_by_time(OPT(opts, query, NULL));

	if (nr > 1)
		return sonde_iter_new_several(traces, nr, &q, OPT(opts, several, NULL));
	return sonde_iter_new(traces[0], &q);
}

/* Threads beside this one, within the memory of all traces. */
static unsigned helpers(struct sonde_trace *const *traces, size_t nr, const struct sonde_script_opts *opts)
{
	uint64_t memory = 0;

	for (size_t i = 0; i < nr; i++)
		memory += traces[i]->reader->max_memory;
	return thread_count(OPT(opts, threads, 0), memory) - 1;
}

/*
 * One helper keeps a second CPU busy: a third thread that looks ahead for the reading one would only stop the others.
 * With more of them, they wait for the one that reads.
 */
static void keep_busy(struct sonde_trace *const *traces, size_t nr, bool busy)
{
	for (size_t i = 0; i < nr; i++)
		traces[i]->reader->is_busy = busy;
}

/* Tells why a trace could not be read on, and which one of several. */
static struct sonde_error failure(struct sonde_trace *const *traces, size_t nr, const struct sonde_iter *it)
{
	const struct sonde_trace *t = traces[sonde_iter_trace(it)];
	struct sonde_error err = t->err;

	if (nr > 1)
		err_set(&err, t->err.code, t->err.file_offset, "%s: %s", t->path, t->err.text);
	return err;
}

/* ---- as perf ---- */

/* A trace, and the state for printing its lines. */
struct printed {
	struct sonde_trace *trace;
	struct symbols *symbols;
	size_t known;                /* evlist_size() when the script was last told */
};

/* The number of events and ids. Both can grow while a stream is read. */
static size_t evlist_size(const struct sonde_trace *t)
{
	return t->reader->evsels.n + t->reader->nr_ids;
}

static int set_evsels(struct script *s, struct printed *p)
{
	const struct reader *r = p->trace->reader;

	p->known = evlist_size(p->trace);
	return script_set_evsels(s, (const struct sonde_evsel *const *)r->evsels.at, r->evsels.n);
}

static int begin_script(struct script *s, struct printed *p, const struct sonde_script_opts *opts,
			struct script_out *out, struct sonde_error *err)
{
	int r;

	p->symbols = symbols_from_opts(OPT(opts, symbol_opts, NULL));
	if (!p->symbols || symbols_carry(p->symbols, &p->trace->reader->meta, p->trace->path) < 0)
		return err_nomem(err);
	r = script_init(s, opts, p->symbols, &p->trace->reader->meta, out, err);
	if (r < 0)
		return r;
	script_set_formats(s, p->trace->reader_formats);
	return set_evsels(s, p);
}

/* Tells the scripts of all traces their evlists. */
struct print_input {
	struct script *scripts;
	struct printed *printed;
	struct sonde_iter *it;
	struct single *single;       /* of the only trace; NULL: of several no heads are given */
	struct sample_heads heads;   /* the first one comes next */
};

static int next_event_to_print(struct print_input *in, struct script_input *out)
{
	size_t i = sonde_iter_trace(in->it);
	int r = 0;

	out->head = NULL;
	out->script = i;
	if (out->ev->kind == SONDE_KIND_META && evlist_size(in->printed[i].trace) != in->printed[i].known)
		r = set_evsels(&in->scripts[i], &in->printed[i]);
	return r < 0 ? r : 1;
}

static int next_head_to_print(struct print_input *in, struct script_input *out)
{
	out->head = in->heads.at++;
	in->heads.n--;
	out->script = 0;
	out->reader = in->printed[0].trace->reader;
	if (!script_takes_heads(in->scripts, out->head->evsel)) {
		out->ev = single_load(in->single, out->head);
		out->head = NULL;
	}
	return 1;
}

static int next_to_print(void *ctx, struct script_input *out)
{
	struct print_input *in = ctx;
	int r;

	if (in->heads.n)
		return next_head_to_print(in, out);
	r = in->single ? single_next_heads(in->single, &out->ev, &in->heads) : sonde_iter_next(in->it, &out->ev);
	if (r <= 0) {
		out->script = sonde_iter_trace(in->it);
		return r;
	}
	return r == 2 ? next_head_to_print(in, out) : next_event_to_print(in, out);
}

static int name_scripts(struct script *scripts, const struct printed *printed, size_t nr)
{
	const char **paths = calloc(nr, sizeof(*paths));
	int r = paths ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; paths && i < nr; i++)
		paths[i] = printed[i].trace->reader->info.path;
	if (paths)
		r = script_name(scripts, paths, nr);
	free(paths);
	return r;
}

static int print_as_perf(struct sonde_trace *const *traces, size_t nr, const struct sonde_script_opts *opts,
			 struct sonde_iter *it, struct buf *out, bool *any, struct sonde_error *err)
{
	struct sonde_error reading = { .file_offset = SONDE_NONE };  /* writing can fail at the same time */
	struct print_input in = { .scripts = calloc(nr, sizeof(*in.scripts)),
				  .printed = calloc(nr, sizeof(*in.printed)),
				  .it = it,
				  .single = iter_single(it) };
	struct script_out to = SCRIPT_OUT;
	unsigned nr_helpers = helpers(traces, nr, opts);
	int r = in.scripts && in.printed ? 0 : err_nomem(&reading);
	size_t begun = 0;

	for (; r == 0 && begun < nr; begun++) {
		in.printed[begun].trace = traces[begun];
		r = begin_script(&in.scripts[begun], &in.printed[begun], opts, &to, &reading);
	}
	if (r == 0 && nr > 1 && name_scripts(in.scripts, in.printed, nr) < 0)
		r = err_nomem(&reading);
	keep_busy(traces, nr, nr_helpers == 1 && thread_nr_cpus() <= 2);
	if (r == 0)
		r = script_run(in.scripts, next_to_print, &in, nr_helpers, out);
	keep_busy(traces, nr, false);
	if (r < 0 && !out->failed && err)
		*err = reading.code ? reading : failure(traces, nr, it);
	*any = out->n + out->written > 0;
	for (size_t i = 0; i < begun; i++) {
		script_free(&in.scripts[i]);
		symbols_free(in.printed[i].symbols);
	}
	free(in.scripts);
	free(in.printed);
	return r;
}

/* ---- as trace-cmd ---- */

static int next_event(void *ctx, const struct sonde_event **ev, size_t *trace)
{
	struct sonde_iter *it = ctx;
	int r = sonde_iter_next(it, ev);

	*trace = sonde_iter_trace(it);
	return r;
}

static int print_as_trace_cmd(struct sonde_trace *const *traces, size_t nr, const struct sonde_script_opts *opts,
			      struct sonde_iter *it, struct buf *out, bool *any, struct sonde_error *err)
{
	struct sonde_error reading = { .file_offset = SONDE_NONE };  /* writing can fail at the same time */
	struct report_input *in = calloc(nr, sizeof(*in));
	struct trace_report report;
	int r;

	if (!in)
		return err_nomem(err);
	for (size_t i = 0; i < nr; i++) {
		const struct reader *reader = traces[i]->reader;

		in[i] = (struct report_input){ .path = reader->info.path,
					       .raw_stamps = reader->raw_stamps,
					       .meta = &reader->meta,
					       .formats = traces[i]->reader_formats,
					       .evsels = (const struct sonde_evsel *const *)reader->evsels.at,
					       .nr_evsels = reader->evsels.n };
	}
	r = trace_report_init(&report, opts, in, nr, out, &reading);
	if (r == 0)
		r = trace_report_run(&report, next_event, it, helpers(traces, nr, opts));
	if (r < 0 && !out->failed && err)
		*err = reading.code ? reading : failure(traces, nr, it);
	*any = out->n + out->written > report.head_bytes;
	trace_report_free(&report);
	free(in);
	return r;
}

/* The layout to print, or negative if these traces do not have it. */
static int choose_layout(struct sonde_trace *const *traces, size_t nr, const struct sonde_script_opts *opts,
			 struct sonde_error *err)
{
	enum sonde_script_layout layout = OPT(opts, layout, SONDE_LAYOUT_AUTO);
	const struct sonde_trace *other = NULL;

	for (size_t i = 0; i < nr; i++) {
		if (!traces[i]->reader)
			return err_set(err, SONDE_USAGE, SONDE_NONE, "this trace is not open");
		if (strcmp(traces[i]->reader->info.format, "trace.dat") != 0)
			other = traces[i];
	}
	if (layout >= SONDE_LAYOUT_TRACE_CMD && other)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "the layout of trace-cmd is for a trace.dat, this is a %s",
			       other->reader->info.format);
	if (layout == SONDE_LAYOUT_AUTO)
		layout = other || OPT(opts, nr_fields, 0) || OPT(opts, show, 0) ? SONDE_LAYOUT_PERF :
			 SONDE_LAYOUT_TRACE_CMD;
	if (layout == SONDE_LAYOUT_PERF &&
	    (OPT(opts, nr_filters, 0) || OPT(opts, no_hardirq, false) || OPT(opts, no_softirq, false)))
		return err_set(err, SONDE_USAGE, SONDE_NONE,
			       "filters and the like are for a trace.dat that is printed in the layout of trace-cmd");
	return (int)layout;
}

static int check_opts(const struct sonde_script_opts *opts, struct sonde_error *err)
{
	int r = OPTS_CHECK(sonde_script_opts, opts, err);

	if (r == 0)
		r = OPTS_CHECK(sonde_query, OPT(opts, query, NULL), err);
	if (r == 0)
		r = OPTS_CHECK(sonde_symbols_opts, OPT(opts, symbol_opts, NULL), err);
	return r < 0 ? r : OPTS_CHECK(sonde_several_opts, OPT(opts, several, NULL), err);
}

static int script_several(struct sonde_trace *const *traces, size_t nr, const struct sonde_output *to,
			  const struct sonde_script_opts *opts, struct sonde_error *err)
{
	struct buf out = text_output(to, err);
	struct sonde_iter *it;
	bool any = false;
	int r = check_opts(opts, err), flushed, layout;

	if (r < 0)
		return r;
	if (nr == 0)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no trace");
	layout = choose_layout(traces, nr, opts, err);
	if (layout < 0)
		return layout;
	it = iterate(traces, nr, opts);
	if (!it)
		return err_nomem(err);
	r = layout == SONDE_LAYOUT_PERF ? print_as_perf(traces, nr, opts, it, &out, &any, err) :
					  print_as_trace_cmd(traces, nr, opts, it, &out, &any, err);
	flushed = buf_flush(&out);
	sonde_iter_free(it);
	buf_free(&out);
	return r < 0 ? r : flushed < 0 ? flushed : any;
}

int sonde_script_several(struct sonde_trace *const *traces, size_t nr, const struct sonde_output *to,
			 const struct sonde_script_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, script_several(traces, nr, to, opts, &own));
}

int sonde_script(struct sonde_trace *t, const struct sonde_output *to, const struct sonde_script_opts *opts,
		 struct sonde_error *err)
{
	return sonde_script_several(&t, 1, to, opts, err);
}
