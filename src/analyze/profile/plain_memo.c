/* SPDX-License-Identifier: MIT */
#include "analyze/profile/plain_memo.h"

#include <sonde/types.h>
#include <stdlib.h>

#include "base/zeros.h"

int plain_memo_begin(struct plain_memo *m)
{
	if (!m->slots)
		m->slots = zeros_alloc(PLAIN_SLOTS, sizeof(*m->slots));
	if (!m->ranges)
		m->ranges = zeros_alloc(PLAIN_RANGES, sizeof(*m->ranges));
	return m->slots && m->ranges ? 0 : -SONDE_NOMEM;
}

void plain_memo_forget(struct plain_memo *m)
{
	free(m->slots);
	free(m->ranges);
	*m = (struct plain_memo){ 0 };
}

/*
 * Whether every process has the same functions at a place in the binary. A jitdump and memory without a file differ by
 * process and moment; the other kinds are too rare to matter.
 */
static bool place_is_enough(const struct binary *b)
{
	return b->kind == BINARY_FILE || b->kind == BINARY_VDSO || b->kind == BINARY_KERNEL;
}

void plain_memo_find_range(struct plain_range *s, maps_root root, uint64_t ip)
{
	const struct mapping *m = maps_find(root, ip);

	*s = (struct plain_range){ .root = root, .start = ip, .size = 1, .within = root };
	if (!m)
		return;
	s->start = m->start;
	s->size = m->end - m->start;
	if (place_is_enough(m->binary)) {
		s->within = m->binary;
		s->shift = mapping_to_binary(m, m->start) - m->start;
	}
}
