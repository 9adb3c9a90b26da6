/* SPDX-License-Identifier: MIT */
#include "analyze/intern.h"

#include "base/zeros.h"

static void put(struct intern *t, struct intern_slot slot)
{
	size_t at = slot.hash & (t->cap - 1);

	while (t->slots[at].number_1)
		at = (at + 1) & (t->cap - 1);
	t->slots[at] = slot;
}

static int grow(struct intern *t)
{
	struct intern bigger = { .n = t->n, .cap = t->cap ? t->cap * 2 : 64 };

	bigger.slots = zeros_alloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i].number_1)
			put(&bigger, t->slots[i]);
	free(t->slots);
	*t = bigger;
	return 0;
}

int intern_add(struct intern *t, uint64_t hash, uint32_t number)
{
	if (number >= UINT32_MAX - 1 || (t->n + 1 > t->cap / 2 && grow(t) < 0))
		return -SONDE_NOMEM;
	put(t, (struct intern_slot){ (uint32_t)hash, number + 1 });
	t->n++;
	return 0;
}

void intern_free(struct intern *t)
{
	free(t->slots);
	*t = (struct intern){ 0 };
}
