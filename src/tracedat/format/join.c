/* SPDX-License-Identifier: MIT */
/* join.c - the extents of a CPU, in a file that grew, become one: other files have one of each CPU */
#include <stdlib.h>

#include "tracedat/format/encode.h"
#include "tracedat/format/join.h"

/* An extent with pages, before it is joined. */
struct joining {
	struct dat_extent *extent;
	uint64_t time;               /* of its first page */
};

static int by_cpu_and_time(const void *a, const void *b)
{
	const struct joining *x = a, *y = b;

	if (x->extent->cpu != y->extent->cpu)
		return x->extent->cpu < y->extent->cpu ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->extent > y->extent) - (x->extent < y->extent);
}

/* The extents of one CPU: the first one takes the bytes of the others. */
static int join(struct dat_file *f, struct joining *all, size_t n)
{
	struct dat_bytes *more = arena_alloc(&f->arena, (n - 1) * sizeof(*more));
	struct dat_extent *first = all[0].extent;

	if (!more)
		return -SONDE_NOMEM;
	for (size_t i = 1; i < n; i++) {
		more[i - 1] = all[i].extent->bytes;
		all[i].extent->bytes.n = 0;
	}
	first->more = more;
	first->nr_more = n - 1;
	return 0;
}

static int join_buffer(struct dat_file *f, struct dat_buffer *b)
{
	struct joining *all = calloc(b->extents.n ? b->extents.n : 1, sizeof(*all));
	size_t n = 0, kept = 0, end;
	int r = all ? 0 : -SONDE_NOMEM;

	for (size_t i = 0; r == 0 && i < b->extents.n; i++) {
		struct dat_extent *x = &b->extents.at[i];
		const uint8_t *p = x->bytes.n >= 8 ? image_view(f->image, x->bytes.at, 8) : NULL;

		/* joined extents come from one image, which is this one */
		if (x->bytes.n && !x->from && !x->bytes.p)
			all[n++] = (struct joining){ x, p ? load_u64(p, f->swap) : 0 };
	}
	if (n)
		qsort(all, n, sizeof(*all), by_cpu_and_time);
	for (size_t i = 0; r == 0 && i < n; i = end) {
		for (end = i + 1; end < n && all[end].extent->cpu == all[i].extent->cpu;)
			end++;
		if (end > i + 1)
			r = join(f, all + i, end - i);
	}
	free(all);
	for (size_t i = 0; r == 0 && i < b->extents.n; i++)
		if (b->extents.at[i].bytes.n)
			b->extents.at[kept++] = b->extents.at[i];
	if (r == 0 && kept < b->extents.n) {
		b->extents.n = kept;
		b->order.n = 0;
	}
	return r;
}

int dat_join_extents(struct dat_file *f)
{
	size_t item;
	int r = 0;

	if (!dat_file_unfinished(f, &item))
		return 0;
	for (size_t i = 0; i < f->buffers.n && r == 0; i++)
		if (!f->buffers.at[i].packed)
			r = join_buffer(f, &f->buffers.at[i]);
	return r;
}
