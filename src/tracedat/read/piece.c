/* SPDX-License-Identifier: MIT */
/* piece.c - pieces of memory that records lie in, and where decompressed ones come from */
#include "tracedat/read/tracedat.h"

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
	int r;

	if (!f->decoder.codec) {
		r = decoder_init(&f->decoder, f->codec, err);
		if (r < 0)
			return r;
	}
	return decoder_block(&f->decoder, p, n, out, size, err);
}
