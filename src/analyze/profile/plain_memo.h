/* SPDX-License-Identifier: MIT */
/*
 * plain_memo.h - the cells of samples that are counted by their address alone, without callchain
 *
 * The key of a cell is a place in a binary, not in an address space: processes that run the same program share cells.
 */
#ifndef ANALYZE_PROFILE_PLAIN_MEMO_H
#define ANALYZE_PROFILE_PLAIN_MEMO_H

#include "threads/maps.h"

/* Addresses of one address space that lie in one mapping. */
struct plain_range {
	maps_root root;
	uint64_t start, size;        /* size 0: the range is not used yet */
	const void *within;          /* the binary there; the root where its functions differ by process */
	uint64_t shift;              /* is added to an address to make it one of `within` */
};

struct plain_slot {
	const void *within;          /* as in struct plain_range */
	uint64_t addr;               /* there */
	uint32_t event, task;
	int32_t cpu;
	uint32_t cell;               /* HASH_INDEX_NONE: the sample is left out */
	uint8_t cpumode;
	bool used;
};

/* {0}: nothing is remembered */
struct plain_memo {
	struct plain_slot *slots;
	struct plain_range *ranges;
};

enum { PLAIN_SLOTS = 1 << 13, PLAIN_RANGES = 1 << 8 };

/* Before the first sample: 0 or -SONDE_NOMEM. */
int plain_memo_begin(struct plain_memo *m);
void plain_memo_forget(struct plain_memo *m);

/* Replaces @s with the range that holds @ip. */
void plain_memo_find_range(struct plain_range *s, maps_root root, uint64_t ip);

/* The range that holds @ip. 2 MiB of addresses share a place: neighbours in memory are often one mapping. */
static inline const struct plain_range *plain_memo_range(const struct plain_memo *m, maps_root root, uint64_t ip)
{
	uint64_t h = ((uintptr_t)root >> 4) + (ip >> 21);
	struct plain_range *s = &m->ranges[h * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (PLAIN_RANGES - 1)];

	if (s->root != root || ip - s->start >= s->size)
		plain_memo_find_range(s, root, ip);
	return s;
}

/* The slot of such a sample, which is another one's unless plain_slot_is(). */
static inline struct plain_slot *plain_memo_slot(const struct plain_memo *m, const struct plain_slot *key)
{
	uint64_t h = (key->addr ^ (uint64_t)key->task << 48) + ((uintptr_t)key->within >> 4);

	return &m->slots[h * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (PLAIN_SLOTS - 1)];
}

/* Without && for the numbers: see is_same_cell() in cells.c. */
static inline bool plain_slot_is(const struct plain_slot *slot, const struct plain_slot *key)
{
	return slot->addr == key->addr && slot->within == key->within &&
	       !((slot->task ^ key->task) | (slot->event ^ key->event) | (uint32_t)(slot->cpu ^ key->cpu) |
		 (uint32_t)(slot->cpumode ^ key->cpumode) | !slot->used);
}

#endif
