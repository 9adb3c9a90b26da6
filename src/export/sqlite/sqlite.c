/* SPDX-License-Identifier: MIT */
#include "export/sqlite/sqlite.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/build_id_text.h"
#include "export/events/row_threads.h"
#include "export/events/runs.h"
#include "export/events/values.h"
#include "export/sqlite/inserter.h"
#include "export/sqlite/schema.h"
#include "export/sqlite/tracepoint_views.h"

int sqlite_is_missing(struct sonde_error *err)
{
#ifdef HAVE_SQLITE
	return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "libsqlite3.so.0 is not installed");
#else
	return err_set(err, SONDE_UNSUPPORTED, SONDE_NONE, "this sonde was built without libsqlite3");
#endif
}

#ifndef HAVE_SQLITE

int export_sqlite(struct event_rows *e)
{
	return sqlite_is_missing(e->err);
}

#else

enum { COPY_BYTES = 1 << 20 };

/* A database that is being filled. */
struct database {
	struct event_rows *e;
	struct inserter_db db;
	struct row_threads threads;
	struct runs runs;
	struct inserter samples, events, sched, records;
	struct buf fields;           /* of the row at hand, as JSON */
};

static int fail(struct database *d)
{
	const char *why = d->db.lib->errmsg(d->db.db);

	if (d->db.failed == SQLITE_NOMEM)
		return err_nomem(d->e->err);
	if (d->db.no_room)
		return err_sys(d->e->err, d->db.no_room, "cannot write the output");
	return err_set(d->e->err, SONDE_SYSTEM, SONDE_NONE, "cannot write the database: %s", why);
}

static int execute(struct database *d, const char *sql)
{
	d->db.failed = d->db.lib->exec(d->db.db, sql, NULL, NULL, NULL);
	return d->db.failed ? fail(d) : 0;
}

/* ---- rows ---- */

static void put_time(struct database *d, struct inserter *t, uint64_t time)
{
	if (time == SONDE_NONE)
		inserter_null(t);
	else
		inserter_int(t, event_rows_since(d->e, time));
}

static void put_if(struct inserter *t, bool known, uint64_t v)
{
	if (known)
		inserter_int(t, (int64_t)v);
	else
		inserter_null(t);
}

static void put_fields(struct database *d, struct inserter *t, const struct event_row *row)
{
	d->fields.n = 0;
	event_values_json(row, &d->fields);
	inserter_text(t, d->fields.p, d->fields.n);
}

/* Its function: that of the address, or else the innermost one of the stack. */
static uint32_t frame_of(struct database *d, const struct event_row *row)
{
	if (row->place)
		return row->place->first + row->place->n;
	return row->stack ? d->e->stacks.list.at[row->stack].frame + 1 : 0;
}

static int put_sample(struct database *d, const struct event_row *row, uint32_t thread)
{
	struct inserter *t = &d->samples;
	const struct sample *s = &row->sample;
	uint32_t stack = event_rows_stack(d->e, row), frame = frame_of(d, row);

	if (stack == UINT32_MAX)
		return err_nomem(d->e->err);
	inserter_int(t, (int64_t)d->e->nr_samples);
	put_time(d, t, row->time);
	put_if(t, row->ev->cpu >= 0, (uint64_t)row->ev->cpu);
	put_if(t, thread, thread);
	inserter_int(t, row->source->number);
	inserter_int(t, (int64_t)row->ev->period);
	put_if(t, frame, frame);
	put_if(t, stack, stack);
	put_if(t, s->present & PERF_SAMPLE_IP, s->ip);
	put_if(t, s->present & PERF_SAMPLE_ADDR, s->addr);
	inserter_end_row(t);
	if (!event_has_values(row))
		return 0;
	inserter_int(&d->events, (int64_t)d->e->nr_samples);
	put_fields(d, &d->events, row);
	inserter_end_row(&d->events);
	return 0;
}

/* A row of a thread that ends names no thread any more. */
static int put_run(struct database *d, const struct event_row *row, uint32_t thread)
{
	struct inserter *t = &d->sched;
	struct thread_run run;
	int r = runs_take(&d->runs, d->e, row, &run);

	if (r < 0)
		return err_nomem(d->e->err);
	if (r == 0)
		return 0;
	if (row->ev->tid != run.tid)
		thread = row_threads_task(&d->threads, row, run.tid, run.comm);
	if (thread == UINT32_MAX)
		return err_nomem(d->e->err);
	put_time(d, t, run.begin);
	inserter_int(t, (int64_t)(run.end - run.begin));
	put_if(t, run.cpu >= 0, (uint64_t)run.cpu);
	put_if(t, thread, thread);
	inserter_str(t, run.end_state);
	inserter_int(t, run.prio);
	inserter_int(t, run.exact);
	inserter_end_row(t);
	return 0;
}

static void put_record(struct database *d, const struct event_row *row, uint32_t thread)
{
	struct inserter *t = &d->records;

	put_time(d, t, row->time);
	inserter_str(t, row->kind);
	put_if(t, row->ev->cpu >= 0, (uint64_t)row->ev->cpu);
	put_if(t, thread, thread);
	put_fields(d, t, row);
	inserter_end_row(t);
}

static int put_rows(struct database *d)
{
	const struct event_row *row;
	int r;

	if (inserter_begin(&d->samples, &d->db, "sample", 10) < 0 ||
	    inserter_begin(&d->events, &d->db, "event", 2) < 0 ||
	    inserter_begin(&d->sched, &d->db, "sched", 7) < 0 || inserter_begin(&d->records, &d->db, "record", 5) < 0)
		return fail(d);
	/* a full disk ends the walk */
	while ((r = event_rows_next(d->e, &row)) > 0 && !d->db.failed) {
		uint32_t thread = row_threads_of(&d->threads, row);

		if (thread == UINT32_MAX)
			return err_nomem(d->e->err);
		if (row->is_sample)
			r = put_sample(d, row, thread);
		else
			put_record(d, row, thread);
		if (r >= 0)
			r = put_run(d, row, thread);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

/* ---- what rows refer to, and the rest ---- */

static void put_sources(struct database *d, struct inserter *t)
{
	for (size_t i = 0; i < d->e->sources.n; i++) {
		const struct event_source *s = d->e->sources.at[i];
		const struct sonde_attr *attr = s ? s->evsel->attr : NULL;

		if (!s)
			continue;
		inserter_int(t, s->number);
		inserter_str(t, s->name);
		put_if(t, attr, attr ? attr->type : 0);
		put_if(t, attr, attr ? attr->config : 0);
		inserter_str(t, s->evsel->unit);
		put_if(t, attr && !(attr->flags & SONDE_ATTR_FREQ), attr ? attr->sample_period : 0);
		inserter_str(t, s->evsel->buffer);
		inserter_int(t, s->input);
		inserter_end_row(t);
	}
}

static void put_modules(struct database *d, struct inserter *t)
{
	static const char *const kinds[] = {
		[BINARY_FILE] = "user", [BINARY_VDSO] = "vdso", [BINARY_JITDUMP] = "jit", [BINARY_KERNEL] = "kernel",
		[BINARY_MODULE] = "kmod", [BINARY_KSYMBOL] = "bpf", [BINARY_JIT] = "jit", [BINARY_OTHER] = "other",
	};

	for (size_t i = 0; i < d->e->moment.tasks.binaries.list.n; i++) {
		const struct binary *b = d->e->moment.tasks.binaries.list.at[i];

		inserter_int(t, (int64_t)b->index + 1);
		inserter_str(t, b->name);
		inserter_str(t, b->build_id_size ? build_id_text(b).s : NULL);
		inserter_str(t, kinds[b->kind]);
		inserter_end_row(t);
	}
	/* of functions that the trace itself names */
	inserter_int(t, 0);
	inserter_str(t, "[kernel.kallsyms]");
	inserter_null(t);
	inserter_str(t, "kernel");
	inserter_end_row(t);
}

static void put_threads(struct database *d, struct inserter *t)
{
	for (size_t i = 0; i < d->threads.list.n; i++) {
		const struct row_thread *thread = &d->threads.list.at[i];

		inserter_int(t, (int64_t)i + 1);
		put_if(t, thread->pid >= 0, (uint64_t)thread->pid);
		put_if(t, thread->tid >= 0, (uint64_t)thread->tid);
		inserter_str(t, thread->comm);
		put_time(d, t, thread->first);
		put_time(d, t, thread->last);
		put_if(t, thread->machine, (uint64_t)thread->machine);
		inserter_int(t, d->e->spaces.at[thread->space].host);
		inserter_end_row(t);
	}
}

static void put_frames(struct database *d, struct inserter *t)
{
	for (size_t i = 0; i < d->e->places.frames.n; i++) {
		const struct place_frame *f = &d->e->places.frames.at[i];

		inserter_int(t, (int64_t)i + 1);
		put_if(t, f->module, f->binary ? (uint64_t)f->binary->index + 1 : 0);
		inserter_str(t, f->symbol);
		inserter_str(t, f->file);
		put_if(t, f->file, f->line);
		inserter_int(t, (int64_t)f->addr);
		inserter_int(t, f->inlined);
		inserter_end_row(t);
	}
}

static void put_stacks(struct database *d, struct inserter *t)
{
	const struct stacks *s = &d->e->stacks;
	uint32_t *depth = calloc(s->list.n, sizeof(*depth));

	if (!depth)
		d->db.failed = SQLITE_NOMEM;
	for (size_t i = 1; depth && i < s->list.n; i++) {
		uint32_t parent = s->list.at[i].parent;

		depth[i] = depth[parent] + 1;
		inserter_int(t, (int64_t)i);
		put_if(t, parent, parent);
		inserter_int(t, (int64_t)s->list.at[i].frame + 1);
		inserter_int(t, depth[i]);
		inserter_end_row(t);
	}
	free(depth);
}

static void put_inputs(struct database *d, struct inserter *t)
{
	for (size_t i = 0; i < d->e->nr_inputs; i++) {
		const struct row_input *in = &d->e->inputs[i];

		inserter_int(t, (int64_t)i);
		inserter_str(t, in->reader->info.path);
		inserter_str(t, in->reader->info.format);
		inserter_str(t, in->reader->meta.hostname);
		inserter_int(t, in->alignment ? in->alignment->offset_ns : 0);
		inserter_str(t, in->alignment ? in->alignment->text : NULL);
		inserter_end_row(t);
	}
}

static void put_losses_of(struct database *d, struct inserter *t, const struct ledger *losses)
{
	for (size_t i = 0; i < losses->rows.n; i++) {
		const struct sonde_loss *l = &losses->rows.at[i];

		put_time(d, t, l->time_first);
		put_time(d, t, l->time_last);
		put_if(t, l->cpu >= 0, (uint64_t)l->cpu);
		inserter_null(t);
		inserter_int(t, (int64_t)l->count);
		inserter_str(t, ledger_kind_name(l->kind));
		inserter_str(t, l->text);
		inserter_end_row(t);
	}
}

static void put_losses(struct database *d, struct inserter *t)
{
	for (size_t i = 0; i < d->e->nr_inputs; i++)
		put_losses_of(d, t, &d->e->inputs[i].reader->ledger);
}

static void put_meta_text(struct inserter *t, const char *key, const char *value)
{
	if (!value)
		return;
	inserter_str(t, key);
	inserter_str(t, value);
	inserter_end_row(t);
}

static void put_meta_number(struct inserter *t, const char *key, uint64_t value)
{
	if (value == SONDE_NONE)
		return;
	inserter_str(t, key);
	inserter_int(t, (int64_t)value);
	inserter_end_row(t);
}

static void put_meta(struct database *d, struct inserter *t)
{
	const struct event_rows *e = d->e;
	const struct meta *meta = &event_rows_reader(e)->meta;

	put_meta_text(t, "tool", "sonde " SONDE_VERSION);
	put_meta_text(t, "schema", "sonde-sqlite-1");
	put_meta_text(t, "format", event_rows_reader(e)->info.format);
	put_meta_text(t, "host", meta->hostname);
	put_meta_text(t, "release", meta->osrelease);
	put_meta_text(t, "arch", meta->arch);
	put_meta_text(t, "clock", event_rows_clock(e));
	put_meta_number(t, "start_ns", e->start);
	put_meta_number(t, "epoch_ns", event_rows_wall_time(e, e->start));
	put_meta_number(t, "samples", e->nr_samples);
	put_meta_number(t, "lost", event_rows_lost(e));
	put_meta_number(t, "unnamed", e->gaps.unnamed);
	put_meta_number(t, "unmapped", e->gaps.unmapped);
	put_meta_number(t, "lone_stacks", e->gaps.lone_stacks);
}

/* The tables that are small, after the walk. */
static int put_rest(struct database *d)
{
	static const struct {
		const char *name;
		unsigned columns;
		void (*put)(struct database *d, struct inserter *t);
	} tables[] = {
		{ "input", 6, put_inputs }, { "source", 8, put_sources }, { "module", 4, put_modules },
		{ "thread", 8, put_threads },
		{ "frame", 7, put_frames }, { "stack", 4, put_stacks }, { "loss", 7, put_losses },
		{ "meta", 2, put_meta },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		struct inserter t;
		int r = inserter_begin(&t, &d->db, tables[i].name, tables[i].columns);

		if (r == 0)
			tables[i].put(d, &t);
		inserter_finish(&t);
		if (r < 0 || d->db.failed)
			return fail(d);
	}
	return 0;
}

int sqlite_fill(struct event_rows *e, const struct sqlite_library *lib, sqlite3 *db)
{
	struct database d = { .e = e, .db = { .lib = lib, .db = db, .copy_fd = e->out ? e->out->fd : -1 },
			      .fields = BUF_MEMORY };
	int r = execute(&d, SQLITE_SCHEMA_TABLES);

	if (r == 0) {
		d.db.worker = worker_new();  /* without one, nothing is different but the time */
		r = put_rows(&d);
	}
	inserter_finish(&d.samples);
	inserter_finish(&d.events);
	inserter_finish(&d.sched);
	inserter_finish(&d.records);
	if (r == 0 && d.db.failed)
		r = fail(&d);
	if (r == 0)
		r = put_rest(&d);
	if (r == 0)
		r = execute(&d, SQLITE_SCHEMA_VIEWS);
	if (r == 0)
		r = tracepoint_views_make(e, lib, db);
	worker_free(d.db.worker);
	row_threads_free(&d.threads);
	runs_free(&d.runs);
	buf_free(&d.fields);
	return r;
}

/* ---- a file ---- */

/* A file without a name that SQLite has opened; its descriptor, or negative. */
static int open_nameless(const struct sqlite_library *lib, sqlite3 **db, struct sonde_error *err)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int fd, r;

	snprintf(path, sizeof(path), "%s/sonde-XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return err_sys(err, errno, "cannot make a temporary file %s", path);
	r = lib->open_v2(path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (r == SQLITE_OK)
		r = lib->exec(*db, SQLITE_FAST, NULL, NULL, NULL);  /* opens the file: it needs no name now */
	unlink(path);
	if (r == SQLITE_OK)
		return fd;
	close(fd);
	return err_set(err, SONDE_SYSTEM, SONDE_NONE, "cannot make a database: %s",
		       *db ? lib->errmsg(*db) : "out of memory");
}

static int copy(int fd, struct buf *out, struct sonde_error *err)
{
	char *bytes = malloc(COPY_BYTES);
	ssize_t n = 1;

	if (!bytes)
		return err_nomem(err);
	for (off_t at = 0; n > 0 && !out->failed; at += n) {
		n = pread(fd, bytes, COPY_BYTES, at);
		if (n > 0)
			buf_put(out, bytes, (size_t)n);
	}
	free(bytes);
	return n < 0 ? err_sys(err, errno, "cannot read the database back") : 0;
}

int export_sqlite(struct event_rows *e)
{
	const struct sqlite_library *lib = sqlite_library_get();
	sqlite3 *db = NULL;
	int fd, r;

	if (!lib)
		return sqlite_is_missing(e->err);
	fd = open_nameless(lib, &db, e->err);
	r = fd < 0 ? fd : sqlite_fill(e, lib, db);
	if (r == 0 && lib->exec(db, "commit", NULL, NULL, NULL) != SQLITE_OK)
		r = err_set(e->err, SONDE_SYSTEM, SONDE_NONE, "cannot write the database: %s", lib->errmsg(db));
	lib->close_v2(db);
	if (r == 0)
		r = copy(fd, e->out, e->err);
	if (fd >= 0)
		close(fd);
	return r;
}

#endif
