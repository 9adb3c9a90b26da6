/* SPDX-License-Identifier: MIT */
/* repair_pages.c - the valid part of pages */
#include "tracedat/rewrite/repair_pages.h"

#include "tracedat/format/join.h"

static void lose(struct dat_rewrite *w, enum sonde_loss_kind kind, uint64_t at, uint32_t cpu, const char *what)
{
	dat_rewrite_lose(w, kind, 1, at, (int32_t)cpu, what);
}

/* The part of a page that is kept, if that is not all; NULL: all of it. */
static const char *what_is_kept(const struct page_content *e, enum sonde_loss_kind *kind)
{
	*kind = e->cut ? SONDE_LOSS_TRUNCATED : SONDE_LOSS_CORRUPT;
	if (e->cut)
		return "{page|pages} that {is|are} cut: their first events are kept";
	if (e->overfull)
		return DAT_PAGE_OVERFULL;
	return e->damaged ? "{page|pages} with bytes that are no event: earlier events are kept" : NULL;
}

/* Checks a page of which n bytes exist: 1, or 0 if it is no page. *missed: events are missing before the next page. */
static int mend_page(struct dat_rewrite *w, const struct dat_file *f, uint8_t *page, size_t n, size_t page_size,
		     uint64_t at, uint32_t cpu, bool *missed)
{
	struct page_content e;
	enum sonde_loss_kind kind;
	const char *what;
	bool missed_before = *missed;

	if (dat_page_measure(&f->layout, page, n, page_size, &e) < 0) {
		lose(w, SONDE_LOSS_CORRUPT, at, cpu, DAT_PAGE_NONE);
		*missed = true;
		return 0;
	}
	w->handle->counts.read += e.events;
	w->handle->counts.written += e.events;
	what = what_is_kept(&e, &kind);
	*missed = what;
	if (what) {
		lose(w, kind, at, cpu, what);
		memset(page + f->layout.data_at + e.good, 0, page_size - f->layout.data_at - e.good);
	}
	if (what || (missed_before && !e.missed))
		dat_page_set_commit(&f->layout, page, e.good, e.missed || missed_before);
	return 1;
}

static int fill_mended(void *ctx, struct dat_file *f, size_t buffer, const struct dat_extent *extent,
		       struct page_writer *to)
{
	struct dat_rewrite *w = ctx;
	const struct dat_buffer *b = &f->buffers.at[buffer];
	uint8_t *page = malloc(b->page_size);
	struct page_reader from;
	struct page_run run;
	bool missed = false;
	int r = page ? 1 : err_nomem(&w->handle->err);

	dat_pages_start(&from, f, b, extent);
	from.resync = true;
	while (r > 0 && (r = dat_pages_next(&from, &run, &w->handle->err)) > 0)
		for (size_t at = 0; at < run.n && r > 0; at += b->page_size) {
			size_t n = run.n - at < b->page_size ? run.n - at : b->page_size;

			if (to->packer && pages_are_empty(run.p + at, n))
				continue;  /* usually a hole: compressed, holes would be a bomb of zeros */
			memcpy(page, run.p + at, n);
			memset(page + n, 0, b->page_size - n);
			if (!mend_page(w, f, page, n, b->page_size, run.packed ? run.at : run.at + at, extent->cpu,
				       &missed))
				continue;
			if (w->change_page && w->change_page(w, page, b->page_size) < 0)
				r = -SONDE_NOMEM;
			else if (dat_page_writer_put(to, page, b->page_size, &w->handle->err) < 0)
				r = to->to->buf.failed ? to->to->buf.failed : -SONDE_NOMEM;
		}
	if (r == 0 && from.nr_damaged)
		dat_rewrite_lose(w, SONDE_LOSS_CORRUPT, from.nr_damaged, from.damaged_at, (int32_t)extent->cpu,
				 "compressed {chunk|chunks} of pages that cannot be read");
	dat_pages_end(&from);
	free(page);
	return r;
}

/* If two CPUs or buffers claim the same pages, the first one keeps them. */
struct claimed_pages {
	uint64_t at, end;
	size_t buffer, extent;
};

static int by_place(const void *a, const void *b)
{
	const struct claimed_pages *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->buffer != y->buffer ? (x->buffer < y->buffer ? -1 : 1) :
					(x->extent > y->extent) - (x->extent < y->extent);
}

int dat_repair_drop_overlaps(struct dat_rewrite *w)
{
	VEC(struct claimed_pages) all = { 0 };
	uint64_t end = 0;

	for (size_t b = 0; b < w->in.buffers.n; b++)
		for (size_t i = 0; i < w->in.buffers.at[b].extents.n; i++) {
			const struct dat_extent *a = &w->in.buffers.at[b].extents.at[i];
			struct claimed_pages p = { a->bytes.at, a->bytes.at + a->bytes.n, b, i };

			if (a->bytes.n && !a->from && vec_push(&all, p) < 0) {
				vec_free(&all);
				return err_nomem(&w->handle->err);
			}
		}
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), by_place);
	for (size_t i = 0; i < all.n; i++) {
		struct dat_extent *a = &w->in.buffers.at[all.at[i].buffer].extents.at[all.at[i].extent];

		if (all.at[i].at < end) {
			dat_rewrite_lose(w, SONDE_LOSS_CORRUPT, a->bytes.n, a->bytes.at, (int32_t)a->cpu,
					 "{byte|bytes} of pages that another CPU or buffer claims too");
			a->bytes.n = 0;
		} else {
			end = all.at[i].end;
		}
	}
	vec_free(&all);
	return 0;
}

/* The pages of a table end where their section ends, if another section follows there. */
static void clip_extents(struct dat_rewrite *w)
{
	for (size_t i = 0; i < w->in.parts.n; i++) {
		const struct dat_part *part = &w->in.parts.at[i];
		uint64_t end = part->bytes.at + part->bytes.n;
		uint32_t next = u64map_get(&w->in.part_at, end);

		if (part->kind != DAT_PART_BUFFER || part->buffer == DAT_NONE || next == U64MAP_NONE ||
		    w->in.parts.at[next].kind == DAT_PART_RAW)
			continue;
		for (size_t k = 0; k < w->in.buffers.at[part->buffer].extents.n; k++) {
			struct dat_extent *a = &w->in.buffers.at[part->buffer].extents.at[k];

			if (a->from || a->bytes.at < part->bytes.at || a->bytes.at >= end ||
			    a->bytes.n <= end - a->bytes.at)
				continue;
			dat_rewrite_lose(w, SONDE_LOSS_CORRUPT, a->bytes.n - (end - a->bytes.at), end, (int32_t)a->cpu,
					 "{byte|bytes} of pages beyond the end of {its|their} section");
			a->bytes.n = end - a->bytes.at;
		}
	}
}

int dat_repair_pages(struct dat_rewrite *w)
{
	clip_extents(w);
	for (size_t i = 0; i < w->in.buffers.n; i++) {
		w->in.buffers.at[i].fill = fill_mended;
		w->in.buffers.at[i].ctx = w;
		w->in.buffers.at[i].tail = (struct sonde_bytes){ NULL, 0 };
	}
	if (dat_repair_drop_overlaps(w) < 0)
		return -SONDE_NOMEM;
	return dat_join_extents(&w->in) < 0 ? err_nomem(&w->handle->err) : 0;
}
