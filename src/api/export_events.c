/* SPDX-License-Identifier: MIT */
/* export_events.c - the events of a trace in the format of another tool */
#include "api/export_events.h"

#include <string.h>

#include "api/error.h"
#include "api/file_output.h"
#include "api/query.h"
#include "api/single.h"
#include "api/symbol.h"
#include "api/text_output.h"
#include "api/trace.h"
#include "api/tracepoint.h"
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
	bool is_directory;
} formats[] = {
	{ { "chrome", "Chrome's trace event JSON, for viewers of time lines; perfetto has more", true },
	  export_chrome },
	{ { "csv", "every event a row of comma-separated values: docs/events-json.md", true }, export_csv },
	{ { "ctf", "a directory of the Common Trace Format 1.8, for babeltrace2 and Trace Compass", true },
	  export_ctf, true },
	{ { "json-lines", "every event a JSON object on a line: docs/events-json.md", true }, export_json_lines },
	{ { "perfetto", "a trace of Perfetto: samples with stacks, scheduling, tracepoints", true }, export_perfetto },
	{ { "sqlite", "a database of samples, stacks, scheduling and tracepoints: docs/events-sql.md", true },
	  export_sqlite },
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

/* What a walk reads from. */
struct source {
	struct sonde_trace *trace;
	struct single *it;
	struct sonde_error *err;
};

static int next_event(void *ctx, const struct sonde_event **ev)
{
	struct source *s = ctx;
	int r = single_next(s->it, ev);

	if (r < 0 && s->err)
		*s->err = s->trace->err;
	return r;
}

static const struct tracefmt *known_formats(void *ctx)
{
	return trace_formats(((struct source *)ctx)->trace);
}

static int check_opts(const struct sonde_export_opts *opts, struct sonde_error *err)
{
	int r = OPTS_CHECK(sonde_query, opts->query, err);

	return r < 0 ? r : OPTS_CHECK(sonde_symbols_opts, opts->symbol_opts, err);
}

static int write_events(struct sonde_trace *t, int (*write)(struct event_rows *e), struct event_rows *e)
{
	struct sonde_query q = query_by_time(e->opts.query);
	struct source source = { .trace = t, .err = e->err };
	int r;

	if (e->opts.event) {
		q.events = &e->opts.event;
		q.nr_events = 1;
	}
	e->next = next_event;
	e->formats = known_formats;
	e->ctx = &source;
	e->reader = t->reader;
	e->kernel = t->reader_formats;
	e->symbols = symbols_from_opts(e->opts.symbol_opts);
	source.it = single_new(t, &q);
	r = e->symbols && source.it && symbols_carry(e->symbols, &t->reader->meta, t->path) == 0 ? 0 :
		    err_nomem(e->err);
	if (r == 0) {
		r = event_rows_init(e);
		if (r == 0)
			r = write(e);
		event_rows_free(e);
	}
	if (r >= 0 && symbols_out_of_memory(e->symbols))  /* while a name was made */
		r = err_nomem(e->err);
	single_free(source.it);
	symbols_free(e->symbols);
	return r < 0 ? r : e->nr_samples > 0;
}

/* With the options and the place to write to that are in @e. */
static int walk(struct sonde_trace *t, const struct sonde_export_opts *opts, int (*write)(struct event_rows *e),
		struct event_rows *e)
{
	int r = OPTS_TAKE(sonde_export_opts, &e->opts, opts, e->err);

	if (r == 0)
		r = check_opts(&e->opts, e->err);
	if (r == 0 && !t->reader)
		r = err_set(e->err, SONDE_USAGE, SONDE_NONE, "this trace is not open");
	return r < 0 ? r : write_events(t, write, e);
}

int export_events_walk(struct sonde_trace *t, const struct sonde_export_opts *opts,
		       int (*write)(struct event_rows *e), void *target, struct sonde_error *err)
{
	struct event_rows e = { .target = target, .err = err };

	return walk(t, opts, write, &e);
}

static int export_to(struct sonde_trace *t, const char *name, const struct sonde_output *to,
		     const struct sonde_export_opts *opts, struct sonde_error *err)
{
	const struct event_format *format = find_format(name);
	struct buf out = text_output(to, err);
	struct event_rows e = { .out = &out, .err = err };
	int r, failed;

	if (!format)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "there is no format '%s' for events", name);
	if (format->is_directory)
		return err_set(err, SONDE_USAGE, SONDE_NONE, "format '%s' is a directory, which needs a path", name);
	r = walk(t, opts, format->write, &e);
	failed = r < 0 ? 0 : buf_flush(&out);
	buf_free(&out);
	return failed < 0 ? failed : r;
}

int sonde_export_events(struct sonde_trace *t, const char *format, const struct sonde_output *to,
			const struct sonde_export_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, export_to(t, format, to, opts, &own));
}

/* The arguments of export_to(). */
struct request {
	struct sonde_trace *trace;
	const char *format;
	const struct sonde_export_opts *opts;
};

static int write_export(void *ctx, const struct sonde_output *to, struct sonde_error *err)
{
	const struct request *r = ctx;

	return export_to(r->trace, r->format, to, r->opts, err);
}

static int export_directory(struct sonde_trace *t, const struct event_format *format, const char *path,
			    const struct sonde_export_opts *opts, struct sonde_error *err)
{
	struct output_dir dir;
	struct event_rows e = { .dir = &dir, .err = err };
	int r = output_dir_open(&dir, path, err), failed;

	if (r < 0)
		return r;
	r = walk(t, opts, format->write, &e);
	failed = r < 0 ? 0 : output_dir_finish(&dir, err);
	output_dir_close(&dir);
	return failed < 0 ? failed : r;
}

static int export_file(struct sonde_trace *t, const char *format, const char *path,
		       const struct sonde_export_opts *opts, struct sonde_error *err)
{
	const struct event_format *known = find_format(format);
	struct request r = { t, format, opts };

	err_clear(err);
	if (known && known->is_directory && strcmp(path, "-") != 0)
		return export_directory(t, known, path, opts, err);
	return file_output_write(path, t->files, t->nr_files, write_export, &r, err);
}

int sonde_export_events_file(struct sonde_trace *t, const char *format, const char *path,
			     const struct sonde_export_opts *opts, struct sonde_error *err)
{
	WITH_ERROR(err, own, export_file(t, format, path, opts, &own));
}
