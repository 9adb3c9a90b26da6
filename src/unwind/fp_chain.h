/* SPDX-License-Identifier: MIT */
/*
 * fp_chain.h - the user part of a callchain that the kernel walked by frame pointers, beside a copy of the stack
 *
 * Its entries have no positions, and equal ones follow each other where functions recurse. Their frame records are
 * found again in the copy: the n-th record has the n-th return address.
 */
#ifndef UNWIND_FP_CHAIN_H
#define UNWIND_FP_CHAIN_H

#include "model/event.h"
#include "unwind/cpu.h"
#include "unwind/memory.h"

/*
 * The index in @chain of the return address that the frame record at @record has, which may lie above the copy. @first:
 * the frame pointer of the sample. 0 if the chain does not go there, or is not that of this stack.
 */
uint64_t fp_chain_find(const struct unwind_cpu *cpu, struct unwind_memory *m, const struct u64s *chain, uint64_t first,
		       uint64_t record);

#endif
