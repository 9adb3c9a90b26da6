/* SPDX-License-Identifier: MIT */
#include "unwind/stack_sizes.h"

#include <sonde/types.h>
#include <stdlib.h>

/* Farther up is another stack than this one: those of threads have 8 MB. */
#define STACK_MOST (UINT64_C(64) << 20)

int stack_sizes_add(struct stack_sizes *s, const struct measured_stack *stack)
{
	return vec_push(&s->stacks, *stack);
}

/* By thread, and from the top of the address space down: complete stacks come before those whose size they tell. */
static int compare_stacks(const void *a, const void *b)
{
	const struct measured_stack *x = a, *y = b;
	uint64_t x_at = x->complete ? x->at + x->bytes : x->at, y_at = y->complete ? y->at + y->bytes : y->at;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x_at != y_at)
		return x_at > y_at ? -1 : 1;
	return (int)y->complete - (int)x->complete;
}

static int compare_sizes(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The size of each stack, UINT64_MAX where nothing tells it. */
static void find_sizes(const struct stack_sizes *s, uint64_t *sizes)
{
	const struct measured_stack *stack;
	uint64_t top = 0;

	for (size_t i = 0; i < s->stacks.n; i++) {
		stack = &s->stacks.at[i];
		if (i && stack->tid != stack[-1].tid)
			top = 0;
		if (stack->complete) {
			top = stack->at + stack->bytes;
			sizes[i] = stack->bytes;
		} else {
			sizes[i] = top && top - stack->at > stack->bytes && top - stack->at < STACK_MOST ?
				   top - stack->at : UINT64_MAX;
		}
	}
}

struct stack_size stack_sizes_enough(struct stack_sizes *s, double share, uint64_t step, uint64_t limit)
{
	size_t n = s->stacks.n, known = 0, wanted;
	struct stack_size size = { 0 };
	uint64_t *sizes = n ? malloc(n * sizeof(*sizes)) : NULL;

	if (!sizes)
		return size;
	qsort(s->stacks.at, n, sizeof(*s->stacks.at), compare_stacks);
	find_sizes(s, sizes);
	qsort(sizes, n, sizeof(*sizes), compare_sizes);
	while (known < n && sizes[known] != UINT64_MAX)
		known++;
	wanted = (size_t)((double)known * share);
	/* with the precision of 32-bit x86, a tenth of 100 is a little more than 10 */
	if (wanted < known && (double)known * share - (double)wanted > 1e-6)
		wanted++;
	if (wanted) {
		size.bytes = (sizes[wanted - 1] + step - 1) / step * step;
		if (size.bytes > limit)
			size.bytes = limit;
		while (size.whole < known && sizes[size.whole] <= size.bytes)
			size.whole++;
	}
	free(sizes);
	return size;
}

void stack_sizes_free(struct stack_sizes *s)
{
	vec_free(&s->stacks);
}
