/* SPDX-License-Identifier: MIT */
#include "analyze/rows/memory_classes.h"

#include <string.h>

/* Parts of union perf_mem_data_src. */
enum {
	LOAD = 1 << 1, STORE = 1 << 2, PREFETCH = 1 << 3, EXEC = 1 << 4,
	LEVEL_SHIFT = 33, LEVEL_MASK = 15,
	TLB_SHIFT = 26, TLB_MASK = 127, TLB_HIT = 1 << 1, TLB_MISS = 1 << 2, TLB_L1 = 1 << 3, TLB_L2 = 1 << 4,
};

static const char *const names[NR_MEMORY_PARTS][MEMORY_CLASSES + 1] = {
	[MEMORY_OP] = { "Load", "Store", "Ld+St", "Pfetch", "Exec", "Other" },
	[MEMORY_CACHE] = { "L1", "L2", "L3", "L4", "L1-buf", "L2-buf", "Other" },
	[MEMORY_KIND] = { "RAM", "MSC", "Uncach", "CXL", "IO", "PMEM", "Other" },
	[MEMORY_DTLB] = { "L1-Hit", "L2-Hit", "L?-Hit", "Miss", "Other" },
};

static const char *op(uint64_t data_src)
{
	if (data_src & PREFETCH)
		return "Pfetch";
	if (data_src & EXEC)
		return "Exec";
	if (data_src & LOAD)
		return data_src & STORE ? "Ld+St" : "Load";
	return data_src & STORE ? "Store" : "Other";
}

/* By mem_lvl_num: "L1-buf" is the line fill buffer, "L2-buf" the L2 miss handling buffer. */
static const char *level(uint64_t data_src)
{
	static const char *const levels[LEVEL_MASK + 1] = {
		[1] = "L1", [2] = "L2", [3] = "L3", [4] = "L4", [5] = "L2-buf", [6] = "MSC", [8] = "Uncach",
		[9] = "CXL", [10] = "IO", [12] = "L1-buf", [13] = "RAM", [14] = "PMEM",
	};
	const char *name = levels[data_src >> LEVEL_SHIFT & LEVEL_MASK];

	return name ? name : "Other";
}

static const char *dtlb(uint64_t data_src)
{
	uint64_t tlb = data_src >> TLB_SHIFT & TLB_MASK;

	if (tlb & TLB_MISS)
		return "Miss";
	switch (tlb) {
	case TLB_HIT | TLB_L1: return "L1-Hit";
	case TLB_HIT | TLB_L2: return "L2-Hit";
	case TLB_HIT | TLB_L1 | TLB_L2: return "L?-Hit";
	}
	return "Other";
}

uint32_t memory_class(enum memory_part part, uint64_t data_src)
{
	const char *name = part == MEMORY_OP ? op(data_src) : part == MEMORY_DTLB ? dtlb(data_src) : level(data_src);
	uint32_t i = 0;

	while (names[part][i + 1] && strcmp(names[part][i], name) != 0)
		i++;
	return i;
}

const char *memory_class_name(enum memory_part part, uint32_t number)
{
	return number < MEMORY_CLASSES ? names[part][number] : NULL;
}
