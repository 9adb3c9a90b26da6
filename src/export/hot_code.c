/* SPDX-License-Identifier: MIT */
#include "export/hot_code.h"

#include "export/main_binary.h"

/* A function of the binary with a symbol, or NO_FRAME. */
static struct code_place place_in(const struct hot_code *h, const struct sonde_profile *p, uint64_t frame,
				  uint64_t offset)
{
	const struct frame *f = &p->frames.list.at[frame];

	if (!f->binary || f->binary->index != h->binary || f->symbol == SYMTAB_NONE)
		return (struct code_place){ NO_FRAME, 0 };
	return (struct code_place){ (uint32_t)frame, offset };
}

static int compare_places(const struct code_place *a, const struct code_place *b)
{
	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int compare_hot(const void *va, const void *vb)
{
	const struct hot_place *a = va, *b = vb;
	int r = compare_places(&a->from, &b->from);

	return r ? r : compare_places(&a->to, &b->to);
}

static void merge_equal(struct hot_code *h)
{
	size_t kept = 0;

	if (!h->list.n)
		return;
	qsort(h->list.at, h->list.n, sizeof(*h->list.at), compare_hot);
	for (size_t i = 1; i < h->list.n; i++) {
		if (compare_hot(&h->list.at[kept], &h->list.at[i]) != 0) {
			h->list.at[++kept] = h->list.at[i];
			continue;
		}
		h->list.at[kept].count += h->list.at[i].count;
		h->list.at[kept].mispredicted += h->list.at[i].mispredicted;
	}
	h->list.n = kept + 1;
}

static int add(struct hot_code *h, const struct sonde_profile *p, const struct sonde_profile_cell *cell)
{
	const struct sonde_profile_detail *d = &p->details.list.at[cell->detail];
	struct hot_place hot = { .to = place_in(h, p, cell->frame, d->symbol_offset), .count = cell->samples,
				 .from = { NO_FRAME, 0 } };

	if (h->branches) {
		hot.from = place_in(h, p, d->source - 1, d->source_offset);
		hot.mispredicted = d->branch_flags & BRANCH_MISPREDICTED ? cell->samples : 0;
	}
	if (hot.to.frame == NO_FRAME && hot.from.frame == NO_FRAME)
		return 0;
	return vec_push(&h->list, hot);
}

int hot_code_make(struct hot_code *h, const struct export *x, uint32_t event)
{
	const struct sonde_profile *p = x->profile;
	uint64_t all = 0, own = 0;
	size_t n = 0;
	const uint32_t *cells = event < p->events.n ? event_cells_of(&x->cells, event, &n) : NULL;

	*h = (struct hot_code){ .branches = p->kept.branches };
	if (binary_to_write(x, &h->binary) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t before = h->list.n;

		if (add(h, p, &p->cells.at[cells[i]]) < 0)
			return -SONDE_NOMEM;
		all += p->cells.at[cells[i]].samples;
		own += h->list.n > before ? p->cells.at[cells[i]].samples : 0;
	}
	merge_equal(h);
	binary_note_others(x, h->binary, all - own, all, h->branches ? "branches" : "samples");
	return 0;
}

uint64_t hot_code_address(const struct sonde_profile *p, const struct code_place *place)
{
	const struct frame *f = &p->frames.list.at[place->frame];

	return symtab_start(f->table, f->symbol) + place->offset;
}

const char *hot_code_function(const struct sonde_profile *p, const struct code_place *place)
{
	const struct frame *f = &p->frames.list.at[place->frame];

	return symtab_linkage_name(f->table, f->symbol);
}

void hot_code_free(struct hot_code *h)
{
	vec_free(&h->list);
}
