/* SPDX-License-Identifier: MIT */
#include "tracedat/rewrite/rewrite.h"

int dat_rewrite_open(struct dat_rewrite *w, struct sonde_rewrite *handle, struct image *im, const char *out)
{
	*w = (struct dat_rewrite){ .handle = handle, .image = *im, .to.buf.fd = -1 };
	dat_file_init(&w->in, &w->image);
	return output_open(&w->to, out, &w->image, &handle->err);
}

void dat_rewrite_close(struct dat_rewrite *w)
{
	dat_file_free(&w->in);
	output_close(&w->to);
	image_close(&w->image);
}

void dat_rewrite_lose(struct dat_rewrite *w, enum sonde_loss_kind kind, uint64_t count, uint64_t at, int32_t cpu,
		      const char *what)
{
	ledger_add(&w->handle->ledger, kind, count, at, SONDE_NONE, cpu, "%s", what);
}

int dat_rewrite_finish(struct dat_rewrite *w, struct dat_file *f, const struct compose_how *how)
{
	struct sonde_error *err = &w->handle->err;
	int r = dat_compose(f, &w->to, how, err);

	if (r == 0)
		r = image_failed(&w->image, err);
	if (r == 0)
		r = image_shrunk(&w->image, err);
	if (r == 0 && w->verify) {
		r = buf_flush(&w->to.buf);
		if (r == 0)
			r = w->verify(w);
	}
	return r < 0 ? r : output_finish(&w->to, err);
}

int dat_rewrite_replace(struct dat_rewrite *w, struct dat_part *part, struct buf *with)
{
	uint8_t *p = with->failed ? NULL : arena_memdup(&w->in.arena, with->p, with->n ? with->n : 1);
	size_t n = with->n;

	buf_free(with);
	if (!p)
		return err_nomem(&w->handle->err);
	part->bytes = (struct dat_bytes){ .p = p, .n = n };
	part->packed = part->cut = false;
	return 0;
}
