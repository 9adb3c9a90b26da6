/* SPDX-License-Identifier: MIT */
#include "order/sample_sums.h"

#include "base/zeros.h"

enum { MOST = 1 << 20 };             /* sums: 64 MiB */

int sample_sums_begin(struct sample_sums *s, uint64_t max_memory)
{
	uint64_t most = max_memory / 8 / sizeof(*s->list.at);

	*s = (struct sample_sums){ .most = max_memory && most < MOST ? (size_t)most : MOST };
	s->slots = zeros_alloc(SAMPLE_SUMS_SLOTS, sizeof(*s->slots));
	return s->slots ? 0 : -SONDE_NOMEM;
}

/* Without memory, or with too many sums, another way has to be found. */
static void keep(struct sample_sums *s, const struct sample_sum *c)
{
	if (s->list.n >= s->most || vec_push(&s->list, *c) < 0)
		s->given_up = true;
}

void sample_sums_take_slot(struct sample_sums *s, struct sample_sum *slot, const struct sample_head *h, int32_t pid)
{
	if (slot->samples)
		keep(s, slot);
	*slot = (struct sample_sum){ .evsel = h->evsel, .ip = h->ip, .first = h->time, .last = h->time, .pid = pid,
				      .tid = h->tid, .cpumode = h->cpumode };
}

int sample_sums_end(struct sample_sums *s)
{
	if (vec_reserve(&s->list, SAMPLE_SUMS_SLOTS) < 0)
		return -SONDE_NOMEM;
	for (size_t i = 0; i < SAMPLE_SUMS_SLOTS; i++)
		if (s->slots[i].samples)
			s->list.at[s->list.n++] = s->slots[i];
	return 0;
}

void sample_sums_free(struct sample_sums *s)
{
	free(s->slots);
	vec_free(&s->list);
}
