/* SPDX-License-Identifier: MIT */
/*
 * kallsyms.c - the symbols of the recorded kernel: by far the largest of the metadata, and few commands need them
 *
 * They are read on whatever thread asks first, while others read pages: nothing of the trace is changed here.
 */
#include "tracedat/read/kallsyms.h"
#include "tracedat/read/tracedat.h"
#include "tracedat/read/view.h"

#define MAX_BYTES (UINT32_C(1) << 30)

/* The whole payload of a compressed section, as a stream of its own. */
static int unpack(const struct tracedat *f, const struct view *b, struct buf *out)
{
	struct cursor c = dat_view_cursor(f, b, NULL);
	uint32_t packed = cur_u32(&c), size = cur_u32(&c);
	struct codec_io io = { .in = cur_take(&c, packed), .nr_in = packed, .nr_out = size };
	struct decoder decoder = { 0 };
	int r;

	if (!io.in || !f->file.codec || size > MAX_BYTES || size > dat_unpack_limit(f->input.size))
		return -SONDE_CORRUPT;
	io.out = (uint8_t *)buf_room(out, size);
	if (!io.out)
		return -SONDE_NOMEM;
	r = decoder_init(&decoder, f->file.codec, NULL);
	while (r >= 0 && (r = decoder_step(&decoder, &io, NULL)) > 0 && io.nr_out > 0)
		;
	decoder_free(&decoder);
	if (r >= 0)
		out->n += size - io.nr_out;
	return r < 0 ? r : 0;
}

static int read_payload(const struct tracedat *f, struct buf *out)
{
	struct view b;
	int r = dat_view_read(f, f->kallsyms->bytes.at, f->kallsyms->bytes.n, &b, NULL);

	if (r < 0)
		return r;
	if (f->kallsyms->packed)
		r = unpack(f, &b, out);
	else
		buf_put(out, b.p, b.n);
	dat_view_free(&b);
	return r;
}

/* The text is after its size. */
static int load(void *ctx, struct buf *out)
{
	int r = read_payload(ctx, out);

	if (r == 0 && out->n < 4)
		return -SONDE_TRUNCATED;
	if (r == 0) {
		memmove(out->p, out->p + 4, out->n - 4);
		out->n -= 4;
	}
	return r;
}

void dat_kallsyms_offer(struct tracedat *f)
{
	if (f->kallsyms)
		tracefmt_symbols_from(f->formats, load, f);
}
