/* SPDX-License-Identifier: MIT */
/* stacks.h - call stacks as a prefix tree: a stack is its outer part and one more frame */
#ifndef ANALYZE_STACKS_STACKS_H
#define ANALYZE_STACKS_STACKS_H

#include <sonde/profile.h>

#include "analyze/stacks/frames.h"
#include "threads/tasks.h"

struct stack_child { uint32_t frame, stack; };

struct stacks {
	VEC(struct sonde_profile_stack) list;
	VEC(struct stack_child) last;    /* by stack: the child that was met last */
	struct hash_index index;             /* by (parent, frame) */
	bool named_only;                 /* frames without symbol are left out */
	uint32_t max_frames;             /* of a chain, also those without symbol */
	bool keeps_outermost;            /* of a longer chain; else the innermost */
	VEC(uint32_t) frames;            /* of the chain at hand, innermost first */
};

/* 0 or -SONDE_NOMEM. */
int stacks_init(struct stacks *s);
void stacks_free(struct stacks *s);

#define STACKS_GONE UINT32_MAX

/* Gives stacks the numbers @numbers and their frames @frames; stacks of STACKS_GONE are left out. 0 or -SONDE_NOMEM. */
int stacks_renumber(struct stacks *s, const uint32_t *numbers, const uint32_t *frames);

/* The stack `parent` with one more frame; HASH_INDEX_NONE when out of memory. */
uint32_t stacks_push(struct stacks *s, uint32_t parent, uint32_t frame);

/*
 * The stack of a callchain in the address spaces @r, at most max_frames of it; 0 without one, or if it makes no sense.
 * @unwound: its user part is ours. @skip: innermost frames to leave out. HASH_INDEX_NONE when out of memory.
 */
uint32_t stacks_of_chain(struct stacks *s, struct frames *f, const struct task_roots *r, uint8_t cpumode,
			 const struct u64s *chain, bool unwound, uint64_t skip);

#endif
