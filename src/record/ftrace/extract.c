/* SPDX-License-Identifier: MIT */
/* extract.c - what the ring buffers hold already, without a change of any setting */
#include <stdio.h>
#include <string.h>

#include "record/ftrace/extract.h"

static int look(struct sonde_ftrace_recorder *t)
{
	char path[TRACEFS_PATH];
	int e = 0;

	if (!ftrace_current(t))
		return err_nomem(&t->err);
	for (size_t i = 0; i < t->instances.n && e == 0; i++) {
		struct ftrace_instance *in = &t->instances.at[i];

		snprintf(path, sizeof(path), "%s%s%.255s", t->tracefs, *in->name ? "/instances/" : "", in->name);
		in->dir = arena_strndup(&t->arena, path, strlen(path));
		if (!in->dir)
			return err_nomem(&t->err);
		e = ftrace_instance_look(in, t->opts.cpus, &t->err);
	}
	return e;
}

/* A tracer that still runs writes more meanwhile: the file ends where the buffer ended when we began. */
static int take_from(struct sonde_ftrace_recorder *t, struct buffer_reader *r)
{
	uint64_t left = t->instances.at[r->buffer].buffer_kb * 1024 + 2 * r->page_size;

	while (left > 0) {
		ssize_t n = page_reader_take(r, true, left, &t->err);

		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
		left -= (uint64_t)n < left ? (uint64_t)n : left;
	}
	return 0;
}

static int take_all(struct sonde_ftrace_recorder *t)
{
	struct page_carrier carrier;
	int e = ftrace_open_carrier(t, &carrier);

	for (size_t i = 0; i < t->nr_readers && e == 0; i++) {
		t->readers[i].by = &carrier;
		e = take_from(t, &t->readers[i]);
	}
	page_carrier_close(&carrier);
	return e;
}

/* Adds the tasks that run now. @nr_old: buffers from before the last boot, where the same numbers meant others. */
static int gather_names(struct sonde_ftrace_recorder *t, size_t nr_old)
{
	struct ftrace_meta *meta = &t->meta;
	struct buf saved = BUF_MEMORY;
	int e = 0;

	meta->names = BUF_MEMORY;
	if (nr_old == t->instances.n)
		return 0;
	if (nr_old)
		messenger_say(&t->messenger, "names of tasks are those of this boot, also in buffers from before it");
	if (tracefs_read(&saved, t->tracefs, "saved_cmdlines") < 0)
		saved.n = 0;
	buf_char(&saved, '\0');
	if (saved.failed || names_complete(&t->names, (struct sonde_str){ saved.p, saved.n - 1 }) < 0)
		e = err_nomem(&t->err);
	names_text(&t->names, &meta->names);
	meta->page.cmdlines = (struct sonde_str){ meta->names.p, meta->names.n };
	buf_free(&saved);
	return e;
}

static int extract(struct sonde_ftrace_recorder *t, ftrace_sink make_sink)
{
	struct ftrace_meta *meta = &t->meta;
	size_t nr_old = 0;
	int e = ftrace_meta_make(meta, t->instances.at, t->instances.n, t->tracefs, true, &t->messenger, &t->err);

	if (e == 0)
		e = ftrace_meta_last_boot(meta, t->instances.at, t->instances.n, &nr_old, &t->err);
	if (e == 0)
		e = gather_names(t, nr_old);
	if (e == 0)
		e = make_sink(t->opts.output, (int)t->opts.file_version, t->opts.compression, &t->sink, &t->err);
	if (e == 0)
		e = t->sink->ops->start(t->sink, &meta->page, &t->err);
	if (e == 0)
		e = ftrace_open_readers(t);
	return e < 0 ? e : take_all(t);
}

int ftrace_recorder_extract(struct sonde_ftrace_recorder *t, const struct sonde_ftrace_recorder_opts *opts,
			    ftrace_sink make_sink)
{
	int e = ftrace_check_opts(t, opts), late;
	uint64_t before = 0;

	if (e == 0)
		e = look(t);
	if (e == 0) {
		before = ftrace_read_before(t->instances.at, t->instances.n);
		e = extract(t, make_sink);
	}
	if (t->sink && t->nr_readers) {
		t->ran = true;
		late = ftrace_meta_finish(&t->meta, t->instances.at, t->instances.n, false, &t->stats, &t->err);
		if (late == 0)
			late = t->sink->ops->finish(t->sink, &t->meta.page, &t->err);
		t->stats.bytes = t->sink->bytes;
		t->stats.events -= t->stats.events < before ? t->stats.events : before;
		e = e < 0 ? e : late;
	}
	for (size_t i = 0; i < t->nr_readers; i++)
		page_reader_close(&t->readers[i]);
	t->nr_readers = 0;
	for (size_t i = 0; i < t->instances.n; i++)
		t->instances.at[i].dir = NULL;  /* nothing of them is ours */
	return e;
}
