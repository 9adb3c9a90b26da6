/* SPDX-License-Identifier: MIT */
/* first_records.c - the records at the beginning of a file that describe its events, without reading on. */
#include "perfdata/read/first_records.h"
#include "perfdata/read/recovered_ids.h"
#include "perfdata/read/walk.h"

/*
 * Behind the mappings of the kernel and its modules, and the ids of every event on every CPU, events are described
 * within this.
 */
#define FIRST_BYTES (1024 * 1024)

static bool is_behind(uint32_t type)
{
	return type == RECORD_SAMPLE || type == RECORD_FINISHED_ROUND || type == RECORD_FINISHED_INIT ||
		type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2;
}

static void shorten(struct walk *w)
{
	struct scan *s = &w->file.scan;

	if (s->limit - w->began <= FIRST_BYTES)
		return;
	s->limit = w->began + FIRST_BYTES;
	if (w->fd < 0)
		s->end = s->p + FIRST_BYTES;
}

/* The first records of a stream were read at open. */
int perfdata_first_records(struct reader *r, struct sonde_error *err)
{
	struct perfdata *f = perfdata_of(r);
	struct record_ref ref;
	struct walk *w;
	int e;

	if (f->input.stream)
		return 0;
	e = walk_quietly(f, &w, err);
	if (e < 0)
		return e;
	shorten(w);
	do
		e = perfdata_walk_next(w, &ref, err);
	while (e > 0 && !is_behind(record_header(ref.p, f->header.swap).type));
	perfdata_walk_free(w);
	return e < 0 ? e : 0;
}

/* A stream cannot be read twice: there ids are given when the first record needs them. */
int perfdata_find_ids(struct perfdata *f, struct sonde_error *err)
{
	struct record_ref ref;
	struct walk *w;
	int r;

	if (!perfdata_lacks_ids(f) || f->input.stream)
		return 0;
	r = walk_quietly(f, &w, err);
	if (r < 0)
		return r;
	while (perfdata_lacks_ids(f) && (r = perfdata_walk_next(w, &ref, err)) > 0)
		;
	perfdata_walk_free(w);
	if (r >= 0)
		r = perfdata_settle_ids(f, err);
	return r < 0 ? r : 0;
}
