/* SPDX-License-Identifier: MIT */
/* view.c - bytes of the input at a place: a view of memory, or read from a file */
#include "tracedat/read/tracedat.h"
#include "tracedat/read/view.h"

int dat_view_read(const struct tracedat *f, uint64_t at, uint64_t n, struct view *out, struct sonde_error *err)
{
	const struct input *in = &f->input;
	uint64_t left = at < in->size ? in->size - at : 0;
	int64_t got;

	n = n < left ? n : left;
	*out = (struct view){ .at = at, .n = n, .stays = in->fd < 0 };
	if (in->fd < 0) {
		out->p = in->map.data + (n ? at : 0);
		return 0;
	}
	out->owned = malloc(n ? n : 1);
	if (!out->owned)
		return err_nomem(err);
	got = input_read(in->fd, at, out->owned, n, err);
	if (got < 0) {
		dat_view_free(out);
		return (int)got;
	}
	out->p = out->owned;
	out->n = (size_t)got;
	return 0;
}

void dat_view_free(struct view *b)
{
	free(b->owned);
	b->owned = NULL;
}

struct cursor dat_view_cursor(const struct tracedat *f, const struct view *b, struct sonde_error *err)
{
	return cur_new(b->p, b->n, b->at, f->header.swap, err);
}
