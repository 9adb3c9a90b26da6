/* SPDX-License-Identifier: MIT */
/* analysis.c - an analysis by its name, run over the events of a trace */
#include <sonde/analysis.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/error.h"
#include "api/base/file_output.h"
#include "api/base/query.h"
#include "api/base/text_output.h"
#include "api/insight/stacks.h"
#include "api/trace/trace.h"
#include "base/json.h"
#include "base/opts.h"
#include "export/page/tables.h"
#include "insight/analyses.h"
#include "sched/sched_event.h"
#include "table/table_csv.h"
#include "table/table_json.h"
#include "table/table_text.h"

/* An event of the evlist, as the first sample of it was looked up. */
struct known_event {
	bool wants_raw;                      /* somebody takes the bytes of its samples */
	const struct tracefmt_event *format; /* of its tracepoint; NULL: it is none, or not described */
};

struct sonde_analysis {
	const struct analysis_ops *ops;      /* NULL: there is none of that name */
	void *state;
	bool refused, has_run;
	struct sonde_error err;
	struct sonde_table *tables;          /* one for each row of ops->tables */
	size_t nr_tables;
	VEC(bool) given;                     /* options, by their place in the row */
	VEC(struct known_event) events;      /* by index of the evsel */
	struct handlers handlers;
	VEC(struct file_id) inputs;          /* that no output replaces */
	const struct sonde_symbols_opts *symbols;    /* for stacks; borrowed */
	struct stack_source *stacks;         /* while it runs; NULL: it wants none */
};

const struct sonde_analysis_kind *sonde_analysis_kind_at(size_t i)
{
	const struct analysis_ops *ops = analysis_at(i);

	return ops ? &ops->pub : NULL;
}

/* The public part is the first member. */
static const struct analysis_ops *ops_of(const struct sonde_analysis_kind *kind)
{
	return (const struct analysis_ops *)kind;
}

const struct sonde_analysis_option *sonde_analysis_option_at(const struct sonde_analysis_kind *kind, size_t i)
{
	const struct sonde_analysis_option *o = ops_of(kind)->options;

	for (; o->name && i > 0; i--)
		o++;
	return o->name ? o : NULL;
}

const struct sonde_table_schema *sonde_analysis_schema_at(const struct sonde_analysis_kind *kind, size_t i)
{
	const struct table_schema *t = ops_of(kind)->tables;

	for (; t->name && i > 0; i--)
		t++;
	return t->name ? (const struct sonde_table_schema *)t : NULL;
}

const struct sonde_analysis_example *sonde_analysis_example_at(const struct sonde_analysis_kind *kind, size_t i)
{
	const struct sonde_analysis_example *e = ops_of(kind)->examples;

	for (; e->what && i > 0; i--)
		e++;
	return e->what ? e : NULL;
}

static const struct sonde_analysis_option *option_of(const struct analysis_ops *ops, const char *name, size_t n)
{
	for (const struct sonde_analysis_option *o = ops->options; o->name; o++)
		if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
			return o;
	return NULL;
}

static int set_option(struct sonde_analysis *a, const char *text)
{
	const size_t n = strcspn(text, "=");
	const char *value = text[n] ? text + n + 1 : NULL;
	const struct sonde_analysis_option *o = option_of(a->ops, text, n);

	if (!o)
		return err_set(&a->err, SONDE_USAGE, SONDE_NONE, "analysis '%s' has no option '%s'", a->ops->pub.name,
			       text);
	if (!value != !o->arg)
		return err_set(&a->err, SONDE_USAGE, SONDE_NONE, "option '%s' takes %s value", o->name,
			       o->arg ? "a" : "no");
	while (a->given.n <= (size_t)(o - a->ops->options))
		if (vec_push(&a->given, false) < 0)
			return -SONDE_NOMEM;
	a->given.at[o - a->ops->options] = true;
	return a->ops->set(a->state, o, value, &a->err);
}

static bool is_given(const struct sonde_analysis *a, const char *name)
{
	const size_t i = (size_t)(option_of(a->ops, name, strlen(name)) - a->ops->options);

	return i < a->given.n && a->given.at[i];
}

static int check_excluded(struct sonde_analysis *a)
{
	const struct sonde_analysis_option *options = a->ops->options;

	for (size_t i = 0; i < a->given.n; i++)
		for (const char *const *other = options[i].excludes; a->given.at[i] && other && *other; other++)
			if (is_given(a, *other))
				return err_set(&a->err, SONDE_USAGE, SONDE_NONE, "option '%s' excludes '%s'",
					       options[i].name, *other);
	return 0;
}

static int make_state(struct sonde_analysis *a)
{
	const struct table_schema *schemas = a->ops->tables;

	while (schemas[a->nr_tables].name)
		a->nr_tables++;
	a->tables = calloc(a->nr_tables + 1, sizeof(*a->tables));
	if (!a->tables)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < a->nr_tables; i++)
		table_init(&a->tables[i], &schemas[i]);
	a->handlers.rows = a->ops->handlers;
	a->state = a->ops->new(a->tables);
	return a->state ? 0 : -SONDE_NOMEM;
}

/* 0, -SONDE_USAGE or -SONDE_NOMEM. */
static int set_up(struct sonde_analysis *a, const char *name, const char *const *options)
{
	int r;

	for (size_t i = 0; analysis_at(i) && !a->ops; i++)
		if (strcmp(analysis_at(i)->pub.name, name) == 0)
			a->ops = analysis_at(i);
	if (!a->ops)
		return err_set(&a->err, SONDE_USAGE, SONDE_NONE, "there is no analysis '%s'", name);
	r = make_state(a);
	for (; r == 0 && options && *options; options++)
		r = set_option(a, *options);
	return r < 0 ? r : check_excluded(a);
}

struct sonde_analysis *sonde_analysis_new(const char *name, const char *const *options)
{
	struct sonde_analysis *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return NULL;
	err_clear(&a->err);
	r = set_up(a, name, options);
	a->refused = r < 0;
	if (r == -SONDE_NOMEM) {
		sonde_analysis_free(a);
		return NULL;
	}
	return a;
}

void sonde_analysis_free(struct sonde_analysis *a)
{
	if (!a)
		return;
	if (a->state)
		a->ops->free(a->state);
	for (size_t i = 0; i < a->nr_tables && a->tables; i++)
		table_release(&a->tables[i]);
	free(a->tables);
	vec_free(&a->given);
	vec_free(&a->events);
	vec_free(&a->inputs);
	handlers_free(&a->handlers);
	free(a);
}

const struct sonde_error *sonde_analysis_error(const struct sonde_analysis *a)
{
	return &a->err;
}

/* NULL when out of memory. */
static const struct known_event *look_up(struct sonde_analysis *a, struct sonde_trace *t,
					 const struct sonde_evsel *evsel)
{
	struct known_event *k;

	while (a->events.n <= evsel->index)
		if (vec_push(&a->events, (struct known_event){ 0 }) < 0)
			return NULL;
	k = &a->events.at[evsel->index];
	if (!k->format) {                    /* a stream may describe it later */
		k->format = (const struct tracefmt_event *)sonde_trace_tracepoint(t, evsel);
		k->wants_raw = sched_expects(evsel, k->format) || handler_of(a->ops->handlers, evsel, k->format);
	}
	return k;
}

/* A sample with its bytes, which only those are asked for that somebody takes. 0 or -SONDE_NOMEM. */
static int take_sample(struct sonde_analysis *a, struct sonde_trace *t, struct analysis_event *e)
{
	const struct known_event *k = look_up(a, t, e->ev->evsel);
	const struct handled_source *source;
	struct sample sample = { 0 };

	if (!k)
		return -SONDE_NOMEM;
	e->format = k->format;
	if (!k->wants_raw)
		return 0;
	event_sample(e->ev, &sample);
	e->raw = sample.raw;
	source = handlers_source(&a->handlers, e->ev->evsel, e->format);
	if (!source)
		return -SONDE_NOMEM;
	return source->handler && sample.raw.len ?
		       source->handler->take(a->state, e->ev, &(struct handled_event){ source, sample.raw }) : 0;
}

static int take(struct sonde_analysis *a, struct sonde_trace *t, const struct sonde_event *ev)
{
	struct analysis_event e = { .ev = ev, .stacks = a->stacks ? &a->stacks->stacks : NULL };

	if (a->stacks && sonde_tasks_apply(a->stacks->tasks, ev) < 0)
		return -SONDE_NOMEM;
	if (ev->kind == SONDE_KIND_SAMPLE && ev->evsel && take_sample(a, t, &e) < 0)
		return -SONDE_NOMEM;
	return a->ops->take(a->state, &e);
}

/* All events by time: states are those of the whole trace, whatever is shown. */
static int take_all(struct sonde_analysis *a, struct sonde_trace *t)
{
	const struct sonde_query all = { .sz = sizeof(all), .order = SONDE_ORDER_TIME };
	struct sonde_iter *it = sonde_iter_new(t, &all);
	const struct sonde_event *ev;
	int r;

	if (!it)
		return err_nomem(&a->err);
	while ((r = sonde_iter_next(it, &ev)) > 0) {
		r = take(a, t, ev);
		if (r < 0) {
			err_nomem(&a->err);
			break;
		}
	}
	if (r < 0 && !a->err.code)
		a->err = *sonde_iter_error(it);
	sonde_iter_free(it);
	return r;
}

/*
 * Whether the trace may have an event that the analysis needs, and has each one. Streams know their events at the end.
 */
static bool has_needed(struct sonde_analysis *a, struct sonde_trace *t)
{
	const struct tracefmt_event *format = NULL;
	const struct sonde_evsel *evsel;

	for (size_t i = 0; (evsel = sonde_trace_evsel_at(t, i)); i++) {
		format = (const struct tracefmt_event *)sonde_trace_tracepoint(t, evsel);
		for (const char *const *need = a->ops->pub.needs; format && *need; need++)
			if (strcmp(format->full_name, *need) == 0 &&
			    (sched_expects(evsel, format) || handler_of(a->ops->handlers, evsel, format)))
				return true;
	}
	return false;
}

static int finish(struct sonde_analysis *a, struct sonde_trace *t, int r)
{
	if (a->ops->end(a->state) < 0)
		return err_nomem(&a->err);
	if (r >= 0 && !has_needed(a, t))
		return err_set(&a->err, SONDE_MISSING, SONDE_NONE,
			       "%s was not recorded, or not each time (sonde record -a -e %s)", a->ops->pub.needs[0],
			       a->ops->pub.needs[0]);
	return r;
}

static int run(struct sonde_analysis *a, struct sonde_trace *t, const struct sonde_query *shown)
{
	struct stack_source stacks;
	struct sched_scope scope;
	int r = sched_scope_of(t->reader, t->reader_formats, &scope, &a->err);

	if (r < 0)
		return r;
	if (a->ops->wants_stacks && a->ops->wants_stacks(a->state)) {
		r = stack_source_init(&stacks, t, a->symbols, &a->err);
		a->stacks = &stacks;
	}
	a->ops->begin(a->state, shown, &scope);
	if (r == 0)
		r = finish(a, t, take_all(a, t));
	if (a->stacks)
		stack_source_free(a->stacks);
	a->stacks = NULL;
	sched_scope_free(&scope);
	return r;
}

void sonde_analysis_use_symbols(struct sonde_analysis *a, const struct sonde_symbols_opts *opts)
{
	a->symbols = opts;
}

int sonde_analysis_run(struct sonde_analysis *a, struct sonde_trace *t, const struct sonde_query *query)
{
	struct sonde_query shown;

	if (a->refused)
		return -SONDE_USAGE;
	err_clear(&a->err);
	if (OPTS_CHECK(sonde_query, query, &a->err) < 0)
		return -SONDE_USAGE;
	if (!t->reader)
		return err_set(&a->err, SONDE_USAGE, SONDE_NONE, "this trace is not open");
	if (a->has_run)
		return err_set(&a->err, SONDE_USAGE, SONDE_NONE, "this analysis has been run");
	shown = query_of(query);
	if (shown.nr_events || shown.nr_times > 1)
		return err_set(&a->err, SONDE_USAGE, SONDE_NONE,
			       "an analysis is of all events, and shows one range of times");
	for (size_t i = 0; i < t->nr_files; i++)
		if (vec_push(&a->inputs, t->files[i]) < 0)
			return err_nomem(&a->err);
	a->has_run = true;
	return run(a, t, &shown);
}

const char *sonde_analysis_note(const struct sonde_analysis *a)
{
	return a->state ? a->ops->note(a->state) : NULL;
}

struct sonde_table *sonde_analysis_table_at(struct sonde_analysis *a, size_t i)
{
	for (size_t k = 0; a->state && k < a->nr_tables; k++)
		if (a->ops->gives(a->state, k) && i-- == 0)
			return &a->tables[k];
	return NULL;
}

static void print_json(struct sonde_analysis *a, struct buf *out)
{
	struct json j = json_new(out);
	struct sonde_table *t;

	json_object(&j);
	json_member_u64(&j, "schema", TABLES_SCHEMA);
	json_member_text(&j, "analysis", a->ops->pub.name);
	json_member_text(&j, "note", sonde_analysis_note(a));
	json_key(&j, "tables");
	json_array(&j);
	for (size_t i = 0; (t = sonde_analysis_table_at(a, i)); i++)
		table_json(t, &j);
	json_end(&j);
	json_end(&j);
	buf_char(out, '\n');
}

static void print_csv(struct sonde_analysis *a, struct buf *out)
{
	struct sonde_table *t;

	for (size_t i = 0; (t = sonde_analysis_table_at(a, i)); i++) {
		buf_str(out, i ? "\n" : "");
		table_csv(t, out);
	}
}

static void print_text(struct sonde_analysis *a, struct buf *out)
{
	struct sonde_table *t;

	if (a->ops->text) {
		a->ops->text(a->state, out);
		return;
	}
	for (size_t i = 0; (t = sonde_analysis_table_at(a, i)); i++) {
		buf_printf(out, "%s%s\n", i ? "\n" : "", t->info.title);
		table_text(t, out);
	}
}

static void print_page(struct sonde_analysis *a, struct buf *out)
{
	char title[80];
	struct sonde_table *t;

	snprintf(title, sizeof(title), "sonde %s", a->ops->pub.name);
	table_page_begin(out, title, sonde_analysis_note(a));
	for (size_t i = 0; (t = sonde_analysis_table_at(a, i)); i++)
		table_page_add(out, t);
	table_page_end(out);
}

static int print(struct sonde_analysis *a, const char *format, const struct sonde_output *to, struct sonde_error *err)
{
	struct buf out = text_output(to, err);
	int r;

	if (a->refused)
		err_set(err, SONDE_USAGE, SONDE_NONE, "%s", a->err.text);
	else if (strcmp(format, "text") == 0)
		print_text(a, &out);
	else if (strcmp(format, "json") == 0)
		print_json(a, &out);
	else if (strcmp(format, "html") == 0)
		print_page(a, &out);
	else if (strcmp(format, "csv") == 0)
		print_csv(a, &out);
	else
		err_set(err, SONDE_USAGE, SONDE_NONE, "there is no format '%s' for tables", format);
	r = err->code ? -(int)err->code : buf_flush(&out);
	buf_free(&out);
	return r;
}

int sonde_analysis_print(struct sonde_analysis *a, const char *format, const struct sonde_output *to,
			 struct sonde_error *err)
{
	WITH_ERROR(err, own, print(a, format, to, &own));
}

struct write_request {
	struct sonde_analysis *analysis;
	const char *format;
};

static int write_print(void *ctx, const struct sonde_output *to, struct sonde_error *err)
{
	const struct write_request *r = ctx;

	return print(r->analysis, r->format, to, err);
}

static int write_file(struct sonde_analysis *a, const char *format, const char *path, struct sonde_error *err)
{
	struct write_request r = { a, format };

	err_clear(err);
	return file_output_write(path, a->inputs.at, a->inputs.n, write_print, &r, err);
}

int sonde_analysis_write(struct sonde_analysis *a, const char *format, const char *path, struct sonde_error *err)
{
	WITH_ERROR(err, own, write_file(a, format, path, &own));
}
