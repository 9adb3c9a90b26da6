/* SPDX-License-Identifier: MIT */
/* first_records.c - what the records at the beginning of a file say of its events, without reading on. */
#include "perfdata/read/walk.h"

/* Behind the mappings of the kernel and its modules, and the ids of every event on every CPU, events are described within this. */
#define FIRST_BYTES (1024 * 1024)

static bool is_behind(uint32_t type)
{
	return type == RECORD_SAMPLE || type == RECORD_FINISHED_ROUND || type == RECORD_FINISHED_INIT || type == RECORD_COMPRESSED ||
	       type == RECORD_COMPRESSED2;
}

static void shorten(struct walk *w)
{
	if (w->end - w->began <= FIRST_BYTES)
		return;
	w->end = w->began + FIRST_BYTES;
	if (w->fd < 0)
		w->file.end = w->file.p + FIRST_BYTES;
}

/* Of a stream they were read at open. */
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
