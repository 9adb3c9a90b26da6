/* SPDX-License-Identifier: MIT */
/*
 * cell_memo.h - the cell of a sample by its record: everything that decides on the cell, compared byte by byte
 *
 * Most samples are like an earlier one. Their addresses are looked up and their stacks walked once, until the slot is
 * taken by another sample.
 */
#ifndef ANALYZE_PROFILE_CELL_MEMO_H
#define ANALYZE_PROFILE_CELL_MEMO_H

#include <string.h>

#include "analyze/profile/plain_memo.h"
#include "model/event.h"
#include "threads/tasks.h"

/* A sample without its callchain. */
struct profile_sample {
	struct task_roots roots;
	uint64_t ip, period, latency;  /* ip 0: the first entry of the callchain */
	uint32_t event, task, detail;  /* numbers in the profile */
	uint32_t parallelism;
	int32_t cpu;                 /* -1 if cells of CPUs are not kept apart */
	int32_t ran_on;              /* the CPU in any case; -1: not recorded */
	uint64_t time;               /* SONDE_NONE: not recorded */
	uint8_t cpumode;
	bool unwound;                /* the user part of its chain is ours */
};

struct cell_slot {
	struct task_roots roots;
	uint64_t ip;
	uint32_t event, task, detail;
	int32_t cpu;
	uint32_t cell;               /* HASH_INDEX_NONE: the sample is left out */
	uint32_t bytes, cap;         /* of its callchain; what there is room for */
	uint8_t *chain;
	uint8_t cpumode;
	bool used, unwound, swap;
};

/* {0}: nothing is remembered */
struct cell_memo {
	struct cell_slot *slots;
	struct plain_memo plain;     /* of samples without callchain */
};

/* The slot of a sample, which is another one's unless cell_slot_is(); NULL when out of memory. */
struct cell_slot *cell_memo_slot(struct cell_memo *m, const struct profile_sample *s, const struct u64s *chain);

/* Without && for the numbers: see is_same_cell() in cells.c. */
static inline bool cell_slot_is(const struct cell_slot *slot, const struct profile_sample *s, const struct u64s *chain)
{
	const struct task_roots *a = &slot->roots, *b = &s->roots;

	return slot->used && slot->bytes == chain->nr * sizeof(uint64_t) && slot->ip == s->ip &&
	       !((slot->task ^ s->task) | (slot->event ^ s->event) | (slot->detail ^ s->detail) |
		 (uint32_t)(slot->cpu ^ s->cpu) | (uint32_t)(slot->cpumode ^ s->cpumode) |
		 (uint32_t)(slot->unwound ^ s->unwound) | (uint32_t)(slot->swap ^ chain->swap)) &&
	       a->user == b->user && a->kernel == b->kernel && a->guest == b->guest &&
	       a->guest_user == b->guest_user && (!slot->bytes || memcmp(slot->chain, chain->p, slot->bytes) == 0);
}

/* Without memory for the callchain nothing is remembered. */
void cell_slot_set(struct cell_slot *slot, const struct profile_sample *s, const struct u64s *chain, uint32_t cell);

void cell_memo_forget(struct cell_memo *m);

#endif
