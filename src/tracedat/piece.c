/* SPDX-License-Identifier: MIT */
/* piece.c - pieces of memory that records lie in, and where decompressed ones come from */
#include "tracedat/tracedat.h"

uint32_t piece_new(struct tracedat *f, struct piece p)
{
	uint32_t number;

	if (f->free_pieces.n) {
		number = f->free_pieces.at[--f->free_pieces.n];
		f->pieces.at[number] = p;
		return number;
	}
	/* the place where its number will go when it is free is made now: releasing cannot fail */
	if (f->pieces.n >= PIECE_NONE || vec_push(&f->pieces, p) < 0) {
		free(p.owned);
		return PIECE_NONE;
	}
	if (vec_reserve(&f->free_pieces, f->pieces.n) < 0) {
		f->pieces.n--;
		free(p.owned);
		return PIECE_NONE;
	}
	return (uint32_t)(f->pieces.n - 1);
}

void piece_release(struct tracedat *f, uint32_t number)
{
	struct piece *p = &f->pieces.at[number];

	if (p->pins || p->held)
		return;
	free(p->owned);
	*p = (struct piece){ 0 };
	f->free_pieces.at[f->free_pieces.n++] = number;
}

int piece_decompress(struct tracedat *f, const uint8_t *p, size_t n, uint8_t *out, size_t size, struct sonde_error *err)
{
	struct codec_io io = { .in = p, .nr_in = n, .out = out, .nr_out = size };
	uint8_t more;
	int r;

	if (!f->decoder.codec) {
		r = decoder_init(&f->decoder, f->codec, err);
		if (r < 0)
			return r;
	}
	decoder_reset(&f->decoder);
	while ((r = decoder_step(&f->decoder, &io, err)) > 0 && io.nr_out > 0)
		;
	if (r > 0) {  /* all that was promised has come: is there more? */
		io.out = &more;
		io.nr_out = 1;
		r = decoder_step(&f->decoder, &io, err);
		if (r >= 0 && io.nr_out == 0)
			return err_set(err, SONDE_CORRUPT, SONDE_NONE, "more than the %zu bytes it promises", size);
		io.nr_out = 0;
	}
	if (r < 0)
		return r;
	if (io.nr_out)
		return err_set(err, SONDE_CORRUPT, SONDE_NONE, "%zu of the %zu bytes it promises are missing", io.nr_out, size);
	return 0;
}
