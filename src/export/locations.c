/* SPDX-License-Identifier: MIT */
#include "export/locations.h"

/* NO_LOCATION when out of memory. */
static uint32_t number_of(struct locations *l, uint32_t frame, uint32_t into)
{
	uint64_t key = (uint64_t)frame << 32 | into;
	uint32_t i = u64map_get(&l->index, key);

	if (i != U64MAP_NONE)
		return i;
	i = (uint32_t)l->list.n;
	if (vec_push(&l->list, ((struct location){ frame, into })) < 0 || u64map_set(&l->index, key, i) < 0)
		return NO_LOCATION;
	return i;
}

static bool is_inlined(const struct locations *l, uint32_t frame)
{
	return l->p->frames.list.at[frame].inlined;
}

int locations_make(struct locations *l, const struct sonde_profile *p)
{
	const struct sonde_profile_stack *stacks = p->stacks.list.at;

	*l = (struct locations){ .p = p, .of_stack = malloc((p->stacks.list.n + 1) * sizeof(*l->of_stack)) };
	if (!l->of_stack)
		return -SONDE_NOMEM;
	l->of_stack[0] = NO_LOCATION;
	for (uint32_t i = 1; i < p->stacks.list.n; i++) {
		uint32_t frame = stacks[i].frame;
		uint32_t into = is_inlined(l, frame) ? l->of_stack[stacks[i].parent] : NO_LOCATION;

		l->of_stack[i] = number_of(l, frame, into);
		if (l->of_stack[i] == NO_LOCATION)
			return -SONDE_NOMEM;
	}
	return 0;
}

int locations_of_cell(struct locations *l, const struct sonde_profile_cell *cell)
{
	const struct sonde_profile_stack *stacks = l->p->stacks.list.at;
	uint32_t at = cell->stack, alone;

	l->path.n = 0;
	if (!at) {
		alone = number_of(l, cell->frame, NO_LOCATION);
		return alone == NO_LOCATION ? -SONDE_NOMEM : vec_push(&l->path, (uint64_t)alone + 1);
	}
	while (at) {
		if (vec_push(&l->path, (uint64_t)l->of_stack[at] + 1) < 0)
			return -SONDE_NOMEM;
		while (at && is_inlined(l, stacks[at].frame))
			at = stacks[at].parent;
		at = at ? stacks[at].parent : 0;
	}
	return 0;
}

void locations_free(struct locations *l)
{
	vec_free(&l->list);
	free(l->of_stack);
	u64map_free(&l->index);
	vec_free(&l->path);
}
