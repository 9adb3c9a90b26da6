/* SPDX-License-Identifier: MIT */
#include "perfdata/rewrite/section_rewrite.h"

#include "perfdata/rewrite/feature_order.h"
#include "perfdata/rewrite/swapper.h"

/* The kinds of sections. Between them lie bytes that nothing refers to. */
enum section_kind { SECTION_HEADER, SECTION_WORDS, SECTION_ATTR, SECTION_DATA, SECTION_FEATURE };

struct file_section {
	struct section s;
	enum section_kind kind;
	uint32_t feature;            /* of SECTION_FEATURE */
};

typedef VEC(struct file_section) file_sections;

static int add(file_sections *list, struct section s, enum section_kind kind, uint32_t feature)
{
	return s.size ? vec_push(list, ((struct file_section){ s, kind, feature })) : 0;
}

static int gather(struct rewrite *w, file_sections *list)
{
	const struct header *h = &w->in.header;
	uint64_t table = h->data.offset + h->data.size, slots = 0;
	const uint8_t *p = image_view(&w->image, 8, 8);
	int r = p ? add(list, (struct section){ 0, load_u64(p, h->swap) }, SECTION_HEADER, 0) : -SONDE_TRUNCATED;

	for (size_t i = 0; r == 0 && i < w->in.events.n; i++) {
		struct section attr = w->in.events.at[i].attr;

		r = add(list, attr, SECTION_ATTR, 0);
		if (r == 0)  /* where its ids are */
			r = add(list, (struct section){ attr.offset + attr.size, sizeof(struct section) },
				SECTION_WORDS, 0);
		if (r == 0)
			r = add(list, w->in.events.at[i].ids, SECTION_WORDS, 0);
	}
	if (r == 0)
		r = add(list, w->in.data, SECTION_DATA, 0);
	for (uint32_t id = 0; r == 0 && id < SONDE_FEAT_BITS && !w->in.unfinished; id++) {
		slots += header_has(h, id);
		r = w->in.has[id] ? add(list, w->in.features[id], SECTION_FEATURE, id) : 0;
	}
	if (r == 0 && table < w->image.size) {
		slots *= sizeof(struct section);
		r = add(list, (struct section){ table, slots < w->image.size - table ? slots : w->image.size - table },
			SECTION_WORDS, 0);
	}
	return r;
}

static int by_offset(const void *a, const void *b)
{
	uint64_t x = ((const struct file_section *)a)->s.offset, y = ((const struct file_section *)b)->s.offset;

	return (x > y) - (x < y);
}

/* All words but the magic of "PERFFILE", which has no byte order; the words of the bitmap are 64 bits long. */
static void swap_words(uint8_t *p, size_t n)
{
	struct swapper s = { .p = p, .end = p + n };

	swap_u64s(&s);
}

static const char *swap_section(const struct rewrite *w, const struct file_section *section, uint8_t *p, bool swap)
{
	size_t n = (size_t)section->s.size, skip = section->kind == SECTION_HEADER && w->in.header.version == 1 ? 8 : 0;

	switch (section->kind) {
	case SECTION_ATTR:
		return swap_attr(p, n, swap);
	case SECTION_FEATURE:
		return swap_feature(section->feature, p, n, swap, w->in.meta.nr_cpus_available);
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

static int put_section(struct rewrite *w, const struct file_section *section)
{
	bool swap = w->in.header.swap;
	const char *stays;
	uint8_t *p;

	if (section->kind == SECTION_DATA)
		return rewrite_records(w);
	if (section->kind == SECTION_WORDS)
		return put_words(w, section->s);
	p = image_copy(&w->image, section->s.offset, section->s.size);
	if (!p)
		return image_failed(&w->image, &w->handle->err) < 0 ? -SONDE_SYSTEM : err_nomem(&w->handle->err);
	stays = swap_section(w, section, p, swap);
	if (!rewrite_changes_order(w))
		swap_section(w, section, p, !swap);
	else if (stays)
		ledger_add(&w->handle->ledger, SONDE_LOSS_UNSUPPORTED, 1, section->s.offset, SONDE_NONE, -1,
			   REWRITE_STAYS "%s", stays);
	buf_put(&w->to.buf, p, section->s.size);
	free(p);
	return w->to.buf.failed;
}

static int put_sections(struct rewrite *w, const file_sections *list)
{
	uint64_t at = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->n; i++) {
		const struct file_section *section = &list->at[i];

		if (section->s.offset < at)
			return err_set(&w->handle->err, SONDE_CORRUPT, section->s.offset,
				       "has sections that overlap: 'sonde repair' comes first");
		r = output_copy(&w->to, &w->image, at, section->s.offset - at, &w->handle->err);
		if (r == 0)
			r = put_section(w, section);
		at = section->s.offset + section->s.size;
	}
	return r < 0 ? r : output_copy(&w->to, &w->image, at, w->image.size - at, &w->handle->err);
}

int rewrite_in_place(struct rewrite *w)
{
	struct sonde_error *err = &w->handle->err;
	file_sections list = { 0 };
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
	r = put_sections(w, &list);
	vec_free(&list);
	if (r == 0)
		r = compose_finish_records(w->out, err);
	return r < 0 ? r : rewrite_finish(w);
}
