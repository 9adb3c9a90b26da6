/* SPDX-License-Identifier: MIT */
#include "unwind/call_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "model/context_markers.h"

/* Registers of this kind that a processor may have, and calls that are kept: a recursion could add some forever. */
enum { REGISTERS_MOST = 1024, CALLS_MOST = 4096 };

struct call_stack {
	uint64_t newest;             /* the register of the newest call */
	uint64_t nr_own;             /* calls of the last sample itself, which come first */
	bool swap;
	VEC(uint8_t) bytes;          /* branches, those of earlier samples included */
};

static uint64_t capability(const struct sonde_pmu_cap *caps, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (strcmp(caps[i].name, "branches") == 0)
			return strtoull(caps[i].value, NULL, 10);
	return 0;
}

static uint64_t registers_of(const struct meta *meta)
{
	uint64_t most = capability(meta->cpu_pmu_caps, meta->nr_cpu_pmu_caps), of_pmu;

	for (size_t i = 0; i < meta->nr_pmu_caps; i++) {
		of_pmu = capability(meta->pmu_caps[i].caps, meta->pmu_caps[i].nr_caps);
		if (of_pmu > most)
			most = of_pmu;
	}
	return most <= REGISTERS_MOST ? most : 0;
}

static struct call_stack *stack_of(struct call_stacks *c, uint64_t thread)
{
	uint32_t i = u64map_get(&c->of_thread, thread);
	struct call_stack *stack;

	if (i != U64MAP_NONE)
		return c->stacks.at[i];
	stack = calloc(1, sizeof(*stack));
	if (!stack || vec_push(&c->stacks, stack) < 0) {
		free(stack);
		return NULL;
	}
	return u64map_set(&c->of_thread, thread, (uint32_t)c->stacks.n - 1) < 0 ? NULL : stack;
}

static bool has_user_part(const struct u64s *chain)
{
	for (uint64_t i = 0; i < chain->nr; i++)
		if (u64s_at(chain, i) == CONTEXT_USER)
			return true;
	return false;
}

/*
 * The index in the stack of the first call that is older than all of @b, which has the same call in the register of its
 * oldest one; the number of calls if there is none.
 */
static uint64_t first_older(const struct call_stack *stack, const struct branches *b, uint64_t registers)
{
	uint64_t oldest = b->hw_idx % registers + 1 + registers - b->nr, same;

	same = (stack->newest + registers - oldest % registers) % registers;
	if (same >= stack->nr_own || stack->swap != b->swap ||
	    memcmp(stack->bytes.at + same * BRANCH_BYTES, b->entries + (b->nr - 1) * BRANCH_BYTES, BRANCH_BYTES) != 0)
		return stack->bytes.n / BRANCH_BYTES;
	return same + 1;
}

static int join(struct call_stack *stack, const struct branches *b, uint64_t registers)
{
	size_t own = branches_bytes(b), from = first_older(stack, b, registers) * BRANCH_BYTES,
	       older = stack->bytes.n - from;

	if (own + older > CALLS_MOST * BRANCH_BYTES)
		older = CALLS_MOST * BRANCH_BYTES - own;
	if (own + older > stack->bytes.n && vec_reserve(&stack->bytes, own + older - stack->bytes.n) < 0)
		return -SONDE_NOMEM;
	if (older)
		memmove(stack->bytes.at + own, stack->bytes.at + from, older);
	memcpy(stack->bytes.at, b->entries, own);
	stack->bytes.n = own + older;
	stack->newest = b->hw_idx % registers;
	stack->nr_own = b->nr;
	stack->swap = b->swap;
	return 0;
}

int call_stacks_stitch(struct call_stacks *c, const struct meta *meta, int32_t machine, const struct sample *s,
		       struct branches *out)
{
	struct call_stack *stack;

	*out = s->branches;
	if (c->meta != meta || !c->registers)
		c->registers = registers_of(meta);
	c->meta = meta;
	if (!c->registers || !s->branches.is_call_stack || !s->branches.nr || s->branches.hw_idx == SONDE_NONE ||
	    s->branches.nr > c->registers || !has_user_part(&s->callchain))
		return 0;
	stack = stack_of(c, (uint64_t)(uint32_t)machine << 32 | (uint32_t)s->tid);
	if (!stack || join(stack, &s->branches, c->registers) < 0)
		return -SONDE_NOMEM;
	out->nr = stack->bytes.n / BRANCH_BYTES;
	out->entries = stack->bytes.at;
	out->counters = NULL;
	return 0;
}

void call_stacks_free(struct call_stacks *c)
{
	for (size_t i = 0; i < c->stacks.n; i++) {
		vec_free(&c->stacks.at[i]->bytes);
		free(c->stacks.at[i]);
	}
	vec_free(&c->stacks);
	u64map_free(&c->of_thread);
	*c = (struct call_stacks){ 0 };
}
