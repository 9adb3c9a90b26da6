/* SPDX-License-Identifier: MIT */
/* export_events.c - the events of a trace in the format of another tool */
#include "api/export/export_events.h"

#include <stdlib.h>
#include <string.h>

#include "api/base/error.h"
#include "api/base/file_output.h"
#include "api/base/query.h"
#include "api/base/text_output.h"
#include "api/trace/symbol.h"
#include "api/trace/trace.h"
#include "api/trace/tracepoint.h"
#include "base/bytes.h"
#include "base/opts.h"
#include "export/chrome/chrome.h"
#include "export/csv/csv.h"
#include "export/ctf/ctf.h"
#include "export/json_lines/json_lines.h"
#include "export/perfetto/perfetto.h"
#include "export/sqlite/sqlite.h"

static const struct event_format {
	struct sonde_export_format pub;
	int (*write)(struct event_rows *e);
	bool is_directory, has_runs;
} formats[] = {
	{ { "chrome", "Chrome's trace event JSON, for viewers of time lines; perfetto has more", true },
	  export_chrome, .has_runs = true },
	{ { "csv", "every event a row of comma-separated values: docs/events-json.md", true }, export_csv },
	{ { "ctf", "a directory of the Common Trace Format 1.8, for babeltrace2 and Trace Compass", true },
	  export_ctf, true },
	{ { "json-lines", "every event a JSON object on a line: docs/events-json.md", true }, export_json_lines },
	{ { "perfetto", "a trace of Perfetto: samples with stacks, scheduling, tracepoints", true },
	  export_perfetto, .has_runs = true },
	{ { "sqlite", "a database of samples, stacks, scheduling and tracepoints: docs/events-sql.md", true },
	  export_sqlite, .has_runs = true },
};

const struct sonde_export_format *export_events_format_at(size_t i)
{
	return i < ARRAY_SIZE(formats) ? &formats[i].pub : NULL;
}

static const struct event_format *find_format(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (strcmp(formats[i].pub.name, name) == 0)
			return &formats[i];
	return NULL;
}

static int next_event(void *ctx, const struct sonde_event **ev, size_t *input)
{
	struct events_walk *w = ctx;
	int r = sonde_iter_next(w->it, ev);

	*input = sonde_iter_trace(w->it);
	if (r < 0 && w->rows.err)
		*w->rows.err = *sonde_iter_error(w->it);
	return r;
}

static const struct tracefmt *known_formats(void *ctx, size_t input)
{
	return trace_formats(((struct events_walk *)ctx)->traces[input]);
}

static int check_opts(const struct sonde_events_opts *opts, struct sonde_error *err)
{
	int r = OPTS_CHECK(sonde_query, opts->query, err);

	return r < 0 ? r : OPTS_CHECK(sonde_symbols_opts, opts->symbols, err);
}

/* 0 or -SONDE_NOMEM. */
static int take_traces(struct events_walk *w, struct sonde_trace *t)
{
	const struct sonde_events_opts *opts = &w->rows.opts;
	size_t nr = opts->nr_others + 1;

	w->inputs = calloc(nr, sizeof(*w->inputs));
	w->traces = calloc(nr, sizeof(*w->traces));
	if (!w->inputs || !w->traces)
		return -SONDE_NOMEM;
	w->nr_traces = nr;
	for (size_t i = 0; i < nr; i++) {
		w->traces[i] = i ? opts->others[i - 1] : t;
		w->inputs[i].reader = w->traces[i]->reader;
		w->inputs[i].kernel = w->traces[i]->reader_formats;
		w->inputs[i].alignment = sonde_trace_alignment(w->traces[i]);
	}
	w->rows.inputs = w->inputs;
	w->rows.nr_inputs = nr;
	return 0;
}

/* With the options in @w. */
static int begin(struct events_walk *w, struct sonde_trace *t)
{
	struct event_rows *e = &w->rows;
	struct sonde_query q = query_by_time(e->opts.query);

	if (e->opts.event) {
		q.events = &e->opts.event;
		q.nr_events = 1;
	}
	e->next = next_event;
	e->formats = known_formats;
	e->ctx = w;
	e->symbols = symbols_from_opts(e->opts.symbols);
	if (take_traces(w, t) < 0)
		return err_nomem(e->err);
	for (size_t i = 0; w->has_runs && i < w->nr_traces; i++) {
		int r = sched_scope_of(w->traces[i]->reader, w->inputs[i].kernel, &w->inputs[i].scope, e->err);

		if (r < 0)
			return r;
	}
	w->it = w->nr_traces > 1 ? sonde_iter_new_several(w->traces, w->nr_traces, &q, NULL) : sonde_iter_new(t, &q);
	if (!e->symbols || !w->it)
		return err_nomem(e->err);
	for (size_t i = 0; i < w->nr_traces; i++)
		if (symbols_carry(e->symbols, &w->inputs[i].reader->meta, w->traces[i]->path) < 0)
			return err_nomem(e->err);
	return event_rows_init(e);
}

int events_walk_begin(struct events_walk *w, struct sonde_trace *t, const struct sonde_events_opts *opts)
{
	struct event_rows *e = &w->rows;
	int r = OPTS_TAKE(sonde_events_opts, &e->opts, opts, e->err);
	bool open = t->reader;

	if (r == 0)
		r = check_opts(&e->opts, e->err);
	for (size_t i = 0; r == 0 && i < e->opts.nr_others; i++)
		open = open && e->opts.others[i]->reader;
	if (r == 0 && !open)
		r = err_set(e->err, SONDE_USAGE, SONDE_NONE, "this trace is not open");
	return r < 0 ? r : begin(w, t);
}

int events_walk_end(struct events_walk *w, int r)
{
	if (w->inputs)
		event_rows_free(&w->rows);
	if (r >= 0 && w->rows.symbols && symbols_out_of_memory(w->rows.symbols))  /* while a name was made */
		r = err_nomem(w->rows.err);
	sonde_iter_free(w->it);
	symbols_free(w->rows.symbols);
	free(w->traces);
	free(w->inputs);
	return r;
}

/* With the place to write to that is in @w. */
static int walk(struct sonde_trace *t, const struct sonde_events_opts *opts, int (*write)(struct event_rows *e),
		struct events_walk *w)
{
	int r = events_walk_begin(w, t, opts);

	if (r == 0)
		r = write(&w->rows);
	r = events_walk_end(w, r);
	return r < 0 ? r : w->rows.nr_samples > 0;
}

int export_events_walk(struct sonde_trace *t, const struct sonde_events_opts *opts,
		       int (*write)(struct event_rows *e), void *target, struct sonde_error *err)
{
	struct events_walk w = { .rows = { .target = target, .err = err }, .has_runs = true };

	return walk(t, opts, write, &w);
}

static int export_to(struct sonde_trace *t, const char *name, const struct sonde_output *to,
		     const struct sonde_events_opts *opts, struct sonde_error *err)
{
	const struct event_format *format = find_format(name);
	struct buf out = text_output(to, err);
	struct events_walk w = { .rows = { .out = &out, .err = err } };
	int r, failed;

	if (!format)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no format '%s' for events", name);
	if (format->is_directory)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "format '%s' is a directory, which needs a path", name);
	w.has_runs = format->has_runs;
	r = walk(t, opts, format->write, &w);
	failed = r < 0 ? 0 : buf_flush(&out);
	buf_free(&out);
	return failed < 0 ? failed : r;
}

int sonde_export_events(struct sonde_trace *t, const char *format, const struct sonde_output *to,
			const struct sonde_events_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, export_to(t, format, to, opts, &own));
}

/* The arguments of export_to(). */
struct events_request {
	struct sonde_trace *trace;
	const char *format;
	const struct sonde_events_opts *opts;
};

static int write_export(void *ctx, const struct sonde_output *to, struct sonde_error *err)
{
	const struct events_request *r = ctx;

	return export_to(r->trace, r->format, to, r->opts, err);
}

static int export_directory(struct sonde_trace *t, const struct event_format *format, const char *path,
			    const struct sonde_events_opts *opts, struct sonde_error *err)
{
	struct output_dir dir;
	struct events_walk w = { .rows = { .dir = &dir, .err = err } };
	int r = output_dir_open(&dir, path, err), failed;

	if (r < 0)
		return r;
	w.has_runs = format->has_runs;
	r = walk(t, opts, format->write, &w);
	failed = r < 0 ? 0 : output_dir_finish(&dir, err);
	output_dir_close(&dir);
	return failed < 0 ? failed : r;
}

static int export_file(struct sonde_trace *t, const char *format, const char *path,
		       const struct sonde_events_opts *opts, struct sonde_error *err)
{
	const struct event_format *known = find_format(format);
	struct events_request r = { t, format, opts };

	err_clear(err);
	if (known && known->is_directory && strcmp(path, "-") != 0)
		return export_directory(t, known, path, opts, err);
	return file_output_write(path, t->files, t->nr_files, write_export, &r, err);
}

int sonde_export_events_file(struct sonde_trace *t, const char *format, const char *path,
			     const struct sonde_events_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, export_file(t, format, path, opts, &own));
}
