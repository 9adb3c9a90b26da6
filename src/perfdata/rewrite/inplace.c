/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/inplace.h"

#include "perfdata/rewrite/swap.h"

/* What a stretch of the file is. Between them lie bytes that nothing refers to. */
enum piece_kind { PIECE_HEADER, PIECE_WORDS, PIECE_ATTR, PIECE_DATA, PIECE_FEATURE };

struct piece {
	struct section s;
	enum piece_kind kind;
	uint32_t feature;            /* of PIECE_FEATURE */
};

typedef VEC(struct piece) pieces;

static int add(pieces *list, struct section s, enum piece_kind kind, uint32_t feature)
{
	return s.size ? vec_push(list, ((struct piece){ s, kind, feature })) : 0;
}

static int gather(struct rewrite *w, pieces *list)
{
	const struct header *h = &w->in.header;
	uint64_t table = h->data.offset + h->data.size, slots = 0;
	const uint8_t *p = image_view(&w->image, 8, 8);
	int r = p ? add(list, (struct section){ 0, load_u64(p, h->swap) }, PIECE_HEADER, 0) : -SONDE_TRUNCATED;

	for (size_t i = 0; r == 0 && i < w->in.events.n; i++) {
		struct section attr = w->in.events.at[i].attr;

		r = add(list, attr, PIECE_ATTR, 0);
		if (r == 0)  /* where its ids are */
			r = add(list, (struct section){ attr.offset + attr.size, sizeof(struct section) }, PIECE_WORDS,
				0);
		if (r == 0)
			r = add(list, w->in.events.at[i].ids, PIECE_WORDS, 0);
	}
	if (r == 0)
		r = add(list, w->in.data, PIECE_DATA, 0);
	for (uint32_t id = 0; r == 0 && id < SONDE_FEAT_BITS && !w->in.unfinished; id++) {
		slots += header_has(h, id);
		r = w->in.has[id] ? add(list, w->in.features[id], PIECE_FEATURE, id) : 0;
	}
	if (r == 0 && table < w->image.size) {
		slots *= sizeof(struct section);
		r = add(list, (struct section){ table, slots < w->image.size - table ? slots : w->image.size - table },
			PIECE_WORDS, 0);
	}
	return r;
}

static int by_offset(const void *a, const void *b)
{
	uint64_t x = ((const struct piece *)a)->s.offset, y = ((const struct piece *)b)->s.offset;

	return (x > y) - (x < y);
}

/* All words but the magic of "PERFFILE", which has no byte order; the words of the bitmap are 64 bits long. */
static void swap_words(uint8_t *p, size_t n)
{
	for (; n >= 8; p += 8, n -= 8) {
		uint64_t v = bswap_64(load_u64(p, false));

		memcpy(p, &v, sizeof(v));
	}
}

static const char *swap_piece(const struct rewrite *w, const struct piece *piece, uint8_t *p, bool swap)
{
	size_t n = (size_t)piece->s.size, skip = piece->kind == PIECE_HEADER && w->in.header.version == 1 ? 8 : 0;

	switch (piece->kind) {
	case PIECE_ATTR:
		return swap_attr(p, n, swap);
	case PIECE_FEATURE:
		return swap_feature(piece->feature, p, n, swap, w->in.meta.nr_cpus_available);
	default:
		swap_words(p + skip, n - skip);
		return NULL;
	}
}

/* Ids can be more than memory holds, and holes for the most part: zeros are the same in either order. */
static int put_words(struct rewrite *w, struct section s)
{
	struct sonde_error *err = &w->handle->err;
	int r = 0;

	if (!w->scratch && !(w->scratch = malloc(REWRITE_SCRATCH)))
		return err_nomem(err);
	while (r == 0 && s.size) {
		uint64_t hole = image_hole(&w->image, s.offset, s.size) & ~UINT64_C(7);
		size_t n = s.size < REWRITE_SCRATCH ? (size_t)s.size : REWRITE_SCRATCH;
		const uint8_t *p = hole ? NULL : image_view(&w->image, s.offset, n);

		if (!hole && !p && image_failed(&w->image, err) < 0)
			return -SONDE_SYSTEM;
		if (!hole && !p)
			return err_set(err, SONDE_TRUNCATED, s.offset, "the input became shorter while it was read");
		if (p) {
			memcpy(w->scratch, p, n);
			if (rewrite_changes_order(w))
				swap_words(w->scratch, n);
			buf_put(&w->to.buf, w->scratch, n);
			r = w->to.buf.failed;
		} else {
			r = output_copy(&w->to, &w->image, s.offset, hole, err);
		}
		s.offset += hole ? hole : n;
		s.size -= hole ? hole : n;
	}
	return r;
}

static int put_piece(struct rewrite *w, const struct piece *piece)
{
	bool swap = w->in.header.swap;
	const char *stays;
	uint8_t *p;

	if (piece->kind == PIECE_DATA)
		return rewrite_records(w);
	if (piece->kind == PIECE_WORDS)
		return put_words(w, piece->s);
	p = image_copy(&w->image, piece->s.offset, piece->s.size);
	if (!p)
		return image_failed(&w->image, &w->handle->err) < 0 ? -SONDE_SYSTEM : err_nomem(&w->handle->err);
	stays = swap_piece(w, piece, p, swap);
	if (!rewrite_changes_order(w))
		swap_piece(w, piece, p, !swap);
	else if (stays)
		ledger_add(&w->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, piece->s.offset, SONDE_NONE, -1,
			   REWRITE_STAYS "%s", stays);
	buf_put(&w->to.buf, p, piece->s.size);
	free(p);
	return w->to.buf.failed;
}

static int put_pieces(struct rewrite *w, const pieces *list)
{
	uint64_t at = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		const struct piece *piece = &list->at[i];

		if (piece->s.offset < at)
			return err_set(&w->handle->err, SONDE_CORRUPT, piece->s.offset,
				       "has sections that overlap: 'sonde repair' comes first");
		r = output_copy(&w->to, &w->image, at, piece->s.offset - at, &w->handle->err);
		if (r == 0)
			r = put_piece(w, piece);
		at = piece->s.offset + piece->s.size;
	}
	return r < 0 ? r : output_copy(&w->to, &w->image, at, w->image.size - at, &w->handle->err);
}

int rewrite_in_place(struct rewrite *w)
{
	struct sonde_error *err = &w->handle->err;
	pieces list = { 0 };
	int r;

	w->keep_packed = w->keep_damage = w->as_it_is = true;
	w->opts.level = 0;
	w->opts.dir = w->dir.fd >= 0 ? &w->dir : NULL;
	w->out = compose_new(&w->to, &w->opts, NULL, NULL);
	if (!w->out)
		return err_nomem(err);
	compose_begin_records(w->out, err);
	r = gather(w, &list);
	if (r < 0) {
		vec_free(&list);
		return r == -SONDE_NOMEM ? err_nomem(err) : err_set(err, SONDE_TRUNCATED, 8, "the header is cut");
	}
	qsort(list.at, list.n, sizeof(*list.at), by_offset);
	r = put_pieces(w, &list);
	vec_free(&list);
	if (r == 0)
		r = compose_finish_records(w->out, err);
	return r < 0 ? r : rewrite_finish(w);
}
