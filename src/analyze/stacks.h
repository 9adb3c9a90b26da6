/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - call stacks as a prefix tree: a stack is its outer part and one more frame
 *
 * A whole chain of addresses that was seen lately in the same address spaces costs one look: its bytes are kept.
 */
#ifndef ANALYZE_STACKS_H
#define ANALYZE_STACKS_H

#include <sonde/profile.h>

#include "analyze/frames.h"
#include "threads/tasks.h"

struct stack_child { uint32_t frame, stack; };

struct stacks {
	VEC(struct sonde_profile_stack) list;
	VEC(struct stack_child) last;    /* by stack: the child that was met last */
	struct hash_index index;             /* by (parent, frame) */
	struct chain_memo *memo;
	bool named_only;                 /* frames without symbol are left out */
	uint32_t max_frames;             /* of a chain, also those without symbol */
	bool keeps_outermost;            /* of a longer chain; else the innermost */
	VEC(uint32_t) frames;            /* of the chain at hand, innermost first */
};

/* callchains: there will be some. 0 or -SONDE_NOMEM. */
int stacks_init(struct stacks *s, bool callchains);
void stacks_free(struct stacks *s);

/* Though stacks_init() was told otherwise, there will be callchains. 0 or -SONDE_NOMEM. */
int stacks_expect_chains(struct stacks *s);

/* Another trace begins: addresses mean something else. */
void stacks_restart(struct stacks *s);

#define STACKS_GONE UINT32_MAX

/* Gives stacks the numbers @numbers and their frames @frames; stacks of STACKS_GONE are left out. 0 or -SONDE_NOMEM. */
int stacks_renumber(struct stacks *s, const uint32_t *numbers, const uint32_t *frames);

/* The stack `parent` with one more frame; HASH_INDEX_NONE when out of memory. */
uint32_t stacks_push(struct stacks *s, uint32_t parent, uint32_t frame);

/*
 * stacks_slot - where a chain in the address spaces @r would be remembered; STACKS_NO_SLOT if nowhere
 * stacks_expect - the same slot will be looked into soon
 * Both ask for memory that is in no near cache. Called some samples before, they are the better half of a look.
 */
#define STACKS_NO_SLOT UINT32_MAX
uint32_t stacks_slot(const struct stacks *s, const struct task_roots *r, const struct u64s *chain);
void stacks_expect(const struct stacks *s, uint32_t slot);

/*
 * The stack of a callchain in the address spaces @r, at most max_frames of it; 0 without one, or if it makes no sense.
 * @unwound: its user part is ours; @slot: as stacks_slot() has said. HASH_INDEX_NONE when out of memory.
 */
uint32_t stacks_of_chain(struct stacks *s, struct frames *f, const struct task_roots *r, uint8_t cpumode,
			 const struct u64s *chain, bool unwound, uint32_t slot);

#endif
