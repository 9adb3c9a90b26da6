/* SPDX-License-Identifier: MIT */
#include "analyze/profile/cell_memo.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/zeros.h"

enum { SLOTS = 1 << 12, LONGEST = 4096 };  /* bytes of a chain worth keeping */

static uint64_t step(uint64_t h, const uint8_t *p)
{
	h = (h ^ load_u64(p, false)) * UINT64_C(0x9fb21c651e98df25);
	return h << 29 | h >> 35;
}

/* Two chains of multiplications run beside each other. */
static uint64_t hash_chain(const struct u64s *chain)
{
	const uint8_t *p = chain->p, *end = p + (chain->nr & ~UINT64_C(1)) * sizeof(uint64_t);
	uint64_t a = chain->nr, b = UINT64_C(0x9e3779b97f4a7c15);

	for (; p != end; p += 2 * sizeof(uint64_t)) {
		a = step(a, p);
		b = step(b, p + sizeof(uint64_t));
	}
	return chain->nr & 1 ? step(a, p) + b : a + b;
}

static uint64_t hash(const struct profile_sample *s, const struct u64s *chain)
{
	uint64_t h = (s->ip + s->task) * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)s->roots.user >> 4;

	return hash_u64(chain->nr ? h + hash_chain(chain) : h);
}

struct cell_slot *cell_memo_slot(struct cell_memo *m, const struct profile_sample *s, const struct u64s *chain)
{
	if (!m->slots)
		m->slots = zeros_alloc(SLOTS, sizeof(*m->slots));
	return m->slots ? &m->slots[hash(s, chain) & (SLOTS - 1)] : NULL;
}

void cell_slot_set(struct cell_slot *slot, const struct profile_sample *s, const struct u64s *chain, uint32_t cell)
{
	uint64_t bytes = chain->nr * sizeof(uint64_t);
	uint8_t *more;

	if (bytes > LONGEST)
		return;
	if (bytes > slot->cap) {
		more = realloc(slot->chain, bytes);
		if (!more)
			return;
		slot->chain = more;
		slot->cap = (uint32_t)bytes;
	}
	if (bytes)
		memcpy(slot->chain, chain->p, bytes);
	*slot = (struct cell_slot){ .roots = s->roots, .ip = s->ip, .event = s->event, .task = s->task,
				    .detail = s->detail, .cpu = s->cpu, .cell = cell, .bytes = (uint32_t)bytes,
				    .cap = slot->cap, .chain = slot->chain, .cpumode = s->cpumode, .used = true,
				    .unwound = s->unwound, .swap = chain->swap };
}

void cell_memo_forget(struct cell_memo *m)
{
	plain_memo_forget(&m->plain);
	for (size_t i = 0; m->slots && i < SLOTS; i++)
		free(m->slots[i].chain);
	free(m->slots);
	m->slots = NULL;
}
