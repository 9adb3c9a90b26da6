/* SPDX-License-Identifier: MIT */
#include "analyze/annotation_changes.h"

#include <stdlib.h>

#include "symbol/list/code_changes.h"

/* The samples between two changes of a function. */
struct stretch { uint64_t samples, moment; };

/* The changes that touch the function. */
struct changes {
	VEC(size_t) list;            /* numbers of changes */
	struct stretch *stretches;   /* list.n + 1 of them */
};

/* How many changes of the function came before a moment. */
static size_t nr_before(const struct changes *c, uint64_t moment)
{
	size_t low = 0, high = c->list.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->list.at[middle] < moment)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int find_changes(struct changes *c, const struct code_changes *all, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; i < all->list.n; i++)
		if (code_change_touches(&all->list.at[i], addr, size) && vec_push(&c->list, i) < 0)
			return -SONDE_NOMEM;
	return 0;
}

static int count_samples(struct changes *c, const struct sonde_annotation *a)
{
	const struct sonde_profile *p = a->profile;

	c->stretches = calloc(c->list.n + 1, sizeof(*c->stretches));
	if (!c->stretches)
		return -SONDE_NOMEM;
	for (uint32_t i = a->counts.function.first_cell; i != NO_CELL; i = p->annotated->next_cell[i]) {
		const struct sonde_profile_cell *cell = &p->cells.at[i];
		uint64_t moment = p->details.list.at[cell->detail].code_moment;
		struct stretch *s = &c->stretches[nr_before(c, moment)];

		s->samples += cell->samples;
		s->moment = moment;
	}
	return 0;
}

static int apply(const struct changes *c, struct sonde_annotation *a)
{
	const struct stretch *best = c->stretches;
	uint64_t samples = 0;

	for (size_t i = 0; i <= c->list.n; i++) {
		samples += c->stretches[i].samples;
		if (c->stretches[i].samples >= best->samples)
			best = &c->stretches[i];
	}
	code_changes_apply(&a->profile->code_changes, (size_t)best->moment, a->start, a->code.bytes, a->code.size);
	if (best->samples == samples)
		return 0;
	return annotation_notes_add(&a->notes, "the kernel changed this code while it was recorded: "
				    "it is shown as it was for %llu of %llu samples",
				    (unsigned long long)best->samples, (unsigned long long)samples);
}

int annotation_changes_apply(struct sonde_annotation *a)
{
	struct changes c = { 0 };
	int r;

	switch (a->counts.function.binary->kind) {
	case BINARY_KERNEL:
	case BINARY_MODULE:
	case BINARY_KSYMBOL:
		break;
	default:
		return 0;
	}
	r = find_changes(&c, &a->profile->code_changes, a->start, a->code.size);
	if (r == 0 && c.list.n)
		r = count_samples(&c, a);
	if (r == 0 && c.list.n)
		r = apply(&c, a);
	vec_free(&c.list);
	free(c.stretches);
	return r;
}
