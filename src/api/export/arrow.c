/* SPDX-License-Identifier: MIT */
/* arrow.c - streams of the C data interface of Arrow, over the events of a trace or a table of a profile */
#include <sonde/arrow.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/base/error.h"
#include "api/export/export_events.h"
#include "base/opts.h"
#include "export/arrow/event_batches.h"
#include "export/arrow/profile_tables.h"
#include "export/arrow/table_batches.h"

enum { USUAL_ROWS = 65536, USUAL_BYTES = 64 << 20 };

struct batch_stream {
	int (*next)(struct batch_stream *s, struct ArrowArray *out); /* 1, 0 at the end, or a failure */
	void (*end)(struct batch_stream *s);
	const struct arrow_column *root;
	const char *clock;           /* of events; else NULL */
	struct sonde_arrow_opts opts;
	struct events_walk walk;
	struct event_batches events;
	struct profile_table table;
	struct table_batches batches;
	struct arena which;          /* what the choice of events points to */
	struct sonde_error err;
	char text[320];              /* of get_last_error() */
};

static void free_stream(struct batch_stream *s)
{
	s->end(s);
	arena_free(&s->which);
	free(s);
}

/* ---- the functions of a stream ---- */

static int error_number(int code)
{
	return code == -SONDE_NOMEM ? ENOMEM : code == -SONDE_USAGE ? EINVAL : EIO;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct batch_stream *s = stream->private_data;

	return arrow_column_schema(s->root, s->clock, out) < 0 ? error_number(err_nomem(&s->err)) : 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct batch_stream *s = stream->private_data;
	int r;

	*out = (struct ArrowArray){ 0 };
	r = s->next(s, out);
	return r < 0 ? error_number(r) : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	struct batch_stream *s = stream->private_data;

	if (!s->err.code)
		return NULL;
	if (s->err.file_offset == SONDE_NONE)
		return s->err.text;
	snprintf(s->text, sizeof(s->text), "%s (at offset 0x%" PRIx64 ")", s->err.text, s->err.file_offset);
	return s->text;
}

static void release(struct ArrowArrayStream *stream)
{
	free_stream(stream->private_data);
	stream->release = NULL;
}

static void give(struct batch_stream *s, struct ArrowArrayStream *out)
{
	*out = (struct ArrowArrayStream){ get_schema, get_next, get_last_error, release, s };
}

static int new_stream(struct batch_stream **out, const struct sonde_arrow_opts *opts, struct sonde_error *err)
{
	struct batch_stream *s;
	int r = OPTS_CHECK(sonde_arrow_opts, opts, err);

	if (r < 0)
		return r;
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_nomem(err);
	OPTS_TAKE(sonde_arrow_opts, &s->opts, opts, NULL);
	s->opts.batch_rows = s->opts.batch_rows ? s->opts.batch_rows : USUAL_ROWS;
	s->opts.batch_bytes = s->opts.batch_bytes ? s->opts.batch_bytes : USUAL_BYTES;
	s->err.sz = sizeof(s->err);
	err_clear(&s->err);
	*out = s;
	return 0;
}

/* ---- events ---- */

static int next_events(struct batch_stream *s, struct ArrowArray *out)
{
	return event_batches_next(&s->events, out);
}

static void end_events(struct batch_stream *s)
{
	event_batches_free(&s->events);
	events_walk_end(&s->walk, 0);
}

/* The stream outlives the call: it keeps what its walk looks at later. 0 or -SONDE_NOMEM. */
static int keep_choice(struct batch_stream *s, struct sonde_events_opts *o)
{
	const char **comms = arena_calloc(&s->which, o->nr_comms + 1, sizeof(*comms)), *event = o->event;

	if (!comms)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < o->nr_comms; i++) {
		comms[i] = arena_strndup(&s->which, o->comms[i], strlen(o->comms[i]));
		if (!comms[i])
			return -SONDE_NOMEM;
	}
	o->comms = comms;
	if (o->nr_tids)
		o->tids = arena_memdup(&s->which, o->tids, o->nr_tids * sizeof(*o->tids));
	if (event)
		o->event = arena_strndup(&s->which, event, strlen(event));
	return (o->nr_tids && !o->tids) || (event && !o->event) ? -SONDE_NOMEM : 0;
}

static int begin_events(struct batch_stream *s, struct sonde_trace *t, const struct sonde_events_opts *which)
{
	struct event_rows *e = &s->walk.rows;
	struct sonde_events_opts o;
	int r = OPTS_TAKE(sonde_events_opts, &o, which, &s->err);

	if (r < 0)
		return r;
	o.sz = sizeof(o);
	if (keep_choice(s, &o) < 0)
		return err_nomem(&s->err);
	e->err = &s->err;
	r = events_walk_begin(&s->walk, t, &o);
	if (r < 0)
		return r;
	s->clock = event_rows_clock(e);
	return event_batches_init(&s->events, e, &s->opts);
}

static int open_events(struct sonde_trace *t, const struct sonde_events_opts *which,
		       const struct sonde_arrow_opts *opts, struct ArrowArrayStream *out, struct sonde_error *err)
{
	struct batch_stream *s;
	int r = new_stream(&s, opts, err);

	if (r < 0)
		return r;
	s->next = next_events;
	s->end = end_events;
	s->root = &s->events.root;
	r = begin_events(s, t, which);
	if (r < 0) {
		*err = s->err;
		free_stream(s);
		return r;
	}
	give(s, out);
	return 0;
}

int sonde_arrow_events(struct sonde_trace *t, const struct sonde_events_opts *which,
		       const struct sonde_arrow_opts *opts, struct ArrowArrayStream *out, struct sonde_error *err)
{
	*out = (struct ArrowArrayStream){ 0 };
	WITH_ERROR(err, own, open_events(t, which, opts, out, &own));
}

/* ---- tables of a profile ---- */

static int check_rows(struct batch_stream *s, int r)
{
	if (r == -SONDE_UNSUPPORTED)
		err_set(&s->err, SONDE_UNSUPPORTED, SONDE_NONE, "the texts of one batch have more than 2 GiB");
	else if (r < 0)
		err_nomem(&s->err);
	return r;
}

static int next_rows(struct batch_stream *s, struct ArrowArray *out)
{
	return check_rows(s, profile_table_next(&s->table, out));
}

static void end_rows(struct batch_stream *s)
{
	profile_table_free(&s->table);
}

static int open_profile(struct sonde_profile *p, enum sonde_arrow_table table, const struct sonde_arrow_opts *opts,
			struct ArrowArrayStream *out, struct sonde_error *err)
{
	struct batch_stream *s;
	int r = new_stream(&s, opts, err);

	if (r < 0)
		return r;
	s->next = next_rows;
	s->end = end_rows;
	s->root = &s->table.root;
	if (profile_table_init(&s->table, p, table, &s->opts) < 0) {
		free_stream(s);
		return err_set(err, SONDE_USAGE, SONDE_NONE, "a profile has no table %d", (int)table);
	}
	give(s, out);
	return 0;
}

int sonde_arrow_profile(struct sonde_profile *p, enum sonde_arrow_table table, const struct sonde_arrow_opts *opts,
			struct ArrowArrayStream *out, struct sonde_error *err)
{
	*out = (struct ArrowArrayStream){ 0 };
	WITH_ERROR(err, own, open_profile(p, table, opts, out, &own));
}

/* ---- typed tables ---- */

static int next_values(struct batch_stream *s, struct ArrowArray *out)
{
	return check_rows(s, table_batches_next(&s->batches, out));
}

static void end_values(struct batch_stream *s)
{
	table_batches_free(&s->batches);
}

static int open_table(struct sonde_table *t, const struct sonde_arrow_opts *opts, struct ArrowArrayStream *out,
		      struct sonde_error *err)
{
	struct batch_stream *s;
	int r = new_stream(&s, opts, err);

	if (r < 0)
		return r;
	s->next = next_values;
	s->end = end_values;
	s->root = &s->batches.root;
	if (table_batches_init(&s->batches, t, &s->opts) < 0) {
		free_stream(s);
		return err_nomem(err);
	}
	give(s, out);
	return 0;
}

int sonde_arrow_rows(struct sonde_table *t, const struct sonde_arrow_opts *opts, struct ArrowArrayStream *out,
		      struct sonde_error *err)
{
	*out = (struct ArrowArrayStream){ 0 };
	WITH_ERROR(err, own, open_table(t, opts, out, &own));
}
