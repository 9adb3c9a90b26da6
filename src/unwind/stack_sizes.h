/* SPDX-License-Identifier: MIT */
/*
 * stack_sizes.h - how many bytes of their stacks samples would have needed
 *
 * A complete stack tells its size. All stacks of a thread end at the same address: a copy that was cut needed the bytes
 * up to there, if another sample of the thread has a complete one.
 */
#ifndef UNWIND_STACK_SIZES_H
#define UNWIND_STACK_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* The size of a stack, as far as unwinding of a copy of it told. */
struct measured_stack {
	int32_t tid;
	bool complete;
	uint64_t at;                 /* the stack pointer */
	uint64_t bytes;              /* that unwinding took */
};

/* {0} is empty. */
struct stack_sizes {
	VEC(struct measured_stack) stacks;
};

/* 0 or -SONDE_NOMEM. */
int stack_sizes_add(struct stack_sizes *s, const struct measured_stack *stack);

/* A size, and the number of stacks that are whole with it. */
struct stack_size {
	uint64_t bytes;              /* 0: no size is known */
	uint64_t whole;
};

/*
 * The smallest multiple of @step that is enough for @share (at most 1) of the stacks whose size is known, at most
 * @limit. Changes the order of the stacks.
 */
struct stack_size stack_sizes_enough(struct stack_sizes *s, double share, uint64_t step, uint64_t limit);

void stack_sizes_free(struct stack_sizes *s);

#endif
