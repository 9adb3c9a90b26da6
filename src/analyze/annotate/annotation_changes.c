/* SPDX-License-Identifier: MIT */
#include "analyze/annotate/annotation_changes.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "symbol/list/code_changes.h"

/* The samples between two changes of a function. */
struct stretch { uint64_t samples, moment; };

/* The changes that touch the function. */
struct changes {
	VEC(uint64_t) moments;       /* after each of them */
	struct stretch *stretches;   /* moments.n + 1 of them */
};

static int find_changes(struct changes *c, const struct code_changes *all, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; i < all->list.n; i++)
		if (code_change_touches(&all->list.at[i], addr, size) && vec_push(&c->moments, i + 1) < 0)
			return -SONDE_NOMEM;
	return 0;
}

static int count_samples(struct changes *c, const struct sonde_annotation *a)
{
	const struct sonde_profile *p = a->profile;

	c->stretches = calloc(c->moments.n + 1, sizeof(*c->stretches));
	if (!c->stretches)
		return -SONDE_NOMEM;
	for (uint32_t i = a->counts.function.first_cell; i != NO_CELL; i = p->found.annotated->next_cell[i]) {
		const struct sonde_profile_cell *cell = &p->cells.at[i];
		uint64_t moment = p->details.list.at[cell->detail].code_moment;
		struct stretch *s = &c->stretches[sorted_keys_at_most(c->moments.at, c->moments.n,
								      sizeof(*c->moments.at), 0, moment)];

		s->samples += cell->samples;
		s->moment = moment;
	}
	return 0;
}

static int apply(const struct changes *c, struct sonde_annotation *a)
{
	const struct stretch *best = c->stretches;
	uint64_t samples = 0;

	for (size_t i = 0; i <= c->moments.n; i++) {
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
	if (r == 0 && c.moments.n)
		r = count_samples(&c, a);
	if (r == 0 && c.moments.n)
		r = apply(&c, a);
	vec_free(&c.moments);
	free(c.stretches);
	return r;
}
